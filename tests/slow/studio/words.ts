// Words that are typed in entries and dialogs are kept until they are saved or discarded.

import { assertEquals } from "@std/assert";
import { it } from "@std/testing/bdd";
import type { Page } from "playwright-core";
import type { ShownEntry } from "../../../model/entries/entry.ts";
import { until } from "../../_support/waiting.ts";
import {
  assertAccessible,
  call,
  describeStudio,
  goTo,
  loseAnswer,
  openStudio,
  startLossyProxy,
} from "./_studio.ts";

const ENTRIES = "changelogs/entries";
/**
 * The number of drafts that are started through a proxy that loses responses; 200 take five
 * minutes.
 */
const LOSSY_SAVES = Number(Deno.env.get("LOSSY_SAVES") ?? 10);

describeStudio("words in the studio", {
  storages: ["memory"],
  publicUrl: "https://example.com",
}, (server) => {
  const dialogOf = (page: Page) => page.getByRole("dialog");
  const closed = (page: Page) => page.locator("dialog").waitFor({ state: "detached" });
  const saved = (page: Page) => page.getByText("Saved", { exact: true }).waitFor();

  async function find(q: string): Promise<readonly ShownEntry[]> {
    const query = `${ENTRIES}?q=${encodeURIComponent(q)}`;
    return (await call<{ data: ShownEntry[] }>(server, "GET", query)).data;
  }

  it("go on as their own entry where a tab was closed before the first answer, and are no new entry", async () => {
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await loseAnswer(page, /changelogs\/entries$/);
    await page.route(/readyz$/, (route) => route.abort());
    await goTo(page, "#/entries/new");
    await page.getByLabel("Title").fill("Closed tab");
    await page.getByLabel("Text").fill("Stored already");
    await until(async () => (await find("Closed tab")).length === 1);
    await page.getByText("Not connected").waitFor();
    await page.close();
    const again = await studio.open(server.url, server.key);
    await goTo(again, "#/entries/new");
    assertEquals(await again.getByLabel("Title").inputValue(), "");
    await again.getByLabel("Title").fill("Another");
    await again.getByLabel("Text").fill("Text");
    await saved(again);
    assertEquals((await find("Stored already")).map(({ title }) => title), ["Closed tab"]);
  });

  it("are one draft each where first saves lose their answers on a connection that was used before", async () => {
    await using proxy = startLossyProxy(server.url);
    await using studio = await openStudio();
    const page = await studio.open(proxy.url, server.key);
    for (let number = 0; number < LOSSY_SAVES; number++) {
      await goTo(page, "#/entries/new");
      await page.getByLabel("Title").fill(`Lossy-${number}.`);
      await page.getByLabel("Text").fill("Text");
      await saved(page);
      await goTo(page, "#/entries");
    }
    for (let number = 0; number < LOSSY_SAVES; number++) {
      assertEquals((await find(`Lossy-${number}.`)).length, 1, `${number}`);
    }
    assertEquals(await page.getByText("Somebody else has changed this entry").count(), 0);
  });

  it("are kept for their key alone, and offered to nobody else", async () => {
    const keys = await Promise.all(
      ["Ann", "Ben"].map((name) =>
        call<{ key: string; keyId: string }>(server, "POST", "keys", { name, scopes: "*" })
      ),
    );
    await using studio = await openStudio();
    const page = await studio.open(server.url, keys[0].key);
    await goTo(page, "#/entries/new");
    await page.getByLabel("Title").fill("Ann's words");
    await call(server, "DELETE", `keys/${keys[0].keyId}`);
    await page.getByLabel("Text").fill("Secret");
    await page.getByText("Your unsaved words are kept in this browser").waitFor();
    await page.locator("main.alone summary").click();
    await page.getByLabel("API key").fill(keys[1].key);
    await page.keyboard.press("Enter");
    await page.locator("main[id] h1").waitFor();
    await goTo(page, "#/entries/new");
    assertEquals(await page.getByLabel("Title").inputValue(), "");
  });

  it("are said not to be kept where the browser's storage is full, and work where it is forbidden or damaged", async () => {
    await using full = await openStudio();
    const page = await full.open(server.url, server.key);
    await page.evaluate("probes.fillStorage()");
    await goTo(page, "#/entries/new");
    await page.getByLabel("Title").fill("No room");
    await page.getByText("This browser keeps none of your words").waitFor();
    await full.context.setOffline(true);
    await page.getByLabel("Text").fill("Text");
    await page.getByText("Not connected, and this browser can’t keep it").waitFor();
    await full.context.setOffline(false);
    await saved(page);

    await using damaged = await openStudio();
    await damaged.context.addInitScript("probes.damageStorage()");
    const other = await damaged.open(server.url, server.key);
    await goTo(other, "#/entries/new");
    await other.getByLabel("Title").fill("Damaged");
    await other.getByLabel("Text").fill("Text");
    await saved(other);

    await using forbidden = await openStudio();
    await forbidden.context.addInitScript("probes.forbidStorage()");
    const third = await forbidden.open(server.url, server.key);
    await goTo(third, "#/entries/new");
    await third.getByLabel("Title").fill("Forbidden");
    await third.getByLabel("Text").fill("Text");
    await saved(third);
  });

  it("that are not saved are shown without a connection, also where no entry was opened before", async () => {
    await call(server, "POST", ENTRIES, { entryId: "train", title: "Train", body: "Before" });
    await call(server, "POST", `${ENTRIES}/train/publish`, { notify: false });
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await goTo(page, "#/entries/train");
    await page.getByLabel("Text").fill("Written before");
    await page.getByText("Not saved: readers see it").waitFor();
    await goTo(page, "#/entries");
    const loaded = page.waitForResponse(/\/moving\.js$/);
    await page.reload();
    await loaded;
    await page.getByRole("link", { name: "Train" }).waitFor();
    await page.waitForLoadState("networkidle");
    await studio.context.setOffline(true);
    await page.getByRole("link", { name: "Train" }).click();
    await page.getByLabel("Text").waitFor();
    assertEquals(await page.getByLabel("Text").inputValue(), "Written before");
    await studio.context.setOffline(false);
  });

  it("of a public entry are marked in the list, and given up with one button", async () => {
    await call(server, "POST", ENTRIES, { entryId: "public", title: "Public", body: "Before" });
    await call(server, "POST", `${ENTRIES}/public/publish`, { notify: false });
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await goTo(page, "#/entries/public");
    await page.getByLabel("Text").fill("Half a sent");
    await page.getByText("Not saved: readers see it").waitFor();
    await goTo(page, "#/entries");
    await page.locator("tr", { hasText: "Public" }).getByText("Not saved").waitFor();
    await goTo(page, "#/entries/public");
    await page.getByRole("button", { name: "Discard changes" }).click();
    assertEquals(await page.getByLabel("Text").inputValue(), "Before");
    await saved(page);
    await goTo(page, "#/entries");
    await page.locator("tr", { hasText: "Public" }).waitFor();
    assertEquals(await page.getByText("Not saved").count(), 0);
  });

  it("are stored from a hidden tab, however many they are", async () => {
    await call(server, "POST", ENTRIES, { entryId: "long", title: "Long", body: "Short" });
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await goTo(page, "#/entries/long");
    await page.evaluate("probes.hide()");
    // As JSON, the text has twice as many bytes, more than browsers send after a page is closed.
    const body = '"\\'.repeat(16_000);
    await page.getByLabel("Text").fill(body);
    await saved(page);
    assertEquals((await find("Long"))[0].body.length, body.length);
  });

  it("say what came in front of the server, and go on once that is mended", async () => {
    await call(server, "POST", ENTRIES, { entryId: "wall", title: "Wall", body: "Before" });
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await goTo(page, "#/entries/wall");
    await page.route(/entries\/wall$/, async (route) => {
      if (route.request().method() !== "PATCH") return await route.continue();
      await route.fulfill({ status: 403, contentType: "text/html", body: "<h1>Blocked</h1>" });
    });
    await page.getByLabel("Text").fill("<script>");
    await page.getByText("such as a firewall or a proxy, answered with 403").waitFor();
    await page.unroute(/entries\/wall$/);
    await page.keyboard.press("Control+s");
    await saved(page);
    assertEquals((await find("Wall"))[0].body, "<script>");
  });

  it("of a dialog are found again after a reload, until they are saved or discarded", async () => {
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await goTo(page, "#/boards");
    const begin = () => page.getByRole("button", { name: "New board" }).click();
    const name = dialogOf(page).getByLabel("Name");
    await begin();
    await name.fill("Half a na");
    await page.reload();
    await begin();
    await dialogOf(page).getByText("These are your unsaved words.").waitFor();
    assertEquals(await name.inputValue(), "Half a na");
    await page.keyboard.press("Escape");
    await dialogOf(page).getByRole("button", { name: "Discard" }).click();
    await closed(page);
    await begin();
    assertEquals(await name.inputValue(), "");
    await name.fill("Whole name");
    await dialogOf(page).getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "Whole name" }).waitFor();
    await call(server, "DELETE", "boards/whole-name");
    await goTo(page, "#/boards");
    await begin();
    assertEquals(await name.inputValue(), "");
    assertEquals(await page.evaluate("Object.keys(localStorage).join()"), "");
  });

  it("of a new webhook, a board and a subscriber are there after a reload, Escape and Back", async () => {
    await call(server, "POST", "boards", { boardId: "half", name: "Half" });
    const userEmail = "half@example.com";
    await call(server, "PUT", "changelogs/subscribe", { userEmail, subscribe: true });
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    for (
      const [place, button, label, words] of [
        ["#/webhooks", "New webhook", "Link", "https://half.example.com/"],
        ["#/boards/half", "Change", "Description", "Half a sent"],
        ["#/subscribers/half%40example.com", "Change", "Name", "Half a na"],
      ]
    ) {
      await goTo(page, place);
      const begin = () => page.getByRole("button", { name: button, exact: true }).click();
      const field = dialogOf(page).getByLabel(label);
      await begin();
      await field.fill(words);
      await page.reload();
      await begin();
      await dialogOf(page).getByText("These are your unsaved words.").waitFor();
      for (const leave of [() => page.keyboard.press("Escape"), () => page.goBack()]) {
        await leave();
        await dialogOf(page).getByText("What you have typed here is lost").waitFor();
        await dialogOf(page).getByRole("button", { name: "Go on" }).click();
        assertEquals(await field.inputValue(), words);
      }
      await page.goBack();
      await dialogOf(page).getByRole("button", { name: "Discard" }).click();
      await closed(page);
      assertEquals(await page.evaluate("Object.keys(localStorage).join()"), "");
    }
  });

  it("about an idea that is gone are copied where it was, and go with one that is deleted here", async () => {
    await call(server, "POST", "boards", { boardId: "gone", name: "Gone" });
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    const answer = page.getByRole("textbox", { name: "Answer" });
    for (const postId of ["theirs", "mine"]) {
      await call(server, "POST", "boards/gone/posts", { postId, title: `Idea of ${postId}` });
      await goTo(page, `#/ideas/gone/${postId}`);
      await page.getByRole("button", { name: "Answer" }).click();
      await answer.fill("Half an answer");
      await page.reload();
      await answer.waitFor();
    }
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    await dialogOf(page).getByRole("button", { name: "Delete" }).click();
    await page.getByText("“Idea of mine” is deleted").waitFor();
    await call(server, "DELETE", "boards/gone/posts/theirs");
    await goTo(page, "#/ideas/gone/theirs");
    await page.getByText("These are your unsaved words.").waitFor();
    assertEquals(await page.getByRole("textbox", { name: "Text" }).inputValue(), "Half an answer");
    await assertAccessible(page, "words about an idea that is gone");
    await page.getByRole("button", { name: "Discard" }).click();
    await page.getByRole("textbox").waitFor({ state: "detached" });
    assertEquals(await page.evaluate("Object.keys(localStorage).join()"), "");
  });

  it("are marked as not saved in the list until they are saved after a lost connection", async () => {
    await call(server, "POST", ENTRIES, { entryId: "again", title: "Again", body: "Before" });
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await goTo(page, "#/entries/again");
    await saved(page);
    await studio.context.setOffline(true);
    await page.getByLabel("Text").fill("After");
    await page.getByText("Not connected: kept in this browser").waitFor();
    await goTo(page, "#/entries");
    await page.getByText("Not saved").waitFor();
    await studio.context.setOffline(false);
    await page.locator("tr", { hasText: "Again" }).waitFor();
    await page.getByText("Not saved").waitFor({ state: "detached" });
    assertEquals((await find("Again"))[0].body, "After");
  });
});
