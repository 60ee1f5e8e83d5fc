import { sha256 } from "../../model/sha256.ts";
import type { OpenApi } from "../_openapi/types.ts";
import type { Reply } from "../_reply.ts";
import { readBaseUrl } from "./base_url.ts";
import { escapeHtml } from "../_html.ts";
import { BASE_URL_SLOT } from "./operation.ts";
import { renderDocsPage } from "./page.ts";
import { DOCS_SCRIPT } from "./script.ts";
import { DOCS_STYLE } from "./style.ts";

/** Responds with the page, its examples written for where the reader found it. */
export type DocsPage = (request: Request, basePath: string) => Reply;

/** Renders the reference page of a description, once for all readers. */
export async function createDocsPage(description: OpenApi): Promise<DocsPage> {
  const page = renderDocsPage(description);
  const headers = await pageHeaders();
  return (request, basePath) => {
    const baseUrl = escapeHtml(readBaseUrl(request, basePath));
    const body = page.replaceAll(BASE_URL_SLOT, () => baseUrl);
    return { status: 200, contentType: "text/html; charset=utf-8", body, headers };
  };
}

/** Returns the headers of the page, which runs one script, loads nothing and is framed by nobody. */
async function pageHeaders(): Promise<Readonly<Record<string, string>>> {
  return {
    "Content-Security-Policy": [
      "default-src 'none'",
      `script-src 'sha256-${await sha256(DOCS_SCRIPT)}'`,
      `style-src 'sha256-${await sha256(DOCS_STYLE)}'`,
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
