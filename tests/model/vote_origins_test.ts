import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { LAYOUT, VOTES } from "../../model/kinds.ts";
import { moveRecord, stepsFrom } from "../../model/steps.ts";

const AT = "2026-11-27T10:00:00.000Z";
const VOTE = {
  voteId: "ann@example.com!i1",
  postId: "night",
  postInstanceId: "i1",
  userEmail: "ann@example.com",
  userName: null,
  notify: true,
  notifyAt: AT,
  notifySource: "form",
  why: null,
  source: "api",
  keyId: null,
  at: AT,
  via: null,
  notifyVia: null,
  counts: true,
  optOuts: 2,
  told: [],
  place: "i1!1",
};

/** Returns some fields of a vote of version 1 after the steps. */
function move(fields: Readonly<Record<string, unknown>>): readonly unknown[] {
  const record = { ...VOTE, ...fields };
  const [moved] = moveRecord(stepsFrom(1, LAYOUT), { kind: VOTES, record });
  const { own, origins, requests } = moved.record;
  return [own, origins, requests];
}

describe("a vote of version 1", () => {
  it("has the merged post that it came from, and its request, in lists", () => {
    const ask = (from: string | null) => ({ from, at: AT, source: "form", optOuts: 2 });
    assertEquals(move({}), [true, [], [ask(null)]]);
    assertEquals(move({ notify: false, notifyAt: null, notifySource: null }), [true, [], []]);
    assertEquals(move({ via: "dark" }), [false, ["dark"], [ask("dark")]]);
    assertEquals(move({ notifyVia: "dark" }), [true, ["dark"], [ask("dark")]]);
  });
});
