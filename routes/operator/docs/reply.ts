import { sha256 } from "../../../model/crypto/encoding.ts";
import type { Brand } from "../../../model/brand.ts";
import type { OpenApi } from "../openapi/types.ts";
import { ISOLATION } from "../../_http/reply.ts";
import { type FileServer, serveCompressed } from "../../_http/served_file.ts";
import { createLruCache } from "../../../model/lru_cache.ts";
import { escapeHtml } from "../../../std.ts";
import { BASE_URL_SLOT } from "./operation.ts";
import { renderDocsPage } from "./page.ts";
import { DOCS_SCRIPT } from "./script.ts";
import { docsStyleOf } from "./style.ts";

const AUTHORITY = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,253})|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;
// A server has few addresses, and a client may name any number of others.
const MAX_URLS = 4;
const UNKNOWN_HOST = "localhost:8000";

/** Replies with the page; its examples have the URL under which the reader found it. */
export type DocsPage = (request: Request, basePath: string) => ReturnType<FileServer>;

/** Creates the reply of the reference page, which is rendered once for all readers. */
export async function createDocsPage(
  description: OpenApi,
  brand: Pick<Brand, "accent">,
): Promise<DocsPage> {
  const style = docsStyleOf(brand);
  const page = renderDocsPage(description, { style, color: brand.accent.light.color });
  const headers = await pageHeaders(style);
  const servers = createLruCache<FileServer>(MAX_URLS);
  return (request, basePath) => {
    const baseUrl = readBaseUrl(request, basePath);
    let serve = servers.get(baseUrl);
    if (serve === undefined) {
      const shown = escapeHtml(baseUrl);
      const body = page.replaceAll(BASE_URL_SLOT, () => shown);
      serve = serveCompressed({ body, contentType: "text/html; charset=utf-8", headers });
      servers.set(baseUrl, serve);
    }
    return serve(request);
  };
}

/** Returns the headers of the page, which runs one script, loads nothing and can't be framed. */
async function pageHeaders(style: string): Promise<Readonly<Record<string, string>>> {
  return {
    "Content-Security-Policy": [
      "default-src 'none'",
      `script-src 'sha256-${await sha256(DOCS_SCRIPT)}'`,
      `style-src 'sha256-${await sha256(style)}'`,
      "img-src data:",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    "Cache-Control": "no-store",
    ...ISOLATION,
  };
}

/**
 * Returns the URL under which a reader reaches this server: the host of the request, the scheme of
 * `X-Forwarded-Proto` or of the request, and the base path. A client may send any values, but only
 * that client gets the response, which is not cached; an invalid host is ignored.
 */
export function readBaseUrl(
  request: Pick<Request, "url" | "headers">,
  basePath: string,
): string {
  const [, scheme = "", authority = ""] = /^(https?):\/\/([^/?#]*)/.exec(request.url) ?? [];
  // Some frameworks build the URL of a request from the address on which they listen.
  const named = [request.headers.get("host") ?? "", authority];
  const host = named.find((text) => AUTHORITY.test(text)) ?? UNKNOWN_HOST;
  const forwarded = request.headers.get("x-forwarded-proto")?.split(",", 1)[0].trim().toLowerCase();
  const isHttps = forwarded === "https" || (forwarded !== "http" && scheme === "https");
  return `${isHttps ? "https" : "http"}://${host}${basePath}`;
}
