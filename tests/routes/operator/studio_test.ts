import { assert, assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { DELIVERY_STATES } from "../../../model/deliveries/delivery.ts";
import { BOARD_VISIBILITIES, MODERATIONS } from "../../../model/board.ts";
import { SCOPES } from "../../../model/keys/api_key.ts";
import { REFUSAL_CODES } from "../../../model/values/refusal.ts";
import { ATTENTION_CODES } from "../../../model/stats.ts";
import { POST_SORTS } from "../../../model/posts/place.ts";
import { POST_SOURCES, POST_STATES, POST_STATUSES } from "../../../model/posts/post.ts";
import { SUBSCRIPTION_SOURCES } from "../../../model/subscriptions/subscription.ts";
import { EVENT_TYPES } from "../../../model/webhooks/webhook_event.ts";
import { LANGUAGES } from "../../../model/locales/language.ts";
import { PROBLEMS } from "../../../routes/_http/problem.ts";
import { forEachRow } from "../../_support/rows.ts";
import { assertProblem, createService } from "../../_support/service.ts";

const FOLDER = fileURLToPath(new URL("../../../studio", import.meta.url));
const MAX_BYTES = 60 * 1024;

/** The keys of texts that the studio builds from a prefix and a name of the API. */
const TEXTS_OF_NAMES: readonly string[] = [
  ...[...SCOPES, ...EVENT_TYPES, ...ATTENTION_CODES, ...DELIVERY_STATES],
  ...SUBSCRIPTION_SOURCES.map((source) => `by_${source}`),
  ...BOARD_VISIBILITIES.map((visibility) => `visible_${visibility}`),
  ...MODERATIONS.map((moderation) => `approve_${moderation}`),
  ...POST_STATUSES.map((status) => `status_${status}`),
  ...POST_SORTS.map((sort) => `sort_${sort}`),
  ...POST_SOURCES.map((source) => `from_${source}`),
  // Public ideas have no view of their own.
  ...POST_STATES.filter((state) => state !== "public").map((state) => `view_${state}`),
  // The reasons why a row of ideas is refused: a code, or the field that is wrong.
  ...["post_exists", "post_not_found", "board_full", "board_not_found"].map((code) =>
    `row_${code}`
  ),
  ...["id", "title", "body", "answer", "votes"].map((field) => `row_${field}`),
];

const names = globSync("**/*.{js,css}", { cwd: FOLDER });
const { send } = createService({ studio: true, basePath: "/feedback", title: '<b>"New"</b>' });
const get = (path: string, headers = {}) => send("GET", `/feedback${path}`, { key: null, headers });

async function textsOf(language: string): Promise<Record<string, string>> {
  return (await import(`../../../studio/texts/${language}.js`)).default;
}

async function zippedBytes(name: string): Promise<number> {
  const path = `/studio${name && "/"}${name}`;
  const response = await get(path, { "accept-encoding": "gzip" });
  assertEquals(response.status, 200, name);
  return (await response.arrayBuffer()).byteLength;
}

/** Returns a script as the compiler of TypeScript prints it without comments. */
function codeOf(script: string): string {
  const parsed = ts.createSourceFile("a.js", script, ts.ScriptTarget.Latest);
  return ts.createPrinter({ removeComments: true }).printFile(parsed);
}

/** Returns a module and all modules that it imports. */
function importsOf(name: string): readonly string[] {
  const text = readFileSync(join(FOLDER, name), "utf8");
  const found = [...text.matchAll(/^import [^;]* from "([^"]+)";$/gm)];
  return [name, ...found.flatMap(([, path]) => importsOf(join(dirname(name), path)))];
}

describe("the studio", () => {
  it("names every scope of keys and every type of message, which its places offer", async () => {
    const html = await (await get("/studio")).text();
    const named = (name: string) => new RegExp(`data-${name}="([^"]*)"`).exec(html)?.[1].split(" ");
    assertEquals(named("scopes"), SCOPES.filter((scope) => scope !== "*"));
    assertEquals(named("events"), [...EVENT_TYPES]);
  });

  it("is a page without a key, which loads nothing from elsewhere and is framed by nobody", async () => {
    const response = await get("/studio");
    assertEquals([response.status, response.headers.get("content-type")], [
      200,
      "text/html; charset=utf-8",
    ]);
    const policy = response.headers.get("content-security-policy")!;
    assert(policy.startsWith("default-src 'none'; ") && !policy.includes("unsafe"), policy);
    assert(policy.includes("frame-ancestors 'none'"));
    const html = await response.text();
    // Relative addresses work behind a proxy that strips the path, too.
    assertEquals([...html.matchAll(/(?:src|href)="(?!studio\/|docs")/g)], []);
    assert(html.includes("&lt;b&gt;&quot;New&quot;&lt;/b&gt;") && !html.includes("<b>"));
    assert(!/<script[^>]*>[^<]| on\w+=| style=/.test(html), html);
  });

  it("is isolated from other pages, as the reference is", async () => {
    for (const path of ["/studio", "/docs"]) {
      const { headers } = await get(path);
      for (const name of ["cross-origin-opener-policy", "cross-origin-resource-policy"]) {
        assertEquals(headers.get(name), "same-origin", `${path} ${name}`);
      }
      assertEquals(headers.get("referrer-policy"), "no-referrer", path);
      assertEquals(headers.get("x-frame-options"), "DENY", path);
    }
  });

  it("has every file of its folder, with a strong ETag, and 304 for clients that have it", async () => {
    assert(names.length > 20);
    await forEachRow(names, async (name) => {
      const response = await get(`/studio/${name}`);
      const text = await Deno.readTextFile(join(FOLDER, name));
      const served = await response.text();
      if (name.endsWith(".js")) {
        assertEquals(codeOf(served), codeOf(text));
        assertEquals(served.split("\n").length, text.split("\n").length);
        assert(!/^ *(?:\/\/| \* )/m.test(served), "a comment is left");
      } else {
        // The colours of the brand come before the style.
        assert(served.endsWith(text));
      }
      const tag = response.headers.get("etag")!;
      assertMatch(tag, /^"[^"]+"$/);
      const again = await get(`/studio/${name}`, { "if-none-match": tag });
      assertEquals([again.status, await again.text()], [304, ""]);
    });
  });

  it("has the same texts in every language, with the same places for values", async () => {
    const english = await textsOf("en");
    await forEachRow(LANGUAGES, async (language) => {
      const texts = await textsOf(language);
      assertEquals(Object.keys(texts), Object.keys(english));
      const valuesOf = (text: string) => text.match(/\{\w+\}/g);
      for (const [key, text] of Object.entries(texts)) {
        assert(text.trim() === text && text !== "", key);
        assertEquals(valuesOf(text), valuesOf(english[key]), key);
      }
      assertEquals((await get(`/studio/texts/${language}.js`)).status, 200);
    });
  });

  it("has words for whatever the API names, in every language", async () => {
    await forEachRow(LANGUAGES, async (language) => {
      const texts = await textsOf(language);
      assertEquals(TEXTS_OF_NAMES.filter((name) => name !== "*" && !texts[name]), []);
    });
  });

  it("has no text that nothing uses", async () => {
    const scripts = names.filter((name) => name.endsWith(".js") && !name.startsWith("texts/"));
    const sources = scripts.map((name) => readFileSync(join(FOLDER, name), "utf8")).join("");
    const ofApi = new Set([...TEXTS_OF_NAMES, ...REFUSAL_CODES, ...Object.keys(PROBLEMS)]);
    const unused = Object.keys(await textsOf("en")).filter((key) => {
      const field = key.replace(/^bad_/, "");
      return !ofApi.has(key) && !new RegExp(`["']${field}["']|\\b${field}: `).test(sources);
    });
    assertEquals(unused, []);
  });

  it("starts with at most 60 KB, of which the page preloads all modules", async () => {
    const html = await (await get("/studio")).text();
    const named = html.matchAll(/<link rel="modulepreload" href="(?:[^"]*\/)?studio\/([^"]+)">/g);
    const modules = [...named].map(([, path]) => path);
    const roots = ["main.js", "sign_in.js", "places/overview.js", "places/entries.js"];
    const needed = new Set(["texts/en.js", ...roots.flatMap(importsOf)]);
    assertEquals(modules.toSorted(), [...needed].sort());
    const texts = await Promise.all(LANGUAGES.map((one) => zippedBytes(`texts/${one}.js`)));
    // The logo is also the icon, which browsers request separately.
    const scripts = modules.filter((path) => !path.startsWith("texts/"));
    const files = ["", "studio.css", "logo", "logo", ...scripts];
    const sizes = await Promise.all(files.map(zippedBytes));
    const bytes = sizes.reduce((sum, size) => sum + size, Math.max(...texts));
    assert(bytes <= MAX_BYTES, `${bytes} bytes`);
  });

  it("is compressed for those who take that, with an ETag and a 304 of its own", async () => {
    const plain = await get("/studio/main.js");
    const zipped = await get("/studio/main.js", { "accept-encoding": "gzip, br" });
    assertEquals(zipped.headers.get("content-encoding"), "gzip");
    assertEquals(zipped.headers.get("vary"), "Accept-Encoding");
    const text = zipped.body!.pipeThrough(new DecompressionStream("gzip"));
    assertEquals(await new Response(text).text(), await plain.text());
    const tag = zipped.headers.get("etag")!;
    assert(tag !== plain.headers.get("etag"));
    const known = { "accept-encoding": "gzip", "if-none-match": tag };
    assertEquals((await get("/studio/main.js", known)).status, 304);
    const refused = await get("/studio/main.js", { "accept-encoding": "gzip;q=0" });
    assertEquals(refused.headers.get("content-encoding"), null);
    await refused.body?.cancel();
  });

  it("is not there unless the handler is told to have it", async () => {
    const without = createService();
    for (const path of ["/studio", "/studio/main.js"]) {
      await assertProblem(await without.send("GET", path), 404, "not_found");
    }
    await assertProblem(await get("/studio/none.js"), 404, "not_found");
    await assertProblem(await get("/studio/"), 404, "not_found");
  });
});
