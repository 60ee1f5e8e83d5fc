import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createHash } from "node:crypto";
import { REFUSAL_CODES } from "../model/refusal.ts";
import { readBaseUrl } from "../routes/_docs/base_url.ts";
import { renderDocsPage } from "../routes/_docs/page.ts";
import { escapeHtml, markup, separate } from "../routes/_html.ts";
import { renderMarkdown } from "../routes/_docs/markdown.ts";
import { listEndpoints } from "../routes/_docs/operation.ts";
import type { ResponseObject } from "../routes/_openapi/types.ts";
import { createTestHandler, readApi } from "./_openapi.ts";

const HOSTILE = `"><script>alert(1)</script>'&\u0000<!--`;
const ESCAPED = "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;&amp;\u0000&lt;!--";

function getDocs(): Promise<Response> {
  return createTestHandler()(new Request("http://localhost/docs"));
}

describe("The reference page", () => {
  it("is HTML", async () => {
    const response = await getDocs();
    assertEquals(response.status, 200);
    assertEquals(response.headers.get("content-type"), "text/html; charset=utf-8");
    assertEquals((await response.text()).slice(0, 15), "<!DOCTYPE html>");
  });

  it("shows every operation, problem code and object of the description", async () => {
    const api = await readApi(createTestHandler());
    const page = await (await getDocs()).text();
    const objects = Object.entries(api.components.schemas)
      .filter(([, schema]) => schema.properties !== undefined);
    const ids = [
      ...listEndpoints(api).map(({ operation }) => operation.operationId),
      ...Object.keys(api.components.examples),
      ...objects.map(([name]) => name),
    ];
    assertEquals(ids.filter((id) => !page.includes(` id="${id}"`)), []);
  });

  it("names what a refused field is told, and the rules of fields that may be left out", async () => {
    const page = await (await getDocs()).text();
    for (const code of REFUSAL_CODES) assertStringIncludes(page, `<code>${code}</code>`);
    const [createBoard] = /id="createBoard"[^]*?<\/section>/.exec(page) ?? [];
    assertStringIncludes(`${createBoard}`, "matches <code>^[A-Za-z0-9]");
  });

  it("has every sample read the content of its answer, which else keeps Node from ending", async () => {
    const api = await readApi(createTestHandler());
    const page = await (await getDocs()).text();
    for (const { operation } of listEndpoints(api)) {
      const { summary, responses } = operation;
      const [response] = Object.values(responses) as ResponseObject[];
      const [, code = ""] = page.split(
        `<figcaption>${escapeHtml(summary)} · JavaScript</figcaption>`,
      );
      const [sample] = code.split("</figure>");
      assertEquals(
        /await response\.(?:json|text)\(\)/.test(sample),
        response.content !== undefined,
      );
    }
  });

  it("gives each anchor to one element and leads to no other", async () => {
    const page = await (await getDocs()).text();
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    const targets = [...page.matchAll(/ href="#([^"]*)"/g)].map(([, id]) => id);
    assertEquals(ids.length, new Set(ids).size);
    assertEquals(targets.filter((id) => !ids.includes(id)), []);
  });

  it("runs nothing and loads nothing", async () => {
    const page = await (await getDocs()).text();
    assertEquals(
      page.match(/<(?:script|iframe|object|embed|img|form)|\ssrc=|\son\w+=|@import|url\(/gi),
      null,
    );
    assertEquals(
      [...page.matchAll(/<link [^>]*href="([^":]*:)/g)].map(([, scheme]) => scheme),
      ["data:"],
    );
  });

  it("allows no style but its own and no script", async () => {
    const response = await getDocs();
    const style = /<style>([^]*?)<\/style>/.exec(await response.text())?.[1] ?? "";
    const hash = createHash("sha256").update(style).digest("base64");
    assertEquals(
      response.headers.get("content-security-policy"),
      `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; ` +
        "form-action 'none'; frame-ancestors 'none'",
    );
  });

  it("comes with the security headers of a page", async () => {
    const { headers } = await getDocs();
    assertEquals(headers.get("x-frame-options"), "DENY");
    assertEquals(headers.get("referrer-policy"), "no-referrer");
    assertEquals(headers.get("x-content-type-options"), "nosniff");
    assertEquals(headers.get("cross-origin-opener-policy"), "same-origin");
    assertEquals(headers.get("cross-origin-resource-policy"), "same-origin");
    assertStringIncludes(headers.get("permissions-policy") ?? "", "camera=()");
    assertEquals(headers.get("cache-control"), "no-store");
  });

  it("shows the base URL of each reader", async () => {
    const handler = createTestHandler({ basePath: "/feedback" });
    for (const host of ["boards.example.com", "[::1]:8080"]) {
      const page = await (await handler(new Request(`http://${host}/feedback/docs`))).text();
      assertStringIncludes(page, `http://${host}/feedback/api/v1/changelogs/subscribe`);
      assert(!page.includes("{base_url}"));
    }
  });

  it("escapes whatever the description says", async () => {
    const api = await readApi(createTestHandler());
    const page = renderDocsPage(replaceTexts(api) as typeof api);
    assert(!page.includes("<script"));
    assertStringIncludes(page, ESCAPED);
  });
});

describe("The base URL of a reader", () => {
  const read = (url: string, headers: Readonly<Record<string, string>> = {}) =>
    readBaseUrl({ url, headers: new Headers(headers) }, "/x");

  it("has the host of the request", () => {
    assertEquals(read("http://boards.example.com:81/x/docs"), "http://boards.example.com:81/x");
  });

  it("has the host of the header where a framework made the URL of its own", () => {
    const url = "http://localhost:3000/x/docs";
    assertEquals(read(url, { Host: "boards.example.com" }), "http://boards.example.com/x");
    assertEquals(read(url, { Host: "a'b" }), "http://localhost:3000/x");
  });

  it("is https when a proxy took the request over TLS", () => {
    const url = "http://boards.example.com/x/docs";
    assertEquals(read(url, { "X-Forwarded-Proto": "https" }), "https://boards.example.com/x");
    assertEquals(read(url, { "X-Forwarded-Proto": "HTTPS" }), "https://boards.example.com/x");
    assertEquals(read(url, { "X-Forwarded-Proto": "https, http" }), "https://boards.example.com/x");
  });

  it("is http when a proxy says that it took the request so", () => {
    const url = "https://boards.example.com/x/docs";
    assertEquals(read(url, { "X-Forwarded-Proto": "http" }), "http://boards.example.com/x");
  });

  it("keeps its scheme when a proxy names an unknown one", () => {
    const url = "http://boards.example.com/x/docs";
    assertEquals(read(url, { "X-Forwarded-Proto": "javascript" }), "http://boards.example.com/x");
  });

  for (const host of [HOSTILE, "a'b", "user@host", "a b", "", "a:b", "$(id)", "`id`", "a\\b"]) {
    it(`does not repeat the host ${JSON.stringify(host)}`, () => {
      assertEquals(read(`http://${host}/x/docs`), "http://localhost:8000/x");
    });
  }
});

describe("markup", () => {
  it("escapes text in content and in attributes", () => {
    assertEquals(
      markup`<a title="${HOSTILE}">${HOSTILE}</a>`.html,
      `<a title="${ESCAPED}">${ESCAPED}</a>`,
    );
    assertEquals(escapeHtml(HOSTILE), ESCAPED);
  });

  it("keeps markup, joins lists and leaves out what is absent", () => {
    const items = [markup`<b>${"<"}</b>`, "<", 1];
    assertEquals(markup`${separate(", ", items)}${undefined}`.html, "<b>&lt;</b>, &lt;, 1");
  });
});

describe("renderMarkdown", () => {
  it("renders headings, paragraphs, lists and code", () => {
    const [intro, section] = renderMarkdown("One `a<b`.\n\n## Two\n\n- three\n- four\n\nFive");
    assertEquals(intro, { title: "", content: { html: "<p>One <code>a&lt;b</code>.</p>" } });
    assertEquals(section.title, "Two");
    assertEquals(section.content.html, "<ul><li>three</li><li>four</li></ul><p>Five</p>");
  });

  it("escapes hostile text", () => {
    const [{ content }] = renderMarkdown(`${HOSTILE}\n\n- ${HOSTILE}\n\n\`${HOSTILE}\``);
    assertEquals(
      content.html,
      `<p>${ESCAPED}</p><ul><li>${ESCAPED}</li></ul><p><code>${ESCAPED}</code></p>`,
    );
  });
});

/** Puts hostile text in front of each text that is shown. */
function replaceTexts(value: unknown): unknown {
  const shown = ["description", "summary", "title", "version", "example", "pattern", "default"];
  return JSON.parse(
    JSON.stringify(
      value,
      (name, inner) => shown.includes(name) && typeof inner === "string" ? HOSTILE + inner : inner,
    ),
  );
}
