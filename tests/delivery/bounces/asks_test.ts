import { postDeliveryPath } from "../../_support/deliveries.ts";
import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { ANN, DAY_MS, startBouncing, subscribe } from "../../_support/bounces/service.ts";
import { addresses, startMailing } from "../../_support/mailing.ts";

const POSTS = "boards/ideas/posts";

/** Creates a service with two ideas, and functions that ask to be told of them and count that. */
async function startAsking(people: readonly string[] = []) {
  const service = await startBouncing(people);
  await service.call("POST", "boards", { boardId: "ideas", name: "Ideas" });
  for (const postId of ["dark", "night"]) {
    await service.call("POST", POSTS, { postId, title: postId });
  }
  return {
    ...service,
    async ask(postId: string): Promise<void> {
      const vote = { userEmail: ANN, vote: true, notify: true };
      await service.call("PUT", `${POSTS}/${postId}/votes`, vote);
    },
    /** Returns how many asked about each idea. */
    async asked(): Promise<readonly number[]> {
      const paths = ["dark", "night"].map((id) => `${POSTS}/${id}/votes/summary?asked=true`);
      const sums = paths.map((path) => service.call<{ asked: number }>("GET", path));
      return (await Promise.all(sums)).map(({ asked }) => asked);
    },
  };
}

describe("a complaint of a person who asked to be told", () => {
  for (const [who, people] of [["a voter", []], ["a subscriber", [ANN]]] as const) {
    it(`ends what was asked before it, and nothing later, where it is reported late by ${who}`, async () => {
      const { ask, asked, advance, post, event } = await startAsking(people);
      await ask("dark");
      advance(2 * DAY_MS);
      await ask("night");
      assertEquals(await post(event("SpamComplaint", { agoMs: DAY_MS })), "1 0 0");
      assertEquals(await asked(), [0, 1]);
    });

    it(`changes nothing where it comes again after ${who} has asked once more`, async () => {
      const { ask, asked, advance, post, event } = await startAsking(people);
      await ask("dark");
      const complaint = event("SpamComplaint");
      assertEquals([await post(complaint), await asked()], ["1 0 0", [0, 0]]);
      advance(DAY_MS);
      await ask("dark");
      assertEquals([await post(complaint), await asked()], ["0 0 1", [1, 0]]);
    });
  }

  it("ends what they asked for where its time, or that of the request, lies ahead", async () => {
    const { ask, asked, advance, post, event } = await startAsking();
    advance(DAY_MS);
    await ask("dark");
    advance(-DAY_MS);
    assertEquals([await post(event("SpamComplaint")), await asked()], ["1 0 0", [0, 0]]);
    await ask("dark");
    const ahead = event("SpamComplaint", { agoMs: -DAY_MS });
    assertEquals([await post(ahead), await asked()], ["1 0 0", [0, 0]]);
  });

  it("is ignored where they asked for nothing", async () => {
    const { call, post, event } = await startAsking();
    await call("PUT", `${POSTS}/dark/votes`, { userEmail: ANN, vote: true });
    assertEquals(await post(event("SpamComplaint")), "0 0 1");
    await subscribe({ call }, ANN);
    assertEquals(await post(event("HardBounce")), "1 0 0");
  });
});

describe("the delivery to people who asked", () => {
  const people = addresses(300);

  /** Tells people who asked about an idea, at a rate per second. */
  async function tell(mailRatePerSecond: number | false = false) {
    const mailing = await startMailing({ mailRatePerSecond });
    const { service, clock } = mailing;
    await service.call("POST", "boards", { boardId: "ideas", name: "Ideas" });
    await service.call("POST", POSTS, { postId: "dark", title: "Dark mode" });
    for (const userEmail of people) {
      await service.call("PUT", `${POSTS}/dark/votes`, { userEmail, vote: true, notify: true });
    }
    await service.call("PATCH", `${POSTS}/dark`, { status: "planned", notify: true });
    await clock.tick(0);
    const { path } = await service.call<{ path: string }>("GET", "changelogs/bounces");
    return {
      mailing,
      report: (Type: string, Email: string) =>
        service.send("POST", path, { key: null, json: { RecordType: "Bounce", Type, Email } }),
      read: async <T>(part = "") =>
        await service.call<T>("GET", `${await postDeliveryPath(service, `${POSTS}/dark`)}${part}`),
    };
  }

  it("is held while it runs by their complaints", async () => {
    const { mailing, report, read } = await tell(10);
    await using _ = mailing;
    while (mailing.sent.length < 3) await mailing.clock.tick(100);
    for (const { to } of mailing.sent.slice(0, 3)) await report("SpamComplaint", to);
    assertEquals((await read<{ state: string }>()).state, "held");
  });

  it("lists whose mailbox is missing among those whom it did not reach", async () => {
    const { mailing, report, read } = await tell();
    await using _ = mailing;
    await report("HardBounce", people[0]);
    const { data } = await read<{ data: readonly { userEmail: string }[] }>("/failures");
    assertEquals(data.map(({ userEmail }) => userEmail), [people[0]]);
  });
});
