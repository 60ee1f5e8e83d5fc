import { assert, assertEquals, assertNotEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { SETTINGS_OF_SITE } from "../../../model/kinds.ts";
import { forEachRow } from "../../_support/rows.ts";
import {
  assertOutcomes,
  createService,
  outcomeOf,
  readJson,
  type TestService,
} from "../../_support/service.ts";

const PUBLIC_URL = "https://updates.example/feedback";
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><circle r="4"/></svg>';
const PNG = Uint8Array.from("\x89PNG\r\n\x1a\n…", (sign) => sign.charCodeAt(0));
const DEFAULTS: Readonly<Record<string, unknown>> = {
  title: "Changelog",
  home: null,
  accent: "#18191b",
  language: "en",
  timeZone: "UTC",
  mailFooter: null,
  mailReplyTo: null,
  logo: null,
  logoDark: null,
  fixed: [],
  updatedAt: "1970-01-01T00:00:00.000Z",
};
const CHANGE = {
  title: "  Acme ",
  home: "https://acme.example",
  accent: "#0B5394",
  language: "de",
  timeZone: "Europe/Berlin",
  mailFooter: "Acme Ltd\n1 Main St",
  mailReplyTo: '"Lee, Ann"  <Ann@Example.com>',
};
const CHANGED = {
  ...DEFAULTS,
  ...CHANGE,
  title: "Acme",
  accent: "#0b5394",
  mailReplyTo: "Lee, Ann <ann@example.com>",
};

type Settings = Readonly<Record<string, string | null>>;

async function putLogo(
  { send }: Pick<TestService, "send">,
  body: BodyInit,
  { path = "settings/logo", type = "image/svg+xml" } = {},
): Promise<Response> {
  return await send("PUT", path, { body, headers: { "content-type": type } });
}

async function pageOf(
  { send }: Pick<TestService, "send">,
  path = "/changelog",
): Promise<string> {
  return await (await send("GET", path, { key: null })).text();
}

describe("the settings", () => {
  it("have defaults, are changed in part, and set back by null", async () => {
    const { call } = createService();
    assertEquals(await call("GET", "settings"), DEFAULTS);
    const changed = await call("PATCH", "settings", CHANGE);
    assertEquals({ ...changed, updatedAt: "" }, { ...CHANGED, updatedAt: "" });
    assertEquals(await call("GET", "settings"), changed);
    await call("PATCH", "settings", { home: "https://other.example" });
    const values = Object.keys(CHANGE).map((name) => [name, null]);
    const reset = await call("PATCH", "settings", Object.fromEntries(values));
    assertEquals({ ...reset, updatedAt: DEFAULTS.updatedAt }, DEFAULTS);
  });

  it("are refused field by field, with a hint at a time zone that was meant", async () => {
    await assertOutcomes(createService(), [
      ["PATCH", "settings", { json: { title: " " } }, "422 title:invalid_value"],
      ["PATCH", "settings", { json: { title: "x".repeat(201) } }, "422 title:too_long"],
      ["PATCH", "settings", { json: { home: "acme.example" } }, "422 home:invalid_value"],
      ["PATCH", "settings", { json: { accent: "red" } }, "422 accent:invalid_value"],
      ["PATCH", "settings", { json: { language: "tlh" } }, "422 language:invalid_value"],
      ["PATCH", "settings", { json: { timeZone: "Europe/Bern" } }, "422 timeZone:invalid_value"],
      ["PATCH", "settings", { json: { mailFooter: "x".repeat(1_001) } }, "422 mailFooter:too_long"],
      ["PATCH", "settings", { json: { mailReplyTo: "ann" } }, "422 mailReplyTo:invalid_email"],
      ["PATCH", "settings", { json: { logo: "x" } }, "422 logo:unknown_field"],
    ]);
  });

  it("keep a flag's value, name it as fixed, and refuse its change with the flag", async () => {
    const options = { title: " Flag ", logo: PNG, publicUrl: PUBLIC_URL };
    const overrides = { footer: "Acme Ltd" };
    const service = createService({ ...options, worker: { wake() {}, overrides } });
    const { title, mailFooter, fixed, logo } = await service.call("GET", "settings");
    assertEquals([title, mailFooter, fixed], ["Flag", "Acme Ltd", ["title", "mailFooter", "logo"]]);
    assert(`${logo}`.startsWith(`${PUBLIC_URL}/changelog/_logo/`));
    const refused = await service.send("PATCH", "settings", {
      json: { title: null, mailFooter: "x", home: "x" },
    });
    const { errors } = await refused.json();
    assertEquals(errors.map(({ code }: { readonly code: string }) => code), [
      ...["invalid_value", "fixed", "fixed"],
    ]);
    assertStringIncludes(errors[2].detail, "--mail-footer");
    assertEquals(await outcomeOf(await putLogo(service, SVG)), "422 logo:fixed");
    assertEquals(await outcomeOf(await service.send("DELETE", "settings/logo")), "422 logo:fixed");
    await service.call("PATCH", "settings", { language: "fr" });
    assertStringIncludes(await pageOf(service), '<html lang="fr"');
    assertStringIncludes(await pageOf(service), "Flag");
  });

  it("are guarded by If-Match, also those of a logo", async () => {
    const { send, call } = createService();
    const etag = `${(await send("GET", "settings")).headers.get("etag")}`;
    await call("PATCH", "settings", { title: "Other" });
    const guarded = { headers: { "if-match": etag } };
    const svg = { ...guarded.headers, "content-type": "image/svg+xml" };
    const now = `${(await send("GET", "settings")).headers.get("etag")}`;
    await assertOutcomes({ send }, [
      ["PATCH", "settings", { ...guarded, json: { title: "Mine" } }, "412 precondition_failed"],
      ["PUT", "settings/logo", { headers: svg, body: SVG }, "412 precondition_failed"],
      ["DELETE", "settings/logo-dark", guarded, "412 precondition_failed"],
      ["PATCH", "settings", { headers: { "if-match": now }, json: { title: "Mine" } }, "200"],
    ]);
    assertEquals((await call<Settings>("GET", "settings")).title, "Mine");
  });

  it("show a key that can't read them only what it sent", async () => {
    const { send, createKey } = createService();
    const key = await createKey(["settings:write"]);
    const sent = await send("PATCH", "settings", { key, json: { title: "Acme" } });
    assertEquals(Object.keys(await readJson(sent)), ["title", "updatedAt"]);
    const headers = { "content-type": "image/png" };
    const logo = await send("PUT", "settings/logo", { key, body: PNG, headers });
    assertEquals(Object.keys(await readJson(logo)), ["logo", "updatedAt"]);
    assertEquals(await outcomeOf(await send("GET", "settings", { key })), "403 insufficient_scope");
  });

  it("show in pages, feeds, the widget's feed and the studio, with new validators", async () => {
    const service = createService({ publicUrl: PUBLIC_URL, studio: true });
    const { send, call } = service;
    await call("POST", "boards", { boardId: "ideas", name: "Ideas", visibility: "public" });
    await call("POST", "changelogs/entries", { entryId: "a", title: "A", body: "B" });
    await call("POST", "changelogs/entries/a/publish", { notify: false });
    const paths = [
      ...["/changelog", "/changelog/a", "/changelog.atom", "/changelog.json", "/boards"],
      ...["/boards/ideas", "/boards/ideas.atom", "/roadmap", "/studio", "/subscribed"],
    ];
    const browser = { accept: "text/html" };
    const get = (path: string, headers = {}) =>
      send("GET", path, { key: null, headers: { ...browser, ...headers } });
    const before = await Promise.all(paths.map((path) => get(path)));
    await call("PATCH", "settings", { title: "Neues", language: "de", accent: "#0b5394" });
    await forEachRow(paths.map((path, at) => [path, at] as const), async ([path, at]) => {
      const { headers } = before[at];
      const text = await (await get(path)).text();
      assert(text.includes("Neues") || path.endsWith("ideas.atom"), `${path}: ${text}`);
      const [etag, modified] = [headers.get("etag"), headers.get("last-modified")];
      if (etag !== null && !path.endsWith("ideas.atom")) {
        assertEquals((await get(path, { "if-none-match": etag })).status, 200, "ETag");
      }
      if (modified !== null) {
        assertEquals((await get(path, { "if-modified-since": modified })).status, 200, "date");
      }
    });
    const updated = (text: string) => text.match(/<updated>.*?<\/updated>/g);
    const feeds = [await before[2].text(), await (await get("/changelog.atom")).text()];
    assertEquals(updated(feeds[1]), updated(feeds[0]));
  });

  it("say with a clock that has moved that pages have changed since", async () => {
    const { send, call, advance } = createService({ publicUrl: PUBLIC_URL });
    const get = (headers = {}) => send("GET", "/changelog", { key: null, headers });
    await get();
    advance(10_000);
    const modified = `${(await get()).headers.get("last-modified")}`;
    advance(10_000);
    assertEquals((await get({ "if-modified-since": modified })).status, 304);
    await call("PATCH", "settings", { accent: "#0b5394" });
    assertEquals((await get({ "if-modified-since": modified })).status, 200);
  });

  it("are read from storage at most once a second, by no call that had none", async () => {
    const { storage } = createService();
    const reads: string[] = [];
    const watched: typeof storage = {
      ...storage,
      get(kind, key) {
        reads.push(kind.name);
        return storage.get(kind, key);
      },
    };
    const { send } = createService({ storage: watched, publicUrl: PUBLIC_URL });
    for (const _ of [1, 2, 3]) await (await send("GET", "/changelog", { key: null })).text();
    await send("GET", "boards/ideas");
    assertEquals(reads.filter((name) => name === SETTINGS_OF_SITE.name).length, 1);
  });
});

describe("a logo of the settings", () => {
  it("is shown by an address that changes with its bytes, for a year, and runs nothing", async () => {
    const service = createService({ publicUrl: PUBLIC_URL, basePath: "/feedback" });
    const base = "/feedback/api/v1/settings";
    const hostile = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
    const addresses: string[] = [];
    for (const body of [SVG, hostile]) {
      const stored = await putLogo(service, body, { path: `${base}/logo` });
      const { logo } = await readJson<Settings>(stored);
      addresses.push(`${logo}`);
      const path = `${logo}`.slice("https://updates.example".length);
      const { headers, status } = await service.send("GET", path, { key: null });
      assertEquals([status, headers.get("content-type")], [200, "image/svg+xml"]);
      assertEquals(headers.get("content-security-policy"), "default-src 'none'; sandbox");
      assertEquals(headers.get("x-content-type-options"), "nosniff");
      assertStringIncludes(`${headers.get("cache-control")}`, "immutable");
      assertStringIncludes(await pageOf(service, "/feedback/changelog"), `<img src="${logo}"`);
    }
    assertNotEquals(addresses[0], addresses[1]);
    const former = addresses[0].slice("https://updates.example".length);
    const { headers, status } = await service.send("GET", former, { key: null });
    assertEquals([status, headers.get("cache-control")], [200, "no-cache"]);
  });

  it("is a path where there is no public URL, and there is none once it is removed", async () => {
    const service = createService();
    const { logo, logoDark } = await readJson<Settings>(await putLogo(service, SVG));
    assertEquals([`${logo}`.startsWith("/changelog/_logo/"), logoDark], [true, null]);
    assertEquals(await pageOf(service, `${logo}`), SVG);
    assertEquals((await service.send("DELETE", "settings/logo")).status, 204);
    assertEquals(await service.call("GET", "settings"), {
      ...DEFAULTS,
      updatedAt: "2026-11-21T10:00:00.000Z",
    });
    assertEquals((await service.send("DELETE", "settings/logo")).status, 204);
    assertEquals((await service.send("GET", "/changelog/_logo", { key: null })).status, 404);
  });

  it("stays for one scheme when the same image is removed from the other", async () => {
    const service = createService();
    await putLogo(service, PNG, { type: "application/octet-stream" });
    const stored = await putLogo(service, PNG, { path: "settings/logo-dark", type: "image/webp" });
    const { logoDark } = await readJson<Settings>(stored);
    await service.send("DELETE", "settings/logo");
    const shown = await service.send("GET", `${logoDark}`, { key: null });
    assertEquals(shown.headers.get("content-type"), "image/png");
    assertEquals(new Uint8Array(await shown.arrayBuffer()), PNG);
  });

  it("is refused when it is too large, or no image by its bytes", async () => {
    const service = createService();
    await forEachRow(
      [
        [SVG, "text/html", "415 unsupported_media_type"],
        ["<html><svg></svg>", "image/svg+xml", "415 unsupported_media_type"],
        ['<!DOCTYPE svg [<!ENTITY a "b">]><svg/>', "image/svg+xml", "415 unsupported_media_type"],
        ["GIF89a", "image/png", "415 unsupported_media_type"],
        ["", "image/png", "415 unsupported_media_type"],
        [`${SVG}${" ".repeat(65_536)}`, "image/svg+xml", "413 body_too_large"],
      ] as const,
      async ([body, type, outcome]) =>
        assertEquals(await outcomeOf(await putLogo(service, body, { type })), outcome),
    );
  });
});
