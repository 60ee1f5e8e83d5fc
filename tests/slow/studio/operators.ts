import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { after, describe, it } from "@std/testing/bdd";
import { Buffer } from "node:buffer";
import type { FileChooser, Page } from "playwright-core";
import { createWorker, openMemoryStorage } from "../../../mod.ts";
import { call, closeBrowser, openStudio, type Served, serveStudio } from "./_studio.ts";

const PUBLIC_URL = "http://127.0.0.1:1";
const MAX_TABS = 100;
const LIST =
  "Mail,Who,Wants news\nann@example.com,Ann,yes\nbob@,Bob,yes\ncleo@example.com,Cleo,no\n";

/** An operator who uses only the keyboard or only touch. */
interface Operator {
  readonly page: Page;
  press(name: string): Promise<void>;
  /** Focuses a field of a form. */
  enter(name: string): Promise<void>;
  choose(name: string, option: string): Promise<void>;
  /** Picks one of several choices. `first` names the first one. */
  pick(first: string, name: string): Promise<void>;
}

/** An endpoint that answers 500 until it is mended. */
function createEndpoint(): { url: string; bodies: string[]; mend(): void } & AsyncDisposable {
  let status = 500;
  const bodies: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    bodies.push(await request.text());
    return new Response(null, { status });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/services/T0`,
    bodies,
    mend: () => void (status = 200),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Returns the accessible name of the focused element. */
function focusedName(page: Page): Promise<string> {
  return page.evaluate<string>(`(({ activeElement: one }) =>
    one.ariaLabel ?? one.labels?.[0]?.textContent ?? one.textContent)(document)`);
}

/** Uses the keyboard alone. */
function byKeyboard(page: Page): Operator {
  async function enter(name: string) {
    for (let tabs = 0; tabs < MAX_TABS; tabs++) {
      if ((await focusedName(page)).startsWith(name)) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`Cannot reach ${name} with Tab, but ${await focusedName(page)}`);
  }
  return {
    page,
    enter,
    async press(name) {
      // Nothing may have the focus for a moment while a place is redrawn.
      await page.waitForFunction("document.activeElement !== document.body");
      await enter(name);
      const isFile = await page.evaluate("document.activeElement.type === 'file'");
      await page.keyboard.press(isFile ? "Space" : "Enter");
    },
    async choose(name, option) {
      await enter(name);
      await page.keyboard.type(option);
    },
    async pick(first, name) {
      await enter(first);
      while (!(await focusedName(page)).startsWith(name)) await page.keyboard.press("ArrowDown");
    },
  };
}

/** Uses touch alone. */
function byTouch(page: Page): Operator {
  const find = (name: string) => {
    const scope = page.locator("dialog").or(page.locator("body:not(:has(dialog))"));
    const exact = { name, exact: true };
    const control = scope.locator("a, button, [type=file]");
    return control.and(
      page.getByRole("link", exact)
        .or(page.getByRole("button", exact)),
    ).or(scope.locator("summary", { hasText: new RegExp(`^${name}$`) }))
      .or(scope.getByLabel(new RegExp(`^${name}`))).first();
  };
  return {
    page,
    async press(name) {
      const menu = page.getByRole("button", { name: "Menu" });
      const place = page.locator("#nav").getByText(new RegExp(`^${name}`));
      assertEquals(await page.evaluate("probes.tooSmall(44)"), [], name);
      if (await place.count() > 0 && !await place.isVisible()) {
        await menu.tap();
        return await place.tap();
      }
      await find(name).tap();
    },
    enter: (name) => find(name).tap(),
    async choose(name, option) {
      await find(name).selectOption(option);
    },
    pick: (_, name) => find(name).tap(),
  };
}

async function signIn({ page, press, enter }: Operator, { url, key }: Served): Promise<void> {
  await page.goto(`${url}/studio`);
  await page.locator("main.alone form").first().waitFor();
  await press("Sign in with an API key");
  await enter("API key");
  await page.keyboard.insertText(key);
  await page.keyboard.press("Enter");
  await page.locator("main[id] h1").waitFor();
}

async function useSubscribers({ page, press, enter, choose }: Operator): Promise<void> {
  await press("Subscribers");
  await page.getByRole("heading", { name: "Subscribers" }).waitFor();
  await press("Add");
  await enter("E-mail address");
  await page.keyboard.insertText("dan@example.com");
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "dan@example.com" }).waitFor();
  await press("Import");
  await page.getByRole("heading", { name: "Import" }).waitFor();
  const [chooser]: [FileChooser, void] = await Promise.all([
    page.waitForEvent("filechooser"),
    press("File"),
  ]);
  const buffer = Buffer.from(LIST);
  await chooser.setFiles({ name: "list.csv", mimeType: "text/csv", buffer });
  await choose("Subscribed", "Wants news");
  await enter("Words for subscribed");
  await page.keyboard.insertText("yes");
  await enter("Words for unsubscribed");
  await page.keyboard.insertText("no");
  await press("Check");
  await page.getByText("Nothing is stored yet.").waitFor();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    press("Download refused rows"),
  ]);
  assertMatch(await Deno.readTextFile(await download.path()), /"Reason",Mail.*\n".*",bob@,Bob/);
  await press("Import now");
  await page.getByText("Imported").waitFor();
  await press("Subscribers");
  await page.getByRole("link", { name: "ann@example.com" }).waitFor();
  const [exported] = await Promise.all([page.waitForEvent("download"), press("Export")]);
  assertStringIncludes(await Deno.readTextFile(await exported.path()), "cleo@example.com");
  await press("ann@example.com");
  await press("Erase");
  await page.getByText("Erase ann@example.com?").waitFor();
  await press("Go on");
  await page.getByText("Erase for good?").waitFor();
  await enter("Type the address to confirm");
  await page.keyboard.insertText("ann@example.com");
  await press("Erase");
  await page.getByRole("link", { name: "cleo@example.com" }).waitFor();
  assertEquals(await page.getByRole("link", { name: "ann@example.com" }).count(), 0);
}

async function useWebhooks(
  { page, press, enter, pick }: Operator,
  endpoint: ReturnType<typeof createEndpoint>,
): Promise<void> {
  await press("Webhooks");
  await page.getByText("No webhooks yet.").waitFor();
  await press("New webhook");
  await enter("Link");
  await page.keyboard.insertText(endpoint.url);
  await pick("A program", "A chat");
  await press("Create");
  await press("Copy");
  await press("Done");
  await press(endpoint.url);
  await page.getByText("Nothing was sent yet.").waitFor();
  await press("Test");
  await page.getByText("The receiver answered with 500.").waitFor();
  endpoint.mend();
  await press("Test");
  await page.locator("tbody .pill.delivered").first().waitFor();
  await page.locator("tbody button").last().press("Enter");
  await page.locator("dialog pre").getByText('"text": "This is a test."').waitFor();
  await page.locator("dialog li").getByText("The receiver answered with 500.").waitFor();
  await press("Send again");
  await page.locator("tbody .pill.delivered").nth(1).waitFor();
  assertEquals(new Set(endpoint.bodies), new Set(['{"text":"This is a test."}']));
}

async function useKeys({ page, press, enter, pick }: Operator): Promise<void> {
  await press("Keys");
  await page.getByText("No keys yet.").waitFor();
  await press("New key");
  await enter("Name");
  await page.keyboard.insertText("Site");
  await pick("Writer", "App");
  await press("Create");
  await page.locator("dialog .secret").waitFor();
  await press("Copy");
  await press("Done");
  await page.getByText(/^App: .*change subscribers/).waitFor();
  await press("Rotate: Site");
  await press("Rotate");
  await page.locator("dialog .secret").waitFor();
  await press("Done");
  await page.locator("tbody tr").nth(1).waitFor();
  await press("Revoke: Site");
  await press("Revoke");
  await page.getByText("Revoked").waitFor();
}

describe("an operator of the studio", () => {
  after(closeBrowser);

  for (const way of ["keyboard", "touch"] as const) {
    it(`does all of the work by ${way} alone`, async () => {
      const storage = openMemoryStorage();
      await using endpoint = createEndpoint();
      const webhookAllow = [new URL(endpoint.url).host];
      const worker = createWorker({ storage, webhookAllow, publicUrl: PUBLIC_URL, log() {} });
      await using server = serveStudio({ storage, webhookAllow, publicUrl: PUBLIC_URL, worker });
      await using studio = await openStudio(way === "touch" ? { width: 390, isTouched: true } : {});
      const page = await studio.context.newPage();
      page.setDefaultTimeout(30_000);
      const operator = way === "touch" ? byTouch(page) : byKeyboard(page);
      await signIn(operator, server);
      const other = await studio.context.newPage();
      await other.goto(`${server.url}/studio`);
      await other.getByRole("heading", { name: "Overview" }).waitFor();
      await other.close();
      await useSubscribers(operator);
      await useWebhooks(operator, endpoint);
      await useKeys(operator);
      await operator.press("Sign out");
      await page.getByLabel("E-mail address").waitFor();
      assertEquals(await focusedName(page), "E-mail address");
      await worker.close();
    });
  }

  it("withdraws the votes that a stolen key cast, once it is revoked", async () => {
    await using server = serveStudio();
    await call(server, "POST", "boards", { boardId: "ideas", name: "Ideas" });
    await call(server, "POST", "boards/ideas/posts", { postId: "dark", title: "Dark mode" });
    const vote = (from: Served, userEmail: string) =>
      call(from, "PUT", "boards/ideas/posts/dark/votes", { userEmail, vote: true });
    const { key, keyId } = await call<{ key: string; keyId: string }>(server, "POST", "keys", {
      ...{ name: "Stolen", scopes: "posts:write" },
    });
    await call(server, "POST", "keys", { name: "Reader", scopes: "entries:read" });
    await vote(server, "ann@example.com");
    for (const name of ["x", "y"]) await vote({ ...server, key }, `${name}@example.com`);
    await fetch(`${server.url}/api/v1/keys/${keyId}`, {
      ...{ method: "DELETE", headers: { Authorization: `Bearer ${server.key}` } },
    });
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await page.getByRole("link", { name: "Keys" }).click();
    const withdrawing = page.getByRole("button", { name: "Withdraw its votes: Stolen" });
    await withdrawing.waitFor();
    assertEquals(await page.getByRole("button", { name: /Withdraw its votes/ }).count(), 1);
    await withdrawing.click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Since").fill("2020-01-01T00:00");
    await dialog.getByRole("button", { name: "Withdraw its votes" }).click();
    await page.getByText("Votes withdrawn: 2").waitFor();
    const path = "boards/ideas/posts/dark";
    assertEquals((await call<{ votes: number }>(server, "GET", path)).votes, 1);
  });
});
