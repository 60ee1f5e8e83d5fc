import { assertEquals } from "@std/assert";
import { it } from "@std/testing/bdd";
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { describeStudio, goTo, openStudio } from "./_studio.ts";

const SAMPLES = new URL("../../fixtures/clipboard/", import.meta.url);

describeStudio(
  "hands in the studio",
  { storages: ["a folder"], publicUrl: "https://example.com" },
  (server) => {
    const textOf = (page: Page) => page.getByLabel("Text").inputValue();

    async function begin(page: Page, title: string, text = ""): Promise<void> {
      await goTo(page, "#/entries/new");
      await page.getByLabel("Title").fill(title);
      await page.getByLabel("Text").fill(text);
    }

    it("press a mark on an empty line and type on, and undo all of it at once", async () => {
      await using studio = await openStudio();
      const page = await studio.open(server.url, server.key);
      await begin(page, "Marks");
      await page.getByLabel("Text").focus();
      await page.getByRole("button", { name: "Heading" }).click();
      await page.keyboard.type("New");
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "List" }).click();
      await page.keyboard.type("one");
      await page.keyboard.press("Enter");
      await page.keyboard.type("two");
      assertEquals(await textOf(page), "## New\n- one\n- two");
      await page.keyboard.press("Control+a");
      await page.getByRole("button", { name: "Code" }).click();
      assertEquals(await textOf(page), "```\n## New\n- one\n- two\n```");
      await page.keyboard.press("Control+z");
      assertEquals(await textOf(page), "## New\n- one\n- two");
    });

    it("come from the title to the text by one stop, and by arrows from mark to mark", async () => {
      await using studio = await openStudio();
      const page = await studio.open(server.url, server.key);
      await begin(page, "By keyboard", "one");
      const focused = () => page.evaluate<string>("document.activeElement.ariaLabel");
      await page.getByLabel("Title").focus();
      await page.keyboard.press("Tab");
      for (const key of ["ArrowLeft", "ArrowLeft"]) await page.keyboard.press(key);
      assertEquals(await focused(), "Code (Ctrl+E)");
      await page.keyboard.press("Tab");
      assertEquals(await focused(), "Text");
      await page.keyboard.press("Shift+Tab");
      assertEquals(await focused(), "Code (Ctrl+E)");
    });

    it("paste formatted text as Markdown, and as text where the server can't be asked", async () => {
      await using studio = await openStudio();
      const page = await studio.open(server.url, server.key);
      await begin(page, "Pasted words");
      const html = await readFile(new URL("google_docs.html", SAMPLES), "utf8");
      const paste = () => page.evaluate(`probes.pasteHtml(${JSON.stringify(html)})`);
      await paste();
      await page.frameLocator("iframe").locator("table").waitFor();
      const expected = (await readFile(new URL("google_docs.md", SAMPLES), "utf8")).trimEnd();
      assertEquals(await textOf(page), expected);
      await page.keyboard.press("Control+z");
      assertEquals(await textOf(page), "");
      await studio.context.setOffline(true);
      await paste();
      await page.getByText("Pasted as plain text").waitFor();
      assertEquals(await textOf(page), "Release notes");
    });

    it("choose a word with Enter in a title, which is one line, and press Publish twice", async () => {
      await using studio = await openStudio();
      const page = await studio.open(server.url, server.key);
      await begin(page, "First", "Text");
      const title = page.getByLabel("Title");
      await title.focus();
      await page.evaluate("probes.composeEnter()");
      assertEquals(await page.evaluate("document.activeElement.ariaLabel"), "Title");
      await title.fill("One\nTwo");
      assertEquals(await title.inputValue(), "One Two");
      await page.getByRole("button", { name: "Publish" }).dblclick();
      await page.getByRole("dialog").waitFor();
      assertEquals(await page.getByRole("dialog").count(), 1);
      assertEquals(await page.title(), "One Two · Changelog");
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      const focused = await page.evaluate("document.activeElement.textContent");
      assertEquals(focused, "Publish");
    });
  },
);
