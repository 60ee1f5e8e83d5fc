import { assert, assertEquals } from "@std/assert";
import { it } from "@std/testing/bdd";
import { Buffer } from "node:buffer";
import { createServer, request as forward } from "node:http";
import type { Page, Route } from "playwright-core";
import type { ShownEntry } from "../../../model/entries/entry.ts";
import { until } from "../../_support/waiting.ts";
import { call, describeStudio, goTo, openStudio } from "./_studio.ts";

const ENTRIES = "changelogs/entries";
/**
 * The number of drafts that are started through a proxy that loses responses; 200 take five
 * minutes.
 */
const LOSSY_SAVES = Number(Deno.env.get("LOSSY_SAVES") ?? 10);

/** A request that a test delays, or whose response it loses. */
interface HeldRequest {
  /** Resolves once the request has started. */
  readonly begun: Promise<void>;
  letGo(): void;
}

/**
 * Starts a proxy that forwards the first request to create each entry, then closes the reused
 * connection without the response. Browsers repeat such a request by themselves.
 */
function startLossyProxy(target: string): { readonly url: string } & AsyncDisposable {
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

/** Lets the server carry out the next matching request, and loses its response. */
async function loseAnswer(page: Page, url: RegExp, method = "POST"): Promise<void> {
  let isLost = false;
  await page.route(url, async (route: Route) => {
    if (isLost || route.request().method() !== method) return await route.continue();
    isLost = true;
    await route.fetch();
    await route.abort("connectionreset");
  });
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

  it("finds what was typed in a dialog after a reload, until it is saved or discarded", async () => {
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

describeStudio("words in the studio", {
  storages: ["memory"],
  publicUrl: "https://example.com",
}, (server) => {
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
});
