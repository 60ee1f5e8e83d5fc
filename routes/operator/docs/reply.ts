import { sha256 } from "../../../model/crypto/sha256.ts";
import type { OpenApi } from "../openapi/types.ts";
import { ISOLATION, type Reply } from "../../_http/reply.ts";
import { escapeHtml } from "../../../std.ts";
import { BASE_URL_SLOT } from "./operation.ts";
import { renderDocsPage } from "./page.ts";
import { DOCS_SCRIPT } from "./script.ts";
import { DOCS_STYLE } from "./style.ts";

const AUTHORITY = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,253})|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;
const UNKNOWN_HOST = "localhost:8000";

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

/**
 * Returns the headers of the page, which runs one script, loads nothing and is framed by nobody.
 */
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
    ...ISOLATION,
  };
}

/**
 * Returns the URL under which a reader reaches this server: the host that their request names, the
 * scheme that `X-Forwarded-Proto` or the request tells, and the base path.  A client may send any
 * of them. The response goes back to that client alone and is not cached; what does not look like a
 * host is not used at all.
 */
export function readBaseUrl(
  request: Pick<Request, "url" | "headers">,
  basePath: string,
): string {
  const [, scheme = "", authority = ""] = /^(https?):\/\/([^/?#]*)/.exec(request.url) ?? [];
  // Some frameworks build the URL from the address that they listen on.
  const named = [request.headers.get("host") ?? "", authority];
  const host = named.find((text) => AUTHORITY.test(text)) ?? UNKNOWN_HOST;
  const forwarded = request.headers.get("x-forwarded-proto")?.split(",", 1)[0].trim().toLowerCase();
  const isHttps = forwarded === "https" || (forwarded !== "http" && scheme === "https");
  return `${isHttps ? "https" : "http"}://${host}${basePath}`;
}
