import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Mail } from "../../../delivery/mail/mailer.ts";
import { createWorker, openMemoryStorage } from "../../../mod.ts";
import { createFirstLink } from "../../../services/team/invitations.ts";
import { outcomeOf } from "../../_support/service.ts";
import { createService, readJson, START, type TestService } from "../../_support/service.ts";
import { type Browser, openBrowser, signIn } from "../../_support/team.ts";
import { until } from "../../_support/waiting.ts";

const PUBLIC_URL = "https://updates.example/feedback";
const PAGE_TYPE = "text/html; charset=utf-8";
const ANN = { userEmail: "ann@example.com", userName: "Ann", role: "editor" };

/** A service that mails, with a clock that stands still until a test moves it. */
function startService() {
  const storage = openMemoryStorage();
  let nowMs = Date.parse(START);
  const clock = () => nowMs;
  const mails: Mail[] = [];
  const mailer = {
    send(mail: Mail) {
      mails.push(mail);
      return Promise.resolve({ state: "sent" as const });
    },
    close: () => Promise.resolve(),
  };
  const from = "Acme <news@acme.example>";
  const worker = createWorker({ storage, mailer, publicUrl: PUBLIC_URL, from, clock });
  const service = createService({ storage, worker, clock, studio: true, publicUrl: PUBLIC_URL });
  return {
    ...service,
    mails,
    worker,
    advance: (durationMs: number) => void (nowMs += durationMs),
    [Symbol.asyncDispose]: () => worker.close(),
  };
}

/** Adds a member, whose invitation is the first mail. */
async function addMember({ call, mails }: ReturnType<typeof startService>) {
  const member = await call<{ memberId: string; invitation: { url: string; mailed: boolean } }>(
    "POST",
    "team",
    ANN,
  );
  await until(() => mails.length === 1);
  return member;
}

async function askForCode(
  { mails }: ReturnType<typeof startService>,
  browser: Browser,
  userEmail = ANN.userEmail,
): Promise<string> {
  const before = mails.length;
  const response = await browser.send("POST", "/studio/sign-in", { form: { userEmail } });
  assertEquals([response.status, await response.text()], [202, ""]);
  await until(() => mails.length > before);
  return /[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(mails[before].text)![0];
}

async function enterCode(browser: Browser, code: string): Promise<string> {
  return await outcomeOf(await browser.send("POST", "/studio/sign-in/code", { form: { code } }));
}

describe("an invitation", () => {
  it("is mailed with a link that signs in once", async () => {
    await using service = startService();
    const { invitation } = await addMember(service);
    const [mail] = service.mails;
    assertEquals([mail.to, invitation.mailed], [ANN.userEmail, true]);
    assertStringIncludes(mail.text, invitation.url);
    assert(invitation.url.startsWith(`${PUBLIC_URL}/studio/in/`));
    const { pathname } = new URL(invitation.url);
    const path = pathname.slice("/feedback".length);
    await signIn(service, path);
    const again = await openBrowser(service).send("POST", path);
    assertEquals([again.status, again.headers.getSetCookie()], [410, []]);
  });

  it("is shown a hundred times, and changes nothing until its button is pressed", async () => {
    await using service = startService();
    const { invitation } = await addMember(service);
    const path = new URL(invitation.url).pathname.slice("/feedback".length);
    for (let count = 0; count < 100; count++) {
      const page = await service.send("GET", path, { key: null });
      assertStringIncludes(await page.text(), "ann@example.com");
      assertEquals(page.headers.getSetCookie(), []);
    }
    await signIn(service, path);
  });

  it("has ended after 7 days, with a newer one, and with a sign-out", async () => {
    await using service = startService();
    const { memberId, invitation } = await addMember(service);
    const pathOf = (url: string) => new URL(url).pathname.slice("/feedback".length);
    const newer = await service.call<{ url: string }>("POST", `team/${memberId}/invite`);
    const status = async (url: string) => (await service.send("GET", pathOf(url))).status;
    assertEquals([await status(invitation.url), await status(newer.url)], [410, 200]);
    service.advance(7 * 86_400_000);
    assertEquals(await status(newer.url), 410);
    const last = await service.call<{ url: string }>("POST", `team/${memberId}/invite`);
    await service.send("POST", `team/${memberId}/sign-out`);
    assertEquals(await status(last.url), 410);
  });
});

describe("a mailed code", () => {
  it("signs in the browser that asked for it, once, whatever its case and hyphens", async () => {
    await using service = startService();
    await addMember(service);
    const [browser, other] = [openBrowser(service), openBrowser(service)];
    const code = await askForCode(service, browser);
    assertEquals(await enterCode(other, code), "422 code:invalid_value");
    assertEquals(await enterCode(browser, code.toLowerCase().replace("-", " - ")), "204");
    assertEquals(await outcomeOf(await browser.send("GET", "entries")), "404 not_found");
    assertEquals(await outcomeOf(await browser.send("GET", "changelogs/entries")), "200");
    const second = openBrowser(service);
    await second.send("POST", "/studio/sign-in", { form: { userEmail: ANN.userEmail } });
    assertEquals(await enterCode(second, code), "422 code:invalid_value");
  });

  it("has no link in its mail, and proves nothing about a reader", async () => {
    await using service = startService();
    await addMember(service);
    await askForCode(service, openBrowser(service));
    const { text, html, headers } = service.mails[1];
    assertEquals([/https?:/.test(text), /href=/.test(html)], [false, false]);
    assertEquals(Object.keys(headers), ["Auto-Submitted"]);
  });

  it("has expired after 10 minutes", async () => {
    await using service = startService();
    await addMember(service);
    const browser = openBrowser(service);
    const code = await askForCode(service, browser);
    service.advance(10 * 60_000);
    assertEquals(await enterCode(browser, code), "422 code:invalid_value");
  });

  it("is mailed once in two minutes, and works for all browsers that asked", async () => {
    await using service = startService();
    await addMember(service);
    const [one, other] = [openBrowser(service), openBrowser(service)];
    const code = await askForCode(service, one);
    service.advance(60_000);
    await other.send("POST", "/studio/sign-in", { form: { userEmail: ANN.userEmail } });
    assertEquals(await enterCode(other, code), "204");
    assertEquals(service.mails.length, 2);
    service.advance(60_000);
    await askForCode(service, one);
  });

  it("is answered alike for an address that nobody has", async () => {
    await using service = startService();
    await addMember(service);
    const browser = openBrowser(service);
    const response = await browser.send("POST", "/studio/sign-in", {
      form: { userEmail: "who@example.com" },
    });
    assertEquals([response.status, browser.cookies.size], [202, 1]);
    assertEquals(await enterCode(browser, "3333-3333"), "422 code:invalid_value");
    assertEquals(service.mails.length, 1);
  });

  it("is refused where nothing can mail", async () => {
    const service = createService({ studio: true, isMailed: false });
    const response = await openBrowser(service).send("POST", "/studio/sign-in", { form: ANN });
    assertEquals(await outcomeOf(response), "409 mail_not_configured");
  });

  it("ends after 10,000 tries", async () => {
    await using service = startService();
    await addMember(service);
    const browser = openBrowser(service);
    const code = await askForCode(service, browser);
    for (let count = 0; count < 10_000; count++) {
      const wrong = await browser.send("POST", "/studio/sign-in/code", { form: { code: "x" } });
      if (wrong.status !== 422) throw new Error(`${wrong.status}`);
    }
    assertEquals(await enterCode(browser, code), "422 code:invalid_value");
  });
});

describe("the link of the first start", () => {
  async function start(): Promise<[TestService, string]> {
    const service = createService({ studio: true });
    return [service, `/studio/in/${await createFirstLink(service.storage, START)}`];
  }

  it("makes the first admin, and signs in, once", async () => {
    const [service, path] = await start();
    const browser = openBrowser(service);
    assertMatch(await (await browser.send("GET", path)).text(), /name="userName"/);
    const form = { userName: "Ann", userEmail: "Ann@example.com" };
    const made = await browser.send("POST", path, { form });
    assertEquals([made.status, made.headers.get("location")], [303, "/studio"]);
    const me = await readJson<{ role: string }>(await browser.send("GET", "team/me"), 200);
    assertEquals(me.role, "admin");
    assertEquals((await openBrowser(service).send("POST", path, { form })).status, 410);
  });

  it("says what to mend, and keeps what was typed", async () => {
    const [service, path] = await start();
    const form = { userName: "Ann <3", userEmail: "ann" };
    const page = await openBrowser(service).send("POST", path, { form });
    const html = await page.text();
    assertEquals(page.status, 422);
    assertStringIncludes(html, "Enter an e-mail address");
    assertStringIncludes(html, 'value="Ann &lt;3"');
  });

  it("ends with the first member", async () => {
    const [service, path] = await start();
    await service.call("POST", "team", ANN);
    assertEquals((await service.send("GET", path)).status, 410);
  });

  it("ends after a day", async () => {
    const [service, path] = await start();
    service.advance(86_400_000);
    assertEquals((await service.send("GET", path)).status, 410);
  });
});

describe("signing in and out", () => {
  it("is refused when another site asks for it", async () => {
    const service = createService({ studio: true, publicUrl: "https://updates.example" });
    const { invitation } = await service.call<{ invitation: { url: string } }>("POST", "team", ANN);
    const { pathname } = new URL(invitation.url);
    const foreign: Record<string, string>[] = [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none" },
      { origin: "https://evil.example" },
      { origin: "null" },
      {},
    ];
    for (const headers of foreign) {
      for (const path of ["/studio/sign-in", "/studio/sign-in/code", "/studio/sign-out"]) {
        const form = { userEmail: ANN.userEmail, code: "x" };
        const sent = await service.send("POST", path, { key: null, form, headers });
        assertEquals(await outcomeOf(sent), "403 foreign_origin", `${path} ${headers.origin}`);
      }
      const sent = await service.send("POST", pathname, { key: null, headers });
      assertEquals(await outcomeOf(sent), "403 foreign_origin");
      const accept = { ...headers, accept: "text/html" };
      const page = await service.send("POST", pathname, { key: null, headers: accept });
      assertEquals([page.status, page.headers.get("content-type")], [403, PAGE_TYPE]);
    }
    const own = { headers: { origin: "http://localhost" }, key: null };
    assertEquals((await service.send("POST", pathname, own)).status, 303);
  });

  it("leads to the studio below the public URL when a proxy strips its path", async () => {
    const service = createService({ studio: true, publicUrl: PUBLIC_URL });
    const { invitation } = await service.call<{ invitation: { url: string } }>("POST", "team", ANN);
    const path = new URL(invitation.url).pathname.slice("/feedback".length);
    const page = await (await service.send("GET", path, { key: null })).text();
    assertStringIncludes(page, `src="/feedback/studio/logo"`);
    const response = await openBrowser(service).send("POST", path);
    assertEquals(response.headers.get("location"), "/feedback/studio");
    const root = await service.send("GET", "/", { key: null });
    assertEquals(root.headers.get("location"), "/feedback/changelog");
  });

  it("ends the session that the browser had", async () => {
    const service = createService({ studio: true });
    const { memberId, invitation } = await service.call<
      { memberId: string; invitation: { url: string } }
    >("POST", "team", ANN);
    const browser = await signIn(service, invitation.url);
    const before = [...browser.cookies.values()];
    const { url } = await service.call<{ url: string }>("POST", `team/${memberId}/invite`);
    await browser.send("POST", url);
    const after = [...browser.cookies.values()];
    assert(before[0] !== after[0]);
    const [name] = browser.cookies.keys();
    browser.cookies.set(name, before[0]);
    assertEquals(await outcomeOf(await browser.send("GET", "key")), "401 invalid_token");
  });

  it("ends one session, or all of the member's", async () => {
    const service = createService({ studio: true });
    const { memberId, invitation } = await service.call<
      { memberId: string; invitation: { url: string } }
    >("POST", "team", ANN);
    const open = async () => {
      const { url } = await service.call<{ url: string }>("POST", `team/${memberId}/invite`);
      return await signIn(service, url);
    };
    const [one, two, three] = [await signIn(service, invitation.url), await open(), await open()];
    const cookie = [...one.cookies].map((pair) => pair.join("=")).join("; ");
    assertEquals((await one.send("POST", "/studio/sign-out")).status, 204);
    const ended = await one.send("GET", "key", { headers: { cookie } });
    assertEquals(await outcomeOf(ended), "401 invalid_token");
    assertEquals(await outcomeOf(await two.send("GET", "key")), "200");
    await two.send("POST", "/studio/sign-out", { form: { everywhere: "true" } });
    assertEquals(await outcomeOf(await three.send("GET", "key")), "401 invalid_token");
  });

  it("is apart from that of another service on the same host", async () => {
    const services = ["/one", "/two"].map((basePath) => createService({ studio: true, basePath }));
    const cookies = new Map<string, string>();
    for (const [index, basePath] of ["/one", "/two"].entries()) {
      const { invitation } = await readJson<{ invitation: { url: string } }>(
        await services[index].send("POST", `${basePath}/api/v1/team`, { json: ANN }),
        201,
      );
      const browser = await signIn(services[index], `${basePath}${invitation.url}`);
      for (const [name, value] of browser.cookies) cookies.set(name, value);
    }
    assertEquals(cookies.size, 2);
    const headers = {
      cookie: [...cookies].map((pair) => pair.join("=")).join("; "),
      "boardcast-studio": "1",
    };
    for (const [index, basePath] of ["/one", "/two"].entries()) {
      const own = await services[index].send("GET", `${basePath}/api/v1/key`, {
        key: null,
        headers,
      });
      assertEquals(await outcomeOf(own), "200");
    }
  });

  it("names cookies that only this service over TLS gets", async () => {
    await using service = startService();
    const { invitation } = await addMember(service);
    const path = new URL(invitation.url).pathname.slice("/feedback".length);
    const headers = { "sec-fetch-site": "same-origin" };
    const [cookie] = (await service.send("POST", path, { key: null, headers })).headers
      .getSetCookie();
    assertMatch(
      cookie,
      /^__Host-boardcast-team-[a-z]{8}=[\w-]{43}; Max-Age=2592000; Path=\/; Secure; HttpOnly; SameSite=Strict$/,
    );
  });
});
