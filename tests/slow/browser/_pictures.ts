/**
 * Makes the pictures of the README and the docs from the product itself: `deno task pictures`.
 * Needs Chromium.
 */
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { createHandler, createWorker, type Mail, openMemoryStorage } from "../../../mod.ts";
import { OPERATOR_KEY } from "../../_support/service.ts";
import { launchBrowser } from "./_browser.ts";

const PICTURES = fileURLToPath(new URL("../../../docs/pictures/", import.meta.url));
const SCHEMES = ["light", "dark"] as const;
const SIZE = { width: 1280, height: 800 };
const SITE = { title: "What's new in Acme Notes", accent: "#0b6e4f" };

const ENTRIES = [
  {
    entryId: "bring-your-notes",
    title: "Bring your notes along",
    labels: "new",
    body: "Notes from Markdown files and from HTML keep their headings, lists and pictures. " +
      "Choose **Import** in the menu, and drop a folder.",
    at: "2026-10-29T09:00:00Z",
  },
  {
    entryId: "faster-search",
    title: "Search answers as you type",
    labels: "improved",
    body:
      "A search over 10,000 notes took a second. Now it takes 20 milliseconds, and finds words " +
      "in any order.",
    at: "2026-11-12T09:00:00Z",
  },
] as const;

const NEWEST = {
  entryId: "dark-mode",
  title: "Dark mode",
  labels: "new",
  body: "Press **D**, and the page is dark. It remembers what you chose.\n\n" +
    "- Pictures keep their colours\n- Code has a palette of its own\n- Print stays light\n\n" +
    "```sh\nacme config set theme dark\n```",
} as const;

const DRAFT = {
  entryId: "shared-folders",
  title: "Folders that teams share",
  labels: "new",
  body: "Share a folder, and everybody in it sees **the same notes**, at once.\n\n" +
    "| Who | May |\n| --- | --- |\n| Readers | read and search |\n| Writers | add and change notes |\n\n" +
    "> Notes that were private stay private.\n\n1. Open a folder\n2. Press **Share**",
} as const;

const IDEAS = [
  {
    postId: "share-folders",
    title: "Share a folder with my team",
    body: "Everybody in it should see the same notes.",
    status: "started",
    answer: "We are at it: a first version comes this month.",
    votes: 61,
  },
  {
    postId: "scan-paper",
    title: "Turn a photo of paper into a note",
    body: "I take a picture of a page, and can search its words.",
    status: "planned",
    answer: "Planned for spring, for print at first and for handwriting later.",
    votes: 48,
  },
  {
    postId: "open-offline",
    title: "Open my notes without a connection",
    body: "On a train, the list is empty.",
    status: "open",
    answer: "",
    votes: 37,
  },
  {
    postId: "remind-me",
    title: "Remind me of a note on a day",
    body: "A mail in the morning is enough.",
    status: "considering",
    answer: "",
    votes: 22,
  },
] as const;

/** Publishes the entries and ideas, and returns the server and the mail of the newest entry. */
async function publish() {
  const storage = openMemoryStorage();
  const mails = Promise.withResolvers<Mail>();
  const mailer = {
    send: (mail: Mail) => (mails.resolve(mail), Promise.resolve({ state: "sent" } as const)),
    close: () => Promise.resolve(),
  };
  const handler: { current?: (request: Request) => Promise<Response> } = {};
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (request) => handler.current!(request),
  );
  const url = `http://127.0.0.1:${server.addr.port}`;
  const brand = { ...SITE, publicUrl: url };
  const from = "Acme <news@acme.example>";
  const worker = createWorker({
    storage,
    mailer,
    from,
    footer: "Acme Ltd, 1 Main Street",
    ...brand,
  });
  handler.current = createHandler({
    ...{ storage, worker, operatorKey: OPERATOR_KEY, studio: true, ...brand },
  });
  const call = async (method: string, path: string, body: Record<string, unknown>) => {
    const response = await fetch(`${url}/api/v1/${path}`, {
      method,
      headers: { Authorization: `Bearer ${OPERATOR_KEY}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  };
  for (const { at, ...entry } of ENTRIES) {
    await call("POST", "changelogs/entries", entry);
    await call("POST", `changelogs/entries/${entry.entryId}/publish`, { notify: false, at });
  }
  await call("PUT", "changelogs/subscribe", {
    userEmail: "ann@example.com",
    userName: "Ann",
    subscribe: true,
  });
  await call("POST", "changelogs/entries", NEWEST);
  await call("POST", `changelogs/entries/${NEWEST.entryId}/publish`, { notify: true });
  await call("POST", "changelogs/entries", DRAFT);
  await call("POST", "boards", { boardId: "ideas", name: "Ideas", visibility: "public" });
  for (const { votes, status, answer, ...post } of IDEAS) {
    await call("POST", "boards/ideas/posts", post);
    for (let voter = 0; voter < votes; voter++) {
      const vote = { userEmail: `reader${voter}@example.com`, vote: true };
      await call("PUT", `boards/ideas/posts/${post.postId}/votes`, vote);
    }
    const change = { status, answer: answer || null, notify: false };
    await call("PATCH", `boards/ideas/posts/${post.postId}`, change);
  }
  const mail = await mails.promise;
  const close = async () => {
    await worker.close();
    await server.shutdown();
    await storage.close();
  };
  return { url, mail, close };
}

/** Opens the content of a window. */
type OpenWindow = (page: Page) => Promise<unknown>;

/** Shows two pages side by side, as windows on a plain ground. */
async function drawWindows(
  browser: Browser,
  name: string,
  windows: readonly (readonly [width: number, open: OpenWindow])[],
): Promise<void> {
  for (const colorScheme of SCHEMES) {
    await using context = await browser.newContext({ colorScheme, viewport: SIZE });
    const images: string[] = [];
    // One after the other, as pages that Chromium draws at once may hold tiles of the wrong size.
    for (const [width, open] of windows) {
      const page = await context.newPage();
      await page.setViewportSize({ width, height: 700 });
      await open(page);
      const image = await page.screenshot();
      images.push(`<img src="data:image/png;base64,${image.toString("base64")}">`);
    }
    const page = await context.newPage();
    const ground = colorScheme === "dark" ? "#1b2430" : "#e3e9ee";
    await page.setContent(`<style>
      body { margin: 0; height: 800px; background: ${ground}; display: flex; gap: 32px;
        justify-content: center; align-items: center; font: 15px system-ui }
      img { display: block; border-radius: 10px; box-shadow: 0 10px 40px #0006 }
    </style>${images.join("")}`);
    await page.screenshot({ path: `${PICTURES}${name}-${colorScheme}.png` });
  }
}

/** Shows the editor of the studio, with the preview beside it. */
async function drawStudio(browser: Browser, url: string): Promise<void> {
  for (const colorScheme of SCHEMES) {
    await using context = await browser.newContext({ colorScheme, viewport: SIZE });
    const page = await context.newPage();
    await page.goto(`${url}/studio#/entries/${DRAFT.entryId}`);
    const folded = page.locator("main.alone summary");
    await folded.or(page.locator('input[type="password"]')).first().waitFor();
    if (await folded.count() > 0) await folded.click();
    await page.locator('input[type="password"]').fill(OPERATOR_KEY);
    await page.keyboard.press("Enter");
    await page.locator("main textarea.body").waitFor();
    await page.waitForLoadState("networkidle");
    await page.screenshot({ path: `${PICTURES}studio-${colorScheme}.png` });
  }
}

const browser = await launchBrowser();
const { url, mail, close } = await publish();
try {
  await Deno.mkdir(PICTURES, { recursive: true });
  await drawWindows(browser, "overview", [
    [700, (page) => page.goto(`${url}/changelog`)],
    [480, (page) => page.setContent(mail.html)],
  ]);
  await drawWindows(browser, "board", [
    [700, (page) => page.goto(`${url}/boards/ideas`)],
    [480, (page) => page.goto(`${url}/boards/ideas/scan-paper`)],
  ]);
  await drawStudio(browser, url);
} finally {
  await browser.close();
  await close();
}
