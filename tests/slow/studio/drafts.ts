import { deliveryPath } from "../../_support/deliveries.ts";
import { assertEquals, assertMatch } from "@std/assert";
import { it } from "@std/testing/bdd";
import type { Page, Route } from "playwright-core";
import type { ShownEntry } from "../../../model/entries/entry.ts";
import { until } from "../../_support/waiting.ts";
import { call, describeStudio, goTo, openStudio } from "./_studio.ts";

const ENTRIES = "changelogs/entries";
const SAVES = 30;

describeStudio("a draft in the studio", {
  storages: ["memory", "a folder"],
  publicUrl: "https://example.com",
}, (server) => {
  async function find(q: string): Promise<readonly ShownEntry[]> {
    const query = `${ENTRIES}?q=${encodeURIComponent(q)}`;
    return (await call<{ data: ShownEntry[] }>(server, "GET", query)).data;
  }

  /** Returns the identifier of the only entry that a search finds. */
  async function idOf(q: string): Promise<string> {
    const found = await find(q);
    assertEquals(found.length, 1, q);
    return found[0].entryId;
  }

  async function begin(page: Page, title: string, text: string): Promise<void> {
    await goTo(page, "#/entries/new");
    await page.getByLabel("Title").fill(title);
    await page.getByLabel("Text").fill(text);
  }

  const saved = (page: Page) => page.getByText("Saved", { exact: true }).waitFor();

  it("is stored once, with every letter, where every fifth answer is lost", async () => {
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    let count = 0;
    await page.route(/changelogs\/entries(?:\/|$)(?!preview)/, async (route: Route) => {
      if (route.request().method() === "GET" || ++count % 5 !== 1) return await route.continue();
      await route.fetch();
      await route.abort("connectionreset");
    });
    await begin(page, "Lost answers", "start");
    for (let number = 0; number < SAVES; number++) {
      await page.getByLabel("Text").press("End");
      await page.keyboard.type(` w${number}`);
      await page.keyboard.press("Control+s");
      await saved(page);
    }
    const words = Array.from({ length: SAVES }, (_, number) => ` w${number}`).join("");
    const found = await find("Lost answers");
    assertEquals(found.map(({ entryId, body }) => [entryId, body]), [
      [await idOf("Lost answers"), `start${words}`],
    ]);
  });

  it("is its own in each of two tabs, and where a tab was closed at once", async () => {
    await using studio = await openStudio();
    const [one, other] = [
      await studio.open(server.url, server.key),
      await studio.open(server.url, server.key),
    ];
    await begin(one, "Tab one", "Text");
    await begin(other, "Tab two", "Text");
    await saved(one);
    await saved(other);
    await begin(one, "Closed at once", "Text");
    await one.close();
    const again = await studio.open(server.url, server.key);
    await goTo(again, "#/entries/new");
    const restored = again.getByText("These are your unsaved words.");
    const title = again.getByLabel("Title");
    // The closed tab has saved the draft, or this browser still keeps it.
    await restored.or(title).first().waitFor();
    if (await restored.isVisible()) await again.getByRole("button", { name: "Go on" }).click();
    for (const text of ["Tab one", "Tab two"]) assertEquals((await find(text)).length, 1, text);
  });

  it("is in no conflict with itself in another tab", async () => {
    await using studio = await openStudio();
    await call(server, "POST", ENTRIES, { entryId: "both", title: "Both", body: "One" });
    const [one, other] = [
      await studio.open(server.url, server.key),
      await studio.open(server.url, server.key),
    ];
    for (const page of [one, other]) await goTo(page, "#/entries/both");
    for (const [page, key] of [[one, "a"], [other, "b"], [one, "c"]] as const) {
      await page.getByLabel("Text").press("Control+End");
      await page.keyboard.type(key);
      await saved(page);
      const [text, another] = [
        await page.getByLabel("Text").inputValue(),
        page === one ? other : one,
      ];
      await until(async () => await another.getByLabel("Text").inputValue() === text);
    }
    assertEquals((await find("Both"))[0].body, "Oneabc");
  });

  it("is its own in each of two tabs where the browser gives no locks", async () => {
    await using studio = await openStudio();
    await studio.context.addInitScript("delete Navigator.prototype.locks");
    const [one, other] = [
      await studio.open(server.url, server.key),
      await studio.open(server.url, server.key),
    ];
    assertEquals(await one.evaluate("navigator.locks"), undefined);
    await goTo(one, "#/entries/new");
    await one.getByLabel("Title").fill("Only a title");
    await begin(other, "Unlocked two", "Text");
    await saved(other);
    assertEquals(await one.getByLabel("Title").inputValue(), "Only a title");
    await one.close();
    await goTo(other, "#/entries");
    await goTo(other, "#/entries/new");
    await other.getByText("These are your unsaved words.").waitFor();
    assertEquals(await other.getByLabel("Title").inputValue(), "Only a title");
  });

  it("changes on Save alone once somebody else has published it", async () => {
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await begin(page, "Live soon", "Text");
    await saved(page);
    await call(server, "POST", `${ENTRIES}/${await idOf("Live soon")}/publish`, { notify: false });
    await page.getByLabel("Text").fill("Half a sent");
    await page.getByText("Not saved: readers see it once you save").waitFor();
    assertEquals((await find("Live soon"))[0].body, "Text");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await saved(page);
    assertEquals((await find("Live soon"))[0].body, "Half a sent");
  });

  it("is seen to become public when its hour comes", async () => {
    await call(server, "POST", ENTRIES, { entryId: "due", title: "Due", body: "Text" });
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    const at = new Date(Date.now() + 4_000).toISOString();
    await call(server, "POST", `${ENTRIES}/due/publish`, { notify: false, at });
    await goTo(page, "#/entries/due");
    await page.locator(".state .published").waitFor();
    assertEquals(await page.getByRole("button", { name: "Change", exact: true }).count(), 0);
  });

  it("has an identity of its own until it is published, and then the address of its title", async () => {
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await call(server, "POST", ENTRIES, { entryId: "light-mode", title: "Other", body: "Text" });
    await begin(page, "Light mode", "Text");
    await saved(page);
    const address = page.getByLabel("Address of the page");
    assertEquals(await address.getAttribute("placeholder"), "light-mode");
    const identity = await idOf("Light mode");
    assertMatch(identity, /^draft-[a-z0-9]{12}$/);
    assertEquals(new URL(page.url()).hash, `#/entries/${identity}`);
    await page.getByRole("button", { name: "Publish" }).click();
    await page.getByLabel("Mail nobody").check();
    await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click();
    await page.locator(".state .published").waitFor();
    await page.waitForURL(/#\/entries\/light-mode-2$/);
    assertEquals(await address.isEditable(), false);
    assertEquals(await idOf("Light mode"), "light-mode-2");
  });

  it("has the address that is typed, also before it is published", async () => {
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await begin(page, "Dark mode", "Text");
    await saved(page);
    await page.getByLabel("Address of the page").fill("night");
    await page.waitForURL(/#\/entries\/night$/);
    await page.getByRole("button", { name: "Publish" }).click();
    await page.getByLabel("Mail nobody").check();
    await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click();
    await page.locator(".state .published").waitFor();
    assertEquals(await idOf("Dark mode"), "night");
  });

  it("is stored but for a field that is refused, which is named", async () => {
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await begin(page, "Labelled", "Text");
    await page.getByLabel("Labels").fill("a b c d e f");
    await page.getByText("Saved, except what is marked").waitFor();
    await page.getByText("Up to 5 labels").waitFor();
    assertEquals((await find("Labelled"))[0].body, "Text");
    await page.getByLabel("Labels").fill("Dark Mode, New");
    await saved(page);
    assertEquals((await find("Labelled"))[0].labels, ["dark-mode", "new"]);
  });

  it("keeps a title that is too long, and says that nothing is stored yet", async () => {
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await begin(page, "A title ".repeat(30), "Text");
    await page.getByText("This is too long").waitFor();
    await page.getByText("Not saved", { exact: true }).waitFor();
    await page.getByLabel("Title").press("End");
    assertEquals((await page.getByLabel("Title").inputValue()).length, 240);
    await page.getByLabel("Title").fill("A title");
    await saved(page);
  });

  it("keeps its mailing when it is moved to another time", async () => {
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await begin(page, "Planned", "Text");
    await saved(page);
    const at = new Date(Date.now() + 86_400_000).toISOString();
    const planned = await idOf("Planned");
    await call(server, "POST", `${ENTRIES}/${planned}/publish`, { notify: true, at });
    await goTo(page, "#/entries");
    await goTo(page, `#/entries/${planned}`);
    await page.getByRole("button", { name: "Change", exact: true }).click();
    await page.getByText("A mailing waits for this entry.").waitFor();
    const dialog = page.getByRole("dialog");
    assertEquals(await dialog.getByLabel("At a time").isChecked(), true);
    assertEquals(await dialog.getByLabel(/^Mail it to/).isChecked(), true);
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
    await page.getByLabel("Text").fill("Better text");
    await page.getByRole("button", { name: "Change", exact: true }).click();
    await page.getByText("Your unsaved changes are saved, too.").waitFor();
    await dialog.getByLabel(/^Time/).fill("2031-01-01T10:00");
    await dialog.getByRole("button", { name: "Change", exact: true }).click();
    await page.locator(".state", { hasText: "2031" }).waitFor();
    const { state } = await call<{ state: string }>(
      server,
      "GET",
      deliveryPath(planned),
    );
    assertEquals([state, (await find("Planned"))[0].body], ["waiting", "Better text"]);
  });

  it("is not published with words of others that came while one was asked", async () => {
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await begin(page, "Reviewed", "Text");
    await page.getByRole("button", { name: "Publish" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Mail nobody").check();
    const reviewed = await idOf("Reviewed");
    await call(server, "PATCH", `${ENTRIES}/${reviewed}`, { body: "Half a sent" });
    await dialog.getByRole("button", { name: "Publish" }).click();
    await dialog.getByText("Somebody else has changed this entry").waitFor();
    const { state } = await call<ShownEntry>(server, "GET", `${ENTRIES}/${reviewed}`);
    assertEquals(state, "draft");
    await dialog.getByRole("button", { name: "Publish" }).click();
    await page.locator(".state .published").waitFor();
  });

  it("is saved once there is a connection, though its editor was left without one", async () => {
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await goTo(page, "#/entries/new");
    await studio.context.setOffline(true);
    await page.getByLabel("Title").fill("Left offline");
    await page.getByLabel("Text").fill("Text");
    await page.getByText("Not connected: kept in this browser").waitFor();
    await goTo(page, "#/entries");
    await studio.context.setOffline(false);
    await until(async () => (await find("Left offline")).length > 0);
    await goTo(page, "#/entries/new");
    assertEquals(await page.getByLabel("Title").inputValue(), "");
  });

  it("is listed and opened without a connection, and where its tab was closed without one", async () => {
    await call(server, "POST", ENTRIES, { entryId: "kept", title: "Kept here", body: "Before" });
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await goTo(page, "#/entries/kept");
    const text = page.getByLabel("Text");
    await page.getByText("Saved", { exact: true }).waitFor();
    await studio.context.setOffline(true);
    await text.fill("After");
    await page.getByText("Not connected: kept in this browser").waitFor();
    await goTo(page, "#/entries");
    await page.getByRole("list", { name: "Not saved" }).getByText("Kept here").click();
    await text.waitFor();
    assertEquals(await text.inputValue(), "After");
    await goTo(page, "#/entries/new");
    await page.getByLabel("Title").fill("Closed here");
    await text.fill("Text");
    await page.getByText("Not connected: kept in this browser").waitFor();
    await page.close();
    await studio.context.setOffline(false);
    const other = await studio.open(server.url, server.key);
    await goTo(other, "#/entries");
    await other.getByRole("list", { name: "Not saved" }).getByText("Closed here").click();
    await until(async () => (await find("Closed here")).length > 0);
    assertEquals(await other.getByLabel("Title").inputValue(), "Closed here");
  });

  it("is an entry like others where it is called new", async () => {
    await call(server, "POST", ENTRIES, { entryId: "new", title: "Called new", body: "Text" });
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await goTo(page, "#/entries?q=Called");
    await page.getByRole("link", { name: "Called new" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    assertEquals(await page.getByLabel("Title").inputValue(), "Called new");
  });
});
