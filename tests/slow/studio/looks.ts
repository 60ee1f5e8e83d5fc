import { assert, assertEquals } from "@std/assert";
import { after, describe, it } from "@std/testing/bdd";
import type { Page } from "playwright-core";
import {
  assertAccessible,
  call,
  closeBrowser,
  eachScreen,
  goTo,
  openStudio,
  type Served,
  serveStudio,
} from "./_studio.ts";

const PLACES = [
  ...["overview", "entries", "entries/new", "entries/dark-mode", "entries?state=scheduled"],
  ...["subscribers", "subscribers/ann%40example.com", "subscribers/import", "subscribers/none"],
  ...["boards", "boards/ideas", "webhooks", "keys", "nowhere", "pictures", "entries/import"],
];
/** Places, and their buttons that open a dialog. */
const DIALOGS = [
  ["entries/draft", "Publish"],
  ["subscribers", "Add"],
  ["boards", "New board"],
  ["webhooks", "New webhook"],
  ["keys", "New key"],
] as const;

/** Fills a service with something for each place. */
async function fill(server: Served): Promise<string> {
  const entry = { entryId: "dark-mode", title: "Dark mode", labels: "new design", body: "# **D**" };
  await call(server, "POST", "changelogs/entries", entry);
  await call(server, "POST", "changelogs/entries/dark-mode/publish", { notify: true });
  await call(server, "POST", "changelogs/entries", { ...entry, entryId: "draft" });
  const long = "Donaudampfschifffahrtsgesellschaft".repeat(3);
  for (const [name, userName] of [["ann", "Ann"], ["bob", long]]) {
    const userEmail = `${name}@example.com`;
    await call(server, "PUT", "changelogs/subscribe", {
      userEmail,
      userName,
      subscribe: true,
    });
  }
  await call(server, "PATCH", "changelogs/subscribers/bob@example.com", { pace: "weekly" });
  await call(server, "POST", "boards", { boardId: "ideas", name: "Ideas" });
  await call(server, "POST", "boards", { boardId: long, name: "Long" });
  await call(server, "POST", "keys", {
    ...{ name: "Reader", scopes: "entries:read", expiresIn: "90d" },
  });
  const webhook = { url: "https://hooks.example.com/" };
  const { webhookId } = await call<{ webhookId: string }>(server, "POST", "webhooks", webhook);
  return `webhooks/${webhookId}`;
}

/** The selector of all controls. */
const KINDS = "a, button, input, select, textarea";

/**
 * Checks the contrast of each kind of control while it is hovered, focused or disabled, and that
 * the focus is visible.
 */
async function assertStates(page: Page, name: string): Promise<void> {
  const assertContrast = async (state: string) =>
    assertEquals(await page.evaluate("probes.poorContrast()"), [], `${name}: ${state}`);
  const scope = await page.locator("dialog").count() > 0 ? "dialog" : "body";
  const seen = new Set<string>();
  for (const control of await page.locator(scope).locator(KINDS).all()) {
    const kind = await control.evaluate((node) => {
      const { tagName, className, type } = node as unknown as Record<string, string>;
      return `${tagName} ${className} ${type}`;
    });
    if (seen.has(kind) || !await control.isVisible()) continue;
    seen.add(kind);
    // A key makes the focus ring visible, which a mouse press does not.
    await page.keyboard.press("Shift");
    await control.focus();
    await assertContrast(`focus ${kind}`);
    assertEquals(await page.evaluate("probes.focusOutline()"), "solid", `${name}: focus ${kind}`);
    await control.hover({ force: true });
    await assertContrast(`hover ${kind}`);
  }
  await page.evaluate(
    "for (const one of document.querySelectorAll('button, input')) one.disabled = true",
  );
  await assertContrast("disabled");
}

describe("the looks of the studio", () => {
  after(closeBrowser);

  for (const colorScheme of ["light", "dark"] as const) {
    it(`have nothing that axe finds, in every place, wide and on a phone, when it is ${colorScheme}`, async () => {
      await using server = serveStudio({ publicUrl: "http://127.0.0.1:1", accent: "#ffd400" });
      const webhook = await fill(server);
      await using studio = await openStudio({ colorScheme });
      const page = await studio.open(server.url, server.key);
      const assertAtWidths = async (name: string) => {
        for (const width of [1920, 1024, 320]) {
          await page.setViewportSize({ width, height: 900 });
          await assertAccessible(page, `${name}-${colorScheme}-${width}`);
          const small = await page.evaluate(`probes.tooSmall(24, "${KINDS}, summary")`);
          assertEquals(small, [], `${name}-${width}`);
        }
      };
      for (const place of [...PLACES, webhook]) {
        await goTo(page, `#/${place}`);
        await assertAtWidths(place);
      }
      await page.getByRole("button", { name: "Menu" }).click();
      await assertAccessible(page, `menu-${colorScheme}`);
      for (const [place, button] of DIALOGS) {
        await goTo(page, `#/${place}`);
        await page.getByRole("button", { name: button, exact: true }).click();
        await page.getByRole("dialog").waitFor();
        await assertAtWidths(`${place}-dialog`);
        await page.keyboard.press("Escape");
      }
      await page.evaluate("sessionStorage.clear()");
      await page.reload();
      await page.locator("main.alone form").first().waitFor();
      await assertAtWidths("sign-in");
      await page.locator("main.alone summary").click();
      await page.getByLabel("API key").waitFor();
      await assertAtWidths("key");
    });
  }

  for (const colorScheme of ["light", "dark"] as const) {
    it(`have contrast under the pointer, with the focus, disabled and open, when it is ${colorScheme}`, async () => {
      await using server = serveStudio({ publicUrl: "http://127.0.0.1:1", accent: "#ffd400" });
      const webhook = await fill(server);
      await using studio = await openStudio({ colorScheme });
      const page = await studio.open(server.url, server.key);
      for (const place of [...PLACES, webhook]) {
        await goTo(page, `#/${place}`);
        await assertStates(page, place);
        await page.reload();
      }
      for (const [place, button] of DIALOGS) {
        await goTo(page, `#/${place}`);
        await page.getByRole("button", { name: button, exact: true }).click();
        await page.getByRole("dialog").waitFor();
        // The dialog is sent with every possible error.
        await page.getByRole("dialog").locator("button.primary, button.danger").click();
        await page.locator("dialog .error:not(:empty)").first().waitFor();
        await assertStates(page, `${place}-dialog`);
        await page.reload();
      }
      await goTo(page, "#/entries/dark-mode");
      await page.getByRole("button", { name: "More" }).click();
      await assertAccessible(page, `more-${colorScheme}`);
      await assertStates(page, "more");
    });
  }

  eachScreen(
    "have nothing that axe finds offline, in a conflict, and while a dialog asks",
    async ({ language, ...sitting }) => {
      await using server = serveStudio({ publicUrl: "http://127.0.0.1:1", language });
      await fill(server);
      await using studio = await openStudio(sitting);
      const page = await studio.open(server.url, server.key);
      const dialog = page.getByRole("dialog");
      await goTo(page, "#/entries/draft");
      await studio.context.setOffline(true);
      await page.locator("textarea.body").fill("Mine\nand more");
      await page.locator(".editor .error").waitFor();
      await assertAccessible(page, "offline");
      await call(server, "PATCH", "changelogs/entries/draft", { body: "Theirs", title: "Other" });
      await studio.context.setOffline(false);
      await page.locator(".conflict").waitFor();
      await assertAccessible(page, "conflict");
      await page.locator(".conflict button").first().tap();
      await page.locator(".conflict").waitFor({ state: "detached" });
      await page.locator(".editor button.primary:visible").tap();
      await dialog.getByRole("radio").last().check();
      await dialog.locator("button.primary").tap();
      await page.locator(".moment h2").waitFor();
      await assertAccessible(page, "moment");
      await goTo(page, "#/boards");
      await page.locator(".head button.primary").tap();
      await dialog.locator("input").first().fill("Typed");
      await page.keyboard.press("Escape");
      await dialog.locator(".note[role=alert]").waitFor();
      await assertAccessible(page, "asking");
    },
  );

  it("leave the buttons of an entry whole on a phone, and room for what is said of it", async () => {
    await using server = serveStudio({ publicUrl: "http://127.0.0.1:1" });
    await fill(server);
    await using studio = await openStudio({ width: 320, isTouched: true });
    const page = await studio.open(server.url, server.key);
    await goTo(page, "#/entries/dark-mode");
    await page.getByLabel("Text").fill("Press **D**.");
    const save = await page.getByRole("button", { name: "Save" }).boundingBox();
    const said = await page.getByText("Not saved: readers see it once you save").boundingBox();
    assert(save!.height < 60, `the button is ${save!.height} high`);
    assert(said!.width > 200, `what is said is ${said!.width} wide`);
    await page.getByRole("button", { name: "More" }).click();
    await page.locator(".more").getByRole("link", { name: "See the page" }).waitFor();
    assertEquals(await page.evaluate("probes.styleOf('.more a', 'justifyContent')"), "start");
  });

  it("are in the language of the pages, from right to left where it is written so", async () => {
    await using server = serveStudio({ language: "he" });
    await using studio = await openStudio({ width: 390 });
    const page = await studio.open(server.url, server.key);
    assertEquals(await page.locator("h1").textContent(), "סקירה");
    await assertAccessible(page, "hebrew");
    await goTo(page, "#/entries");
    const directionOf = (selector: string) =>
      page.evaluate(`probes.styleOf("${selector}", "direction")`);
    assertEquals(await directionOf("[type=search]"), "rtl");
    await page.getByRole("searchbox").fill("Dark");
    assertEquals(await directionOf("[type=search]"), "ltr");
    const url = "https://example.com/a/";
    await call(server, "POST", "boards", { boardId: "ideas", name: "Ideas", url });
    await goTo(page, "#/boards/ideas");
    assertEquals(await directionOf("dd a"), "ltr");
  });
});
