import { sha256 } from "../model/sha256.ts";
import { readBaseUrl } from "./_docs/base_url.ts";
import { BASE_URL_SLOT } from "./_docs/operation.ts";
import { renderDocsPage } from "./_docs/page.ts";
import { DOCS_STYLE } from "./_docs/style.ts";
import { escapeHtml } from "./_docs/html.ts";
import type { OpenApi } from "./_openapi/types.ts";
import { type Operation, operation } from "./_operation.ts";

/** Creates the operation that answers with the reference page of the API. */
export function docsOperation(describe: () => OpenApi): Operation {
  let page: string | undefined;
  let headers: Readonly<Record<string, string>> | undefined;
  return operation({
    method: "GET",
    path: "/docs",
    operationId: "getDocs",
    summary: "Describe the API to people",
    description: "Returns a reference page in HTML.",
    tag: "Reference",
    successes: [
      { status: 200, description: "The page.", schema: "Page", contentType: "text/html" },
    ],
    async run({ request, basePath }) {
      page ??= renderDocsPage(describe());
      headers ??= await pageHeaders(DOCS_STYLE);
      const baseUrl = escapeHtml(readBaseUrl(request, basePath));
      const body = page.replaceAll(BASE_URL_SLOT, () => baseUrl);
      return { status: 200, contentType: "text/html; charset=utf-8", body, headers };
    },
  });
}

/** Returns the headers of a page that runs nothing, loads nothing and is framed by nobody. */
async function pageHeaders(style: string): Promise<Readonly<Record<string, string>>> {
  return {
    "Content-Security-Policy": [
      "default-src 'none'",
      `style-src 'sha256-${await sha256(style)}'`,
      "img-src data:",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
  };
}
