// A product person tells those who asked: before a mailing, right after it, and while it goes on,
// the studio says how many they are.

import { assert, assertEquals } from "@std/assert";
import { after, describe, it } from "@std/testing/bdd";
import type { Page } from "playwright-core";
import { openMemoryStorage } from "../../../mod.ts";
import { type Mailing, PUBLIC_URL, REFUSED, SENT, startMailing } from "../../_support/mailing.ts";
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
const ASKING = ["ann", "ben", "cem"].map((name) => `${name}@example.com`);
const SUBSCRIBED = ["dan", "eve"].map((name) => `${name}@example.com`);

interface Place extends Served {
  readonly page: Page;
  readonly mailing: Mailing;
  /** Mails until nothing is due. */
  mail(): Promise<void>;
}

interface Setting extends Partial<Screen> {
  readonly publicUrl?: string;
  readonly relay?: NonNullable<Parameters<typeof startMailing>[0]>["relay"];
}

/**
 * Opens the studio of a service where three people, one of them a subscriber, asked for two ideas
 * that an entry ships.
 */
async function withAsks(run: (place: Place) => Promise<void>, setting: Setting = {}) {
  const { language, relay, publicUrl = PUBLIC_URL, ...sitting } = setting;
  const storage = openMemoryStorage();
  const subscribers = [...SUBSCRIBED, ASKING[2]];
  await using mailing = await startMailing({ storage, subscribers, relay });
  const { worker, clock } = mailing;
  await using server = serveStudio({ storage, worker, publicUrl, language, clock: clock.now });
  await call(server, "POST", "boards", { boardId: "ideas", name: "Ideas", visibility: "public" });
  for (const [postId, title] of [["dark", "Dark mode"], ["night", "Night colours"]]) {
    await call(server, "POST", POSTS, { postId, title });
  }
  await call(server, "POST", POSTS, { postId: "quiet", title: "Nobody asked for this" });
  const vote = (postId: string, userEmail: string, notify: boolean) =>
    call(server, "PUT", `${POSTS}/${postId}/votes`, { userEmail, vote: true, notify });
  for (const userEmail of ASKING) await vote("dark", userEmail, true);
  await vote("night", ASKING[0], true);
  await vote("night", SUBSCRIBED[0], false);
  await call(server, "POST", "changelogs/entries", {
    entryId: "a",
    title: "Night has come",
    body: "At last.",
    posts: ["dark", "night"],
  });
  await using studio = await openStudio(sitting);
  const page = await studio.open(server.url, server.key);
  const mail = async () => {
    for (let i = 0; i < 20; i++) await clock.tick(2_000);
  };
  await run({ url: server.url, key: server.key, page, mailing, mail });
}

describe("telling people who asked, in the studio", () => {
  after(closeBrowser);

  it("says before and after a publication how many asked, and of each idea how many were told", () =>
    withAsks(async ({ page, mail, mailing }) => {
      await goTo(page, "#/entries/a");
      await page.getByRole("button", { name: "Publish" }).click();
      const dialog = page.getByRole("dialog");
      const audience = "people who asked: 3, then other subscribers: 2";
      await dialog.getByLabel(`Mail it to ${audience}`).check();
      await dialog.getByRole("button", { name: "Publish" }).click();
      await page.locator(".moment").getByText(`Recipients: ${audience}`).waitFor();
      await mail();
      const card = page.locator(".delivery");
      await card.locator(".pill.done").waitFor();
      await card.locator("summary").click();
      await card.getByText("Asked: 3, told: 3 · other subscribers: 2").waitFor();
      assertEquals(await card.locator("li").allTextContents(), [
        "Dark mode · Asked: 3, told: 3",
        "Night colours · Asked: 1, told: 1",
      ]);
      assertEquals(mailing.recipients, [...ASKING, ...SUBSCRIBED].sort());
    }));

  it("fills the bar of a mailing when it is done, whoever unsubscribes meanwhile", async () => {
    const answered = Promise.withResolvers<void>();
    const relay = () => answered.promise.then(() => SENT);
    await withAsks(async ({ page, mail, mailing, ...server }) => {
      await call(server, "POST", "changelogs/entries/a/publish", { notify: true });
      await goTo(page, "#/entries/a");
      const card = page.locator(".delivery");
      const share = () =>
        card.locator("progress").evaluate((bar) => (bar as unknown as { value: number }).value);
      await card.getByRole("button", { name: "Pause" }).waitFor();
      assertEquals(await share(), 0);
      await mailing.subscribe(SUBSCRIBED[0], false);
      answered.resolve();
      await mail();
      await card.locator(".pill.done").waitFor();
      assertEquals([mailing.recipients, await share()], [[...ASKING, SUBSCRIBED[1]], 1]);
    }, { relay });
  });

  it("says that people who asked come first, to a key that may not know their number", () =>
    withAsks(async ({ page, ...server }) => {
      const scopes = "entries:read entries:write entries:publish";
      const { key } = await call<{ key: string }>(server, "POST", "keys", { name: "K", scopes });
      await page.evaluate("sessionStorage.clear()");
      await page.reload();
      await page.locator("main.alone summary").click();
      await page.locator("input[type=password]").fill(key);
      await page.keyboard.press("Enter");
      await goTo(page, "#/entries/a");
      await page.getByRole("button", { name: "Publish" }).click();
      await page.getByLabel("Mail it to people who asked, then all subscribers").waitFor();
    }));

  it("mails nobody of an answer unless that is chosen, and then shows how it goes", async () => {
    const answered = Promise.withResolvers<void>();
    const relay = () => answered.promise.then(() => SENT);
    await withAsks(async ({ page, mail, mailing }) => {
      await goTo(page, "#/ideas/ideas/dark");
      const dialog = page.locator(".answer");
      const answer = page.getByRole("button", { name: "Answer" });
      await answer.click();
      await dialog.getByRole("textbox", { name: "Answer" }).fill("In June.");
      const choice = dialog.getByLabel("Mail those who asked: 3");
      assert(!await choice.isChecked());
      await dialog.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("The answer is stored", { exact: true }).waitFor();
      await mail();
      assertEquals([mailing.sent.length, await page.locator(".delivery").isHidden()], [0, true]);
      await answer.click();
      await dialog.getByLabel("State").selectOption("planned");
      await choice.check();
      await dialog.getByRole("button", { name: "Save and mail" }).click();
      await page.getByText("The answer is stored, and those who asked are mailed").waitFor();
      const card = page.locator(".delivery");
      await card.getByRole("button", { name: "Pause" }).click();
      await card.locator(".pill.paused").waitFor();
      await card.getByRole("button", { name: "Resume" }).click();
      await card.getByRole("button", { name: "Pause" }).waitFor();
      answered.resolve();
      await mail();
      await card.locator(".pill.done").waitFor();
      await card.locator("summary").click();
      await card.getByText("Asked: 3, told: 3").waitFor();
      assertEquals(mailing.recipients, ASKING);
    }, { relay });
  });

  it("lists the people whom an answer did not reach, and mails them again", async () => {
    let isUnknown = true;
    const relay = ({ to }: { readonly to: string }) =>
      to === ASKING[1] && isUnknown ? REFUSED : SENT;
    await withAsks(async ({ page, mail, mailing, ...server }) => {
      await call(server, "PATCH", `${POSTS}/dark`, { status: "planned", notify: true });
      await mail();
      await goTo(page, "#/ideas/ideas/dark");
      await page.locator(".delivery").getByRole("link", { name: "Not reached" }).click();
      await page.getByRole("link", { name: ASKING[1] }).waitFor();
      await page.getByText("This mailbox does not exist.").waitFor();
      isUnknown = false;
      await page.getByRole("button", { name: "Mail them once more" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Mail them once more" }).click();
      await page.getByRole("heading", { name: "Dark mode" }).waitFor();
      await mail();
      await page.locator(".delivery .pill.done").waitFor();
      assertEquals(mailing.recipients, ASKING);
      await goTo(page, "#/overview");
      await page.locator("td").getByRole("link", { name: "Dark mode" }).click();
      await page.locator(".delivery .pill.done").waitFor();
    }, { relay });
  });

  it("offers no mail where nobody asked or nothing can be mailed, and says why", async () => {
    await withAsks(async ({ page }) => {
      await goTo(page, "#/ideas/ideas/quiet");
      await page.getByRole("button", { name: "Answer" }).click();
      await page.getByText("Nobody has asked to be told of this idea.").waitFor();
      assertEquals(await page.locator(".answer").getByRole("checkbox").count(), 0);
      await goTo(page, "#/ideas/ideas/dark");
      await page.getByRole("button", { name: "Answer" }).click();
      const dialog = page.locator(".answer");
      await dialog.getByRole("checkbox").check();
      await dialog.getByRole("button", { name: "Save and mail" }).click();
      await dialog.getByText("There is nothing to tell yet").waitFor();
    });
    await using server = serveStudio();
    await call(server, "POST", "boards", { boardId: "ideas", name: "Ideas" });
    await call(server, "POST", POSTS, { postId: "dark", title: "Dark mode" });
    const vote = { userEmail: ASKING[0], vote: true, notify: true };
    await call(server, "PUT", `${POSTS}/dark/votes`, vote);
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await goTo(page, "#/ideas/ideas/dark");
    await page.getByRole("button", { name: "Answer" }).click();
    await page.locator(".answer").getByText("this server has no public address").waitFor();
    assertEquals(await page.locator(".answer").getByRole("checkbox").count(), 0);
  });

  it("shows a colleague's words before an edit of an idea replaces them", () =>
    withAsks(async ({ page, ...server }) => {
      await goTo(page, "#/ideas/ideas/dark");
      await page.getByRole("button", { name: "More" }).click();
      await page.getByRole("button", { name: "Edit" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Text").fill("Mine.");
      await call(server, "PATCH", `${POSTS}/dark`, { body: "Theirs." });
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.getByText("Text: “Theirs.”").waitFor();
      const read = () => call<{ body: string }>(server, "GET", `${POSTS}/dark`);
      assertEquals((await read()).body, "Theirs.");
      await dialog.getByRole("button", { name: "Save" }).click();
      await page.locator("dialog").waitFor({ state: "detached" });
      assertEquals((await read()).body, "Mine.");
    }));

  it("shows what a colleague has answered before it mails, and mails once where the answer is lost", () =>
    withAsks(async ({ page, mail, mailing, ...server }) => {
      await goTo(page, "#/ideas/ideas/dark");
      await page.getByRole("button", { name: "Answer" }).click();
      const dialog = page.locator(".answer");
      await dialog.getByRole("textbox", { name: "Answer" }).fill("In July.");
      await dialog.getByRole("checkbox").check();
      await call(server, "PATCH", `${POSTS}/dark`, { answer: "Never." });
      const save = dialog.getByRole("button", { name: "Save and mail" });
      await save.click();
      await dialog.getByText("“Never.”").waitFor();
      await mail();
      assertEquals(mailing.sent.length, 0);
      let isLost = false;
      await page.route(`**/${POSTS}/dark`, async (route) => {
        if (isLost || route.request().method() !== "PATCH") return await route.continue();
        isLost = true;
        await route.fetch();
        await route.abort();
      });
      await save.click();
      await page.getByText("The answer is stored, and those who asked are mailed").waitFor();
      await mail();
      assert(isLost);
      assertEquals(mailing.recipients, ASKING);
      assert(mailing.sent.every(({ text }) => text.includes("In July.")));
    }));

  eachScreen(
    "is used by touch and has nothing that axe finds",
    (screen) =>
      withAsks(async ({ page, mail }) => {
        await goTo(page, "#/ideas/ideas/dark");
        await page.locator(".head button.primary").tap();
        const dialog = page.locator(".answer");
        await dialog.getByRole("checkbox").tap();
        await dialog.locator("select").selectOption("planned");
        await assertAccessible(page, "answering");
        await dialog.locator("button.primary").tap();
        await dialog.waitFor({ state: "hidden" });
        await mail();
        await page.locator(".delivery .pill.done").waitFor();
        await page.locator(".delivery summary").tap();
        await assertAccessible(page, "the delivery of an idea");
        await goTo(page, "#/ideas/ideas/dark/failures");
        await assertAccessible(page, "whom it did not reach");
        await goTo(page, "#/entries/a");
        await page.locator("button.primary", { hasText: /Publish|פרסום/ }).tap();
        await assertAccessible(page, "publishing");
        const publishing = page.getByRole("dialog");
        await publishing.getByRole("radio").nth(2).tap();
        await publishing.locator("button.primary").tap();
        await page.locator(".moment h2").waitFor();
        await mail();
        await page.locator(".delivery .pill.done").waitFor();
        await page.locator(".delivery summary").tap();
        await page.locator(".delivery li").first().waitFor();
        await assertAccessible(page, "the delivery of an entry");
      }, screen),
  );
});
