import { assert, assertEquals } from "@std/assert";
import { after, describe, it } from "@std/testing/bdd";
import type { Page } from "playwright-core";
import type { Scope } from "../../../model/keys/api_key.ts";
import { openMemoryStorage } from "../../../mod.ts";
import { createKey } from "../../../services/keys/api_keys.ts";
import { BREAKOUTS, REFUSED_LINKS } from "../../_support/xss_payloads.ts";
import { until } from "../../_support/waiting.ts";
import { call, closeBrowser, goTo, openStudio, type Served, serveStudio } from "./_studio.ts";

const PAYLOADS = [...BREAKOUTS, ...REFUSED_LINKS];
// Leaves out the characters that names and lines can't have.
// deno-lint-ignore no-control-regex
const IN_A_LINE = PAYLOADS.filter((text) => !/[\x00-\x1f\x7f\u200b-\u202e]/.test(text));
const MAX_BODY_LENGTH = 20_000;

/** Puts the payloads into as few bodies as hold them. */
function inBodies(): readonly string[] {
  const bodies = [""];
  for (const payload of PAYLOADS) {
    if (bodies.at(-1)!.length > MAX_BODY_LENGTH) bodies.push("");
    // deno-lint-ignore no-control-regex
    bodies[bodies.length - 1] += `${payload.replaceAll(/[\x00-\x08\x0b-\x1f\x7f]/g, "")}\n\n`;
  }
  return bodies;
}

async function alertsOf(page: Page): Promise<number> {
  return (await page.evaluate<{ alerts: number }>("probes.describeSections()")).alerts;
}

/** Reads all pages of a list, and returns the texts of its first column. */
async function readList(page: Page, place: string): Promise<readonly string[]> {
  await goTo(page, `#/${place}`);
  const texts: string[] = [];
  while (true) {
    texts.push(...await page.locator("td .title").allTextContents());
    assertEquals(await alertsOf(page), 0);
    const next = page.getByRole("link", { name: "Next" });
    if (await next.count() === 0) return texts;
    const first = page.locator("td .title").first();
    const before = await first.elementHandle();
    await next.click();
    await before?.waitForElementState("hidden");
    await page.locator("main:not([aria-busy]) table").waitFor();
  }
}

describe("the studio", () => {
  after(closeBrowser);

  it("shows what people wrote as text, in lists, forms and the preview", async () => {
    await using server = serveStudio();
    for (const [index, text] of IN_A_LINE.entries()) {
      const line = text.slice(0, 200);
      await call(server, "POST", "changelogs/entries", { title: line, body: line });
      await call(server, "POST", "boards", { name: line, description: line });
      const userEmail = `user${index}@example.com`;
      await call(server, "PUT", "changelogs/subscribe", {
        userEmail,
        userName: line,
        subscribe: true,
      });
    }
    const bodies = inBodies();
    for (const [index, body] of bodies.entries()) {
      const title = IN_A_LINE[index].slice(0, 200);
      await call(server, "POST", "changelogs/entries", { entryId: `all-${index}`, title, body });
    }
    await call(server, "POST", "keys", { name: IN_A_LINE[0] });
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    const titles = await readList(page, "entries");
    assertEquals(titles.length, IN_A_LINE.length + bodies.length);
    assert(titles.includes("<script>alert(1)</script>"));
    assertEquals((await readList(page, "boards")).length, IN_A_LINE.length);
    assertEquals((await readList(page, "subscribers")).length, IN_A_LINE.length);
    assertEquals((await readList(page, "keys")).length, 1);
    for (const index of bodies.keys()) {
      await goTo(page, `#/entries/all-${index}`);
      const preview = page.frameLocator("iframe").locator("body");
      await preview.locator(".body > *").first().waitFor();
      const strays =
        "script, svg, math, iframe, style, [onerror], [onclick], [onmouseover], [onload]";
      assertEquals(await preview.locator(strays).count(), 0);
      assertEquals(
        await preview.locator('[href^="javascript"], [href^="data"], img:not([src^="http"])')
          .count(),
        0,
      );
      assertEquals(await alertsOf(page), 0);
    }
  });

  it("sends nothing to anybody else, and shows the key in no address", async () => {
    await using server = serveStudio();
    await using studio = await openStudio();
    const urls: string[] = [];
    studio.context.on("request", (request) => urls.push(request.url()));
    const page = await studio.open(server.url, server.key);
    for (const place of ["entries/new", "subscribers", "boards", "webhooks", "keys", "overview"]) {
      await goTo(page, `#/${place}`);
    }
    assert(urls.length > 20);
    assertEquals(
      urls.filter((url) => !url.startsWith(server.url) && !url.startsWith("about:")),
      [],
    );
    assertEquals(urls.filter((url) => url.includes(server.key)), []);
    const kept = (storage: string) => page.evaluate<string>(`JSON.stringify(${storage})`);
    assert(!(await kept("localStorage")).includes(server.key));
    assertEquals([await kept("document.cookie"), page.url().includes(server.key)], ['""', false]);
  });

  it("starts with at most 60 KB in two round trips, and 304 for what is known", async () => {
    await using server = serveStudio();
    await using studio = await openStudio();
    const page = await studio.context.newPage();
    const session = await studio.context.newCDPSession(page);
    await session.send("Network.enable");
    let bytes = 0;
    session.on("Network.loadingFinished", ({ encodedDataLength }) => bytes += encodedDataLength);
    const answers: string[] = [];
    page.on("response", (response) => {
      answers.push(`${response.status()} ${new URL(response.url()).pathname}`);
    });
    const asked = new Set<string>();
    page.on("request", (request) => asked.add(new URL(request.url()).pathname));
    // The first script arrives once all others were asked for, which the page itself names.
    await page.route("**/studio/main.js", async (route) => {
      await until(() =>
        ["dom", "form", "listing", "places/overview", "sign_in", "texts/en"]
          .every((name) => asked.has(`/studio/${name}.js`))
      );
      await route.continue();
    });
    await page.goto(`${server.url}/studio`);
    await page.getByLabel("API key").fill(server.key);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    assert(bytes <= 60 * 1024, `${bytes} bytes`);
    // While a script may be held up, the browser caches nothing.
    await page.unroute("**/studio/main.js");
    await page.reload();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    answers.length = bytes = 0;
    await page.reload();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    // The browser reports 200 for the page and its logo, because it takes them from its cache.
    const files = answers.filter((answer) => /\.(?:js|css)$/.test(answer));
    assertEquals(files.filter((answer) => !answer.startsWith("304 ")), []);
    assert(bytes < 10_000, `${bytes} bytes`);
  });

  it("is open in a tab beside one that is signed in, until somebody signs out", async () => {
    await using server = serveStudio();
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    const other = await studio.context.newPage();
    await other.goto(`${server.url}/studio#/keys`);
    await other.getByRole("heading", { name: "Keys" }).waitFor();
    await other.getByRole("button", { name: "Sign out" }).click();
    for (const tab of [page, other]) {
      await tab.getByLabel("API key").waitFor();
      const kept = "JSON.stringify([{ ...sessionStorage }, { ...localStorage }])";
      assertEquals(await tab.evaluate(kept), "[{},{}]");
    }
    await page.close();
    await other.reload();
    await other.getByLabel("API key").waitFor();
  });

  it("stays signed in on a computer where that was asked for, until somebody signs out", async () => {
    await using server = serveStudio();
    await using studio = await openStudio();
    const page = await studio.context.newPage();
    await page.goto(`${server.url}/studio`);
    await page.getByLabel("API key").waitFor();
    assertEquals(
      await page.locator("form input").evaluateAll((inputs) =>
        (inputs as unknown as { autocomplete: string }[]).map(({ autocomplete }) => autocomplete)
      ),
      ["username", "current-password", ""],
    );
    await page.getByLabel("API key").fill(` ${server.key} `);
    await page.getByLabel("Stay signed in on this computer").check();
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.close();
    const again = await studio.context.newPage();
    await again.goto(`${server.url}/studio`);
    await again.getByRole("heading", { name: "Overview" }).waitFor();
    await again.getByRole("button", { name: "Sign out" }).click();
    await again.getByLabel("API key").fill("kein Schlüssel");
    await again.keyboard.press("Enter");
    await again.getByText("This key is not accepted.").waitFor();
    await again.reload();
    await again.getByLabel("API key").waitFor();
  });

  it("saves what was written before somebody is signed out, and leaves no words behind", async () => {
    await using server = serveStudio();
    await call(server, "POST", "changelogs/entries", { entryId: "one", title: "One", body: "1" });
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await goTo(page, "#/entries/one");
    await page.getByLabel("Text").fill("Written a moment ago");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("API key").waitFor();
    const { body } = await call(server, "GET", "changelogs/entries/one");
    assertEquals(body, "Written a moment ago");
    const kept = () =>
      page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])");
    assertEquals(await kept(), "[{},{}]");
    await page.getByLabel("API key").fill(server.key);
    await page.keyboard.press("Enter");
    await page.locator("main[id] h1").waitFor();
    await goTo(page, "#/entries/one");
    await studio.context.setOffline(true);
    await page.getByLabel("Text").fill("Written on a train");
    await page.getByText("Not connected: kept in this browser").waitFor();
    const leave = (answer: "accept" | "dismiss") =>
      Promise.all([
        page.waitForEvent("dialog").then((question) => question[answer]()),
        page.getByRole("button", { name: "Sign out" }).click(),
      ]);
    await leave("dismiss");
    assertEquals(await page.getByLabel("Text").inputValue(), "Written on a train");
    await leave("accept");
    await page.getByLabel("API key").waitFor();
    assertEquals(await kept(), "[{},{}]");
  });

  it("is shown in no frame of another origin", async () => {
    await using server = serveStudio();
    const html = `<iframe src="${server.url}/studio"></iframe>`;
    const headers = { "Content-Type": "text/html" };
    const options = { hostname: "127.0.0.1", port: 0, onListen() {} };
    await using frames = Deno.serve(options, () => new Response(html, { headers }));
    const studio = await openStudio();
    const page = await studio.context.newPage();
    const refused = page.waitForEvent(
      "console",
      (message) => /frame-ancestors/.test(message.text()),
    );
    await page.goto(`http://127.0.0.1:${frames.addr.port}/`);
    await refused;
    await studio.context.close();
  });

  it("says how many a mail goes to by its labels, as far as the key may know it", async () => {
    const storage = openMemoryStorage();
    const publicUrl = "http://127.0.0.1:1";
    await using server: Served & AsyncDisposable = serveStudio({ storage, publicUrl });
    await call(server, "POST", "changelogs/entries", { entryId: "one", title: "One", body: "1" });
    const choices = { all: {}, other: { labels: "fix" }, week: { pace: "weekly" } };
    for (const [name, choice] of Object.entries(choices)) {
      const userEmail = `${name}@example.com`;
      await call(server, "PUT", "changelogs/subscribe", { userEmail, subscribe: true });
      await call(server, "PATCH", `changelogs/subscribers/${userEmail}`, choice);
    }
    const writer = ["entries:read", "entries:write", "entries:publish"] as const;
    const counted = "subscribers: 1Weekly mail: subscribers: 1";
    const rows: readonly (readonly [string, boolean, readonly Scope[]])[] = [
      [counted, true, [...writer, "metrics:read"]],
      [counted.replaceAll("1", "about 1"), false, [...writer, "metrics:read"]],
      ["all subscribers", true, writer],
    ];
    for (const [many, exact, scopes] of rows) {
      const request = { name: "Writer", scopes, expiresAt: null };
      const { secret } = await createKey(storage, request, new Date().toISOString());
      await using studio = await openStudio();
      const page = await studio.open(server.url, secret);
      await page.route("**/stats?*", async (route) => {
        const stats = await (await route.fetch()).json();
        await route.fulfill({ json: { ...stats, audience: { ...stats.audience, exact } } });
      });
      await goTo(page, "#/entries/one");
      await page.getByRole("button", { name: "Publish" }).click();
      await page.getByLabel(`Mail it to ${many}`, { exact: true }).waitFor();
    }
  });

  it("shows what a key allows, and says which scope it lacks", async () => {
    const storage = openMemoryStorage();
    await using server: Served & AsyncDisposable = serveStudio({ storage });
    await call(server, "POST", "changelogs/entries", { entryId: "one", title: "One", body: "1" });
    const request = { name: "Reader", scopes: ["entries:read"], expiresAt: null } as const;
    const { secret, key: { keyId } } = await createKey(storage, request, new Date().toISOString());
    await using studio = await openStudio();
    const page = await studio.open(server.url, secret);
    assertEquals(await page.locator("#nav > a").allTextContents(), ["Entries", "Pictures"]);
    assertEquals(await page.getByRole("link", { name: "New entry" }).count(), 0);
    await goTo(page, "#/keys");
    await page.getByText("a key with keys:write.").waitFor();
    await goTo(page, "#/entries/one");
    await page.getByText("a key with entries:write.").waitFor();
    assertEquals(await page.getByLabel("Text").isEditable(), false);
    await fetch(`${server.url}/api/v1/keys/${keyId}`, {
      method: "DELETE",
      headers: { Authorization: `Bearer ${server.key}` },
    });
    await goTo(page, "#/entries").catch(() => {});
    await page.getByText("This key is not accepted.").waitFor();
  });

  it("says what a key may do that opens no place, and which scopes the places need", async () => {
    const storage = openMemoryStorage();
    await using server = serveStudio({ storage });
    const request = { name: "CI", scopes: ["entries:write"], expiresAt: null } as const;
    const { secret } = await createKey(storage, request, new Date().toISOString());
    await using studio = await openStudio();
    const page = await studio.open(server.url, secret);
    await page.getByText("Your key opens no place here. It allows: write drafts.").waitFor();
    const needs = await page.locator("dd code").allTextContents();
    assertEquals(needs.slice(0, 2), ["metrics:read", "entries:read"]);
    assertEquals(needs.length, 10);
  });
});
