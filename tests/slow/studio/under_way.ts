import { assert, assertEquals } from "@std/assert";
import { it } from "@std/testing/bdd";
import { Buffer } from "node:buffer";
import type { Page, Route } from "playwright-core";
import type { ShownEntry } from "../../../model/entries/entry.ts";
import { call, describeStudio, goTo, loseAnswer, openStudio } from "./_studio.ts";

const ENTRIES = "changelogs/entries";
/** A request that a test delays. */
interface HeldRequest {
  /** Resolves once the request has started. */
  readonly begun: Promise<void>;
  letGo(): void;
}

/** Delays the next request to a matching address. */
async function hold(page: Page, url: RegExp, method = "POST"): Promise<HeldRequest> {
  const [begun, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isHeld = false;
  await page.route(url, async (route: Route) => {
    if (isHeld || route.request().method() !== method) return await route.continue();
    isHeld = true;
    begun.resolve();
    await free.promise;
    await route.continue();
  });
  return { begun: begun.promise, letGo: () => free.resolve() };
}

describeStudio("what is under way in the studio", {
  storages: ["memory"],
  publicUrl: "https://example.com",
}, (server) => {
  const dialogOf = (page: Page) => page.getByRole("dialog");
  const closed = (page: Page) => page.locator("dialog").waitFor({ state: "detached" });

  async function write(entryId: string): Promise<void> {
    await call(server, "POST", ENTRIES, { entryId, title: entryId, body: "Text" });
  }

  async function stateOf(entryId: string): Promise<string> {
    return (await call<ShownEntry>(server, "GET", `${ENTRIES}/${entryId}`)).state;
  }

  async function openPublish(page: Page, entryId: string): Promise<void> {
    await write(entryId);
    await goTo(page, `#/entries`);
    await goTo(page, `#/entries/${entryId}`);
    await page.getByRole("button", { name: "Publish" }).click();
    await dialogOf(page).getByLabel("Mail nobody").waitFor();
  }

  const publish = (page: Page) => dialogOf(page).getByRole("button", { name: "Publish" }).click();

  it("closes a dialog at Back, which stays in its place and does nothing", async () => {
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await openPublish(page, "back");
    await page.goBack();
    await closed(page);
    await page.waitForURL(/#\/entries\/back$/);
    assertEquals(await page.evaluate("document.activeElement.textContent"), "Publish");
    await page.goBack();
    await page.getByRole("heading", { name: "Entries" }).waitFor();
    assertEquals(await stateOf("back"), "draft");
  });

  it("asks at Escape and at Back before typed words are given up", async () => {
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await goTo(page, "#/boards");
    for (const leave of ["Escape", "Back"]) {
      await page.getByRole("button", { name: "New board" }).click();
      const name = dialogOf(page).getByLabel("Name");
      await name.fill("Ten minutes");
      const go = () => leave === "Back" ? page.goBack() : page.keyboard.press(leave);
      await go();
      await dialogOf(page).getByText("What you have typed here is lost").waitFor();
      await page.keyboard.press("Enter");
      assertEquals(await name.inputValue(), "Ten minutes");
      await go();
      await dialogOf(page).getByRole("button", { name: "Discard" }).click();
      await closed(page);
      await page.waitForURL(/#\/boards$/);
    }
    await page.getByRole("button", { name: "New board" }).click();
    await page.keyboard.press("Escape");
    await closed(page);
  });

  it("closes no dialog that works, and tells how it ended where it was closed all the same", async () => {
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await openPublish(page, "held-up");
    await dialogOf(page).getByLabel("Mail nobody").check();
    const request = await hold(page, /\/publish$/);
    await publish(page);
    await request.begun;
    await page.keyboard.press("Escape");
    await dialogOf(page).getByText("This is still being carried out.").waitFor();
    // A second Escape confirms the question.
    await page.keyboard.press("Escape");
    assertEquals(await dialogOf(page).count(), 1);
    await page.goBack();
    await dialogOf(page).getByRole("button", { name: "Close anyway" }).click();
    await closed(page);
    await goTo(page, "#/boards");
    request.letGo();
    await page.getByText("“held-up” is published").waitFor();
    assertEquals([await stateOf("held-up"), new URL(page.url()).hash], ["published", "#/boards"]);
  });

  it("shows the secret of a key whose dialog was closed, wherever one is, and asks before it is lost", async () => {
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await goTo(page, "#/keys");
    await page.getByRole("button", { name: "New key" }).click();
    await dialogOf(page).getByLabel("Name").fill("Late");
    const request = await hold(page, /\/api\/v1\/keys$/);
    await dialogOf(page).getByRole("button", { name: "Create" }).click();
    await request.begun;
    await page.keyboard.press("Escape");
    await dialogOf(page).getByRole("button", { name: "Close anyway" }).click();
    await goTo(page, "#/boards");
    request.letGo();
    await page.locator("dialog .secret").waitFor();
    await page.keyboard.press("Escape");
    await dialogOf(page).getByText("You have not copied it yet").waitFor();
    await dialogOf(page).getByRole("button", { name: "Go on" }).click();
    await studio.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await dialogOf(page).getByRole("button", { name: "Copy" }).click();
    await dialogOf(page).getByRole("button", { name: "Copied" }).waitFor();
    await page.keyboard.press("Escape");
    await closed(page);
  });

  it("publishes once, and says so, where the answer is lost", async () => {
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await openPublish(page, "lost");
    await dialogOf(page).getByLabel("Mail nobody").check();
    await loseAnswer(page, /\/publish$/);
    await publish(page);
    await page.getByRole("heading", { name: "“lost” is published" }).waitFor();
    assertEquals(await page.evaluate("document.activeElement.tagName"), "H2");
    await page.locator(".state .published").waitFor();
  });

  it("makes no key, webhook or board twice where an answer is lost, and says what became of the secret", async () => {
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await goTo(page, "#/keys");
    await loseAnswer(page, /\/api\/v1\/keys$/);
    await page.getByRole("button", { name: "New key" }).click();
    await dialogOf(page).getByLabel("Name").fill("Lost key");
    await dialogOf(page).getByRole("button", { name: "Create" }).click();
    await page.getByText("“Lost key” exists, but its secret was lost").waitFor();
    const keys = await call<{ data: { name: string }[] }>(server, "GET", "keys");
    assertEquals(keys.data.filter(({ name }) => name === "Lost key").length, 1);

    await goTo(page, "#/webhooks");
    await loseAnswer(page, /\/api\/v1\/webhooks$/);
    await page.getByRole("button", { name: "New webhook" }).click();
    await dialogOf(page).getByLabel("Link").fill("https://lost.example.com/");
    await dialogOf(page).getByRole("button", { name: "Create" }).click();
    await page.getByText("“https://lost.example.com/” exists, but").waitFor();
    const webhooks = await call<{ data: unknown[] }>(server, "GET", "webhooks");
    assertEquals(webhooks.data.length, 1);

    await goTo(page, "#/boards");
    await loseAnswer(page, /\/api\/v1\/boards$/);
    await page.getByRole("button", { name: "New board" }).click();
    await dialogOf(page).getByLabel("Name").fill("Lost board");
    await dialogOf(page).getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "Lost board" }).waitFor();
    const boards = await call<{ data: { boardId: string }[] }>(server, "GET", "boards");
    assertEquals(boards.data.map(({ boardId }) => boardId), ["lost-board"]);
  });

  it("keeps the key that one is signed in with for 15 minutes when it is rotated, and signs in with the new one", async () => {
    const made = await call<{ key: string; keyId: string }>(server, "POST", "keys", {
      name: "Own",
      scopes: "*",
    });
    await using studio = await openStudio();
    const page = await studio.open(server.url, made.key);
    await goTo(page, "#/keys");
    await page.getByRole("button", { name: "Rotate: Own" }).click();
    await dialogOf(page).getByText("You are signed in with this key.").waitFor();
    await dialogOf(page).getByLabel("The old one still works for").selectOption("0s");
    await dialogOf(page).getByRole("button", { name: "Rotate" }).click();
    const secret = await page.locator("dialog .secret").textContent();
    const old = { url: server.url, key: made.key };
    assertEquals((await call<{ keyId: string }>(old, "GET", "key")).keyId, made.keyId);
    await dialogOf(page).getByRole("button", { name: "Done" }).click();
    const kept = await page.evaluate<string>("JSON.stringify({ ...sessionStorage })");
    assert(kept.includes(secret!) && !kept.includes(made.key));
  });

  const LIST = "userEmail,userName,subscribed\n";
  const choose = (page: Page, name: string, text: string) =>
    page.getByLabel("File", { exact: true }).setInputFiles({
      name,
      mimeType: "text/csv",
      buffer: Buffer.from(text),
    });

  it("imports the list whose name the field shows, though another is checked still", async () => {
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await goTo(page, "#/subscribers/import");
    await choose(page, "a.csv", `${LIST}a@example.com,A,true\n`);
    await page.getByRole("button", { name: "Check" }).waitFor();
    const request = await hold(page, /\/subscribers\/import\?/);
    await page.getByRole("button", { name: "Check" }).click();
    await request.begun;
    await choose(page, "b.csv", `${LIST}b@example.com,B,true\nb2@example.com,B,true\n`);
    request.letGo();
    await page.getByText("Read as a list of boardcast.").waitFor();
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("Nothing is stored yet.").waitFor();
    await page.getByRole("button", { name: "Import now" }).click();
    await page.getByText("Imported").waitFor();
    const { data } = await call<{ data: { userEmail: string }[] }>(
      server,
      "GET",
      "changelogs/subscribers",
    );
    assertEquals(data.map(({ userEmail }) => userEmail), ["b2@example.com", "b@example.com"]);
  });

  it("imports on where somebody leaves, once they were asked, and tells how it ended", async () => {
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await goTo(page, "#/subscribers/import");
    await choose(page, "c.csv", `${LIST}c@example.com,C,true\n`);
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("Nothing is stored yet.").waitFor();
    const request = await hold(page, /\/subscribers\/import\?/);
    await page.getByRole("button", { name: "Import now" }).click();
    await request.begun;
    for (const answer of ["Stay", "Leave"]) {
      await page.getByRole("link", { name: "Boards" }).click();
      await dialogOf(page).getByText("The import goes on if you leave").waitFor();
      await dialogOf(page).getByRole("button", { name: answer }).click();
      await closed(page);
      await page.waitForURL(answer === "Stay" ? /#\/subscribers\/import$/ : /#\/boards$/);
    }
    request.letGo();
    const told = page.getByRole("status").getByText("Imported. Added: 1");
    await told.waitFor();
    await page.getByRole("link", { name: "Show" }).click();
    await page.getByRole("heading", { name: "Imported" }).waitFor();
    await call(server, "GET", "changelogs/subscribers/c@example.com");
  });

  it("says what was done, and takes an unsubscription back", async () => {
    await call(server, "PUT", "changelogs/subscribe", {
      userEmail: "undo@example.com",
      subscribe: true,
    });
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await goTo(page, "#/subscribers/undo%40example.com");
    await page.getByRole("button", { name: "Unsubscribe" }).click();
    await page.getByText("undo@example.com is unsubscribed").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.locator("dd .pill.done").waitFor();
  });
});
