import { deliveryPath } from "../../_support/deliveries.ts";
import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { ShownEntry } from "../../../model/entries/entry.ts";
import type { Scope } from "../../../model/keys/api_key.ts";
import { createKey } from "../../../services/keys/api_keys.ts";
import {
  assertOutcomes,
  createService,
  OPERATOR_KEY,
  outcomeOf,
  readJson,
  type Sent,
  START,
  type TestService,
} from "../../_support/service.ts";

const ENTRIES = "changelogs/entries";
const LATER = "2026-12-24T10:00:00.000Z";
const REFUSED = "403 insufficient_scope";

/** Creates a service with keys for a writer and an editor. */
async function withPeople() {
  const service = createService();
  const keyOf = async (name: string, scopes: readonly Scope[]) =>
    (await createKey(service.storage, { name, scopes, expiresAt: null }, START)).secret;
  return {
    ...service,
    writer: await keyOf("Ann", ["entries:read", "entries:write"]),
    editor: await keyOf("Ben", ["entries:read", "entries:write", "entries:publish"]),
  };
}

async function create(service: TestService, entryId: string, sent: Sent = {}): Promise<void> {
  const json = { entryId, title: `About ${entryId}`, body: "Text" };
  await readJson(await service.send("POST", ENTRIES, { json, ...sent }), 201);
}

function authorsOf({ createdBy, updatedBy, publishedBy }: ShownEntry): readonly unknown[] {
  return [createdBy, updatedBy, publishedBy];
}

describe("an entry", () => {
  it("tells by their keys who created, changed and published it", async () => {
    const { writer, editor, ...service } = await withPeople();
    await create(service, "a", { key: writer });
    const authors = async (method: string, path: string, sent: Sent) =>
      authorsOf(await readJson<ShownEntry>(await service.send(method, path, sent)));
    const path = `${ENTRIES}/a`;
    const key = editor;
    const body = { json: { body: "More" } };
    assertEquals(await authors("GET", path, {}), ["Ann", "Ann", null]);
    assertEquals(await authors("PATCH", path, { key, ...body }), ["Ann", "Ben", null]);
    assertEquals(await authors("PATCH", path, { key: writer, ...body }), ["Ann", "Ben", null]);
    const json = { notify: false };
    assertEquals(await authors("POST", `${path}/publish`, { json }), [
      ...["Ann", "operator", "operator"],
    ]);
    assertEquals(await authors("POST", `${path}/unpublish`, { key }), ["Ann", "Ben", null]);
  });

  it("is changed by writers as a draft alone, and by those who may publish always", async () => {
    const { writer, editor, ...service } = await withPeople();
    for (const entryId of ["draft", "planned", "live"]) await create(service, entryId);
    await service.call("POST", `${ENTRIES}/live/publish`, { notify: true });
    await service.call("POST", `${ENTRIES}/planned/publish`, { notify: true, at: LATER });
    const json = { title: "New" };
    for (const [key, other] of [[writer, REFUSED], [editor, "200"]]) {
      await assertOutcomes(service, [
        ["PATCH", `${ENTRIES}/draft`, { key, json }, "200"],
        ["PATCH", `${ENTRIES}/planned`, { key, json }, other],
        ["PATCH", `${ENTRIES}/live`, { key, json }, other],
        ["POST", `${deliveryPath("live")}/pause`, { key }, other],
        ["POST", `${ENTRIES}/draft/publish`, { key, json: { notify: false, at: LATER } }, other],
        ["POST", `${ENTRIES}/draft/unpublish`, { key }, other],
        ["DELETE", `${ENTRIES}/live`, { key }, other === "200" ? "204" : other],
      ]);
    }
    await assertOutcomes(service, [["DELETE", `${ENTRIES}/draft`, { key: writer }, "204"]]);
  });

  it("is imported by writers as a draft alone", async () => {
    const { writer: key, ...service } = await withPeople();
    const body = "## 1.0.0 - 2026-01-01\n\nFirst\n";
    const sent = { key, body, headers: { "content-type": "text/markdown" } };
    assertEquals(await outcomeOf(await service.send("POST", `${ENTRIES}/import`, sent)), REFUSED);
    await service.send("POST", `${ENTRIES}/import?drafts`, sent).then((it) => it.text());
    assertEquals((await service.call("GET", `${ENTRIES}/v1.0.0`)).state, "draft");
    await service.call("POST", `${ENTRIES}/v1.0.0/publish`, { notify: false });
    const changed = { ...sent, body: `${body}\nAnd more` };
    const report = await (await service.send("POST", `${ENTRIES}/import?drafts`, changed)).text();
    assertEquals(report.includes('"insufficient_scope"'), true, report);
    assertEquals((await service.call("GET", `${ENTRIES}/v1.0.0`)).body, "First");
  });

  it("takes another identifier until it was public, unless that is taken", async () => {
    const service = createService();
    for (const entryId of ["a", "b", "live"]) await create(service, entryId);
    await service.call("POST", `${ENTRIES}/live/publish`, { notify: false });
    const rename = (entryId: string) => ({ json: { entryId, title: "New" } });
    await assertOutcomes(service, [
      ["PATCH", `${ENTRIES}/a`, rename("b"), "409 entry_exists"],
      ["PATCH", `${ENTRIES}/a`, rename("markdown"), "422 entryId:invalid_value"],
      ["PATCH", `${ENTRIES}/none`, rename("c"), "404 entry_not_found"],
      ["PATCH", `${ENTRIES}/live`, rename("c"), "422 entryId:invalid_value"],
      ["PATCH", `${ENTRIES}/live`, rename("live"), "200"],
      [
        "PATCH",
        `${ENTRIES}/a`,
        { ...rename("c"), headers: { "if-match": '"other"' } },
        "412 precondition_failed",
      ],
      ["PATCH", `${ENTRIES}/a`, rename("c"), "200"],
      ["GET", `${ENTRIES}/a`, {}, "404 entry_not_found"],
    ]);
    const { title, createdAt } = await service.call("GET", `${ENTRIES}/c`);
    assertEquals([title, createdAt], ["New", START]);
    await service.call("POST", `${ENTRIES}/live/unpublish`);
    await assertOutcomes(service, [
      ["PATCH", `${ENTRIES}/live`, rename("d"), "422 entryId:invalid_value"],
    ]);
  });
});

describe("the list of entries", () => {
  it("finds words of the title or the body in any case, and labels", async () => {
    const service = createService();
    const rows = [["a", "Dark mode", "Press D.", "new"], [
      "b",
      "Export",
      "As CSV, in the DARK",
      "",
    ]];
    for (const [entryId, title, body, labels] of rows) {
      await service.call("POST", ENTRIES, { entryId, title, body, labels });
      service.advance(1_000);
    }
    await service.call("POST", `${ENTRIES}/b/publish`, { notify: false });
    const list = async (query: string) => {
      const { data } = await service.call<{ data: ShownEntry[] }>("GET", `${ENTRIES}?${query}`);
      return data.map(({ entryId }) => entryId).join("");
    };
    for (
      const [query, expected] of [
        ...[["q=dark", "ba"], ["q=mode+DARK", "a"], ["q=", "ba"], ["q=csv&state=draft", ""]],
        ...[["label=new", "a"], ["label=old", ""], ["q=dark&state=published", "b"]],
      ]
    ) assertEquals(await list(query), expected, query);
    await assertOutcomes(service, [
      ["GET", `${ENTRIES}?label=A+b`, {}, "422 label:invalid_value"],
      ["GET", `${ENTRIES}?label=`, {}, "422 label:invalid_value"],
    ]);
  });
});

describe("GET /key", () => {
  it("tells any key what it may do", async () => {
    const service = createService();
    const expiresAt = LATER;
    const request = { name: "App", scopes: ["boards:read"], expiresAt } as const;
    const { key: { keyId }, secret } = await createKey(service.storage, request, START);
    const read = async (key: string) => await readJson(await service.send("GET", "key", { key }));
    const own = { keyId, name: "App", scopes: ["boards:read"], expiresAt, memberId: null };
    assertEquals(await read(secret), own);
    const operator = { keyId: "operator", name: "operator", scopes: ["*"], expiresAt: null };
    assertEquals(await read(OPERATOR_KEY), { ...operator, memberId: null });
    await assertOutcomes(service, [["GET", "key", { key: null }, "401 missing_credentials"]]);
  });
});

describe("HTML", () => {
  it("becomes Markdown, and what is lost is told", async () => {
    const service = createService();
    const html = "<h2>New</h2><ul><li>Dark <b>mode</b></ul><video></video>";
    const converted = await service.call("POST", `${ENTRIES}/markdown`, { html });
    assertEquals(converted, { body: "## New\n\n- Dark **mode**", lost: ["video"] });
    const form = { html: "ü".repeat(256 * 1_024) };
    await assertOutcomes(service, [
      ["POST", `${ENTRIES}/markdown`, { form }, "200"],
      ["POST", `${ENTRIES}/markdown`, { json: { html: `${form.html}.` } }, "422 html:too_long"],
    ]);
  });
});
