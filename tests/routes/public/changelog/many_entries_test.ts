import { assert, assertEquals } from "@std/assert";
import { it } from "@std/testing/bdd";
import { ENTRIES } from "../../../../model/kinds.ts";
import { putAll } from "../../../_contract/calls.ts";
import { forEachRow } from "../../../_support/rows.ts";
import { createService, type TestService } from "../../../_support/service.ts";

const COUNT = 2_000;

/** Creates a service with many entries, each with its own labels. */
async function createFilled(count = COUNT, body = ""): Promise<TestService> {
  const service = createService({ publicUrl: "https://example.com" });
  await service.call("POST", "changelogs/entries", { entryId: "first", title: "First", body });
  await service.call("POST", "changelogs/entries/first/publish", { notify: false });
  const entry = await service.storage.get(ENTRIES, "first");
  const copies = Array.from({ length: count }, (_, at) => ({
    ...entry!,
    entryId: `e${at}`,
    labels: Array.from({ length: 5 }, (_, n) => `label-${at}-${n}`),
  }));
  await putAll(service.storage, ENTRIES, copies);
  return service;
}

it("the public changelog holds up no other request, however much is in it", async () => {
  const { send } = await createFilled(100, "Some **bold** `code`. ".repeat(1_000));
  await send("GET", "/changelog", { key: null });
  await forEachRow([
    "/sitemap.xml",
    "/changelog.atom",
    "/changelog.json",
    "/changelog?label=label-1-1",
  ], async (path) => {
    let hasTurned = false;
    setTimeout(() => hasTurned = true, 0);
    const response = await send("GET", path, { key: null });
    assertEquals([response.status, hasTurned], [200, true]);
    await response.body?.cancel();
  });
});

it("the catalogue of many entries is read with turns between", async () => {
  const { send } = await createFilled();
  let hasTurned = false;
  setTimeout(() => hasTurned = true, 0);
  await (await send("GET", "/changelog/first", { key: null })).body?.cancel();
  assertEquals(hasTurned, true);
});

it("the sitemap has entries before labels, of which there may be more than it takes", async () => {
  const { send } = await createFilled();
  const content = await (await send("GET", "/sitemap.xml", { key: null })).text();
  const paths = [...content.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url]) => url.slice(19));
  assertEquals(paths.length, 1 + COUNT + 1 + 5 * COUNT);
  assert(paths.slice(1, COUNT + 2).every((path) => /^\/changelog\/(?:e\d+|first)$/.test(path)));
});
