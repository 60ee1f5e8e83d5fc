import { all, rootOf } from "./atom.ts";
import { distinguish, idOfItem, type RawEntry } from "./file_entry.ts";
import { htmlToMarkdown } from "./html_to_markdown.ts";
import { type MarkupElement, parseMarkup, textOf } from "./markup.ts";

// RFC 822, with four digits of a year, or RFC 3339, as some write.
const TIME = /^(?:[A-Za-z]{3,9},? )?\d{1,2} [A-Za-z]{3,9} \d{4}\b|^\d{4}-\d\d-\d\d/;

/** Reads a feed of RSS 2.0 or 1.0; returns `undefined` for anything else. */
export function readRss(document: MarkupElement): readonly RawEntry[] | undefined {
  const root = rootOf(document);
  if (root === undefined || !/^(?:rss|rdf:RDF)$/i.test(root.name)) return undefined;
  const items = [root, ...all(root, "channel")].flatMap((parent) => all(parent, "item"));
  return distinguish(items.map(readItem));
}

function readItem(item: MarkupElement): { readonly id: string; readonly entry: RawEntry } {
  const text = (name: string) => all(item, name).map((one) => textOf(one).trim())[0] ?? "";
  const guid = text("guid");
  const url = text("link") || (/^https?:/i.test(guid) ? guid : "");
  const html = text("content:encoded") || text("description");
  const { markdown, leftOut } = htmlToMarkdown(html, url || undefined);
  const [firstLine] = markdown.split("\n", 1);
  const title = textOf(parseMarkup(text("title"), { isXml: false })).replace(/\s+/g, " ").trim();
  const entry = {
    entryId: idOfItem({ id: guid, url }),
    title: title || [...firstLine.replace(/[#*_`\\]/g, "").trim()].slice(0, 80).join(""),
    body: markdown,
    labels: all(item, "category").map((one) => textOf(one).trim()),
    url: url || null,
    publishedAt: readTime(text("pubDate") || text("dc:date")),
    leftOut: [...leftOut],
  };
  return { id: guid || url || title, entry };
}

function readTime(text: string): string | undefined {
  const date = new Date(TIME.test(text) ? Date.parse(text) : NaN);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
