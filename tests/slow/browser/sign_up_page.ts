import { assert, assertEquals } from "@std/assert";
import { SUBSCRIPTIONS } from "../../../model/kinds.ts";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { after, before, describe, it } from "@std/testing/bdd";
import type { Mail } from "../../../delivery/mail/mailer.ts";
import { createHandler, createWorker, type Handler, openMemoryStorage } from "../../../mod.ts";
import { findSnippets } from "../../_support/snippets.ts";
import { until } from "../../_support/waiting.ts";
import { assertReadable, launchBrowser, visitPage } from "./_browser.ts";

const ANN = "ann@example.com";

/** Serves a service with sign-up, and another site with the form from the documentation. */
async function startSite(language: "en" | "ar" = "en") {
  const storage = openMemoryStorage();
  const mails: Mail[] = [];
  const listen = (handle: Handler) =>
    Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, handle);
  const server = listen((request) => handler(request));
  const publicUrl = `http://127.0.0.1:${server.addr.port}`;
  const worker = createWorker({
    ...{ storage, publicUrl, language, from: "Acme <news@acme.example>" },
    mailer: {
      send: (mail) => Promise.resolve(mails.push(mail)).then(() => ({ state: "sent" })),
      close: () => Promise.resolve(),
    },
  });
  const handler = createHandler({ storage, publicUrl, language, worker, signUp: true });
  const page = await Deno.readTextFile(new URL("../../../docs/subscribers.md", import.meta.url));
  const { code } = findSnippets(page).find(({ language }) => language === "html")!;
  const form = code.replace("https://example.com/feedback", publicUrl);
  const other = listen(() =>
    Promise.resolve(
      new Response(`<!doctype html><title>Shop</title>${form}`, {
        headers: { "content-type": "text/html" },
      }),
    )
  );
  return {
    publicUrl,
    otherUrl: `http://127.0.0.1:${other.addr.port}/`,
    async takeLink(): Promise<string> {
      await until(() => mails.length > 0);
      return /http:\S+\/confirm\/\S+/.exec(mails.pop()!.text)![0];
    },
    async isSubscribed(userEmail: string): Promise<boolean | undefined> {
      return (await storage.get(SUBSCRIPTIONS, userEmail))?.subscribed;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([server.shutdown(), other.shutdown(), worker.close()]);
    },
  };
}

async function fillIn(page: Page, userEmail: string): Promise<void> {
  await page.fill("input[name=userEmail]", userEmail);
  await page.fill("input[name=userName]", "Ann");
  await Promise.all([page.waitForURL("**/subscribe"), page.click("form button")]);
}

describe("a sign-up in Chromium", () => {
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser.close());

  for (const javaScriptEnabled of [true, false]) {
    it(
      `goes from the changelog to the mail and back, ${
        javaScriptEnabled ? "with" : "without"
      } JavaScript`,
      async () => {
        await using site = await startSite();
        const visit = { javaScriptEnabled, width: 360 };
        for (const start of [`${site.publicUrl}/changelog`, site.otherUrl]) {
          await visitPage(browser, { ...visit, url: start }, async (page) => {
            await fillIn(page, ANN);
            assertEquals(await page.textContent("h1"), "Look for our e-mail");
          });
          if (start === site.otherUrl) continue;
          const url = await site.takeLink();
          await visitPage(browser, { ...visit, url }, async (page) => {
            assertEquals(await site.isSubscribed(ANN), undefined);
            await page.click("form button");
            await page.waitForSelector("text=You are subscribed");
            assertEquals(await site.isSubscribed(ANN), true);
            const [save, next] = await Promise.all(
              [".choices button", ".choices + p"].map((one) => page.locator(one).boundingBox()),
            );
            assert(next!.y - save!.y - save!.height > 40, "the link clings to the button");
            await page.click("a[href*=unsubscribe]");
            await page.waitForURL("**/unsubscribe/*");
            await Promise.all([page.waitForSelector(".sign-up"), page.click("form button")]);
            assertEquals(await site.isSubscribed(ANN), false);
          });
        }
      },
    );
  }

  it("can be read by everybody, and axe finds nothing on its pages", async () => {
    for (const language of ["en", "ar"] as const) {
      await using site = await startSite(language);
      await using context = await browser.newContext({ viewport: { width: 360, height: 800 } });
      await context.addInitScript({ content: axe.source });
      const page = await context.newPage();
      const check = async (name: string) => {
        const found = await page.evaluate(
          "axe.run().then(({ violations }) => violations.map(({ id }) => id))",
        );
        assertEquals(found, [], `${language} ${name}`);
      };
      await page.goto(`${site.publicUrl}/subscribe`);
      await check("form");
      await page.evaluate("document.querySelector('form').noValidate = true");
      await page.fill("input[name=userEmail]", "nobody");
      await Promise.all([page.waitForURL("**/subscribe"), page.click("form button")]);
      await page.waitForSelector("[aria-invalid]");
      await check("mended form");
      await fillIn(page, ANN);
      await check("sent");
      await page.goto(await site.takeLink());
      await check("question");
      await page.click("form button");
      await page.waitForSelector("a[href*=unsubscribe]");
      await check("done");
      const gone = page.url();
      await page.click("a[href*=unsubscribe]");
      await page.waitForURL("**/unsubscribe/*");
      await Promise.all([page.waitForSelector(".sign-up"), page.click("form button")]);
      await check("unsubscribed");
      await page.goto(gone);
      await check("expired");
      await visitPage(
        browser,
        { url: `${site.publicUrl}/subscribe` },
        (page) => assertReadable(page, `sign-up ${language}`),
      );
    }
  });
});
