import { parseListTime } from "../../values/past_time.ts";
import { distinguish, idOfItem, type RawEntry } from "./file_entry.ts";
import { htmlToMarkdown, plainToMarkdown } from "./html_to_markdown.ts";
import { type MarkupElement, parseMarkup, textOf } from "./markup.ts";

const NONE: MarkupElement = { name: "", attributes: new Map(), children: [] };

/** Reads an Atom feed (RFC 4287); returns `undefined` for anything else. */
export function readAtom(document: MarkupElement): readonly RawEntry[] | undefined {
  const feed = rootOf(document);
  const [, prefix = ""] = /^(\w+:)?feed$/.exec(feed?.name ?? "") ?? [];
  if (feed === undefined || !/^(?:\w+:)?feed$/.test(feed.name)) return undefined;
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
  const source = element.attributes.get("src");
  if (source !== undefined) return { markdown: "", leftOut: [`the content at ${source}`] };
  const type = element.attributes.get("type") ?? "text";
  if (type === "text/markdown") return { markdown: textOf(element).trim(), leftOut: [] };
  if (type === "text" || type === "text/plain") {
    return { markdown: plainToMarkdown(textOf(element)), leftOut: [] };
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

/** Returns the children of an element that have a name. */
export function all(element: MarkupElement, name: string): MarkupElement[] {
  return element.children.flatMap((child) =>
    typeof child !== "string" && child.name === name ? [child] : []
  );
}

/** Returns the outermost element of a document. */
export function rootOf(document: MarkupElement): MarkupElement | undefined {
  return document.children.find((child): child is MarkupElement => typeof child !== "string");
}

function absolute(href: string | undefined, base: string | undefined): string | undefined {
  if (href === undefined) return undefined;
  try {
    return new URL(href, base).href;
  } catch {
    return undefined;
  }
}
