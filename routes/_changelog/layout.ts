import { sha256 } from "../../model/sha256.ts";
import { type Html, markup } from "../_html.ts";
import { addressOf, FEED_TYPES, type PublicSite } from "./site.ts";
import { CHANGELOG_STYLE } from "./style.ts";

export interface Head {
  readonly title: string;
  /** How its content begins, for previews. */
  readonly description?: string;
  /** The address of the page; absent where none should be remembered. */
  readonly canonical?: string;
  readonly type: "website" | "article";
}

/** Renders a page for people around its content. */
export function renderPage(site: PublicSite, head: Head, content: Html): string {
  const { title, description, canonical, type } = head;
  const isNarrow = type === "article" || canonical === undefined;
  const [atom, json] = [addressOf(site, ".atom"), addressOf(site, ".json")];
  const about = canonical === undefined ? markup`<meta name="robots" content="noindex">` : markup`
<link rel="canonical" href="${canonical}">
<meta property="og:url" content="${canonical}">
<meta name="description" content="${description}">
<meta property="og:description" content="${description}">`;
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>${about}
<meta property="og:type" content="${type}">
<meta property="og:title" content="${title}">
<meta property="og:site_name" content="${site.title}">
<link rel="alternate" type="${FEED_TYPES.atom}" title="${site.title}" href="${atom}">
<link rel="alternate" type="${FEED_TYPES.json}" title="${site.title}" href="${json}">
<style>${{ html: CHANGELOG_STYLE }}</style>
</head>
<body class="${isNarrow ? "narrow" : "wide"}">
<header class="top">
<h1 class="name" dir="auto"><a href="${addressOf(site)}">${site.title}</a></h1>
<p class="feeds">Follow by feed: <a href="${atom}">Atom</a> or <a href="${json}">JSON</a></p>
</header>
<main>${content}
</main>
</body>
</html>
`.html;
}

/**
 * Returns the headers of public pages, which run nothing, load images alone and are framed by nobody;
 * `formAction` is the source that their forms may be sent to.
 */
export async function createPageHeaders(
  formAction: string = "'none'",
): Promise<Readonly<Record<string, string>>> {
  return {
    "Content-Security-Policy": [
      "default-src 'none'",
      `style-src 'sha256-${await sha256(CHANGELOG_STYLE)}'`,
      "img-src http: https:",
      "base-uri 'none'",
      `form-action ${formAction}`,
      "frame-ancestors 'none'",
    ].join("; "),
    "Referrer-Policy": "strict-origin-when-cross-origin",
  };
}
