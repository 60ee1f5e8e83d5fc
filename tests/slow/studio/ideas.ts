// Decides on ideas in the studio: by keyboard, beside a colleague, and with lost responses.

import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Page } from "playwright-core";
import { createPost } from "../../../services/posts/create.ts";
import { openMemoryStorage, type Storage } from "../../../mod.ts";
import { storeOf } from "../../../services/store.ts";
import { until } from "../../_support/waiting.ts";
import {
  assertAccessible,
  call,
  closeBrowser,
  eachScreen,
  goTo,
  openStudio,
  type Screen,
  type Served,
  serveStudio,
} from "./_studio.ts";

interface TestPost {
  readonly votes: number;
  readonly status: string;
  readonly state: string;
  readonly answer: string | null;
  readonly mergedInto: string | null;
  readonly entryId: string | null;
}

type Entries = { readonly data: readonly { readonly posts: readonly string[] }[] };

const POSTS = "boards/ideas/posts";

function read(server: Served, postId: string): Promise<TestPost> {
  return call<TestPost>(server, "GET", `${POSTS}/${postId}`);
}

/** Fills a board with ideas, two of them held. */
async function fill(server: Served, storage: Storage): Promise<void> {
  await call(server, "POST", "boards", {
    boardId: "ideas",
    name: "Ideas",
    visibility: "public",
    moderation: "all",
  });
  for (const [postId, title] of [["dark", "Dark mode"], ["night", "Night colours"]]) {
    await call(server, "POST", POSTS, { postId, title, body: "White hurts." });
  }
  for (const name of ["ann", "ben", "cem"]) {
    const json = { userEmail: `${name}@example.com`, vote: true, why: `I work at night, ${name}` };
    await call(server, "PUT", `${POSTS}/dark/votes`, json);
  }
  await call(server, "PUT", `${POSTS}/night/votes`, { userEmail: "ann@example.com", vote: true });
  for (const [postId, title] of [["held1", "Export as PDF"], ["held2", "Cheap watches"]]) {
    const author = { userEmail: `${postId}@example.com`, userName: null, notify: false };
    const at = new Date().toISOString();
    const request = { boardId: "ideas", postId, title, body: null, author, keyId: null, at };
    const post = await createPost(storeOf(storage), { ...request, source: "form" });
    assertEquals(typeof post === "object" && post.state, "held");
  }
}

async function withIdeas(
  run: (page: Page, server: Served) => Promise<void>,
  { language, ...sitting }: Partial<Screen> = {},
): Promise<void> {
  const storage = openMemoryStorage();
  try {
    await using server = serveStudio({ storage, language });
    await fill(server, storage);
    await using studio = await openStudio(sitting);
    const page = await studio.open(server.url, server.key);
    await goTo(page, "#/ideas");
    await run(page, server);
  } finally {
    await closeBrowser();
    await storage.close();
  }
}

describe("ideas in the studio", () => {
  it("open on what was asked by many and not answered, and are found by their words", () =>
    withIdeas(async (page) => {
      const titles = () => page.locator("tbody .title").allTextContents();
      assertEquals(await titles(), ["Dark mode", "Night colours"]);
      await page.getByRole("searchbox").fill("colours");
      await page.locator("tbody .title", { hasText: "Dark mode" }).waitFor({ state: "detached" });
      assertEquals(await titles(), ["Night colours"]);
      await page.getByRole("combobox", { name: "State" }).selectOption("planned");
      await page.getByText("Nothing matches.").waitFor();
    }));

  it("that are held are counted in the menu, and decided on by one key each", () =>
    withIdeas(async (page, server) => {
      await page.locator("#nav .badge", { hasText: "2" }).waitFor();
      await page.getByRole("link", { name: "Held" }).click();
      await page.getByText("Export as PDF").waitFor();
      await page.getByRole("link", { name: "Export as PDF" }).focus();
      await page.keyboard.press("a");
      await page.getByText("“Export as PDF” is public now").waitFor();
      assertEquals((await read(server, "held1")).state, "public");
      await page.getByRole("button", { name: "Undo" }).click();
      await page.getByText("Undone: “Export as PDF”").waitFor();
      assertEquals((await read(server, "held1")).state, "held");
      await page.getByRole("link", { name: "Export as PDF" }).waitFor();
      // Nothing is decided while no card has the focus.
      await page.getByRole("heading", { name: "Ideas" }).click();
      await page.keyboard.press("a");
      await page.keyboard.press("d");
      assertEquals(await page.locator("dialog").count(), 0);
      await page.getByRole("link", { name: "Export as PDF" }).focus();
      await page.keyboard.press("a");
      await page.getByRole("link", { name: "Export as PDF" }).waitFor({ state: "detached" });
      // The next card has the focus now.
      await page.keyboard.press("d");
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Answer").fill("This is no idea.");
      await dialog.getByRole("button", { name: "Decline" }).click();
      await page.locator("dialog").waitFor({ state: "detached" });
      const { state, status } = await read(server, "held2");
      assertEquals([state, status], ["hidden", "declined"]);
    }));

  it("have a voter's reason quoted in the answer by one press, without the voter's name", () =>
    withIdeas(async (page, server) => {
      await page.getByRole("link", { name: "Dark mode" }).click();
      await page.getByRole("button", { name: "Quote this reason: ann@example.com" }).click();
      const answer = page.getByRole("textbox", { name: "Answer" });
      await until(async () => await answer.inputValue() === "> I work at night, ann");
      await page.getByRole("button", { name: "Quote this reason: ben@example.com" }).click();
      await until(async () => (await answer.inputValue()).endsWith("\n\n> I work at night, ben"));
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("I work at night, ben").first().waitFor();
      await until(async () => (await read(server, "dark")).answer?.startsWith("> I work") === true);
      assertEquals((await read(server, "dark")).answer?.includes("example.com"), false);
    }));

  it("that are held have addresses and phone numbers marked, and are edited at once", () =>
    withIdeas(async (page, server) => {
      const body = "Call +49 (30) 123 45 67 or ann.x@example.com, since 2024-01-02.";
      await call(server, "PATCH", `${POSTS}/held1`, { body });
      await goTo(page, "#/ideas?view=held");
      const card = page.locator("li[data-idea]", { hasText: "Export as PDF" });
      await card.getByText("It has an e-mail address or a phone number.").waitFor();
      assertEquals(await card.locator("mark").allTextContents(), [
        "+49 (30) 123 45 67",
        "ann.x@example.com",
      ]);
      await card.getByRole("button", { name: "Edit" }).click();
      await page.getByRole("dialog").getByLabel("Text").fill("As a file, please.");
      await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
      await card.getByText("As a file, please.").waitFor();
      assertEquals(await card.locator("mark").count(), 0);
    }));

  it("that name somebody who was erased are led to until their words change", () =>
    withIdeas(async (page, server) => {
      const words = { title: "Ask Zoe", body: "Write to zoe@example.com." };
      await call(server, "POST", POSTS, {
        postId: "named",
        userEmail: "zoe@example.com",
        ...words,
      });
      await call(server, "PUT", `${POSTS}/named/votes`, { userEmail: "x@y.org", vote: true });
      await call(server, "DELETE", "changelogs/subscribers/zoe@example.com");
      await goTo(page, "#/overview");
      await page.getByText("“Ask Zoe” contains the address of a person who was erased.").click();
      await page.getByRole("button", { name: "More" }).click();
      await page.getByRole("button", { name: "Edit" }).click();
      await page.getByRole("dialog").getByLabel("Text").fill("Write to us.");
      await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
      await page.locator("dialog").waitFor({ state: "detached" });
      await goTo(page, "#/overview");
      assertEquals(await page.getByText("Ask Zoe").count(), 0);
    }));

  it("say at a button what it could not do, until it is pressed again", () =>
    withIdeas(async (page) => {
      await goTo(page, "#/ideas?view=held");
      const card = page.locator("li[data-idea]", { hasText: "Export as PDF" });
      const refusal = { status: 429, json: { code: "rate_limited" } };
      await page.route(`**/${POSTS}/held1`, (route) => route.fulfill(refusal), { times: 1 });
      await card.getByRole("button", { name: "Approve" }).click();
      await card.getByRole("alert").getByText("That was too much at once.").waitFor();
      assertEquals(await page.locator(".toast > span").count(), 0);
      await assertAccessible(page, "a refused button");
      await card.getByRole("button", { name: "Approve" }).click();
      await page.getByText("“Export as PDF” is public now").waitFor();
    }));

  it("are answered, also when a colleague has done so meanwhile or somebody votes", () =>
    withIdeas(async (page, server) => {
      await page.getByRole("link", { name: "Dark mode" }).click();
      await page.getByRole("button", { name: "Answer" }).click();
      const form = page.getByRole("region", { name: "Answer" });
      const answer = form.getByRole("textbox", { name: "Answer" });
      await form.getByLabel("State").selectOption("planned");
      await answer.fill("In June.");
      await call(server, "PUT", `${POSTS}/dark/votes`, { userEmail: "x@example.com", vote: true });
      await form.getByRole("button", { name: "Save" }).click();
      await page.getByText("The answer is stored").waitFor();
      assertEquals((await read(server, "dark")).answer, "In June.");
      await page.getByRole("button", { name: "Answer" }).click();
      await answer.fill("In July.");
      await call(server, "PATCH", `${POSTS}/dark`, { answer: "Never." });
      await form.getByRole("button", { name: "Save" }).click();
      await form.getByText("“Never.”").waitFor();
      assertEquals((await read(server, "dark")).answer, "Never.");
      await form.getByRole("button", { name: "Save" }).click();
      await form.getByText("In July.").waitFor();
      await form.getByRole("button", { name: "Save" }).waitFor({ state: "detached" });
      assertEquals((await read(server, "dark")).answer, "In July.");
    }));

  it("are answered once when the answer of the server is lost", () =>
    withIdeas(async (page, server) => {
      await goTo(page, "#/ideas/ideas/dark");
      let isLost = false;
      await page.route(`**/${POSTS}/dark`, async (route) => {
        if (isLost || route.request().method() !== "PATCH") return await route.continue();
        isLost = true;
        await route.fetch();
        await route.abort();
      });
      await page.getByRole("button", { name: "Answer" }).click();
      await page.getByRole("textbox", { name: "Answer" }).fill("In June.");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("The answer is stored").waitFor();
      assert(isLost);
      assertEquals((await read(server, "dark")).answer, "In June.");
    }));

  it("are merged with one that is found by its words, and taken out again", () =>
    withIdeas(async (page, server) => {
      await goTo(page, "#/ideas/ideas/night");
      await page.getByRole("button", { name: "More" }).click();
      await page.getByRole("button", { name: "Merge" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("searchbox").fill("dark");
      await dialog.getByLabel(/Dark mode/).check();
      // Ann has voted for both.
      await dialog.getByText("“Dark mode” will have this many people, each counted once: 3")
        .waitFor();
      await dialog.getByRole("button", { name: "Merge" }).click();
      await page.getByText("“Night colours” is merged into “Dark mode”").waitFor();
      assertEquals((await read(server, "night")).mergedInto, "dark");
      assertEquals((await read(server, "dark")).votes, 3);
      await page.getByRole("button", { name: "Undo" }).click();
      await page.getByText("“Night colours” is unmerged").waitFor();
      assertEquals((await read(server, "night")).votes, 1);
    }));

  it("show their voters and reasons, and leave out a domain that is set aside", () =>
    withIdeas(async (page, server) => {
      await goTo(page, "#/ideas/ideas/dark");
      await page.getByText("I work at night, ann").waitFor();
      const [votes] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Export: Voters" }).click(),
      ]);
      assert((await Deno.readTextFile(await votes.path())).includes("\ndark,ben@example.com,"));
      await page.getByRole("button", { name: "Set aside: example.com" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Set aside" }).click();
      await page.getByText("example.com is set aside").waitFor();
      assertEquals((await read(server, "dark")).votes, 0);
      await page.getByRole("button", { name: "Count again: example.com" }).click();
      await page.getByText("example.com is counted again").waitFor();
      assertEquals((await read(server, "dark")).votes, 3);
    }));

  it("are shipped by an entry, found by their words, and taken away again", () =>
    withIdeas(async (page, server) => {
      await goTo(page, "#/entries/new");
      await page.getByLabel("Title").fill("Night has come");
      await page.getByLabel("Text", { exact: true }).fill("Dark, at last.");
      const ships = page.getByLabel("Ships");
      await ships.fill("dark");
      await page.getByRole("button", { name: "Dark mode · 3" }).click();
      await page.locator(".ships").getByRole("link", { name: "Dark mode" }).waitFor();
      const saved = page.getByText("Saved", { exact: true });
      const postsOf = async (): Promise<readonly string[]> => {
        await saved.waitFor();
        const { data } = await call<Entries>(server, "GET", "changelogs/entries?q=Night");
        return data[0]?.posts ?? [];
      };
      await until(async () => `${await postsOf()}` === "dark");
      await ships.fill("colours");
      const found = page.getByRole("button", { name: "Night colours · 1" });
      await found.waitFor();
      await call(server, "PATCH", `${POSTS}/night`, { state: "hidden" });
      await found.click();
      await page.getByText("“Night colours” can’t be shipped").waitFor();
      assertEquals((await read(server, "dark")).entryId !== null, true);
      await page.getByRole("button", { name: "Remove: Night colours" }).click();
      await saved.waitFor();
      await page.reload();
      await page.locator(".ships").getByRole("link", { name: "Dark mode" }).waitFor();
      await page.getByRole("button", { name: "Remove: Dark mode" }).click();
      await until(async () => (await postsOf()).length === 0);
      assertEquals((await read(server, "dark")).entryId, null);
    }));

  eachScreen("have nothing that axe finds", (screen) =>
    withIdeas(async (page) => {
      const dialog = page.getByRole("dialog");
      await assertAccessible(page, "the list");
      await goTo(page, "#/ideas?view=held");
      await assertAccessible(page, "held ones");
      await goTo(page, "#/ideas/ideas/dark");
      await assertAccessible(page, "an idea");
      await page.locator(".head button.primary").tap();
      await page.locator(".answer select").waitFor();
      await page.locator(".answer textarea").fill("We **plan** it.");
      await page.locator(".preview strong").waitFor();
      await assertAccessible(page, "its answer");
      await page.locator(".answer .actions button").last().tap();
      await page.locator(".answer select").waitFor({ state: "detached" });
      await page.locator("[popovertarget]").tap();
      await page.locator(".more button", { hasText: /Merge|מיזוג/ }).tap();
      await dialog.getByRole("searchbox").waitFor();
      await dialog.getByRole("searchbox").fill("night");
      await dialog.locator("[name=other]").tap();
      await dialog.locator("[name=way]").first().waitFor();
      await assertAccessible(page, "merging");
      await page.keyboard.press("Escape");
      await goTo(page, "#/entries/new");
      await page.locator("#posts").fill("dark");
      await page.locator(".found button").tap();
      await page.locator("#posts").fill("night");
      await page.locator(".found button").waitFor();
      await assertAccessible(page, "what an entry ships");
    }, screen));
});
