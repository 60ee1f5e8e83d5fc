import { acceptListTime, parseListTime } from "../../values/time.ts";
import { addUnused } from "../../values/object_reader.ts";
import { Refusal } from "../../values/refusal.ts";
import { parseChoice, parseName } from "../../values/text.ts";
import { isRefused, readValues } from "../../imports/file_values.ts";
import { ENTRY, ENTRY_STATES } from "../entry.ts";
import { type FeedItem, idOfItem, readItems } from "./feed_item.ts";
import { addMedia, mediaOfJsonItem } from "./feed_media.ts";
import {
  checkEntry,
  type FileOptions,
  OTHER_ENTRY_FIELDS,
  type RawEntry,
  type ReadEntry,
  refuse,
  type RefusedEntry,
  toEntryId,
} from "./file_entry.ts";
import { readTime } from "./entry_date.ts";
import { ghostTables, readGhost } from "./ghost.ts";
import { type JsonItem, stringOf } from "./json_item.ts";
import { readMarkdown } from "../html/html_in_markdown.ts";
import { htmlToMarkdown, plainToMarkdown } from "../html/html_to_markdown.ts";
import { takeReferences } from "./markdown_links.ts";

/** The members of an export's lines. */
const KNOWN: ReadonlySet<string> = new Set(Object.keys(ENTRY.fields));
const TIMES = ["publishedAt", "createdAt", "updatedAt"] as const;
const NO_OBJECT = new Refusal("invalid_type", "is not a JSON object");

/**
 * Reads a JSON value with pauses: a release of GitHub or GitLab, a JSON Feed, an export of Ghost,
 * or one of our own entries.
 */
export function* readJsonEntries(
  value: unknown,
  { line, options = {} }: { readonly line?: number; readonly options?: FileOptions } = {},
): Generator<void, readonly ReadEntry[]> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return [refuse(null, NO_OBJECT, { line: line ?? null })];
  }
  const item = value as JsonItem;
  if (typeof item.tag_name === "string") {
    return [checkEntry({ ...yield* readRelease(item, options), line })];
  }
  if (/jsonfeed\.org/.test(`${item.version}`)) {
    return yield* readJsonFeed(item, options);
  }
  const ghost = ghostTables(item);
  if (ghost !== undefined) return yield* readGhost(ghost, options);
  if (options.unusedColumns !== undefined) addUnused(options.unusedColumns, item, KNOWN);
  const own = readOwn(item, line);
  return ["field" in own ? own : checkEntry(own)];
}

/** Reads a release in the form of the GitHub and GitLab APIs. A draft stays a draft. */
function* readRelease(release: JsonItem, { baseUrl }: FileOptions): Generator<void, RawEntry> {
  const text = (name: string) => stringOf(release[name]);
  const links = release._links as JsonItem | undefined;
  const time = text("published_at") || text("released_at");
  const { lines, references } = yield* takeReferences(text("body") || text("description"));
  return {
    entryId: toEntryId(text("tag_name")),
    title: text("name").trim() || text("tag_name"),
    ...yield* readMarkdown(lines.join("\n"), references, baseUrl),
    labels: release.prerelease === true ? ["pre-release"] : [],
    url: text("html_url") || stringOf(links?.self) || null,
    // GitLab marks a release with a future time as upcoming. Without a time, such a release is a
    // draft.
    ...release.draft === true || release.upcoming_release === true && time === ""
      ? { publishedAt: null }
      : readTime(time),
  };
}

/** Reads a JSON Feed (version 1.1). */
function readJsonFeed(
  feed: JsonItem,
  { baseUrl }: FileOptions,
): Generator<void, readonly ReadEntry[]> {
  const base = baseUrl ??
    [feed.home_page_url, feed.feed_url].map(stringOf).find((url) => URL.canParse(url));
  const items = Array.isArray(feed.items) ? feed.items : [];
  return readItems(items, (item) => readItem(item ?? {}, base));
}

function* readItem(item: JsonItem, base: string | undefined): Generator<void, FeedItem> {
  const text = (name: string) => stringOf(item[name]);
  const address = text("external_url") || text("url");
  const url = address !== "" && URL.canParse(address, base) ? new URL(address, base).href : address;
  const html = text("content_html");
  const id = `${item.id ?? ""}`;
  const content = html === ""
    ? yield* plainToMarkdown(text("content_text") || text("summary"))
    : yield* htmlToMarkdown(html, { base: url || base });
  return {
    id,
    entryId: idOfItem({ id, url: text("url") || url }),
    title: text("title"),
    ...content,
    ...addMedia(content, mediaOfJsonItem(item), url || base),
    labels: Array.isArray(item.tags) ? item.tags.filter((tag) => typeof tag === "string") : [],
    url,
    ...readTime(text("date_published") || text("date_modified")),
  };
}

/** Reads an entry in the form that `entries export` writes. */
function readOwn(value: JsonItem, line: number | undefined): RawEntry | RefusedEntry {
  const { entryId, title, body, labels = [], url = null, posts, state } = value;
  const id = typeof entryId === "string" ? entryId : null;
  for (const [field, text] of Object.entries({ entryId, title, body })) {
    const fault = text === undefined
      ? new Refusal("required", "is required")
      : new Refusal("invalid_type", "must be a string");
    if (typeof text !== "string") return refuse(id, fault, { field, line: line ?? null });
  }
  const known = parseChoice(`${state ?? "published"}`, ENTRY_STATES);
  if (known instanceof Refusal) return refuse(id, known, { field: "state", line: line ?? null });
  const time = (name: string) => parseListTime(`${value[name] ?? ""}`);
  for (const field of TIMES) {
    const at = acceptListTime(`${value[field] ?? ""}`);
    if (at instanceof Refusal) return refuse(id, at, { field, line: line ?? null });
  }
  const declared = readValues(ENTRY, OTHER_ENTRY_FIELDS, (name) => value[name]);
  if (isRefused(declared)) {
    return refuse(id, declared.refusal, { field: declared.field, line: line ?? null });
  }
  const name = (field: string) => {
    const name = parseName(`${value[field] ?? ""}`);
    return name instanceof Refusal ? undefined : name;
  };
  return {
    entryId: `${entryId}`,
    title: `${title}`,
    body: `${body}`,
    isExact: true,
    line,
    labels: Array.isArray(labels) ? labels.map(String) : [],
    url: typeof url === "string" ? url : null,
    posts: Array.isArray(posts) ? posts.map(String) : undefined,
    publishedAt: state === "draft" || value.publishedAt === null ? null : time("publishedAt"),
    createdAt: time("createdAt"),
    updatedAt: time("updatedAt"),
    createdBy: name("createdBy"),
    updatedBy: name("updatedBy"),
    publishedBy: name("publishedBy"),
    declared,
  };
}
