import { Refusal } from "../../values/refusal.ts";
import type { TextRecord } from "../../values/record_splitter.ts";
import { readChangelog } from "./changelog_markdown.ts";
import type { FileOptions, ReadEntry } from "./file_entry.ts";
import { readJsonEntries } from "./json_entries.ts";
import { parseJsonValues } from "./json_values.ts";
import { readMarkup, TooLong } from "../html/markup.ts";
import { readFeed } from "./xml_feeds.ts";

const NO_FEED = new Refusal(
  "invalid_value",
  "the file is neither an Atom feed nor RSS: its root is not <feed>, <rss> or <rdf:RDF>",
);
const NO_VERSION = new Refusal(
  "invalid_value",
  "the file has no heading of a version, like ## [1.4.0] - 2026-01-31",
);
const MAX_FRONT_MATTER = 16_384;
const DRAFT = /^(?:draft[ \t]*[:=][ \t]*["']?true|published[ \t]*[:=][ \t]*["']?false)\b/im;
const CUT_OFF = new Refusal(
  "invalid_value",
  "the file was cut off: it has no </feed>, </rss> or </rdf:RDF>",
);
const END_OF_ROOT = /<\/(?:\w+:)?(?:feed|rss|rdf)\s*>/i;
const TOO_LONG = new Refusal("too_long", "the file has more elements than any feed");

/**
 * Reads a file with pauses, because it may be long. Returns its entries, or the reason why it is
 * unreadable.
 */
type Reading = Generator<void, readonly ReadEntry[] | Refusal>;

/** Reads a changelog in Markdown; refuses one without versions. */
export function* readMarkdownFile(text: string, options: FileOptions): Reading {
  const { rest, isDraft } = takeFrontMatter(text);
  const entries = yield* readChangelog(rest, options);
  if (entries.length === 0) return NO_VERSION;
  if (!isDraft) return entries;
  return entries.map((entry) => "body" in entry ? { ...entry, publishedAt: null } : entry);
}

/**
 * Blanks out the front matter of Jekyll or Hugo, so that the remaining lines keep their numbers.
 */
function takeFrontMatter(text: string): { readonly rest: string; readonly isDraft: boolean } {
  const [fence] = /^(?:---|\+\+\+)(?=[ \t]*\r?\n)/.exec(text) ?? [];
  const end = fence === undefined ? -1 : text.slice(0, MAX_FRONT_MATTER).indexOf(`\n${fence}`, 3);
  if (fence === undefined || end < 0) return { rest: text, isDraft: false };
  const matter = text.slice(0, end + 1 + fence.length);
  const isDraft = DRAFT.test(matter);
  return { rest: matter.replace(/[^\r\n]+/g, "") + text.slice(matter.length), isDraft };
}

/** Reads an Atom or RSS feed. */
export function* readXmlFile(text: string, options: FileOptions = {}): Reading {
  try {
    const entries = yield* readFeed(yield* readMarkup(text, { isXml: true }), options);
    if (entries === undefined) return NO_FEED;
    return END_OF_ROOT.test(text) ? entries : CUT_OFF;
  } catch (error) {
    if (error instanceof TooLong) return TOO_LONG;
    throw error;
  }
}

/**
 * Reads JSON: releases of GitHub or GitLab, a JSON Feed, or our own entries. The text is one value,
 * an array, or several values in a row, as `gh api --paginate` writes them.
 */
export function* readJsonFile(text: string, options: FileOptions = {}): Reading {
  const values = yield* parseJsonValues(text);
  if (values instanceof Refusal) return values;
  const entries: ReadEntry[] = [];
  for (const value of values.flat(2)) {
    for (const entry of yield* readJsonEntries(value, { options })) entries.push(entry);
    yield;
  }
  return entries;
}

/** Reads lines of NDJSON, each an entry or a release. */
export function* readNdjsonLines(
  records: readonly TextRecord[],
  options: FileOptions = {},
): Generator<void, readonly ReadEntry[]> {
  const entries: ReadEntry[] = [];
  for (const { line, text, fault } of records) {
    yield;
    if (text.trim() === "" && fault === undefined) continue;
    const values = fault ?? (yield* parseJsonValues(text));
    if (values instanceof Refusal) {
      const { code, detail } = fault ?? new Refusal("invalid_value", "is not JSON");
      const refused = { entryId: null, field: null, code, line };
      entries.push({ ...refused, detail: `line ${line} ${detail}` });
    } else {for (const entry of yield* readJsonEntries(values[0], { line, options })) {
        entries.push(entry);
      }}
  }
  return entries;
}
