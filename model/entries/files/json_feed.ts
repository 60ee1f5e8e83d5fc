import { parseListTime } from "../../values/past_time.ts";
import { distinguish, idOfItem, type RawEntry } from "./file_entry.ts";
import { htmlToMarkdown, plainToMarkdown } from "./html_to_markdown.ts";

/** An item of a JSON Feed (version 1.1), of whose members none can be relied on. */
type Item = Readonly<Record<string, unknown>>;

/** Reads a JSON Feed; returns `undefined` for anything else. */
export function readJsonFeed(value: object): readonly RawEntry[] | undefined {
  if (!("version" in value) || !/jsonfeed\.org/.test(`${value.version}`)) return undefined;
  const items = "items" in value && Array.isArray(value.items) ? value.items : [];
  return distinguish(items.map((item: Item) => ({ id: `${item.id}`, entry: readItem(item) })));
}

function readItem(item: Item): RawEntry {
  const text = (name: string) => typeof item[name] === "string" ? `${item[name]}` : "";
  const url = text("external_url") || text("url");
  const html = text("content_html");
  const { markdown, leftOut } = html === ""
    ? { markdown: plainToMarkdown(text("content_text") || text("summary")), leftOut: [] }
    : htmlToMarkdown(html, url || undefined);
  const [firstLine] = markdown.trim().split("\n", 1);
  return {
    entryId: idOfItem({ id: text("id"), url: text("url") || url }),
    title: text("title").trim() ||
      [...firstLine.replace(/[#*_`\\]/g, "").trim()].slice(0, 80).join(""),
    body: markdown,
    labels: Array.isArray(item.tags) ? item.tags.filter((tag) => typeof tag === "string") : [],
    url: url || null,
    publishedAt: parseListTime(text("date_published") || text("date_modified")),
    leftOut: [...leftOut],
  };
}
