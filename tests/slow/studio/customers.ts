// The team is told of reports, merges ideas and takes them apart, and adds the votes of customers.

import { assertEquals } from "@std/assert";
import { after, describe, it } from "@std/testing/bdd";
import type { Page } from "playwright-core";
import { openMemoryStorage } from "../../../mod.ts";
import { addReport } from "../../../services/posts/reports.ts";
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

const POSTS = "boards/ideas/posts";

interface TestPost {
  readonly postId: string;
  readonly title: string;
  readonly votes: number;
  readonly mergedInto: string | null;
}

type Votes = { readonly data: readonly Readonly<Record<string, unknown>>[] };

async function withTeam(
  run: (page: Page, server: Served) => Promise<void>,
  { language, ...sitting }: Partial<Screen> = {},
): Promise<void> {
  const storage = openMemoryStorage();
  await using server = serveStudio({ storage, language, publicUrl: "http://127.0.0.1:1" });
  const board = { boardId: "ideas", name: "Ideas", visibility: "public" };
  await call(server, "POST", "boards", board);
  for (const [postId, title] of [["dark", "Dark mode"], ["night", "Night colours"]]) {
    await call(server, "POST", POSTS, { postId, title, body: "White **hurts**." });
  }
  for (const name of ["ann", "ben"]) {
    const json = { userEmail: `${name}@example.com`, vote: true };
    await call(server, "PUT", `${POSTS}/dark/votes`, json);
  }
  await call(server, "PUT", `${POSTS}/night/votes`, { userEmail: "ann@example.com", vote: true });
  const at = new Date().toISOString();
  const report = { boardId: "ideas", postId: "night", reason: "It names my doctor.", at };
  await addReport(storeOf(storage), report);
  await using studio = await openStudio(sitting);
  await run(await studio.open(server.url, server.key), server);
}

function votesOf(server: Served, postId: string): Promise<Votes> {
  return call<Votes>(server, "GET", `${POSTS}/${postId}/votes`);
}

describe("a team in the studio", () => {
  after(closeBrowser);

  it("is told of reports in the menu, on the overview and in a tab, until they are dealt with", () =>
    withTeam(async (page) => {
      await page.locator("#nav .badge", { hasText: "1" }).waitFor();
      await goTo(page, "#/overview");
      await page.getByRole("link", { name: "Ideas that were reported: 1" }).click();
      const card = page.locator("li[data-idea]");
      await card.getByText("It names my doctor.").waitFor();
      await card.getByRole("button", { name: "Dealt with" }).click();
      await page.getByText("The reports of “Night colours” are dealt with").waitFor();
      await card.waitFor({ state: "detached" });
      await page.locator("#nav .badge", { hasText: "1" }).waitFor({ state: "detached" });
      await goTo(page, "#/ideas/ideas/night");
      assertEquals(await page.getByText("It names my doctor.").count(), 0);
    }));

  it("takes a weaker idea in, sees through which one its voters came, and takes it out again", () =>
    withTeam(async (page, server) => {
      await goTo(page, "#/ideas/ideas/dark");
      await page.getByRole("button", { name: "More" }).click();
      await page.getByRole("button", { name: "Merge" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("searchbox").fill("night");
      await dialog.getByLabel(/Night colours/).check();
      await dialog.getByText("“Dark mode” will have this many people, each counted once: 2")
        .waitFor();
      await call(server, "PUT", `${POSTS}/night/votes`, { userEmail: "cem@b.io", vote: true });
      await dialog.getByRole("button", { name: "Merge" }).click();
      await page.getByText("“Night colours” is merged into “Dark mode”").waitFor();
      const row = page.locator("tr", { hasText: "cem@b.io" });
      await row.getByRole("link", { name: "Night colours" }).waitFor();
      const merged = page.locator(".cards li", { hasText: "Night colours" });
      await merged.locator("strong", { hasText: "hurts" }).waitFor();
      await merged.getByRole("button", { name: "Unmerge" }).click();
      await dialog.getByRole("button", { name: "Unmerge" }).click();
      await page.getByText("“Night colours” is unmerged").waitFor();
      await row.waitFor({ state: "detached" });
      const { votes, mergedInto } = await call<TestPost>(server, "GET", `${POSTS}/night`);
      assertEquals([votes, mergedInto], [2, null]);
    }));

  it("adds the vote of a customer, and says that the team has added it", () =>
    withTeam(async (page, server) => {
      await goTo(page, "#/ideas/ideas/night");
      await page.getByRole("button", { name: "Add a voter" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("E-mail address").fill("zoe@acme.example");
      await dialog.getByLabel("Why").fill("She asked on the phone.");
      await dialog.getByLabel("Wants mail about what becomes of it").check();
      await dialog.getByRole("button", { name: "Add" }).click();
      await page.getByText("The vote of zoe@acme.example is added").waitFor();
      const row = page.locator("tr", { hasText: "zoe@acme.example" });
      await row.getByText("added by operator").waitFor();
      await row.getByText("She asked on the phone.").waitFor();
      const { data } = await votesOf(server, "night");
      const { notify, addedBy } = data.find(({ userEmail }) => userEmail === "zoe@acme.example")!;
      assertEquals([notify, addedBy], [true, "operator"]);
    }));

  it("adds an idea on behalf of somebody, who has voted for it and is named beside it", () =>
    withTeam(async (page, server) => {
      await goTo(page, "#/ideas");
      await page.getByRole("button", { name: "New idea" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Title").fill("Keyboard shortcuts");
      await dialog.getByLabel("On behalf of").fill("zoe@acme.example");
      await dialog.getByRole("button", { name: "Create" }).click();
      await page.getByRole("link", { name: "Keyboard shortcuts" }).click();
      await page.getByRole("complementary").getByText("zoe@acme.example").waitFor();
      const { data: [post] } = await call<{ data: readonly TestPost[] }>(
        server,
        "GET",
        "posts?q=keyboard",
      );
      assertEquals(post.votes, 1);
      const { data: [vote] } = await votesOf(server, post.postId);
      assertEquals([vote.userEmail, vote.isAuthor], ["zoe@acme.example", true]);
    }));

  it("finds an answer again that was being written, and saves or discards it", () =>
    withTeam(async (page, server) => {
      await goTo(page, "#/ideas/ideas/dark");
      await page.getByRole("button", { name: "Answer" }).click();
      const answer = page.getByRole("textbox", { name: "Answer" });
      await answer.pressSequentially("Soon");
      await answer.press("Control+b");
      await page.keyboard.type("er");
      await page.locator(".preview strong", { hasText: "er" }).waitFor();
      await page.reload();
      await page.getByText("These are your unsaved words.").waitFor();
      assertEquals(await answer.inputValue(), "Soon**er**");
      await page.getByRole("button", { name: "Save" }).click();
      await page.locator(".answer strong", { hasText: "er" }).waitFor();
      await page.getByRole("button", { name: "Answer" }).click();
      await answer.fill("Never");
      await goTo(page, "#/ideas");
      await call(server, "PATCH", `${POSTS}/dark`, { answer: "Soon**er**!" });
      await goTo(page, "#/ideas/ideas/dark");
      await page.getByText("Somebody else has set this to “Soon**er**!”").waitFor();
      await call(server, "PATCH", `${POSTS}/dark`, { answer: "Soon**er**" });
      await page.getByRole("button", { name: "Discard" }).click();
      await page.locator(".answer strong", { hasText: "er" }).waitFor();
      const { answer: stored } = await call<{ answer: string }>(server, "GET", `${POSTS}/dark`);
      assertEquals(stored, "Soon**er**");
    }));

  it("copies the words of a revoked key on the page that signs in, under its name", () =>
    withTeam(async (page, server) => {
      const scopes = "posts:read posts:publish boards:read boards:write entries:read keys:write";
      type Key = { key: string; keyId: string };
      const made = await call<Key>(server, "POST", "keys", { name: "Zoe", scopes });
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.locator("main.alone summary").click();
      await page.getByLabel("API key").fill(made.key);
      await page.keyboard.press("Enter");
      await page.locator("main[id]").waitFor();
      await goTo(page, "#/ideas/ideas/dark");
      await page.getByRole("button", { name: "Answer" }).click();
      await page.getByRole("textbox", { name: "Answer" }).fill("Not lost");
      await goTo(page, "#/boards");
      await page.getByRole("button", { name: "New board" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Name").fill("Half a board");
      await call(server, "DELETE", `keys/${made.keyId}`);
      await dialog.getByRole("button", { name: "Create" }).click();
      await page.getByRole("heading", { name: "Unsaved words of Zoe" }).waitFor();
      await page.reload();
      const texts = page.locator(".left textarea");
      await texts.first().waitFor();
      assertEquals((await texts.allTextContents()).sort(), ["Half a board", "Not lost"]);
      await assertAccessible(page, "words of a revoked key");
    }));

  it("opens a board once it is created, and says in the list that it is public", () =>
    withTeam(async (page) => {
      await goTo(page, "#/boards");
      await page.locator("tr", { hasText: "Ideas" }).getByText("Public").waitFor();
      await page.getByRole("button", { name: "New board" }).click();
      await page.getByRole("dialog").getByLabel("Name").fill("Bugs");
      await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
      await page.getByRole("heading", { name: "Bugs" }).waitFor();
    }));

  it("ships an idea in a new entry, which its page then names", () =>
    withTeam(async (page, server) => {
      await goTo(page, "#/ideas/ideas/dark");
      await page.getByRole("link", { name: "Ship it in a new entry" }).click();
      await page.locator(".ships").getByRole("link", { name: "Dark mode" }).waitFor();
      await page.getByLabel("Title").fill("Night has come");
      await page.getByLabel("Text", { exact: true }).fill("Dark, at last.");
      const entryIdOf = async () =>
        (await call<{ entryId: string | null }>(server, "GET", `${POSTS}/dark`)).entryId;
      await until(async () => await entryIdOf() !== null);
      await goTo(page, "#/ideas/ideas/dark");
      const facts = page.getByRole("complementary");
      await facts.getByRole("link", { name: "Night has come" }).waitFor();
      await facts.getByText("Draft").waitFor();
    }));

  eachScreen("has nothing that axe finds", (screen) =>
    withTeam(async (page, server) => {
      await goTo(page, "#/ideas?view=reported");
      await page.locator(".reasons li").waitFor();
      await assertAccessible(page, "reported ideas");
      await call(server, "POST", `${POSTS}/night/merge`, { into: "dark" });
      await goTo(page, "#/ideas/ideas/dark");
      await page.locator(".cards .rendered").waitFor();
      await assertAccessible(page, "an idea with a merged one");
      await page.locator(".head .actions button", { hasText: /voter|מצביע/ }).tap();
      await page.getByRole("dialog").waitFor();
      await assertAccessible(page, "adding a voter");
    }, screen));
});
