import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage } from "../../../../mod.ts";
import { type BoardService, createBoardService } from "../../../_support/boards.ts";
import { createService, type TestService } from "../../../_support/service.ts";

const DAY_MS = 24 * 3_600_000;
const SITE = { publicUrl: "https://updates.example" };
const PATHS = ["/boards/ideas", "/boards/ideas.atom", "/roadmap", "/sitemap.xml", "/changelog"];

async function createPages(): Promise<BoardService> {
  const service = await createBoardService(SITE);
  await service.add("dark", { title: "Dark mode" });
  await publish(service, "first");
  return service;
}

async function publish({ call }: Pick<TestService, "call">, entryId: string): Promise<void> {
  await call("POST", "changelogs/entries", { entryId, title: entryId, body: "A" });
  await call("POST", `changelogs/entries/${entryId}/publish`, { notify: false });
}

async function get({ send }: Pick<TestService, "send">, path: string, since = "") {
  const headers = { "if-modified-since": since };
  const response = await send("GET", path, { key: null, headers });
  await response.body?.cancel();
  return { status: response.status, date: response.headers.get("last-modified") ?? "" };
}

describe("the date of a page", () => {
  for (const path of PATHS) {
    it(`of ${path} is compared with no date that lies far ahead`, async () => {
      const service = await createPages();
      assertEquals((await get(service, path, "Fri, 21 Nov 2036 10:00:00 GMT")).status, 200);
    });

    it(`of ${path} is not later than the clock when that was set back`, async () => {
      const service = await createPages();
      await get(service, path);
      service.advance(-DAY_MS);
      const { date } = await get(service, path);
      assertEquals(date, "Fri, 20 Nov 2026 10:00:00 GMT");
    });
  }

  it("hides no second change of a board within one second", async () => {
    const service = await createPages();
    const { date } = await get(service, "/boards/ideas");
    service.advance(400);
    await service.call("PATCH", "boards/ideas/posts/dark", { title: "Night mode" });
    assertEquals((await get(service, "/boards/ideas", date)).status, 200);
    service.advance(5_000);
    assertEquals((await get(service, "/boards/ideas", date)).status, 200);
  });

  it("hides no second change of the changelog within one second", async () => {
    const service = await createPages();
    for (const path of ["/changelog", "/changelog.atom", "/sitemap.xml"]) {
      const { date } = await get(service, path);
      service.advance(100);
      await publish(service, `after-${path.replace(/\W/g, "")}`);
      assertEquals((await get(service, path, date)).status, 200, path);
    }
  });

  it("hides no change that another process made in the same second", async () => {
    const storage = openMemoryStorage();
    const [one, two] = [0, 1].map(() => createService({ ...SITE, storage }));
    for (const service of [one, two]) service.advance(100);
    await publish(one, "first");
    const { date } = await get(one, "/changelog");
    for (const service of [one, two]) service.advance(500);
    await publish(one, "second");
    two.advance(5_000);
    assertEquals((await get(two, "/changelog", date)).status, 200);
  });

  it("is known to a client that asks again with the date that it got", async () => {
    const service = await createPages();
    service.advance(5_300);
    for (const path of PATHS) {
      const { date } = await get(service, path);
      assert(date !== "");
      assertEquals((await get(service, path, date)).status, 304, path);
    }
  });
});
