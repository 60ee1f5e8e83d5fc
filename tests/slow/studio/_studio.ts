import { assertEquals } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import axe, { type AxeResults } from "axe-core";
import { Buffer } from "node:buffer";
import { createServer, request as forward } from "node:http";
import type { Browser, BrowserContext, Page, Route } from "playwright-core";
import { createHandler, type HandlerOptions, openMemoryStorage } from "../../../mod.ts";
import { launchBrowser, PROBES } from "../browser/_browser.ts";
import { registerMailer } from "../../../services/mailers.ts";
import { OPERATOR_KEY } from "../../_support/service.ts";
import { STORAGES } from "../../_support/storages.ts";

/** The folder for screenshots; absent: none are kept. */
const SCREENSHOTS = Deno.env.get("SCREENSHOTS");

/** A server, and a key that it accepts. */
export interface Served {
  readonly url: string;
  readonly key: string;
}

/** Serves in this process on a free port, with the operator's key. */
export function serveStudio(options: Partial<HandlerOptions> = {}): Served & AsyncDisposable {
  const storage = options.storage ?? openMemoryStorage();
  const settings = {
    operatorKey: OPERATOR_KEY,
    rateLimit: false,
  } as const;
  registerMailer(storage);
  const handler = createHandler({ studio: true, ...settings, ...options, storage });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, handler);
  return {
    url: `http://127.0.0.1:${server.addr.port}${options.basePath ?? ""}`,
    key: OPERATOR_KEY,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/**
 * Registers tests with a server on some storages, or on all of them with `EVERY_STORAGE=yes`. The
 * server starts before the tests.
 */
export function describeStudio(
  title: string,
  { storages, ...options }: Partial<HandlerOptions> & { readonly storages: readonly string[] },
  define: (server: Served) => void,
): void {
  const isAll = Deno.env.get("EVERY_STORAGE") === "yes";
  for (const [name, withStorage] of STORAGES) {
    if (!isAll && !storages.includes(name)) continue;
    describe(`${title}, on ${name}`, () => {
      const server = { url: "", key: OPERATOR_KEY };
      const [ready, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      let serving: Promise<void>;
      before(async () => {
        serving = withStorage(async (storage) => {
          await using served = serveStudio({ ...options, storage });
          server.url = served.url;
          ready.resolve();
          await done.promise;
        });
        await Promise.race([ready.promise, serving]);
      });
      after(async () => {
        await closeBrowser();
        done.resolve();
        await serving;
      });
      define(server);
    });
  }
}

/** The settings of a browser for the studio. */
export interface Sitting {
  readonly width?: number;
  readonly colorScheme?: "light" | "dark";
  /** Whether the browser has a touch screen. */
  readonly isTouched?: boolean;
}

/** A browser with empty storage for the studio. */
export interface Studio extends AsyncDisposable {
  readonly context: BrowserContext;
  /** Opens a tab and enters a key. */
  open(url: string, key: string): Promise<Page>;
}

/** A screen on which a page is looked at. */
export interface Screen extends Sitting {
  readonly language: "en" | "he";
}

const SCREENS: readonly Screen[] = [
  { width: 1280, colorScheme: "light", language: "en", isTouched: true },
  { width: 390, colorScheme: "dark", language: "en", isTouched: true },
  { width: 390, colorScheme: "light", language: "he", isTouched: true },
];

/** Registers a test by touch for each screen: a wide one, a dark phone, and a phone in Hebrew. */
export function eachScreen(title: string, walk: (screen: Screen) => Promise<void>): void {
  for (const screen of SCREENS) {
    const { width, colorScheme, language } = screen;
    it(`${title}, ${width} pixels wide, ${colorScheme}, in ${language}`, () => walk(screen));
  }
}

// The console also reports refusals that the studio expects.
const EXPECTED = /^Failed to load resource: /;

let browser: Promise<Browser> | undefined;

/** Starts a new browser. Its disposal fails if an unexpected message appeared on its console. */
export async function openStudio(sitting: Sitting = {}): Promise<Studio> {
  const { width = 1280, colorScheme = "light", isTouched = false } = sitting;
  browser ??= launchBrowser();
  const context = await (await browser).newContext({
    viewport: { width, height: 900 },
    colorScheme,
    hasTouch: isTouched,
    isMobile: isTouched,
    reducedMotion: "reduce",
    acceptDownloads: true,
  });
  await context.addInitScript({ path: PROBES });
  const messages: string[] = [];
  context.on("console", (message) => {
    if (!EXPECTED.test(message.text())) messages.push(message.text());
  });
  context.on("weberror", (error) => messages.push(error.error().message));
  return {
    context,
    async open(url, key) {
      const page = await context.newPage();
      page.setDefaultTimeout(Number(Deno.env.get("STUDIO_MS") ?? 30_000));
      await page.goto(`${url}/studio`);
      await page.locator("main").waitFor();
      // A tab that gets the key from another tab shows no form.
      if (await page.locator("main[id]").count() === 0) {
        // The key is folded away where codes can be mailed.
        const folded = page.locator("main.alone summary");
        if (await folded.count() > 0) await folded.click();
        await page.locator("input[type=password]").fill(key);
        await page.keyboard.press("Enter");
      }
      await page.locator("main[id]").waitFor();
      return page;
    },
    async [Symbol.asyncDispose]() {
      await context.close();
      assertEquals(messages, []);
    },
  };
}

export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = undefined;
}

/** Opens a place by its address. */
export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate((hash) => void (location.hash = hash), hash);
  await page.locator("main:not([aria-busy]) h1").waitFor({ state: "attached" });
}

/** Checks that axe finds nothing, and that the page does not scroll sideways. */
export async function assertAccessible(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS !== undefined) {
    await page.screenshot({ path: `${SCREENSHOTS}/${name.replaceAll(/\W+/g, "-")}.png` });
  }
  // The preview runs no scripts, and so not axe. Other tests check it as a public page.
  await page.evaluate(axe.source);
  const run = "axe.run(document, { iframes: false })";
  const { violations } = await page.evaluate<AxeResults>(run);
  const found = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  assertEquals(found, [], name);
  assertEquals(await page.evaluate("probes.overflow()"), 0, name);
}

/** The members of an entry that tests read. */
export interface Entry {
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
}

/** Calls the API of a server, which must succeed. */
export async function call<T = Entry>(
  server: Served,
  method: string,
  path: string,
  json?: object,
): Promise<T> {
  const at = path.startsWith("/") ? path : `/api/v1/${path}`;
  const response = await fetch(`${server.url}${at}`, {
    method,
    headers: { Authorization: `Bearer ${server.key}`, "Content-Type": "application/json" },
    body: json && JSON.stringify(json),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
  return JSON.parse(text || "null");
}

/** Lets the server carry out the next matching request, and loses its response. */
export async function loseAnswer(page: Page, url: RegExp, method = "POST"): Promise<void> {
  let isLost = false;
  await page.route(url, async (route: Route) => {
    if (isLost || route.request().method() !== method) return await route.continue();
    isLost = true;
    await route.fetch();
    await route.abort("connectionreset");
  });
}

/**
 * Starts a proxy that forwards the first request to create each entry, then closes the reused
 * connection without the response. Browsers repeat such a request by themselves.
 */
export function startLossyProxy(target: string): { readonly url: string } & AsyncDisposable {
  const seen = new Set<string>();
  const { hostname, port } = new URL(target);
  const server = createServer((request, response) => {
    const { method = "GET", url = "/", headers } = request;
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const [id] = /draft-[a-z0-9]{12}/.exec(body.toString()) ?? [];
      const isLost = method === "POST" && id !== undefined && !seen.has(id);
      if (isLost) seen.add(id);
      const onward = forward({ hostname, port, method, path: url, headers }, (answer) => {
        if (isLost) {
          answer.resume().on("end", () => request.socket.destroy());
          return;
        }
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      onward.end(body);
    });
  });
  server.listen(0, "127.0.0.1");
  return {
    get url() {
      const address = server.address();
      if (address === null || typeof address === "string") throw new Error("it does not listen");
      return `http://127.0.0.1:${address.port}`;
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
