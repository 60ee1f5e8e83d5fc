// A product person finds boards and ideas by their names, and whatever an address says, sees what
// it names or that it names nothing.

import { assertEquals } from "@std/assert";
import { after, describe, it } from "@std/testing/bdd";
import type { Page } from "playwright-core";
import { call, closeBrowser, goTo, openStudio, type Served, serveStudio } from "./_studio.ts";

/** Opens the studio of a service with two boards that have an idea each, and an entry. */
async function withBoards(run: (page: Page, server: Served) => Promise<void>): Promise<void> {
  await using server = serveStudio({ publicUrl: "http://127.0.0.1:1" });
  for (const [boardId, name] of [["b1", "Wishes"], ["b2", "Faults"]]) {
    await call(server, "POST", "boards", { boardId, name });
    const idea = { postId: `p${boardId}`, title: `Dark mode for ${name.toLowerCase()}` };
    await call(server, "POST", `boards/${boardId}/posts`, idea);
  }
  await call(server, "POST", "changelogs/entries", { entryId: "new", title: "News", body: "-" });
  await using studio = await openStudio();
  await run(await studio.open(server.url, server.key), server);
}

describe("names in the studio", () => {
  after(closeBrowser);

  it("of boards stand beside ideas, lead to the others there, and are taken away", () =>
    withBoards(async (page) => {
      await goTo(page, "#/ideas");
      await page.getByRole("link", { name: "Wishes", exact: true }).click();
      await page.getByText("Dark mode for faults").waitFor({ state: "detached" });
      assertEquals(await page.locator("tbody .title").allTextContents(), [
        "Dark mode for wishes",
      ]);
      await page.getByRole("button", { name: "New idea" }).click();
      assertEquals(await page.getByRole("dialog").getByLabel("Board").inputValue(), "b1");
      await page.keyboard.press("Escape");
      await page.getByRole("link", { name: "Wishes: Show the ideas of all boards" }).click();
      await page.getByText("Dark mode for faults").click();
      await page.locator("dd").getByRole("link", { name: "Faults" }).click();
      await page.getByRole("heading", { name: "Faults" }).waitFor();
      await goTo(page, "#/ideas/b2");
      await page.getByText("Dark mode for faults").waitFor();
      assertEquals(await page.getByText("Dark mode for wishes").count(), 0);
    }));

  it("of boards tell ideas apart that an entry may ship, and titles name a merged idea's other", () =>
    withBoards(async (page, server) => {
      await goTo(page, "#/entries/new");
      await page.getByLabel("Ships").fill("dark");
      await page.getByRole("button", { name: "Dark mode for wishes · 0 · Wishes" }).waitFor();
      await call(server, "POST", "boards/b1/posts", { postId: "other", title: "Night colours" });
      await call(server, "POST", "boards/b1/posts/other/merge", { into: "pb1" });
      await goTo(page, "#/ideas/b1/other");
      await page.locator(".note").getByRole("link", { name: "Dark mode for wishes" }).waitFor();
    }));

  it("that the API itself has in its paths show that there is nothing", () =>
    withBoards(async (page) => {
      const paths = ["entries/export", "entries/preview", "entries/markdown", "boards/none"];
      const ideas = ["export", "import", "similar", "new"].map((name) => `ideas/b1/${name}`);
      for (
        const path of [...paths, ...ideas, "entries/export/failures", "ideas/b1/export/failures"]
      ) {
        await goTo(page, `#/${path}`);
        await page.locator("main [role=alert]").getByText("This does not exist").waitFor();
        assertEquals(new URL(page.url()).hash, `#/${path}`);
      }
      // This place has no identifier of an entry.
      await goTo(page, "#/entries/import");
      await page.getByRole("heading", { name: "Import" }).waitFor();
      await goTo(page, "#/entries");
      await page.getByRole("link", { name: "News" }).click();
      await page.waitForURL(/#\/entries\/new\/edit$/);
      assertEquals(await page.getByLabel("Title").inputValue(), "News");
    }));

  it("that the API itself has in its paths can be titles, and are refused as addresses", () =>
    withBoards(async (page, server) => {
      await goTo(page, "#/entries/new");
      await page.getByLabel("Title").fill("Export");
      await page.getByLabel("Text", { exact: true }).fill("Take all of it with you.");
      const place = page.getByLabel("Address of the page");
      await place.fill("export");
      await page.getByText("This can’t be used here. Change it.").waitFor();
      await place.fill("");
      await page.getByRole("button", { name: "Publish" }).click();
      await page.getByLabel("Mail nobody").check();
      await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click();
      await page.locator(".moment").waitFor();
      const { title } = await call(server, "GET", "changelogs/entries/export-2");
      assertEquals(title, "Export");
    }));
});
