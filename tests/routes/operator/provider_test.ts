import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { HandlerOptions } from "../../../mod.ts";
import { CLIENT, startForgingProvider } from "../../_support/forging_provider.ts";
import { createService, outcomeOf, readJson } from "../../_support/service.ts";
import { type Browser, openBrowser, signIn } from "../../_support/team.ts";

const PUBLIC_URL = "http://127.0.0.1:9";
const ANN = { userEmail: "ann@example.com", userName: "Ann", role: "editor" };

/** Starts a service with a provider that knows Ann. */
async function start(options: Partial<HandlerOptions["oidc"]> = {}) {
  const provider = await startForgingProvider();
  provider.script = { claims: person() };
  const oidc = { issuer: provider.issuer, ...CLIENT, ...options };
  const service = createService({
    studio: true,
    publicUrl: PUBLIC_URL,
    oidc,
    clock: Date.now,
  });
  return { provider, service, [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose]() };
}

function person(claims: Record<string, unknown> = {}): Record<string, unknown> {
  return { email: ANN.userEmail, email_verified: true, name: "Ann", sub: "ann-1", ...claims };
}

/** Goes to the provider and back; returns the answer of the service. */
async function visit(browser: Browser): Promise<Response> {
  const gone = await browser.send("GET", "/studio/oidc");
  if (gone.status !== 303) return gone;
  const back = await fetch(gone.headers.get("location")!, { redirect: "manual" });
  await back.body?.cancel();
  const { pathname, search } = new URL(back.headers.get("location")!);
  // The browser comes from another site, which keeps its strict cookie back.
  const strict = [...browser.cookies].filter(([name]) => name.includes("-team-"));
  for (const [name] of strict) browser.cookies.delete(name);
  const answer = await browser.send("GET", pathname + search, {
    headers: { "sec-fetch-site": "cross-site" },
  });
  return answer;
}

async function me(browser: Browser): Promise<Record<string, unknown>> {
  return await readJson(await browser.send("GET", "team/me"), 200);
}

describe("signing in at the provider", () => {
  it("lets a member in, binds them, and mails them no code", async () => {
    await using started = await start();
    const { service } = started;
    await service.call("POST", "team", ANN);
    const browser = openBrowser(service);
    const answer = await visit(browser);
    assertEquals(
      [answer.status, answer.headers.get("location")],
      [303, `${PUBLIC_URL}/studio`],
      await answer.text(),
    );
    assertEquals((await me(browser)).bound, true);
    assertEquals([...browser.cookies.keys()].length, 1);
  });

  it("knows a bound member by the identity alone", async () => {
    await using started = await start();
    const { service, provider } = started;
    const { memberId } = await service.call<{ memberId: string }>("POST", "team", ANN);
    await visit(openBrowser(service));
    provider.script = { claims: person({ email: "new@example.com" }) };
    const browser = openBrowser(service);
    await visit(browser);
    assertEquals((await me(browser)).memberId, memberId);
  });

  it("refuses another identity with the address of a member, until they are invited", async () => {
    await using started = await start();
    const { service, provider } = started;
    const { memberId } = await service.call<{ memberId: string }>("POST", "team", ANN);
    await visit(openBrowser(service));
    provider.script = { claims: person({ sub: "ann-2" }) };
    const refused = await visit(openBrowser(service));
    assertEquals(refused.status, 403);
    assertStringIncludes(await refused.text(), "Another account");
    await service.call("POST", `team/${memberId}/invite`);
    assertEquals((await visit(openBrowser(service))).status, 303);
  });

  it("shows whom to ask when nobody knows the person", async () => {
    await using started = await start();
    const { service } = started;
    const browser = openBrowser(service);
    const refused = await visit(browser);
    assertEquals([refused.status, browser.cookies.size], [403, 0]);
    assertStringIncludes(await refused.text(), "Ask an admin");
  });

  it("makes a member of whoever has an address of the domain, but of nobody who was removed", async () => {
    await using started = await start({ role: "writer", domains: ["Example.com"] });
    const { service, provider } = started;
    const browser = openBrowser(service);
    await visit(browser);
    const { memberId, role, userName } = await me(browser);
    assertEquals([role, userName], ["writer", "Ann"]);
    await service.send("DELETE", `team/${memberId}`);
    await service.send("DELETE", "changelogs/subscribers/ann@example.com");
    assertEquals((await visit(openBrowser(service))).status, 403);
    provider.script = { claims: person({ email: "other@example.com" }) };
    assertEquals((await visit(openBrowser(service))).status, 403);
    provider.script = { claims: person() };
    await service.call("POST", "team", ANN);
    assertEquals((await visit(openBrowser(service))).status, 303);
  });

  it("refuses whoever has an address of another domain, or one that is not verified", async () => {
    await using started = await start({ role: "writer", domains: ["example.com"] });
    const { service, provider } = started;
    for (
      const claims of [
        { email: "eve@example.com.evil.example" },
        { email: "eve@sub.example.com" },
        { email_verified: false },
      ]
    ) {
      provider.script = { claims: person(claims) };
      assertEquals((await visit(openBrowser(service))).status, 403);
    }
  });

  it("ends the session that the browser had", async () => {
    await using started = await start();
    const { service } = started;
    const { invitation } = await service.call<{ invitation: { url: string } }>("POST", "team", ANN);
    const browser = await signIn(service, invitation.url);
    const before = new Map(browser.cookies);
    await visit(browser);
    const cookie = [...before].map((pair) => pair.join("=")).join("; ");
    const ended = await openBrowser(service).send("GET", "key", { headers: { cookie } });
    assertEquals(await outcomeOf(ended), "401 invalid_token");
  });

  it("works in the browser alone in which it began, and once", async () => {
    await using started = await start();
    const { service } = started;
    await service.call("POST", "team", ANN);
    const browser = openBrowser(service);
    const gone = await browser.send("GET", "/studio/oidc");
    const back = await fetch(gone.headers.get("location")!, { redirect: "manual" });
    await back.body?.cancel();
    const { pathname, search } = new URL(back.headers.get("location")!);
    const other = await openBrowser(service).send("GET", pathname + search);
    assertEquals([other.status, other.headers.getSetCookie().length], [400, 1]);
    assertEquals((await browser.send("GET", pathname + search)).status, 303);
    assertEquals((await browser.send("GET", pathname + search)).status, 400);
  });

  it("tells a page when the provider is down, and leaves the other ways open", async () => {
    await using started = await start();
    const { service, provider } = started;
    const { invitation } = await service.call<{ invitation: { url: string } }>("POST", "team", ANN);
    provider.script = { answer: () => new Response("no", { status: 503 }) };
    const page = await visit(openBrowser(service));
    assertEquals(page.status, 502);
    assertStringIncludes(await page.text(), "/studio");
    assert(service.events.some(({ level }) => level === "warn"));
    await signIn(service, invitation.url);
  });

  it("counts no binding where no provider is configured", async () => {
    await using started = await start();
    const { service } = started;
    const { memberId } = await service.call<{ memberId: string }>("POST", "team", ANN);
    await visit(openBrowser(service));
    const without = createService({ storage: service.storage, studio: true });
    const { bound } = await without.call<{ bound: boolean }>("GET", `team/${memberId}`);
    assertEquals(bound, false);
  });
});
