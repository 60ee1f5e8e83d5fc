import { parseListTime } from "../../values/past_time.ts";
import { Refusal } from "../../values/refusal.ts";
import { distinguish, idOfItem, type RawEntry } from "./file_entry.ts";
import { htmlToMarkdown } from "./html_to_markdown.ts";
import { type MarkupElement, parseMarkup, textOf } from "./markup.ts";

const NONE: MarkupElement = { name: "", attributes: new Map(), children: [] };

/** Reads an Atom feed (RFC 4287). */
export function readAtom(text: string): readonly RawEntry[] | Refusal {
  const document = parseMarkup(text, { isXml: true });
  const feed = document.children.find((child) => typeof child !== "string");
  const [, prefix = ""] = /^(\w+:)?feed$/.exec(elementName(feed)) ?? [];
  if (feed === undefined || typeof feed === "string" || !/^(?:\w+:)?feed$/.test(feed.name)) {
    return new Refusal("invalid_value", "the file is no Atom feed: its root is not <feed>");
  }
  const base = feed.attributes.get("xml:base");
  return distinguish(
    all(feed, `${prefix}entry`).map((entry) => ({
      id: textOf(all(entry, `${prefix}id`)[0] ?? NONE).trim(),
      entry: readEntry(entry, { prefix, base }),
    })),
  );
}

interface FeedContext {
  readonly prefix: string;
  readonly base: string | undefined;
}

function readEntry(entry: MarkupElement, { prefix, base }: FeedContext): RawEntry {
  const one = (name: string): MarkupElement | undefined => all(entry, `${prefix}${name}`)[0];
  const text = (name: string) => textOf(one(name) ?? NONE).trim();
  const links = all(entry, `${prefix}link`);
  const link = links.find(({ attributes }) =>
    (attributes.get("rel") ?? "alternate") === "alternate"
  );
  const url = absolute(link?.attributes.get("href"), base);
  const content = one("content") ?? one("summary");
  const { markdown, leftOut } = readText(content, url ?? base);
  const title = plainText(one("title"));
  return {
    entryId: idOfItem({ id: text("id"), url: url ?? "" }),
    title: title.replace(/\s+/g, " ").trim() || text("id"),
    body: markdown,
    labels: all(entry, `${prefix}category`).map(({ attributes }) => attributes.get("term") ?? ""),
    url: url ?? null,
    publishedAt: parseListTime(text("published") || text("updated")),
    leftOut,
  };
}

/** Reads a construct of text: plain, HTML as text, or XHTML. */
function readText(
  element: MarkupElement | undefined,
  base: string | undefined,
): { readonly markdown: string; readonly leftOut: readonly string[] } {
  if (element === undefined) return { markdown: "", leftOut: [] };
  const type = element.attributes.get("type") ?? "text";
  if (type === "text" || type === "text/plain" || type === "text/markdown") {
    return { markdown: textOf(element).trim(), leftOut: [] };
  }
  const html = type === "xhtml" ? serialize(element.children) : textOf(element);
  const { markdown, leftOut } = htmlToMarkdown(html, element.attributes.get("xml:base") ?? base);
  return { markdown, leftOut: [...leftOut] };
}

/** Reads a construct of text as plain text. */
function plainText(element: MarkupElement | undefined): string {
  if (element === undefined) return "";
  const text = textOf(element);
  const isHtml = element.attributes.get("type") === "html";
  return isHtml ? textOf(parseMarkup(text, { isXml: false })) : text;
}

/** Writes elements of XHTML as HTML, whatever their prefix. */
function serialize(children: MarkupElement["children"]): string {
  return children.map((child) => {
    if (typeof child === "string") return escape(child);
    const name = child.name.replace(/^.*:/, "");
    const attributes = [...child.attributes].map(([key, value]) => ` ${key}="${escape(value)}"`);
    return `<${name}${attributes.join("")}>${serialize(child.children)}</${name}>`;
  }).join("");
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

function all(element: MarkupElement, name: string): MarkupElement[] {
  return element.children.flatMap((child) =>
    typeof child !== "string" && child.name === name ? [child] : []
  );
}

function elementName(child: MarkupElement | string | undefined): string {
  return typeof child === "object" ? child.name : "";
}

function absolute(href: string | undefined, base: string | undefined): string | undefined {
  if (href === undefined) return undefined;
  try {
    return new URL(href, base).href;
  } catch {
    return undefined;
  }
}
