import { directionOf } from "../../../model/locales/language.ts";
import { sha256 } from "../../../model/crypto/encoding.ts";
import { textsOf } from "../../../model/locales/locales.ts";
import { logoPath } from "../../../model/settings/settings.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import { addressOf, FEED_TYPES, initialOf, labelQuery, logoOf, type PublicSite } from "./site.ts";
import { SIGN_UP_ID } from "../people/mail_forms.ts";
import { styleOf } from "./style.ts";
import { readRules, type StyleRules, usedStyle } from "./used_style.ts";

/** A page without its content. */
export interface PageHead {
  /** The title before the changelog's title; absent if the page has only the latter. */
  readonly title?: string;
  /** The first words of the content, for link previews. */
  readonly description?: string;
  /** The address of the page; absent if search engines should not remember one. */
  readonly canonical?: string;
  /** Whether the page shows a list, and is therefore wide. */
  readonly isList?: boolean;
  /** Whether the changelog's title is the page's heading. */
  readonly hasTitle?: boolean;
  /** Whether the sign-up form follows the content, if people can sign up. */
  readonly hasForm?: boolean;
  /** Whether it is a page for one reader, which is below no other. */
  readonly isNote?: boolean;
  /** The person for whom the browser votes, on a page that only they see. */
  readonly who?: string | undefined;
  /** More elements for the head. */
  readonly more?: Html;
  /** The label of the linked feeds; absent for the feeds of all entries. */
  readonly label?: string | undefined;
  /** Present on pages of boards, instead of the feeds of the changelog. */
  readonly boards?: BoardsHead;
}

/** The head of a page of boards. */
export interface BoardsHead {
  /** The page that the navigation marks as current; absent below the boards. */
  readonly current?: "ideas" | "roadmap" | undefined;
  /** The Atom feed of the board. */
  readonly feed?: { readonly title: string; readonly address: string } | undefined;
}

// Sites with more settings share the colours of their brand, and with these the style.
const styles = new WeakMap<PublicSite["accent"], StyleRules>();

/** Renders a whole page around its content. */
export function renderPage(site: PublicSite, head: PageHead, content: Html): string {
  const { description, canonical, isList = false, label } = head;
  const texts = textsOf(site.language);
  const title = head.title === undefined ? site.title : `${head.title} · ${site.title}`;
  const feedTitle = feedTitleOf(site, label);
  const [atom, json] = [".atom", ".json"].map((end) => addressOf(site, end + labelQuery(label)));
  const { light, dark } = site.accent;
  const about = canonical === undefined ? markup`<meta name="robots" content="noindex">` : markup`
<link rel="canonical" href="${canonical}">
<meta name="description" content="${description}">
<meta property="og:url" content="${canonical}">
<meta property="og:title" content="${head.title ?? site.title}">
<meta property="og:description" content="${description}">
<meta property="og:site_name" content="${site.title}">`;
  const type = (media: string) => markup`media="(prefers-color-scheme: ${media})"`;
  const logo = logoOf(site);
  const { logoDark } = site;
  const darkIcon = logoDark && markup`
<link rel="icon" type="${logoDark.contentType}" href="${site.publicUrl + logoPath(logoDark)}" ${
    type("dark")
  }>`;
  const attributes = markup`lang="${site.language}" dir="${directionOf(site.language)}"`;
  const body = markup`<body class="${isList ? "wide" : "narrow"}">
<a class="skip" href="#content">${texts.skip}</a>
${renderTop(site, head)}
<main id="content" tabindex="-1">${content}
</main>${renderFooter(site, head)}
</body>`;
  const style = usedStyle(rulesOf(site), `<html ${attributes.html}>${body.html}`);
  return markup`<!doctype html>
<html ${attributes}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>${about}${head.more}
<meta name="theme-color" content="${light.color}" ${type("light")}>
<meta name="theme-color" content="${dark.color}" ${type("dark")}>
<link rel="icon" type="${logo.contentType}" href="${logo.url}">${darkIcon}
${
    head.boards === undefined
      ? markup`<link rel="alternate" type="${FEED_TYPES.atom}" title="${feedTitle}" href="${atom}">
<link rel="alternate" type="${FEED_TYPES.json}" title="${feedTitle}" href="${json}">`
      : linkFeed(head.boards.feed)
  }
<style>${{ html: style }}</style>
</head>
${body}
</html>
`.html;
}

function rulesOf(site: PublicSite): StyleRules {
  const known = styles.get(site.accent) ?? readRules(styleOf(site));
  styles.set(site.accent, known);
  return known;
}

/** Renders the head of a page: the brand and the navigation. */
export function renderTop(site: PublicSite, head: PageHead): Html {
  return markup`<header class="top">
${renderBrand(site, head.hasTitle)}${renderNavigation(site, head)}
</header>`;
}

function linkFeed(feed: BoardsHead["feed"]): Html | undefined {
  return feed &&
    markup`<link rel="alternate" type="${FEED_TYPES.atom}" title="${feed.title}" href="${feed.address}">`;
}

/** Renders the navigation, which is the same on all pages but for the current one. */
function renderNavigation(site: PublicSite, { boards, isList, hasForm, isNote }: PageHead): Html {
  const texts = textsOf(site.language);
  const current = isNote
    ? undefined
    : boards === undefined
    ? "changelog"
    : boards.current ?? "ideas";
  const isExact = boards === undefined ? isList : boards.current !== undefined;
  const link = (name: typeof current, address: string, text: string) => {
    const mark = name === current
      ? markup` aria-current="${isExact ? "page" : "true"}"`
      : undefined;
    return markup`\n<a href="${address}"${mark}>${text}</a>`;
  };
  const places = site.hasBoards || boards !== undefined
    ? markup`${link("ideas", `${site.publicUrl}/boards`, texts.ideas)}${
      link("roadmap", `${site.publicUrl}/roadmap`, texts.roadmap)
    }`
    : undefined;
  const form = hasForm ? `#${SIGN_UP_ID}` : `${site.publicUrl}/subscribe`;
  const subscribe = site.hasSignUp
    ? markup`\n<a class="button" href="${form}">${texts.subscribe}</a>`
    : undefined;
  return markup`
<nav>${link("changelog", addressOf(site), texts.changelog)}${places}${subscribe}
</nav>`;
}

/** Renders the feeds, the link to one's own page and, for a person of an app, as whom they vote. */
function renderFooter(site: PublicSite, { boards, label, who }: PageHead): Html {
  const { publicUrl, language, hasForms } = site;
  const texts = textsOf(language);
  const [atom, json] = [".atom", ".json"].map((end) => addressOf(site, end + labelQuery(label)));
  const feeds = boards === undefined
    ? markup`<a href="${atom}">Atom</a> <a href="${json}">JSON</a>`
    : boards.feed && markup`<a href="${boards.feed.address}">Atom</a>`;
  const mine = hasForms ? markup`\n<p><a href="${publicUrl}/me">${texts.mine}</a></p>` : undefined;
  const signedIn = who === undefined ? undefined : markup`
<form method="post" action="${publicUrl}/forget-browser" class="who">${
    texts.votingAs(who)
  } <button class="quiet">${texts.forgetBrowser}</button></form>`;
  return markup`
<footer class="foot">${feeds && markup`\n<p>${texts.feeds}: ${feeds}</p>`}${mine}${signedIn}
</footer>`;
}

/**
 * Renders links to the product, if its address is known, and to the changelog, unless that is the
 * page's heading.
 */
function renderBrand(site: PublicSite, hasTitle = false): Html {
  const { home, title, logo, logoDark, publicUrl } = site;
  const drawn = (alt: string) => {
    if (logo === undefined) {
      return markup`<span class="mark" aria-hidden="true">${initialOf(title)}</span>`;
    }
    const image = markup`<img src="${logoOf(site).url}" alt="${alt}" height="28">`;
    return logoDark === undefined
      ? image
      : markup`<picture><source srcset="${
        publicUrl + logoPath(logoDark)
      }" media="(prefers-color-scheme: dark)">${image}</picture>`;
  };
  const changelog = addressOf(site);
  const name = markup`<bdi>${title}</bdi>`;
  if (home === undefined) {
    return markup`<p class="brand"><a href="${changelog}">${drawn("")}${name}</a></p>`;
  }
  const { host } = new URL(home);
  const rest = hasTitle ? undefined : markup` <a href="${changelog}">${name}</a>`;
  const label = logo === undefined ? markup`<bdi>${host}</bdi>` : undefined;
  return markup`<p class="brand"><a href="${home}">${drawn(host)}${label}</a>${rest}</p>`;
}

/**
 * Returns the headers of a public page. It runs no scripts, has its own style alone, loads only
 * images, can't be framed, and sends forms only to this service.
 */
export async function pageHeaders(
  { publicUrl }: Pick<PublicSite, "publicUrl">,
  html: string,
): Promise<Readonly<Record<string, string>>> {
  // Text and attributes are escaped, so this is the page's own element.
  const style = html.slice(html.indexOf("<style>") + "<style>".length, html.indexOf("</style>"));
  return {
    "Content-Security-Policy": [
      "default-src 'none'",
      `style-src 'sha256-${await sha256(style)}'`,
      "img-src http: https:",
      "base-uri 'none'",
      `form-action 'self' ${new URL(publicUrl).origin}`,
      "frame-ancestors 'none'",
    ].join("; "),
    "Referrer-Policy": "strict-origin-when-cross-origin",
  };
}

/** Returns the headers of a page whose address is for one reader. */
export async function privateHeaders(
  site: Pick<PublicSite, "publicUrl">,
  html: string,
): Promise<Readonly<Record<string, string>>> {
  return { ...await pageHeaders(site, html), "Referrer-Policy": "no-referrer" };
}

/** Returns the title of the feeds of a label, or of all entries. */
export function feedTitleOf({ language, title }: PublicSite, label: string | undefined): string {
  return label === undefined ? title : `${textsOf(language).labelled(label)} · ${title}`;
}
