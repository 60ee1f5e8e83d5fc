import { deliveryPath } from "../../_support/deliveries.ts";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage } from "../../../mod.ts";
import type { ShownEntry } from "../../../model/entries/entry.ts";
import { forEachRow } from "../../_support/rows.ts";
import { assertOutcomes, createService, outcomeOf, START } from "../../_support/service.ts";

const ENTRIES = "changelogs/entries";
const HOUR_MS = 3_600_000;

type Step = "withdraw" | "pause" | "cancel";

function after(hours: number): string {
  return new Date(Date.parse(START) + hours * HOUR_MS).toISOString();
}

/** Creates a service with an entry for each of some identifiers, a minute apart. */
async function withEntries(...entryIds: readonly string[]) {
  const service = createService();
  for (const entryId of entryIds) {
    await service.call("POST", ENTRIES, { entryId, title: `About ${entryId}`, body: "Text" });
    service.advance(60_000);
  }
  return {
    ...service,
    publish: (entryId: string, fields: Record<string, unknown> = {}) =>
      service.call("POST", `${ENTRIES}/${entryId}/publish`, { notify: false, ...fields }),
    async list(query: string) {
      const { data } = await service.call<{ data: ShownEntry[] }>("GET", `${ENTRIES}?${query}`);
      return data.map(({ entryId }) => entryId).join("");
    },
  };
}

describe("an entry", () => {
  it("is 422 with every bad value named", async () => {
    const { send } = await withEntries("a");
    const good = { title: "t", body: "x" };
    await forEachRow([
      ["", { title: "t".repeat(201), body: "€".repeat(10_923) }, "title:too_long body:too_long"],
      ["", { ...good, labels: "a b c d e f" }, "labels:invalid_value"],
      ["", { ...good, state: "published" }, "state:unknown_field"],
      ["/a/publish", {}, "notify:required"],
      ["/a/publish", { notify: "yes" }, "notify:invalid_value"],
      ["/a/publish", { notify: true, at: after(1 / 60) }, "at:invalid_value"], // Now.
      ["/a/publish", { notify: true, at: "tomorrow" }, "at:invalid_value"],
    ], async ([path, json, errors]) => {
      const outcome = (await outcomeOf(await send("POST", ENTRIES + path, { json }))).split(" ");
      assertEquals(outcome.toSorted(), ["422", ...errors.split(" ").sort()]);
    });
    const gone = "422 state:invalid_value";
    await assertOutcomes({ send }, [["GET", `${ENTRIES}?state=gone`, {}, gone]]);
  });

  it("is 404 to what is asked of it when there is none", async () => {
    const missing = "404 entry_not_found";
    await assertOutcomes(await withEntries(), [
      ["POST", `${ENTRIES}/a/publish`, { json: { notify: true } }, missing],
      ["POST", `${ENTRIES}/a/unpublish`, {}, missing],
      ["GET", deliveryPath("a"), {}, "404 delivery_not_found"],
      ["POST", `${deliveryPath("a")}/pause`, {}, "404 delivery_not_found"],
      ["GET", `${ENTRIES}/a/delivery`, {}, "404 not_found"],
      ["GET", "/api/v1/changelogs/deliveries", {}, "404 not_found"],
    ]);
  });
});

describe("publishing", () => {
  it("changes nothing when an entry is published, or withdrawn, again", async () => {
    const { publish, call, advance } = await withEntries("a");
    const first = await publish("a", { notify: true });
    assertEquals([first.state, first.changed], ["published", true]);
    advance(HOUR_MS);
    for (const fields of [{ notify: true }, { at: after(9) }]) {
      assertEquals(await publish("a", fields), { ...first, changed: false });
    }
    const draft = await call("POST", `${ENTRIES}/a/unpublish`);
    assertEquals([draft.state, draft.publishedAt, draft.changed], ["draft", null, true]);
    assertEquals(await call("POST", `${ENTRIES}/a/unpublish`), { ...draft, changed: false });
  });

  it("changes nothing when an entry is scheduled again for the same time", async () => {
    const { publish, call, advance } = await withEntries("a");
    const plan = { notify: true, at: after(2) };
    const first = await publish("a", plan);
    const delivery = await call("GET", deliveryPath("a"));
    advance(60_000);
    assertEquals(await publish("a", plan), { ...first, changed: false });
    assertEquals(await call("GET", deliveryPath("a")), delivery);
  });

  it("with notify is 409 where nothing can mail, and dates back without it", async () => {
    const { call, send } = createService({ isMailed: false });
    await call("POST", ENTRIES, { entryId: "a", title: "A", body: "Text" });
    const at = after(-24);
    const publish = (json: Record<string, unknown>) =>
      send("POST", `${ENTRIES}/a/publish`, { json });
    assertEquals(await outcomeOf(await publish({ notify: true })), "409 mail_not_configured");
    assertEquals(await outcomeOf(await publish({ notify: true, at })), "422 at:invalid_value");
    assertEquals((await publish({ notify: false, at })).status, 200);
    const { state, publishedAt } = await call("GET", `${ENTRIES}/a`);
    assertEquals([state, publishedAt], ["published", at]);
  });

  it("holds, with its mailing, through a process whose clock is seconds behind", async () => {
    const storage = openMemoryStorage();
    const options = { storage, publicUrl: "https://example.com" };
    const [ahead, behind] = [createService(options), createService(options)];
    ahead.advance(3_000);
    await ahead.call("POST", ENTRIES, { entryId: "a", title: "A", body: "Text" });
    const first = await ahead.call("POST", `${ENTRIES}/a/publish`, { notify: true });
    const again = await behind.call("POST", `${ENTRIES}/a/publish`, { notify: false });
    assertEquals([first.changed, again.changed], [true, false]);
    assertEquals(again.publishedAt, first.publishedAt);
    assertEquals((await behind.call("GET", `${ENTRIES}/a`)).state, "published");
    assertEquals((await behind.send("GET", deliveryPath("a"))).status, 200);
    for (const query of ["state=published", "state=scheduled"]) {
      const { data } = await behind.call<{ data: unknown[] }>("GET", `${ENTRIES}?${query}`);
      assertEquals(data.length, Number(query === "state=published"));
    }
    assertStringIncludes(await (await behind.send("GET", "/changelog/a")).text(), "Text");
  });

  it("of a scheduled entry whose time has come by one clock holds for all", async () => {
    const storage = openMemoryStorage();
    const [ahead, behind] = [createService({ storage }), createService({ storage })];
    ahead.advance(3_000);
    await behind.call("POST", ENTRIES, { entryId: "a", title: "A", body: "Text" });
    const at = new Date(Date.parse(START) + 2_000).toISOString();
    await behind.call("POST", `${ENTRIES}/a/publish`, { notify: false, at });
    for (const service of [ahead, behind]) {
      const { changed, publishedAt, state } = await service.call(
        ...["POST", `${ENTRIES}/a/publish`] as const,
        { notify: false },
      );
      assertEquals([changed, publishedAt, state], [false, at, "published"]);
    }
  });

  it("makes a scheduled entry public by the clock, whose time may be moved before", async () => {
    const { publish, advance, list } = await withEntries("a", "b", "c");
    assertEquals([await list(""), await list("state=draft")], ["cba", "cba"]);
    const scheduled = await publish("a", { at: after(2) });
    assertEquals([scheduled.state, scheduled.publishedAt], ["scheduled", after(2)]);
    const moved = await publish("a", { at: after(1) });
    assertEquals([moved.publishedAt, moved.changed], [after(1), true]);
    assertEquals([await list("state=scheduled"), await list("state=published")], ["a", ""]);
    advance(HOUR_MS);
    assertEquals([await list("state=scheduled"), await list("state=published")], ["", "a"]);
    assertEquals(await list("state=draft"), "cb");
  });

  it("delivers an entry once, and only if it is mailed the first time it is public", async () => {
    const now = { notify: true };
    const plan = { notify: true, at: after(8) };
    const quiet = { notify: false };
    await forEachRow<readonly [steps: readonly (object | Step)[], expected?: string]>([
      [[now], "waiting"],
      [[quiet]],
      [[quiet, "withdraw", now]],
      [[{ ...quiet, at: after(8) }, now], "waiting"],
      [[plan, { ...quiet, at: after(9) }]],
      [[plan, "withdraw"]],
      [[plan, "withdraw", plan], "waiting"],
      [[plan, { ...plan, at: after(9) }], "waiting"],
      [[plan, now], "waiting"],
      [[plan, "pause", { ...plan, at: after(9) }], "paused"],
      [[plan, "pause", now], "paused"],
      [[plan, "cancel", plan], "waiting"],
    ], async ([steps, expected]) => {
      const { call, send, advance } = await withEntries("a");
      for (const step of steps) {
        advance(1_000);
        if (step === "withdraw") await call("POST", `${ENTRIES}/a/unpublish`);
        else if (typeof step === "string") await call("POST", `${deliveryPath("a")}/${step}`);
        else await call("POST", `${ENTRIES}/a/publish`, step);
      }
      const response = await send("GET", deliveryPath("a"));
      assertEquals((await response.json()).state, expected);
    });
  });

  it("lets a delivery be paused, resumed and cancelled, after which it stays ended", async () => {
    const { publish, call } = await withEntries("a");
    await publish("a", { notify: true });
    await forEachRow([
      ["pause", "paused"],
      ["resume", "running"],
      ["cancel", "cancelled"],
      ["resume", "cancelled"],
    ], async ([action, expected]) => {
      const { state, ...rest } = await call("POST", `${deliveryPath("a")}/${action}`);
      assertEquals(state, expected);
      const names =
        "deliveryId entryId recipients sent failed deferred skipped asked told posts createdAt " +
        "startedAt finishedAt problem week postId changed";
      assertEquals(Object.keys(rest).join(" "), names);
    });
  });
});

describe("deliveries", () => {
  it("are listed newest first, page by page, and by state", async () => {
    const service = createService();
    const entryIds = ["a", "b", "c", "d"];
    for (const entryId of entryIds) {
      await service.call("POST", ENTRIES, { entryId, title: "T", body: "" });
      await service.call("POST", `${ENTRIES}/${entryId}/publish`, { notify: true });
      service.advance(1_000);
    }
    await service.call("POST", `${deliveryPath("b")}/cancel`);
    const list = async (query: string) => {
      const found: string[] = [];
      for (let cursor: string | null = ""; cursor !== null;) {
        const path = `deliveries?limit=2&${query}${cursor && `&cursor=${cursor}`}`;
        const page: { data: { entryId: string }[]; nextCursor: string | null } = await service.call(
          ...["GET", path] as const,
        );
        found.push(...page.data.map(({ entryId }) => entryId));
        cursor = page.nextCursor;
      }
      return found.join("");
    };
    assertEquals(await list(""), "dcba");
    assertEquals(await list("state=waiting"), "dca");
    assertEquals(await list("state=cancelled"), "b");
    assertEquals(await list("entryId=c"), "c");
    assertEquals(await list("postId=c"), "");
  });
});
