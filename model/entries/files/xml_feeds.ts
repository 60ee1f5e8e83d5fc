import { runSynchronously } from "../../turns.ts";
import { type FeedItem, idOfItem, readItems } from "./feed_item.ts";
import { addMedia, mediaOf } from "./feed_media.ts";
import { type EntryTime, findDate, readTime } from "./entry_date.ts";
import type { FileOptions, LeftOut, ReadEntry } from "./file_entry.ts";
import { visibilityOfAtomEntry, visibilityOfRssItem } from "./item_visibility.ts";
import { elementToMarkdown, htmlToMarkdown, plainToMarkdown } from "../html/html_to_markdown.ts";
import { createElement, type MarkupElement, readMarkup, textOf } from "../html/markup.ts";
import { readWordPressText } from "./wordpress_text.ts";

const NONE = createElement("");
// The time format of RFC 822, with any time zone or none.
const RSS_TIME =
  /^(?:[A-Za-z]{3,9},? +)?(\d{1,2} [A-Za-z]{3,9} \d{2,4})(?: (\d\d?:\d\d(?::\d\d)?)(?: ?([A-Z]{1,5}|[+-]\d\d:?\d\d))?)?/i;
const MAX_TITLE_LENGTH = 4_000;
const MAX_TIME_LENGTH = 200;
const DRAFT = { publishedAt: null };

type Body = Pick<FeedItem, "body" | "leftOut" | "lost" | "isTooLong">;

/**
 * Reads an Atom (RFC 4287) or RSS (2.0 or 1.0) feed, with pauses; returns `undefined` for any other
 * document.
 */
export function* readFeed(
  document: MarkupElement,
  { baseUrl }: FileOptions = {},
): Generator<void, readonly ReadEntry[] | undefined> {
  const root = document.children.find((child) => typeof child !== "string") ?? NONE;
  const atom = /^([\w.-]+:)?feed$/.exec(root.name);
  const isRss = /^(?:rss|rdf:RDF)$/i.test(root.name);
  if (atom === null && !isRss) return undefined;
  const prefix = atom?.[1] ?? "";
  const base = baseUrl ?? baseOf(root, prefix);
  const elements = atom !== null
    ? all(root, `${prefix}entry`)
    : [root, ...all(root, "channel")].flatMap((parent) => all(parent, "item"));
  return yield* readItems(
    elements,
    (element) => atom !== null ? readAtomEntry(element, prefix, base) : readRssItem(element, base),
  );
}

function* readAtomEntry(
  entry: MarkupElement,
  prefix: string,
  base: string | undefined,
): Generator<void, FeedItem | LeftOut> {
  const one = (name: string) => first(entry, `${prefix}${name}`);
  const text = (name: string) => textOf(one(name) ?? NONE).trim();
  const titleElement = one("title") ?? NONE;
  const title = plainTitle(textOf(titleElement), titleElement.attributes.get("type") === "html");
  const visibility = visibilityOfAtomEntry(entry);
  if (visibility !== "public" && visibility !== "draft") return { leftOut: visibility, title };
  const link = all(entry, `${prefix}link`).flatMap(({ attributes }) =>
    (attributes.get("rel") ?? "alternate") === "alternate" ? attributes.get("href") || [] : []
  ).at(0);
  const own = entry.attributes.get("xml:base") ?? "";
  const url = urlOf(entry, link, URL.canParse(own) ? own : base);
  const id = text("id");
  const content = yield* readText(one("content") ?? one("summary"), url ?? base);
  return {
    id,
    entryId: idOfItem({ id, url: url ?? "" }),
    title,
    ...content,
    ...addMedia(content, mediaOf(entry), url ?? base),
    labels: all(entry, `${prefix}category`).map(({ attributes }) => attributes.get("term") ?? ""),
    url,
    ...visibility === "draft" ? DRAFT : readTime(text("published") || text("updated")),
  };
}

/**
 * Returns the base of a feed's relative addresses: the one that the feed declares, or else its own.
 */
function baseOf(root: MarkupElement, prefix: string): string | undefined {
  const { attributes } = root;
  const about = [root, ...all(root, "channel")].flatMap((parent) => [
    ...all(parent, `${prefix}link`).map((link) =>
      link.attributes.get("href") ?? textOf(link).trim()
    ),
    ...all(parent, "atom:link").map((link) => link.attributes.get("href") ?? ""),
  ]);
  return [attributes.get("xml:base") ?? "", ...about].find((url) => /^https?:/i.test(url));
}

/** Returns the address of an item, even if the feed's link goes through a click counter. */
function urlOf(
  item: MarkupElement,
  link: string | undefined,
  base: string | undefined,
): string | undefined {
  const original = item.children.find((child) =>
    typeof child !== "string" && child.name.endsWith(":origLink")
  );
  const href = typeof original === "object" ? textOf(original).trim() : link;
  return href && URL.canParse(href, base) ? new URL(href, base).href : href || undefined;
}

/** Reads a text construct of Atom or RSS: plain text, HTML as text, or XHTML. */
function* readText(
  element: MarkupElement | undefined,
  base: string | undefined,
): Generator<void, Body> {
  if (element === undefined) return { body: "" };
  const source = element.attributes.get("src");
  if (source !== undefined) return { body: "", leftOut: [`the content at ${source}`] };
  const type = element.attributes.get("type") ?? "text";
  if (type === "text/markdown") return { body: textOf(element).trim() };
  if (type === "text" || type === "text/plain") {
    return yield* plainToMarkdown(textOf(element));
  }
  const options = { base: element.attributes.get("xml:base") ?? base };
  return yield* type === "xhtml"
    ? elementToMarkdown(element, options)
    : htmlToMarkdown(textOf(element), options);
}

function* readRssItem(
  item: MarkupElement,
  base: string | undefined,
): Generator<void, FeedItem | LeftOut> {
  const text = (name: string) => textOf(first(item, name) ?? NONE).trim();
  const title = plainTitle(text("title"), true);
  const visibility = visibilityOfRssItem(item);
  if (visibility !== "public" && visibility !== "draft") return { leftOut: visibility, title };
  const guid = text("guid");
  const url = urlOf(item, text("link") || (/^https?:/i.test(guid) ? guid : undefined), base) ?? "";
  const content = yield* readRssText(item, url || base);
  return {
    id: guid || url || title,
    entryId: idOfItem({ id: guid, url }),
    title,
    ...content,
    ...addMedia(content, mediaOf(item), url || base),
    labels: all(item, "category").flatMap((one) =>
      one.attributes.get("domain") === "post_format" ? [] : textOf(one).trim()
    ),
    url,
    ...visibility === "draft"
      ? DRAFT
      : readRssTime(text("pubDate") || text("dc:date") || text("wp:post_date_gmt")),
  };
}

function* readRssText(item: MarkupElement, base: string | undefined): Generator<void, Body> {
  const text = (name: string) => textOf(first(item, name) ?? NONE).trim();
  const html = text("content:encoded") || text("description");
  if (isPlain(html)) {
    return yield* plainToMarkdown(textOf(yield* readMarkup(html, { isXml: false })));
  }
  if (first(item, "wp:post_type") === undefined) return yield* htmlToMarkdown(html, { base });
  const written = yield* readWordPressText(html);
  const converted = yield* htmlToMarkdown(written.html, { base });
  return { ...converted, leftOut: [...written.leftOut, ...converted.leftOut] };
}

/** Tells whether a text that may be HTML is plain text, so that its line breaks matter. */
function isPlain(text: string): boolean {
  return !/<[a-z!/]/i.test(text) && /\n|&#10;/.test(text.trim());
}

function readRssTime(text: string): EntryTime {
  const known = readTime(text);
  if (known.publishedAt !== undefined) return known;
  const [, day, clock = "", zone = ""] = RSS_TIME.exec(text) ?? [];
  if (day === undefined) {
    const found = findDate(text.slice(0, MAX_TIME_LENGTH));
    return { publishedAt: found?.at, isDay: found?.isDay ?? false };
  }
  // An unknown zone is treated as UTC: most are European, and only a few hours off.
  const times = [zone, "GMT"].map((zone) => Date.parse(`${day} ${clock} ${zone || "GMT"}`));
  const time = times.find((time) => !Number.isNaN(time));
  const publishedAt = time === undefined ? undefined : new Date(time).toISOString();
  return { publishedAt, isDay: clock === "" };
}

/** Reads a title, which may be HTML, as plain text. */
function plainTitle(text: string, isHtml: boolean): string {
  const title = text.slice(0, MAX_TITLE_LENGTH);
  const plain = isHtml ? textOf(runSynchronously(readMarkup(title, { isXml: false }))) : title;
  return plain.replace(/\s+/g, " ").trim();
}

/** Returns the first child element with a name. */
function first({ children }: MarkupElement, name: string): MarkupElement | undefined {
  return children.find((child): child is MarkupElement =>
    typeof child !== "string" && child.name === name
  );
}

/** Returns the child elements with a name. */
function all(element: MarkupElement, name: string): MarkupElement[] {
  return element.children.flatMap((child) =>
    typeof child !== "string" && child.name === name ? [child] : []
  );
}
