import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { after, describe, it } from "@std/testing/bdd";
import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import { SCOPES } from "../../../model/keys/api_key.ts";
import { EVENT_TYPES } from "../../../model/webhooks/webhook_event.ts";
import {
  call,
  closeBrowser,
  describeStudio,
  goTo,
  openStudio,
  type Served,
  serveStudio,
} from "./_studio.ts";

const REFUSED = 'nobody,"Two\nlines",true\n';
const LIST = `userEmail,userName,subscribed\nann@example.com,,false\n${REFUSED}` +
  'cleo@example.com,"C ""L""",true\n';
const MANY = 50_000;

/** Presses a button of the dialog that is open, and waits until it is gone. */
async function confirm(page: Page, button: string): Promise<void> {
  await page.getByRole("dialog").getByRole("button", { name: button, exact: true }).click();
  // The element is awaited, because a closing dialog has no role while its fields are still in the
  // page.
  await page.locator("dialog").waitFor({ state: "detached" });
}

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
}

/** Reads the secret that a dialog shows, and closes it. */
async function takeSecret(page: Page): Promise<string> {
  const secret = await page.locator("dialog .secret").textContent();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await press(page, "Copy");
  await page.getByRole("button", { name: "Copied" }).waitFor();
  assertEquals(await page.evaluate<string>("navigator.clipboard.readText()"), secret);
  await confirm(page, "Done");
  return secret!;
}

async function choose(page: Page, name: string, text: string): Promise<void> {
  const file = { name, mimeType: "text/csv", buffer: Buffer.from(text) };
  await page.getByLabel("File", { exact: true }).setInputFiles(file);
}

async function chooseFile(page: Page, name: string, text: string): Promise<void> {
  await choose(page, name, text);
  await press(page, "Check");
  await page.getByText("Nothing is stored yet.").waitFor();
}

/** Returns the displayed numbers by their names. */
async function readNumbers(page: Page): Promise<Record<string, string>> {
  const numbers = await page.locator(".numbers div").allInnerTexts();
  return Object.fromEntries(numbers.map((text) => text.split("\n")));
}

async function useSubscribers(page: Page): Promise<void> {
  await goTo(page, "#/subscribers");
  await press(page, "Add");
  await page.getByRole("dialog").getByLabel("E-mail address").fill("nobody");
  await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
  await page.getByText("This is not a valid e-mail address").waitFor();
  await page.getByRole("dialog").getByLabel("E-mail address").fill("ann@example.com");
  await page.getByRole("dialog").getByLabel("Name").fill("Ann");
  await confirm(page, "Add");
  await page.getByRole("searchbox").fill("none@");
  await page.getByText("Nothing matches.").waitFor();
  await page.getByRole("searchbox").fill("an");
  await page.getByRole("link", { name: "ann@example.com" }).click();
  await press(page, "Change");
  await page.getByRole("dialog").getByLabel("Name").fill("Anna");
  await page.getByRole("dialog").getByLabel("Labels").fill("New, Bug fix");
  await confirm(page, "Save");
  await page.locator("dd", { hasText: "Anna" }).waitFor();
  await page.locator("dd", { hasText: "bug-fix" }).waitFor();
  await press(page, "Unsubscribe");
  await page.locator("dd .pill.off").waitFor();
  await press(page, "Subscribe");
  await confirm(page, "Subscribe");
  await page.locator("dd .pill.done").waitFor();
  const history = await page.locator("tbody .pill").allTextContents();
  assertEquals(history, ["Subscribed", "Unsubscribed", "Subscribed"]);

  await goTo(page, "#/subscribers/import");
  await chooseFile(page, "list.csv", LIST);
  const sums = { Added: "1", Changed: "1", Unchanged: "0", "Stay unsubscribed": "0", Refused: "1" };
  assertEquals(await readNumbers(page), sums);
  const [refused] = await Promise.all([
    page.waitForEvent("download"),
    press(page, "Download refused rows"),
  ]);
  const text = await Deno.readTextFile(await refused.path());
  const reason = "This is not a valid e-mail address";
  assertEquals(text, `"Reason",userEmail,userName,subscribed\n"${reason}",${REFUSED}`);
  await press(page, "Import now");
  await page.getByText("Imported").waitFor();

  await goTo(page, "#/subscribers?subscribed=false");
  assertEquals(await page.locator("td .title").allTextContents(), ["ann@example.com"]);
  const [exported] = await Promise.all([page.waitForEvent("download"), press(page, "Export")]);
  assertStringIncludes(await Deno.readTextFile(await exported.path()), '\ncleo@example.com,"C');

  await goTo(page, "#/subscribers/cleo%40example.com");
  await press(page, "Erase");
  await press(page, "Go on");
  await page.getByLabel("Type the address to confirm").fill("cleo@example.com");
  await confirm(page, "Erase");
  await page.getByRole("link", { name: "ann@example.com" }).waitFor();
  await goTo(page, "#/subscribers/cleo%40example.com");
  await page.getByText("This does not exist, or no longer.").waitFor();
}

async function useBoards(page: Page): Promise<void> {
  await goTo(page, "#/boards");
  await page.getByText("No boards yet.").waitFor();
  await press(page, "New board");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Link").fill("ftp://example.com");
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByText("Fill this in").waitFor();
  await dialog.getByLabel("Name").fill("Ideas");
  await dialog.getByLabel("Link").fill("https://example.com");
  await dialog.getByLabel("Identifier").fill("ideas");
  await confirm(page, "Create");
  await page.getByRole("heading", { name: "Ideas" }).waitFor();
  await press(page, "Change");
  await dialog.getByLabel("Name").fill("Better ideas");
  await dialog.getByLabel("Link").fill("");
  await confirm(page, "Save");
  await page.getByRole("heading", { name: "Better ideas" }).waitFor();
  await press(page, "Delete");
  await confirm(page, "Delete");
  await page.getByText("No boards yet.").waitFor();
}

async function useWebhooks(page: Page): Promise<void> {
  await goTo(page, "#/webhooks");
  await press(page, "New webhook");
  await page.getByLabel("Link").fill("https://hooks.example.com/");
  const types = await page.getByRole("checkbox").all();
  assertEquals(types.length, EVENT_TYPES.length);
  for (const box of types) await box.uncheck();
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  await page.getByText("Choose at least one").waitFor();
  await page.getByLabel("Entry published").check();
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  assertStringIncludes(await takeSecret(page), "whsec_");
  await page.getByRole("link", { name: "https://hooks.example.com/" }).click();
  await page.getByText("Nothing was sent yet. Press “Test” to try it.").waitFor();
  await press(page, "Test");
  await page.getByRole("button", { name: "Test", exact: true }).nth(1).click();
  await press(page, "Close");
  await press(page, "Rotate");
  await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
  assertStringIncludes(await takeSecret(page), "whsec_");
  await press(page, "Turn off");
  await page.getByRole("button", { name: "Turn on" }).waitFor();
  await press(page, "Delete");
  await confirm(page, "Delete");
  await page.getByText("No webhooks yet.").waitFor();
}

async function useKeys(page: Page): Promise<void> {
  await goTo(page, "#/keys");
  await press(page, "New key");
  await page.getByLabel("Name").fill("Reader");
  await page.getByLabel("Something else").check();
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  await page.getByText("Choose at least one").waitFor();
  // Every scope but `*`, which a purpose has.
  assertEquals(await page.getByRole("checkbox").count(), SCOPES.length - 1);
  await page.getByLabel("read entries").last().check();
  await page.getByLabel("Valid for").selectOption({ label: "90 days" });
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  assertStringIncludes(await takeSecret(page), "bc_");
  await press(page, "Rotate: Reader");
  await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
  assertStringIncludes(await takeSecret(page), "bc_");
  await press(page, "Revoke: Reader").catch(async () =>
    await page.getByRole("button", { name: "Revoke: Reader" }).first().click()
  );
  await confirm(page, "Revoke");
  await page.getByText("Revoked").waitFor();
}

async function useEntries(page: Page, server: Served): Promise<void> {
  await goTo(page, "#/entries");
  await page.getByText("No entries yet.").waitFor();
  await page.getByRole("link", { name: "New entry" }).first().click();
  await page.getByLabel("Title").fill("Café crème");
  await page.getByLabel("Text").fill("Now served");
  await page.getByLabel("Labels").fill("New, Bug fix");
  await page.getByText("Saved", { exact: true }).waitFor();
  await press(page, "Publish");
  await page.getByLabel("At a time").check();
  await page.getByRole("dialog").getByLabel(/^Time/).fill("2040-01-01T10:00");
  await page.getByLabel("Mail nobody").check();
  await confirm(page, "Publish");
  await page.locator(".state .pill.scheduled").waitFor();
  await press(page, "Change");
  await page.getByLabel("Now").check();
  await confirm(page, "Change");
  await page.locator(".state .pill.published").waitFor();
  assertEquals((await call(server, "GET", "changelogs/entries/cafe-creme")).labels, [
    "new",
    "bug-fix",
  ]);
  await page.getByRole("button", { name: "More" }).click();
  await press(page, "Unpublish");
  await confirm(page, "Unpublish");
  await page.locator(".state .pill.draft").waitFor();
  await page.getByRole("button", { name: "More" }).click();
  await press(page, "Delete");
  await confirm(page, "Delete");
  await page.getByText("No entries yet.").waitFor();
}

// The tests of drafts and pictures cover the other storages.
describeStudio("all places of the studio", { storages: ["Deno KV"] }, (server) => {
  it("do all that they show", async () => {
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await useSubscribers(page);
    await useBoards(page);
    await useWebhooks(page);
    await useKeys(page);
    await useEntries(page, server);
    await goTo(page, "#/overview");
    assertEquals((await readNumbers(page)).Subscribed, "0");
  });
});

describe("the places of the studio", () => {
  after(closeBrowser);

  it("keep the focus through dialogs, menus and what is done, and ask before anything is gone", async () => {
    await using server = serveStudio();
    await call(server, "POST", "boards", { boardId: "ideas", name: "Ideas" });
    await call(server, "POST", "changelogs/entries", { entryId: "one", title: "One", body: "1" });
    await call(server, "POST", "keys", { name: "Reader", scopes: "entries:read" });
    for (const userEmail of ["ann@example.com", "bob@example.com"]) {
      await call(server, "PUT", "changelogs/subscribe", { userEmail, subscribe: true });
    }
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    const focused = () =>
      page.evaluate<string>(
        "document.activeElement.ariaLabel ?? document.activeElement.textContent",
      );
    const assertFocus = async (name: string) => {
      await page.locator("dialog").waitFor({ state: "detached" });
      await page.locator("main:not([aria-busy])").waitFor();
      assertEquals(await focused(), name);
    };
    await goTo(page, "#/subscribers");
    await page.getByRole("button", { name: "Add" }).focus();
    for (const close of ["Escape", "Enter"]) {
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").getByLabel("E-mail address").fill("cleo@example.com");
      await page.keyboard.press(close);
      // Escape asks first, because something was typed.
      if (close === "Escape") await confirm(page, "Discard");
      await assertFocus("Add");
    }
    await page.getByRole("searchbox").focus();
    await page.keyboard.type("b", { delay: 50 });
    await page.getByRole("link", { name: "ann@example.com" }).waitFor({ state: "detached" });
    await page.keyboard.type("ob@", { delay: 50 });
    await page.waitForURL(/q=bob%40$/);
    assertEquals(await page.getByRole("searchbox").inputValue(), "bob@");
    await assertFocus("Find by address or name");
    await page.getByRole("link", { name: "bob@example.com" }).click();
    await page.getByRole("button", { name: "Unsubscribe" }).click();
    await page.locator("dd .pill.off").waitFor();
    await assertFocus("bob@example.com");
    await goTo(page, "#/boards/ideas");
    await press(page, "Delete");
    await page.getByRole("heading", { name: "Delete “Ideas”?" }).waitFor();
    assertEquals(await focused(), "Cancel");
    await page.keyboard.press("Enter");
    await assertFocus("Delete");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    await page.getByText("No boards yet.").waitFor();
    await assertFocus("Boards");
    await goTo(page, "#/keys");
    await press(page, "Revoke: Reader");
    await confirm(page, "Revoke");
    await page.getByText("Revoked").waitFor();
    await assertFocus("Keys");
    await goTo(page, "#/entries/one");
    await page.getByRole("button", { name: "More" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Test", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await assertFocus("More");
  });

  it("ask which column is which, and take a file of refused rows once it is mended", async () => {
    await using server = serveStudio();
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await goTo(page, "#/subscribers/import");
    const list = '\n\nMail;"Full; name";Wants news\nann@example.com;"A ""1""";si\n' +
      'bob@example.com;Bob;perhaps\ncleo@example.com;Cl"eo;no\n"dan"@example.com;Dan;si\n';
    await choose(page, "list.csv", list);
    await page.getByText("The columns of this file are not known.").waitFor();
    assertEquals(await page.getByLabel("E-mail address").inputValue(), "Mail");
    assertEquals(await page.getByLabel("Name", { exact: false }).inputValue(), "Full; name");
    await page.getByLabel("Subscribed", { exact: true }).selectOption("Wants news");
    await page.getByLabel("Words for subscribed").fill("si");
    await press(page, "Check");
    await page.getByText("Nothing is stored yet.").waitFor();
    const sums = await readNumbers(page);
    assertEquals([sums.Added, sums.Refused], ["1", "3"]);
    const reasons = await page.locator("td.reason").allTextContents();
    assertEquals(new Set(reasons).size, 2);
    assert(reasons.includes("The file does not tell whether this person wants mail."));
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      press(page, "Download refused rows"),
    ]);
    const refused = await Deno.readTextFile(await download.path());
    const lines = refused.split("\n");
    assertEquals(lines[0], '"Reason";Mail;"Full; name";Wants news');
    assertMatch(lines[1], /^"The file does not tell [^"]*";bob@example\.com;Bob;perhaps$/);
    assert(refused.includes(';cleo@example.com;Cl"eo;no\n'), refused);
    await press(page, "Import now");
    await page.getByText("Imported").waitFor();
    const mended = refused.replace("perhaps", "si").replace('Cl"eo', "Cleo").replace(
      '"dan"',
      "dan",
    );
    await choose(page, "mended.csv", mended);
    await page.getByLabel("Subscribed", { exact: true }).selectOption("Wants news");
    await page.getByLabel("Words for subscribed").fill("si");
    await page.getByLabel("Words for unsubscribed").fill("no");
    await press(page, "Check");
    await page.getByText("Nothing is stored yet.").waitFor();
    const { Added, Refused } = await readNumbers(page);
    assertEquals([Added, Refused], ["3", "0"]);
  });

  it("take a list without a word on whether people want mail only where somebody says it", async () => {
    await using server = serveStudio();
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await goTo(page, "#/subscribers/import");
    await choose(page, "list.csv", "Email,Name\nann@example.com,Ann\n");
    await press(page, "Check");
    await page.locator(".field:has([aria-invalid])", { hasText: "If no column says it" }).waitFor();
    await page.getByLabel("If no column says it").selectOption("Subscribed");
    await press(page, "Check");
    await press(page, "Import now");
    await page.getByText("Imported").waitFor();
    const { userName, subscribed } = await call<Record<string, unknown>>(
      server,
      "GET",
      "changelogs/subscribers/ann@example.com",
    );
    assertEquals([userName, subscribed], ["Ann", true]);
    await choose(page, "list.xlsx.csv", "PK\u0003\u0004");
    await page.getByText("This file can’t be read as a list.").waitFor();
  });

  it(`import, list and count ${MANY} subscribers`, async () => {
    await using server = serveStudio({ publicUrl: "http://127.0.0.1:1" });
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await goTo(page, "#/subscribers/import");
    const rows = Array.from({ length: MANY }, (_, n) => `user${n}@example.com,,true\n`);
    page.setDefaultTimeout(60_000);
    await chooseFile(page, "many.csv", `userEmail,userName,subscribed\n${rows.join("")}`);
    await press(page, "Import now");
    await page.getByText("Imported").waitFor();
    assertEquals((await readNumbers(page)).Added, "50,000");
    await goTo(page, "#/subscribers");
    const first = await page.locator("td .title").allTextContents();
    await page.getByRole("link", { name: "Next" }).click();
    await page.getByRole("link", { name: "Previous" }).waitFor();
    const second = await page.locator("td .title").allTextContents();
    assertEquals([first.length, new Set([...first, ...second]).size], [25, 50]);
    await page.getByRole("link", { name: "Previous" }).click();
    await page.getByRole("link", { name: first[0], exact: true }).waitFor();
    await call(server, "POST", "changelogs/entries", { entryId: "a", title: "A", body: "A" });
    await goTo(page, "#/entries/a");
    await press(page, "Publish");
    // The server estimates the number if the machine is busy.
    await page.getByLabel(/^Mail it to subscribers: (about )?50,000$/).check();
    await confirm(page, "Publish");
    await page.locator(".delivery .pill.waiting").waitFor();
  });
});
