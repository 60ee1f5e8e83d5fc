import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { ShownEntry } from "../model/entry.ts";
import { assertProblem, assertRefused, createService, readJson, START } from "./_service.ts";

const ENTRIES = "/api/v1/changelogs/entries";
const HOUR_MS = 3_600_000;

type Page = { readonly data: readonly ShownEntry[]; readonly nextCursor: string | null };
type Outcome = ShownEntry & { readonly changed: boolean };

function after(durationMs: number): string {
  return new Date(Date.parse(START) + durationMs).toISOString();
}

/** Creates a service with an entry for each of some identifiers, a minute apart. */
async function createEntries(...entryIds: readonly string[]) {
  const service = createService();
  for (const entryId of entryIds) {
    const json = { entryId, title: `About ${entryId}`, body: "Text" };
    await readJson(await service.send("POST", ENTRIES, { json }), 201);
    service.advance(60_000);
  }
  return {
    ...service,
    async publish(entryId: string, json: Record<string, unknown> = { notify: false }) {
      return await readJson<Outcome>(
        await service.send("POST", `${ENTRIES}/${entryId}/publish`, { json }),
      );
    },
    async unpublish(entryId: string) {
      return await readJson<Outcome>(
        await service.send("POST", `${ENTRIES}/${entryId}/unpublish`),
      );
    },
    async list(query = "") {
      const page = await readJson<Page>(await service.send("GET", `${ENTRIES}${query}`));
      return { ids: page.data.map(({ entryId }) => entryId), nextCursor: page.nextCursor };
    },
  };
}

describe("entries", () => {
  it("a new entry is a draft, as sent by form or JSON", async () => {
    const { send } = createService();
    const sent = { title: "Dark mode", body: "Press **D**.\n", url: "https://example.com/d" };
    const form = { ...sent, entryId: "by-form", labels: "new ui new" };
    const json = { ...sent, entryId: "by-json", labels: ["new", "ui"] };
    for (const [entryId, options] of [["by-form", { form }], ["by-json", { json }]] as const) {
      const response = await send("POST", ENTRIES, options);
      assertEquals(response.headers.get("location"), `${ENTRIES}/${entryId}`);
      const etag = response.headers.get("etag");
      const expected = { ...sent, entryId, labels: ["new", "ui"], state: "draft" };
      const times = { publishedAt: null, createdAt: START, updatedAt: START };
      assertEquals(await readJson(response, 201), { ...expected, ...times });
      const read = await send("GET", `${ENTRIES}/${entryId}`);
      assertEquals([read.headers.get("etag"), await readJson(read)], [etag, {
        ...expected,
        ...times,
      }]);
    }
    const { entryId } = await readJson<ShownEntry>(
      await send("POST", ENTRIES, { json: { title: "No id", body: "" } }),
      201,
    );
    assertMatch(entryId, /^[a-z0-9]{16}$/);
    const again = await send("POST", ENTRIES, { json });
    await assertProblem(again, 409, "entry_exists");
  });

  it("a bad value is named, with every other one", async () => {
    const { send } = await createEntries("a");
    const long = "€".repeat(32_768 / 3 + 1);
    const rows: readonly (readonly [Record<string, unknown>, Record<string, string>])[] = [
      [{}, { title: "required", body: "required" }],
      [{ title: "", body: "x" }, { title: "invalid_value" }],
      [{ title: "t".repeat(201), body: long }, { title: "too_long", body: "too_long" }],
      [{ title: "t", body: "a\u0000b" }, { body: "unsupported_characters" }],
      [{ title: "t", body: "x", labels: "New" }, { labels: "invalid_value" }],
      [{ title: "t", body: "x", labels: "a b c d e f" }, { labels: "invalid_value" }],
      [{ title: "t", body: "x", labels: ["a b"] }, { labels: "invalid_type" }],
      [{ title: "t", body: "x", labels: [1] }, { labels: "invalid_type" }],
      [{ title: "t", body: "x", url: "javascript:alert(1)" }, { url: "invalid_value" }],
      [{ title: "t", body: "x", entryId: "-" }, { entryId: "invalid_value" }],
      [{ title: "t", body: "x", lables: "a" }, { lables: "unknown_field" }],
      [{ title: "t", body: "x", state: "published" }, { state: "unknown_field" }],
    ];
    for (const [json, expected] of rows) {
      await assertRefused(await send("POST", ENTRIES, { json }), expected);
    }
    const publications: typeof rows = [
      [{}, { notify: "required" }],
      [{ notify: "yes" }, { notify: "invalid_value" }],
      [{ notify: true, at: START }, { at: "invalid_value" }],
      [{ notify: true, at: "tomorrow" }, { at: "invalid_value" }],
    ];
    for (const [json, expected] of publications) {
      await assertRefused(await send("POST", `${ENTRIES}/a/publish`, { json }), expected);
    }
    const form = { notify: "true", at: "" };
    await assertRefused(await send("POST", `${ENTRIES}/a/publish`, { form }), {
      at: "invalid_value",
    });
    await assertRefused(await send("GET", `${ENTRIES}?state=gone`), { state: "invalid_value" });
  });

  it("a body has up to 32,768 bytes, also where a form makes three of each", async () => {
    const { send } = createService();
    const body = "%".repeat(32_768);
    const form = { entryId: "big", title: "Big", body };
    const created = await readJson<ShownEntry>(await send("POST", ENTRIES, { form }), 201);
    assertEquals(created.body, body);
    const huge = { ...form, body: "x".repeat(128 * 1024) };
    await assertProblem(await send("POST", ENTRIES, { form: huge }), 413, "body_too_large");
  });

  it("a change names its fields, moves updatedAt and honours If-Match", async () => {
    const { send, advance } = await createEntries("a");
    const path = `${ENTRIES}/a`;
    const first = await send("GET", path);
    const etag = first.headers.get("etag") ?? "";
    const before = await readJson<ShownEntry>(first);
    const same = await send("PATCH", path, { json: { title: "About a" } });
    assertEquals(await readJson(same), before);
    advance(1_000);
    const json = { title: "Other", labels: ["ui"], url: "https://example.com/" };
    const changed = await send("PATCH", path, { json, headers: { "If-Match": etag } });
    const after = await readJson<ShownEntry>(changed);
    assertEquals([after.title, after.labels, after.url, after.body], [
      "Other",
      ["ui"],
      json.url,
      "Text",
    ]);
    assert(after.updatedAt > before.updatedAt);
    const late = await send("PATCH", path, { json, headers: { "If-Match": etag } });
    await assertProblem(late, 412, "precondition_failed");
    const cleared = await readJson<ShownEntry>(
      await send("PATCH", path, { form: { labels: "", url: "" } }),
    );
    assertEquals([cleared.labels, cleared.url], [[], null]);
    const known = await send("GET", path, {
      headers: { "If-None-Match": (await send("GET", path)).headers.get("etag") ?? "" },
    });
    assertEquals([known.status, await known.text()], [304, ""]);
    const refused = await send("DELETE", path, { headers: { "If-Match": etag } });
    await assertProblem(refused, 412, "precondition_failed");
    assertEquals((await send("DELETE", path)).status, 204);
    await assertProblem(await send("DELETE", path), 404, "entry_not_found");
  });

  it("an entry that isn't there is not found by any operation", async () => {
    const { send } = createService();
    for (const id of ["none", "%2F", "a b", "x".repeat(200)]) {
      const path = `${ENTRIES}/${encodeURIComponent(decodeURIComponent(id))}`;
      await assertProblem(await send("GET", path), 404, "entry_not_found");
      await assertProblem(
        await send("PATCH", path, { json: { title: "T" } }),
        404,
        "entry_not_found",
      );
      await assertProblem(
        await send("POST", `${path}/publish`, { json: { notify: true } }),
        404,
        "entry_not_found",
      );
      await assertProblem(await send("POST", `${path}/unpublish`), 404, "entry_not_found");
      await assertProblem(await send("GET", `${path}/delivery`), 404, "delivery_not_found");
    }
  });
});

describe("publishing", () => {
  it("a published entry stays as it is when it is published again", async () => {
    const { publish, advance, send } = await createEntries("a");
    const first = await publish("a", { notify: true });
    assertEquals([first.state, first.changed], ["published", true]);
    advance(HOUR_MS);
    for (const json of [{ notify: true }, { notify: false, at: after(9 * HOUR_MS) }]) {
      assertEquals(await publish("a", json), { ...first, changed: false });
    }
    await readJson(await send("PATCH", `${ENTRIES}/a`, { json: { title: "Edited" } }));
    const { title, publishedAt } = await publish("a", { notify: true });
    assertEquals([title, publishedAt], ["Edited", first.publishedAt]);
  });

  it("a scheduled entry becomes public by the clock, and may get another time before", async () => {
    const { publish, advance, list } = await createEntries("a");
    const scheduled = await publish("a", { notify: false, at: after(2 * HOUR_MS) });
    assertEquals([scheduled.state, scheduled.publishedAt], ["scheduled", after(2 * HOUR_MS)]);
    assertEquals((await list("?state=scheduled")).ids, ["a"]);
    const moved = await publish("a", { notify: false, at: after(HOUR_MS) });
    assertEquals([moved.publishedAt, moved.changed], [after(HOUR_MS), true]);
    assertEquals((await list("?state=published")).ids, []);
    advance(HOUR_MS);
    assertEquals((await list("?state=published")).ids, ["a"]);
    assertEquals((await list("?state=scheduled")).ids, []);
  });

  it("unpublishing makes a draft, and changes nothing the second time", async () => {
    const { publish, unpublish } = await createEntries("a");
    await publish("a");
    const draft = await unpublish("a");
    assertEquals([draft.state, draft.publishedAt, draft.changed], ["draft", null, true]);
    assertEquals(await unpublish("a"), { ...draft, changed: false });
  });

  it("an entry is delivered once, and only if it is mailed the first time it is public", async () => {
    const rows: readonly (readonly [string, readonly string[], string | undefined])[] = [
      ["mailed at once", ["mail"], "waiting"],
      ["not mailed", ["quiet"], undefined],
      ["mailed too late", ["quiet", "withdraw", "mail"], undefined],
      ["mailed after a plan without", ["plan quiet", "mail"], "waiting"],
      ["planned with mail, then without", ["plan mail", "plan quiet later"], undefined],
      ["planned with mail, then a draft", ["plan mail", "withdraw"], undefined],
      ["planned again after that", ["plan mail", "withdraw", "plan mail"], "waiting"],
    ];
    for (const [name, steps, expected] of rows) {
      const { publish, unpublish, send, advance } = await createEntries("a");
      for (const step of steps) {
        advance(1_000);
        if (step === "withdraw") await unpublish("a");
        else {
          const hours = step.endsWith("later") ? 9 : step.startsWith("plan") ? 8 : 0;
          const at = hours > 0 ? { at: after(hours * HOUR_MS) } : {};
          await publish("a", { notify: step.includes("mail"), ...at });
        }
      }
      const response = await send("GET", `${ENTRIES}/a/delivery`);
      const state = response.status === 404
        ? undefined
        : (await readJson<{ state: string }>(response)).state;
      assertEquals(state, expected, name);
    }
  });

  it("a delivery is paused, resumed and cancelled, and then stays ended", async () => {
    const { publish, send } = await createEntries("a");
    await publish("a", { notify: true });
    const steps = [["pause", "paused"], ["resume", "running"], ["cancel", "cancelled"], [
      "resume",
      "cancelled",
    ]];
    for (const [action, expected] of steps) {
      const response = await send("POST", `${ENTRIES}/a/delivery/${action}`);
      const delivery = await readJson<Record<string, unknown>>(response);
      assertEquals(delivery.state, expected, action);
      assertEquals(
        Object.keys(delivery).join(" "),
        "entryId state sent failed deferred startedAt finishedAt problem",
      );
    }
  });
});

describe("listings of entries", () => {
  it("show the newest first, page by page, in each state", async () => {
    const { publish, list } = await createEntries("a", "b", "c", "d", "e");
    assertEquals((await list()).ids, ["e", "d", "c", "b", "a"]);
    await publish("d");
    await publish("b", { notify: false, at: after(5 * HOUR_MS) });
    await publish("a", { notify: false, at: after(9 * HOUR_MS) });
    assertEquals((await list("?state=draft")).ids, ["e", "c"]);
    assertEquals((await list("?state=scheduled")).ids, ["a", "b"]);
    for (
      const [query, expected] of [["", "edcba"], ["state=draft&", "ec"], ["state=scheduled&", "ab"]]
    ) {
      let found = "";
      for (let cursor: string | null = ""; cursor !== null;) {
        const page = await list(`?${query}limit=1${cursor && `&cursor=${cursor}`}`);
        found += page.ids.join("");
        cursor = page.nextCursor;
      }
      assertEquals(found, expected);
    }
  });

  it("a key needs the scope of entries", async () => {
    const service = await createEntries("a");
    const reader = await service.createKey(["entries:read"]);
    const writer = await service.createKey(["entries:write"]);
    const json = { notify: false };
    const rows = [
      ["GET", ENTRIES, reader, 200],
      ["GET", ENTRIES, writer, 403],
      ["POST", `${ENTRIES}/a/publish`, writer, 200],
      ["POST", `${ENTRIES}/a/publish`, reader, 403],
    ] as const;
    for (const [method, path, key, status] of rows) {
      const sent = method === "POST" ? { key, json } : { key };
      const response = await service.send(method, path, sent);
      assertEquals(response.status, status, `${method} ${path}`);
      const challenge = response.headers.get("www-authenticate") ?? "";
      if (status === 403) assertStringIncludes(challenge, 'scope="entries:');
    }
  });
});
