import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createHash } from "node:crypto";
import metadata from "../../../deno.json" with { type: "json" };
import { REFUSAL_CODES } from "../../../model/values/refusal.ts";
import { readBaseUrl } from "../../../routes/operator/docs/reply.ts";
import { api, createDescribed, DESCRIBED } from "../../_support/openapi.ts";
import { forEachRow } from "../../_support/rows.ts";

const HOSTILE = `"><script>alert(1)</script>'&\u0000<!--`;

const response = await createDescribed().send("GET", "/docs", { key: null });
const page = await response.text();

describe("the reference page", () => {
  it("shows the version, every operation, problem, object and reason of a refusal", () => {
    const { schemas, examples } = api.components;
    const ids = [
      ...DESCRIBED.map(({ operation }) => operation.operationId),
      ...Object.keys(examples),
      ...Object.keys(schemas).filter((name) => schemas[name].properties !== undefined),
    ];
    assertEquals(ids.filter((id) => !page.includes(` id="${id}"`)), []);
    assertEquals(REFUSAL_CODES.filter((code) => !page.includes(`<code>${code}</code>`)), []);
    assertEquals(api.info.version, metadata.version);
    assertStringIncludes(page, `<dd>${metadata.version}</dd>`);
  });

  it("gives each anchor to one element and leads to no other", () => {
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    const targets = [...page.matchAll(/ href="#([^"]*)"/g)].map(([, id]) => id);
    assertEquals(ids.length, new Set(ids).size);
    assertEquals(targets.filter((id) => !ids.includes(id)), []);
  });

  it("shows the fields of objects within objects, and of those in lists", () => {
    for (const name of ["worker.mailWaitingSeconds", "history[].source"]) {
      assertStringIncludes(page, `<code>${name}</code>`);
    }
  });

  it("leads from an import to what the lines of its report have", () => {
    const [, article] = page.split('<article id="importSubscribers"');
    assertStringIncludes(article.split("</article>")[0], '<a href="#RefusedRow">');
  });

  it("shows the two documented calls first, each with an answer and a problem", () => {
    const articles = [...page.matchAll(/<article id="(\w+)"[^]*?<\/article>/g)];
    assertEquals(articles.slice(0, 2).map(([, id]) => id), ["getBoard", "subscribe"]);
    for (const [article] of articles.slice(0, 2)) {
      for (const part of ["curl", "Response 200", "&quot;code&quot;: &quot;"]) {
        assertStringIncludes(article, part);
      }
    }
  });

  it("runs and styles nothing but its own, and loads nothing", () => {
    const active = /<(?:script(?!>)|iframe|object|embed|img|form)|\ssrc=|\son\w+=|@import|url\(/gi;
    assertEquals([page.slice(0, 15), page.match(active)], ["<!DOCTYPE html>", null]);
    const hashOf = (element: string) => {
      const [, text] = page.split(new RegExp(`</?${element}>`));
      return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    };
    const own = `script-src ${hashOf("script")}; style-src ${hashOf("style")}`;
    const rest = "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    const policy = `default-src 'none'; ${own}; ${rest}`;
    assertEquals(response.headers.get("content-security-policy"), policy);
    assertEquals(response.headers.get("content-type"), "text/html; charset=utf-8");
  });

  it("is compressed for whoever takes that, and so is the description", async () => {
    const { send } = createDescribed();
    for (const path of ["/docs", "/openapi.json"]) {
      const get = (encoding: string) =>
        send("GET", path, { key: null, headers: { "accept-encoding": encoding } });
      const zipped = await get("gzip");
      assertEquals(zipped.headers.get("content-encoding"), "gzip");
      assertEquals(zipped.headers.get("vary"), "Accept-Encoding");
      const bytes = await zipped.arrayBuffer();
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
      const plain = await get("identity");
      assertEquals(plain.headers.get("content-encoding"), null);
      const text = await plain.text();
      assertEquals(await new Response(stream).text(), text);
      assert(bytes.byteLength < text.length / 4, `${bytes.byteLength} of ${text.length} bytes`);
    }
  });

  it("shows the base URL of each reader: the host asked for, the scheme that a proxy tells", async () => {
    const { handler } = createDescribed({ basePath: "/x" });
    const text = await (await handler(new Request("http://[::1]:8080/x/docs"))).text();
    assertStringIncludes(text, "http://[::1]:8080/x/api/v1/changelogs/subscribe");
    assert(!text.includes("{base_url}"));
    const url = "http://boards.example.com/x/docs";
    await forEachRow([
      // A framework has made this URL.
      ["http://localhost:3000/x/docs", { Host: "a.example" }, "http://a.example/x"],
      ["http://localhost:3000/x/docs", { Host: "a'b" }, "http://localhost:3000/x"],
      [url, { "X-Forwarded-Proto": "HTTPS, http" }, "https://boards.example.com/x"],
      [url, { "X-Forwarded-Proto": "javascript" }, "http://boards.example.com/x"],
      ...[HOSTILE, "a'b", "user@host", "", "$(id)"]
        .map((host) => [`http://${host}/x/docs`, {}, "http://localhost:8000/x"] as const),
    ], ([url, headers, expected]) => {
      assertEquals(readBaseUrl({ url, headers: new Headers(headers) }, "/x"), expected);
    });
  });
});
