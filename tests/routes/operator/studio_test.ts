import { assert, assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { globSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LANGUAGES } from "../../../model/locales/language.ts";
import { forEachRow } from "../../_support/rows.ts";
import { assertProblem, createService } from "../../_support/service.ts";

const FOLDER = fileURLToPath(new URL("../../../studio", import.meta.url));
const MAX_BYTES = 60 * 1024;

const names = globSync("**/*.{js,css}", { cwd: FOLDER });
const { send } = createService({ studio: true, basePath: "/feedback", title: '<b>"New"</b>' });
const get = (path: string, headers = {}) => send("GET", `/feedback${path}`, { key: null, headers });

async function textsOf(language: string): Promise<Record<string, string>> {
  return (await import(`../../../studio/texts/${language}.js`)).default;
}

async function gzippedBytes(text: string): Promise<number> {
  const zipped = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(zipped).arrayBuffer()).byteLength;
}

describe("the studio", () => {
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
    assertEquals([...html.matchAll(/(?:src|href)="(?!\/feedback\/)/g)], []);
    assert(html.includes("&lt;b&gt;&quot;New&quot;&lt;/b&gt;") && !html.includes("<b>"));
    assert(!/<script[^>]*>[^<]| on\w+=| style=/.test(html), html);
  });

  it("has every file of its folder as it is, with a strong ETag, and 304 for who has it", async () => {
    assert(names.length > 20);
    await forEachRow(names, async (name) => {
      const response = await get(`/studio/${name}`);
      assertEquals(await response.text(), await Deno.readTextFile(join(FOLDER, name)));
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

  it("weighs at most 60 KB with everything that is loaded in one language", async () => {
    const paths = names.filter((name) => !name.startsWith("texts/"));
    const loaded = [
      "",
      "/palette.css",
      "/preview.css",
      "/logo",
      ...paths.map((name) => `/${name}`),
    ];
    const weigh = async (path: string) => await gzippedBytes(await (await get(path)).text());
    const sizes = await Promise.all(loaded.map((path) => weigh(`/studio${path}`)));
    const texts = names.filter((name) => name.startsWith("texts/"));
    const largest = Math.max(...await Promise.all(texts.map((name) => weigh(`/studio/${name}`))));
    const bytes = sizes.reduce((sum, size) => sum + size, largest);
    assert(bytes <= MAX_BYTES, `${bytes} bytes`);
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
