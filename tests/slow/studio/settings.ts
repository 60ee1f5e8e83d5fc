import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { after, describe, it } from "@std/testing/bdd";
import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import { openMemoryStorage } from "../../../mod.ts";
import { createService } from "../../_support/service.ts";
import { startServer } from "../../_support/process.ts";
import { until } from "../../_support/waiting.ts";
import {
  assertAccessible,
  call,
  closeBrowser,
  eachScreen,
  goTo,
  openStudio,
  serveStudio,
} from "./_studio.ts";

const PUBLIC_URL = "http://127.0.0.1:1";
const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40" width="40" height="40"><rect width="40" height="40" rx="8" fill="#0b5394"/><script>parent.hacked = true</script></svg>';
const LIGHT = { name: "logo.svg", mimeType: "image/svg+xml", buffer: SVG };

async function open(page: Page): Promise<void> {
  const menu = page.getByRole("button", { name: "Menu" });
  if (await menu.isVisible()) await menu.click();
  await page.locator('nav a[href="#/settings"]').click();
  await page.getByLabel("Time zone").waitFor();
}

function chooseLogo(page: Page, place: number, file: typeof LIGHT): Promise<void> {
  const { name, mimeType, buffer } = file;
  return page.locator(".drop input[type=file]").nth(place)
    .setInputFiles({ name, mimeType, buffer: Buffer.from(buffer) });
}

describe("settings in the studio", () => {
  after(closeBrowser);

  it("show the head while one types, and change pages and the studio when saved", async () => {
    await using server = serveStudio({ publicUrl: PUBLIC_URL });
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await open(page);
    const look = page.frameLocator(".look iframe");
    await look.getByRole("heading", { name: "Changelog" }).waitFor();
    await page.getByLabel("Title").fill("Acme news");
    await look.getByRole("heading", { name: "Acme news" }).waitFor();
    await page.getByLabel("Product page").fill("https://acme.example");
    await look.getByText("acme.example").waitFor();
    await page.getByRole("textbox", { name: "Colour", exact: true }).fill("#0b5394");
    await look.locator('link[href*="0b5394"]').waitFor({ state: "attached" });
    await page.getByLabel("Time zone").fill("new york");
    await assertAccessible(page, "settings");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    await page.locator("header .name", { hasText: "Acme news" }).waitFor();
    assertEquals(await page.getByLabel("Time zone").inputValue(), "America/New_York");
    const shown = await (await fetch(`${server.url}/changelog`)).text();
    assertStringIncludes(shown, "<title>Acme news</title>");
    await page.getByLabel("Time zone").fill("nowhere");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("No time zone has this name").waitFor();
    await assertAccessible(page, "refused settings");
  });

  it("take logos for light and dark, replace and remove them, and refuse what is none", async () => {
    await using server = serveStudio({ publicUrl: PUBLIC_URL });
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await open(page);
    await chooseLogo(page, 0, { ...LIGHT, name: "a.png", buffer: "<html><svg></svg></html>" });
    await page.getByText("This is no SVG, PNG or WebP.").waitFor();
    await chooseLogo(page, 0, { ...LIGHT, buffer: SVG + " ".repeat(65_536) });
    await page.getByText("This file has more than 64 KiB").waitFor();
    await assertAccessible(page, "refused logo");
    await page.getByLabel("Title").fill("Typed meanwhile");
    await chooseLogo(page, 0, LIGHT);
    await page.locator(".ground.logo img").waitFor();
    assertEquals(await page.getByLabel("Title").inputValue(), "Typed meanwhile");
    await page.evaluate(`((text) => {
      const files = new DataTransfer();
      files.items.add(new File([text], "dark.svg", { type: "image/svg+xml" }));
      const drop = document.querySelectorAll(".drop")[1];
      drop.dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true }));
    })(${JSON.stringify(SVG.replace("#0b5394", "#8ab4f8"))})`);
    await page.locator(".ground.logoDark img").waitFor();
    await page.frameLocator(".look iframe").locator("picture img").waitFor();
    assertEquals(await page.evaluate(() => "hacked" in globalThis), false);
    await assertAccessible(page, "logos");
    // Opened by itself, it is in a sandbox; the browser tells that on its console.
    const address = await page.locator(".ground.logo img").getAttribute("src");
    const alone = await (await studio.context.browser()!.newContext()).newPage();
    await alone.goto(`${address}`);
    assertEquals(await alone.evaluate(() => "hacked" in globalThis), false);
    await alone.context().close();
    await page.getByRole("button", { name: "Logo on dark: Remove" }).click();
    await page.locator(".ground.logoDark span").waitFor();
    await page.locator('nav a[href="#/team"]').click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    assertEquals(await page.getByLabel("Title").inputValue(), "Typed meanwhile");
    await page.locator('nav a[href="#/team"]').click();
    await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
    await page.getByRole("heading", { name: "Team" }).waitFor();
  });

  it("tell what somebody else has set meanwhile, and keep what was typed", async () => {
    const storage = openMemoryStorage();
    await using server = serveStudio({ storage });
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await open(page);
    const { call } = createService({ storage });
    await call("PATCH", "settings", { title: "Theirs", mailFooter: "Their footer" });
    await page.getByLabel("Title").fill("Mine");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Somebody else has set this to “Theirs”").waitFor();
    assertEquals(await page.getByLabel("Title").inputValue(), "Mine");
    await page.getByRole("button", { name: "Save" }).click();
    await until(async () => (await call("GET", "settings")).title === "Mine");
    assertEquals((await call("GET", "settings")).mailFooter, "Their footer");
  });

  it("let a planned time name their zone and the reader's", async () => {
    await using server = serveStudio({ timeZone: "Asia/Kathmandu" });
    const entry = { entryId: "later", title: "Later", body: "Later." };
    await call(server, "POST", "changelogs/entries", entry);
    const day = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
    const plan = { at: `${day}T12:00:00Z`, notify: false };
    await call(server, "POST", "changelogs/entries/later/publish", plan);
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await goTo(page, "#/entries/later");
    await page.locator(".state .pill.scheduled").waitFor();
    const text = await page.locator(".state").innerText();
    assert(text.includes("17:45") && text.includes("12:00"), text);
  });

  it("show what flags fix, with their names", async () => {
    await using server = serveStudio({ title: "Flag", timeZone: "Europe/Berlin" });
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await open(page);
    assert(await page.getByLabel("Title").isDisabled());
    await page.getByText("Set by --title of the server").waitFor();
    await page.getByText("Set by --time-zone of the server").waitFor();
    await page.getByRole("textbox", { name: "Colour", exact: true }).fill("#0b5394");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    await assertAccessible(page, "fixed settings");
  });

  eachScreen("fit a screen", async ({ language, ...screen }) => {
    await using server = serveStudio({ language, publicUrl: PUBLIC_URL });
    await using studio = await openStudio(screen);
    const page = await studio.open(server.url, server.key);
    await page.goto(`${server.url}/studio#/settings`);
    await page.locator('[name="timeZone"]').waitFor();
    await page.frameLocator(".look iframe").locator("h1").waitFor();
    await assertAccessible(page, `settings-${screen.width}-${language}`);
  });
});

describe("the first steps of an admin", () => {
  after(closeBrowser);

  it("are done one by one, each where it stands, until the list is gone", async () => {
    await using server = await startServer([]);
    const [link] = /\/studio\/in\/FIRST-\w+/.exec(server.stdout()) ?? [""];
    await using studio = await openStudio();
    const page = await studio.context.newPage();
    await page.goto(server.url + link);
    await page.getByLabel("Your name").fill("Ann");
    await page.getByLabel("Your e-mail address").fill("ann@example.com");
    await page.keyboard.press("Enter");
    const steps = page.getByRole("region", { name: "First steps" });
    await steps.waitFor();
    await assertAccessible(page, "first steps");
    const done = steps.getByText("Done", { exact: true });
    const isDone = (count: number) => until(async () => await done.count() === count);
    await steps.getByRole("button", { name: "Open a board for ideas" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Ideas");
    await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
    await isDone(1);
    await steps.getByRole("button", { name: "Invite a colleague" }).click();
    await page.getByRole("dialog").getByLabel("E-mail address").fill("ben@example.com");
    await page.getByRole("dialog").getByLabel("Name").fill("Ben");
    await page.getByRole("dialog").getByRole("button", { name: "Invite" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Copy" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
    await isDone(2);
    await steps.getByRole("link", { name: "Write your first entry." }).click();
    await page.getByLabel("Title").fill("Hello");
    await page.keyboard.press("Enter");
    await page.keyboard.type("Words");
    await page.getByText("Saved", { exact: true }).waitFor();
    await page.locator('nav a[href="#/overview"]').click();
    await isDone(3);
    await steps.getByRole("link", { name: "Give it your name and logo" }).click();
    await page.getByLabel("Title").fill("Acme");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    await chooseLogo(page, 0, LIGHT);
    await page.locator(".ground.logo img").waitFor();
    await page.locator('nav a[href="#/overview"]').click();
    await isDone(4);
    await steps.getByText("--mail smtp://USER@HOST:587 --mail-from 'Acme <news@example.com>'")
      .waitFor();
    await assertAccessible(page, "last step");
    await page.route("**/api/v1/stats", async (route) => {
      const stats = await (await route.fetch()).json();
      const json = { ...stats, publicUrl: server.url, relay: { ...stats.relay, configured: true } };
      await route.fulfill({ json });
    });
    await page.reload();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    assertEquals(await steps.count(), 0);
  });
});
