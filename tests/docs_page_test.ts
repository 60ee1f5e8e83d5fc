import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createHash } from "node:crypto";
import metadata from "../deno.json" with { type: "json" };
import { REFUSAL_CODES } from "../model/refusal.ts";
import { readBaseUrl } from "../routes/_docs/base_url.ts";
import { renderMarkdown } from "../routes/_docs/markdown.ts";
import { listEndpoints } from "../routes/_docs/operation.ts";
import { renderDocsPage } from "../routes/_docs/page.ts";
import { escapeHtml, markup, separate } from "../routes/_html.ts";
import type { ResponseObject } from "../routes/_openapi/types.ts";
import { createTestHandler, readApi } from "./_openapi.ts";
import { forEachRow } from "./_rows.ts";

const HOSTILE = `"><script>alert(1)</script>'&\u0000<!--`;
const ESCAPED = "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;&amp;\u0000&lt;!--";

const api = await readApi(createTestHandler());
const response = await createTestHandler()(new Request("http://localhost/docs"));
const page = await response.text();

describe("the reference page", () => {
  it("shows every operation, problem code, object and reason of a refusal", () => {
    const objects = Object.entries(api.components.schemas)
      .filter(([, schema]) => schema.properties !== undefined);
    const ids = [
      ...listEndpoints(api).map(({ operation }) => operation.operationId),
      ...Object.keys(api.components.examples),
      ...objects.map(([name]) => name),
    ];
    assertEquals(ids.filter((id) => !page.includes(` id="${id}"`)), []);
    for (const code of REFUSAL_CODES) assertStringIncludes(page, `<code>${code}</code>`);
    const [createBoard] = /id="createBoard"[^]*?<\/section>/.exec(page) ?? [];
    assertStringIncludes(`${createBoard}`, "matches <code>^[A-Za-z0-9]");
  });

  it("has every sample read the content of its response, which else keeps Node from ending", async () => {
    await forEachRow(listEndpoints(api), ({ operation: { summary, responses } }) => {
      const [{ content }] = Object.values(responses) as ResponseObject[];
      const caption = `<figcaption>${escapeHtml(summary)} · JavaScript</figcaption>`;
      const [sample] = (page.split(caption)[1] ?? "").split("</figure>");
      assertEquals(/await response\.(?:json|text)\(\)/.test(sample), content !== undefined);
    });
  });

  it("gives each anchor to one element and leads to no other", () => {
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    const targets = [...page.matchAll(/ href="#([^"]*)"/g)].map(([, id]) => id);
    assertEquals(ids.length, new Set(ids).size);
    assertEquals(targets.filter((id) => !ids.includes(id)), []);
  });

  it("shows the two documented calls first, and operations from create to delete", () => {
    const ids = [...page.matchAll(/<article id="(\w+)"/g)].map(([, id]) => id);
    const boards = [
      "getBoard",
      "putSubscription",
      "createBoard",
      "listBoards",
      "updateBoard",
      "deleteBoard",
    ];
    assertEquals(ids.slice(0, 6), boards);
    const sections = [...page.matchAll(/<section id="([^"]+)"/g)].map(([, id]) => id);
    assertEquals(sections.slice(0, 3), ["first-calls", "operations", "boards"]);
    assertEquals(sections.slice(-3), ["problems", "limits", "clients"]);
    for (
      const [id, code] of [["getBoard", "board_not_found"], [
        "putSubscription",
        "validation_failed",
      ]]
    ) {
      const [article = ""] = new RegExp(`<article id="${id}"[^]*?</article>`).exec(page) ?? [];
      for (const caption of [/curl/, /Response 200/, new RegExp(`Response 4\\d\\d · ${code}`)]) {
        assertMatch(article, caption);
      }
      assertStringIncludes(article, escapeHtml(`"code": "${code}",`));
    }
  });

  it("shows the version of the package", () => {
    assertEquals(api.info.version, metadata.version);
    assertEquals(page.split(`<dd>${metadata.version}</dd>`).length, 2);
  });

  it("runs and styles nothing but its own, and loads nothing", () => {
    assertEquals(page.slice(0, 15), "<!DOCTYPE html>");
    const active = /<(?:script(?!>)|iframe|object|embed|img|form)|\ssrc=|\son\w+=|@import|url\(/gi;
    assertEquals(page.match(active), null);
    const links = [...page.matchAll(/<link [^>]*href="([^":]*:)/g)].map(([, scheme]) => scheme);
    assertEquals(links, ["data:"]);
    const hashOf = (element: string) => {
      const parts = page.split(new RegExp(`</?${element}>`));
      assertEquals(parts.length, 3);
      return `'sha256-${createHash("sha256").update(parts[1]).digest("base64")}'`;
    };
    const expected: Readonly<Record<string, string>> = {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": `default-src 'none'; script-src ${hashOf("script")}; ` +
        `style-src ${hashOf("style")}; ` +
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "permissions-policy": "camera=(), geolocation=(), microphone=()",
      "cache-control": "no-store",
    };
    const sent = Object.keys(expected).map((name) => [name, response.headers.get(name)]);
    assertEquals(Object.fromEntries(sent), expected);
  });

  it("shows the base URL of each reader", async () => {
    const handler = createTestHandler({ basePath: "/feedback" });
    await forEachRow(["boards.example.com", "[::1]:8080"], async (host) => {
      const text = await (await handler(new Request(`http://${host}/feedback/docs`))).text();
      assertStringIncludes(text, `http://${host}/feedback/api/v1/changelogs/subscribe`);
      assert(!text.includes("{base_url}"));
    });
  });

  it("escapes whatever the description says", () => {
    const shown = ["description", "summary", "title", "version", "example", "pattern", "default"];
    const hostile: typeof api = JSON.parse(
      JSON.stringify(
        api,
        (name, value) =>
          shown.includes(name) && typeof value === "string" ? HOSTILE + value : value,
      ),
    );
    const rendered = renderDocsPage(hostile);
    assertEquals(rendered.match(/<script/g), ["<script"]);
    assertStringIncludes(rendered, ESCAPED);
  });
});

describe("the base URL of a reader", () => {
  it("has the host that was asked for, and the scheme that a proxy tells", async () => {
    const http = "http://boards.example.com/x/docs";
    const https = "https://boards.example.com/x/docs";
    const own = "http://localhost:3000/x/docs";
    const proto = (value: string) => ({ "X-Forwarded-Proto": value });
    await forEachRow([
      ["http://boards.example.com:81/x/docs", {}, "http://boards.example.com:81/x"],
      // A framework made the URL of its own.
      [own, { Host: "boards.example.com" }, "http://boards.example.com/x"],
      [own, { Host: "a'b" }, "http://localhost:3000/x"],
      ...["https", "HTTPS", "https, http"]
        .map((value) => [http, proto(value), "https://boards.example.com/x"] as const),
      [https, proto("http"), "http://boards.example.com/x"],
      [http, proto("javascript"), "http://boards.example.com/x"],
      ...[HOSTILE, "a'b", "user@host", "a b", "", "a:b", "$(id)", "`id`", "a\\b"]
        .map((host) => [`http://${host}/x/docs`, {}, "http://localhost:8000/x"] as const),
    ], ([url, headers, expected]) => {
      assertEquals(readBaseUrl({ url, headers: new Headers(headers) }, "/x"), expected);
    });
  });
});

describe("markup", () => {
  it("escapes text in content and in attributes, keeps markup, joins lists", () => {
    const { html } = markup`<a title="${HOSTILE}">${HOSTILE}</a>`;
    assertEquals(html, `<a title="${ESCAPED}">${ESCAPED}</a>`);
    const items = [markup`<b>${"<"}</b>`, "<", 1];
    assertEquals(markup`${separate(", ", items)}${undefined}`.html, "<b>&lt;</b>, &lt;, 1");
  });

  it("is made of headings, paragraphs, lists and code of the description", () => {
    const [intro, section] = renderMarkdown("One `a<b`.\n\n## Two\n\n- three\n- four\n\nFive");
    assertEquals(intro, { title: "", content: { html: "<p>One <code>a&lt;b</code>.</p>" } });
    assertEquals(section.title, "Two");
    assertEquals(section.content.html, "<ul><li>three</li><li>four</li></ul><p>Five</p>");
    const [{ content }] = renderMarkdown(`${HOSTILE}\n\n- ${HOSTILE}\n\n\`${HOSTILE}\``);
    const list = `<ul><li>${ESCAPED}</li></ul>`;
    assertEquals(content.html, `<p>${ESCAPED}</p>${list}<p><code>${ESCAPED}</code></p>`);
  });
});
