// Two people answer the same ideas on a connection that is slow, or lost for a while.

import { assertEquals } from "@std/assert";
import { after, describe, it } from "@std/testing/bdd";
import type { Page } from "playwright-core";
import { openMemoryStorage } from "../../../mod.ts";
import { createPost } from "../../../services/posts/create.ts";
import { storeOf } from "../../../services/store.ts";
import { call, closeBrowser, goTo, openStudio, type Served, serveStudio } from "./_studio.ts";

const POSTS = "boards/ideas/posts";

interface Decided {
  readonly state: string;
  readonly status: string;
  readonly answer: string | null;
  readonly history: readonly object[];
}

function read(server: Served, postId: string): Promise<Decided> {
  return call<Decided>(server, "GET", `${POSTS}/${postId}`);
}

/** Opens the studio of a service with two public ideas, of which one has votes, and a held one. */
async function withIdeas(run: (page: Page, server: Served) => Promise<void>): Promise<void> {
  const storage = openMemoryStorage();
  await using server = serveStudio({ storage, publicUrl: "http://127.0.0.1:1" });
  const board = { boardId: "ideas", name: "Ideas", visibility: "public", moderation: "all" };
  await call(server, "POST", "boards", board);
  await call(server, "POST", POSTS, { postId: "dark", title: "Dark mode" });
  await call(server, "POST", POSTS, { postId: "night", title: "Night colours" });
  await call(server, "PUT", `${POSTS}/dark/votes`, { userEmail: "ann@example.com", vote: true });
  const author = { userEmail: "ben@example.com", userName: null, notify: false };
  const idea = { boardId: "ideas", postId: "held", title: "Export as PDF", body: null, author };
  const at = new Date().toISOString();
  await createPost(storeOf(storage), { ...idea, keyId: null, at, source: "form" });
  await using studio = await openStudio();
  await run(await studio.open(server.url, server.key), server);
}

describe("deciding on ideas in the studio", () => {
  after(closeBrowser);

  it("says what a colleague has decided on a held idea before it is changed", () =>
    withIdeas(async (page, server) => {
      await goTo(page, "#/ideas?view=held");
      const card = page.locator("li[data-idea]");
      await card.waitFor();
      await call(server, "PATCH", `${POSTS}/held`, { status: "declined", answer: "No." });
      await card.getByRole("button", { name: "Approve" }).click();
      await card.getByText("Somebody else has decided meanwhile: Hidden.").waitFor();
      assertEquals((await read(server, "held")).state, "hidden");
      await card.getByRole("button", { name: "Approve" }).click();
      await page.getByText("“Export as PDF” is public now").waitFor();
      assertEquals((await read(server, "held")).state, "public");
    }));

  it("declines nothing that a colleague has made public meanwhile without saying so", () =>
    withIdeas(async (page, server) => {
      await goTo(page, "#/ideas/ideas/held");
      await page.getByRole("button", { name: "Decline" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Answer").fill("No.");
      await call(server, "PATCH", `${POSTS}/held`, { state: "public" });
      await dialog.getByRole("button", { name: "Decline" }).click();
      await dialog.getByText("Somebody else has decided meanwhile: Open.").waitFor();
      assertEquals((await read(server, "held")).status, "open");
    }));

  it("says that an idea was merged before it is answered, and shows its voters beside the other", () =>
    withIdeas(async (page, server) => {
      await goTo(page, "#/ideas/ideas/dark");
      await page.locator("td").getByText("ann@example.com").waitFor();
      await page.getByRole("button", { name: "Answer" }).click();
      await page.getByRole("textbox", { name: "Answer" }).fill("In June.");
      await call(server, "POST", `${POSTS}/dark/merge`, { into: "night" });
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Somebody has merged this idea into another.").waitFor();
      assertEquals((await read(server, "dark")).answer, null);
      await page.getByRole("button", { name: "Cancel" }).click();
      await page.locator(".note").getByRole("link", { name: "Night colours" }).waitFor();
      assertEquals(await page.getByText("ann@example.com").count(), 0);
      await page.locator(".note").getByRole("link", { name: "Night colours" }).click();
      await page.locator("td").getByText("ann@example.com").waitFor();
    }));

  it("changes a status by two presses, takes it back, and asks why where it declines", () =>
    withIdeas(async (page, server) => {
      await goTo(page, "#/ideas/ideas/dark");
      const choice = page.getByRole("combobox", { name: "State: Dark mode" });
      await choice.selectOption("Planned");
      await page.getByText("Planned: Dark mode").waitFor();
      assertEquals((await read(server, "dark")).status, "planned");
      await page.getByRole("button", { name: "Undo" }).click();
      await page.getByText("Undone: “Dark mode”").waitFor();
      assertEquals((await read(server, "dark")).status, "open");
      // The page is shown anew after that.
      await choice.locator("option:checked", { hasText: "Open" }).waitFor({ state: "attached" });
      await choice.selectOption("Declined");
      await page.getByRole("textbox", { name: "Answer" }).fill("No.");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("The answer is stored").waitFor();
      const { status, answer } = await read(server, "dark");
      assertEquals([status, answer], ["declined", "No."]);
      await goTo(page, "#/ideas/ideas/held");
      await page.getByRole("heading", { name: "Export as PDF" }).waitFor();
      assertEquals(await page.getByRole("combobox").count(), 0);
    }));

  it("changes a status in the list of all, and asks there why, too, where it declines", () =>
    withIdeas(async (page, server) => {
      await goTo(page, "#/ideas?view=every");
      const choice = page.getByRole("combobox", { name: "State: Dark mode" });
      // Arrows pass a status that is not meant.
      await choice.focus();
      for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key);
      await page.locator(".status.planned").waitFor();
      const { status, history } = await read(server, "dark");
      assertEquals([status, history.length], ["planned", 2]);
      await choice.selectOption("Declined");
      await page.getByRole("textbox", { name: "Answer" }).fill("No.");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("The answer is stored").waitFor();
      assertEquals((await read(server, "dark")).status, "declined");
      await page.reload();
      await page.getByRole("button", { name: "Answer" }).waitFor();
      assertEquals(await page.getByRole("textbox", { name: "Answer" }).count(), 0);
    }));

  it("finds ideas once the server can be reached again, without another letter", () =>
    withIdeas(async (page) => {
      await goTo(page, "#/ideas");
      await page.context().setOffline(true);
      await page.getByRole("searchbox").fill("night");
      const said = page.locator("#search-error");
      await said.getByText("The server can’t be reached.").waitFor();
      await page.context().setOffline(false);
      await page.locator("tbody").getByText("Dark mode").waitFor({ state: "detached" });
      await said.getByText("The server").waitFor({ state: "detached" });
      await goTo(page, "#/ideas/ideas/dark");
      await page.context().setOffline(true);
      await page.getByRole("button", { name: "More" }).click();
      await page.getByRole("button", { name: "Merge" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("searchbox").fill("night");
      await dialog.getByText("The server can’t be reached.").waitFor();
      await page.context().setOffline(false);
      await dialog.getByLabel(/Night colours/).waitFor();
    }));

  it("asks for all of an idea at once, so that a slow server is waited for once", () =>
    withIdeas(async (page) => {
      const free = Promise.withResolvers<void>();
      await page.route(`**/${POSTS}/dark`, async (route) => {
        await free.promise;
        await route.continue();
      });
      const asked = ["votes", "votes/summary", "reports"].map((part) =>
        page.waitForRequest((request) =>
          new URL(request.url()).pathname.endsWith(`${POSTS}/dark/${part}`)
        )
      );
      await page.evaluate("location.hash = '#/ideas/ideas/dark'");
      await Promise.all(asked);
      free.resolve();
      await page.getByRole("heading", { name: "Dark mode" }).waitFor();
      await page.getByRole("button", { name: "More" }).click();
      const link = page.locator(".more").getByRole("link", { name: "See the page" });
      const href = await link.evaluate((link) => (link as unknown as { href: string }).href);
      assertEquals(href, "http://127.0.0.1:1/boards/ideas/dark");
    }));

  it("says how long the title and the text of an idea may be", () =>
    withIdeas(async (page) => {
      await goTo(page, "#/ideas");
      await page.getByRole("button", { name: "New idea" }).click();
      const dialog = page.getByRole("dialog");
      const create = async (title: string, text: string) => {
        await dialog.getByLabel("Title").fill(title);
        await dialog.getByLabel("Text").fill(text);
        await dialog.getByRole("button", { name: "Create" }).click();
      };
      await create("ab", "");
      await dialog.getByText("A title has 3 to 120 characters on one line.").waitFor();
      await create("x".repeat(210), "é".repeat(5000));
      await dialog.getByText("Characters to remove: 90").waitFor();
      await dialog.getByText("Characters to remove: 1,808").waitFor();
    }));
});
