import { assert, assertEquals, assertMatch } from "@std/assert";
import { it } from "@std/testing/bdd";
import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import type { ShownEntry } from "../../../model/entries/entry.ts";
import { call, describeStudio, goTo, openStudio } from "./_studio.ts";

const ENTRIES = "changelogs/entries";

describeStudio("finding and bringing in the studio", {
  storages: ["a folder"],
  publicUrl: "https://example.com",
}, (server) => {
  const subscribe = (userEmail: string, userName: string) =>
    call(server, "PUT", "changelogs/subscribe", { userEmail, userName, subscribe: true });
  const search = (page: Page) => page.getByRole("searchbox");

  it("finds people by address or name, and loses no letter of those who compose or type on", async () => {
    await subscribe("jg@example.com", "Jürgen Groß");
    await subscribe("nihon@example.com", "日本 花子");
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await goTo(page, "#/subscribers");
    await search(page).focus();
    await page.keyboard.type("Jürgen G", { delay: 40 });
    await page.getByRole("link", { name: "nihon@example.com" }).waitFor({ state: "detached" });
    await page.keyboard.type("roß");
    assertEquals(await search(page).inputValue(), "Jürgen Groß");
    await page.getByRole("link", { name: "jg@example.com" }).waitFor();
    const cleared = page.waitForResponse(/subscribers\?limit/);
    await search(page).fill("");
    const session = await studio.context.newCDPSession(page);
    for (const text of ["に", "にほ", "にほん", "日本"]) {
      const [selectionStart, selectionEnd] = [text.length, text.length];
      const composed = { text, selectionStart, selectionEnd };
      await session.send("Input.imeSetComposition", composed);
      // The list is redrawn during a composition.
      await cleared;
    }
    await session.send("Input.insertText", { text: "日本" });
    assertEquals(await search(page).inputValue(), "日本");
    await page.getByRole("link", { name: "jg@example.com" }).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "nihon@example.com" }).waitFor();
  });

  it("has a refused search mended where it was typed, and leaves the list as it was", async () => {
    await subscribe("stays@example.com", "Stays");
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await goTo(page, "#/subscribers");
    await search(page).fill("a".repeat(300));
    await page.getByText("This is too long").waitFor();
    assertEquals(await search(page).inputValue(), "a".repeat(300));
    await page.getByRole("link", { name: "stays@example.com" }).waitFor();
    await search(page).fill("stays");
    await page.getByText("This is too long").waitFor({ state: "detached" });
    await page.getByRole("link", { name: "stays@example.com" }).waitFor();
    await goTo(page, `#/subscribers?q=${"a".repeat(300)}`);
    await page.getByText("This is too long").waitFor();
    assertEquals(await search(page).inputValue(), "a".repeat(300));
  });

  it("opens an entry once a file of the page can be loaded that was lost", async () => {
    await call(server, "POST", ENTRIES, { entryId: "module", title: "Module", body: "Text" });
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await page.route(/preview\.js$/, (route) => route.abort(), { times: 1 });
    await goTo(page, "#/entries/module");
    await page.getByLabel("Title").waitFor();
    assertEquals(await page.getByLabel("Title").inputValue(), "Module");
  });

  it("imports a changelog, which it checks first, and mails nobody", async () => {
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await goTo(page, "#/entries");
    await page.getByRole("link", { name: "Import" }).click();
    const text = "# Changelog\n\n## [1.1.0] - 2026-01-02\n\n### Added\n\n- Dark mode\n\n" +
      "## [1.0.0] - 2025-12-01\n\n- First\n";
    const file = {
      name: "CHANGELOG.md",
      mimeType: "text/markdown",
      buffer: Buffer.from(text),
    };
    await page.getByLabel("File", { exact: true }).setInputFiles(file);
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("Nothing is stored yet.").waitFor();
    await page.getByRole("button", { name: "Import now" }).click();
    await page.getByRole("heading", { name: "Imported" }).waitFor();
    const { data } = await call<{ data: ShownEntry[] }>(server, "GET", `${ENTRIES}?q=mode`);
    assertEquals(data.map(({ entryId, state }) => [entryId, state]), [["v1.1.0", "published"]]);
  });

  it("puts a dropped picture where it is let go, and takes one beside the text, too", async () => {
    await call(server, "POST", ENTRIES, { entryId: "drop", title: "Drop", body: "one\n\ntwo" });
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await goTo(page, "#/entries/drop");
    await page.evaluate("probes.dropPicture('.view', 10, 10)");
    await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
    await page.locator("dialog").waitFor({ state: "detached" });
    const text = page.getByLabel("Text");
    assertMatch(await text.inputValue(), /images\//);
    await text.fill("one\n\ntwo");
    await page.evaluate("probes.dropPicture('.view iframe', 10, 10)");
    await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
    await page.locator("dialog").waitFor({ state: "detached" });
    assertMatch(await text.inputValue(), /images\//);
    await text.fill("one\n\ntwo");
    // The picture lands before the second line with words.
    await page.evaluate("probes.dropPicture('textarea.body', 2, 16 + 1.7 * 17 * 2.5)");
    await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
    await page.locator("dialog").waitFor({ state: "detached" });
    assertMatch(await text.inputValue(), /^one\n\n!\[\]\(images\/\S+\)\n\ntwo$/);
  });

  it("pastes formatted text where the caret was, with empty lines around its blocks", async () => {
    await call(server, "POST", ENTRIES, { entryId: "paste", title: "Paste", body: "a b" });
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await goTo(page, "#/entries/paste");
    const text = page.getByLabel("Text");
    await text.focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    const free = Promise.withResolvers<void>();
    await page.route(/entries\/markdown$/, async (route) => {
      await free.promise;
      await route.continue();
    });
    await page.evaluate("probes.pasteHtml('<ul><li>x</li><li>y</li></ul>')");
    await page.keyboard.press("End");
    await page.keyboard.type("c");
    free.resolve();
    await page.frameLocator("iframe").locator("li").first().waitFor();
    await page.keyboard.type("d");
    assertEquals(await text.inputValue(), "a\n\n- x\n- y\n\n bcd");
  });

  it("finds out by itself what a sheet means by yes and no, and says a reason of many rows once", async () => {
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await goTo(page, "#/subscribers/import");
    const rows = Array.from({ length: 30 }, (_, n) => `bad${n}@,B,oui\n`).join("");
    const list = `Courriel,Nom,Abonné\nyes@example.com,A,oui\nno@example.com,B,non\n${rows}`;
    const buffer = Buffer.from(list);
    await page.getByLabel("File", { exact: true }).setInputFiles({
      name: "liste.csv",
      mimeType: "text/csv",
      buffer,
    });
    await page.getByLabel("E-mail address").selectOption("Courriel");
    await page.getByLabel("Subscribed", { exact: true }).selectOption("Abonné");
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("Nothing is stored yet.").waitFor();
    assertEquals(await page.locator("td.reason").count(), 1);
    assert((await page.locator("tbody td").last().textContent()) === "30");
    await page.getByRole("button", { name: "Import now" }).click();
    await page.getByText("Imported").waitFor();
    const { subscribed } = await call<{ subscribed: boolean }>(
      server,
      "GET",
      "changelogs/subscribers/no@example.com",
    );
    assertEquals(subscribed, false);
  });

  it("shows pictures, the entries that show them, and deletes them", async () => {
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await goTo(page, "#/pictures");
    const buffer = await page.screenshot({ clip: { x: 0, y: 0, width: 91, height: 61 } });
    await page.locator("main input[type=file]").setInputFiles({
      name: "shot.png",
      mimeType: "image/png",
      buffer,
    });
    const link = page.getByRole("link", { name: "91 × 61" });
    await link.waitFor();
    const { data } = await call<{ data: { imageId: string }[] }>(
      server,
      "GET",
      "changelogs/images?limit=1",
    );
    const body = `![](images/${data[0].imageId})`;
    await call(server, "POST", ENTRIES, { entryId: "shows", title: "Shows it", body });
    await link.click();
    await page.getByRole("link", { name: "Shows it" }).waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByText("It is shown in: Shows it").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("heading", { name: "Pictures" }).waitFor();
    await link.waitFor({ state: "detached" });
  });
});
