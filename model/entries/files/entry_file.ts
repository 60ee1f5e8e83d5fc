import { parseListTime } from "../../values/past_time.ts";
import type { TextRecord } from "../../values/record_splitter.ts";
import { Refusal } from "../../values/refusal.ts";
import { ENTRY_STATES } from "../entry.ts";
import { parseChoice, parseName } from "../../values/text.ts";
import { readAtom } from "./atom.ts";
import { parseMarkup } from "./markup.ts";
import { readRss } from "./rss.ts";
import { readChangelog } from "./changelog_markdown.ts";
import {
  checkEntry,
  type FileEntry,
  type LeftOut,
  type RawEntry,
  refuse,
  type RefusedEntry,
} from "./file_entry.ts";
import type { FileOptions } from "./relative_links.ts";
import { isRelease, readRelease } from "./github_releases.ts";
import { readJsonFeed } from "./json_feed.ts";

/** An entry of a file, why there is none, or what is none. */
export type ReadEntry = FileEntry | RefusedEntry | LeftOut;

/** Reads a changelog in Markdown; refuses one without versions. */
export function readMarkdownFile(
  text: string,
  options: FileOptions,
): readonly ReadEntry[] | Refusal {
  const entries = readChangelog(text, options);
  return entries.length > 0 ? entries : new Refusal(
    "invalid_value",
    "the file has no heading of a version, like ## [1.4.0] - 2026-01-31",
  );
}

/** Reads a feed, Atom or RSS. */
export function readXmlFile(text: string): readonly ReadEntry[] | Refusal {
  const document = parseMarkup(text, { isXml: true });
  const entries = readAtom(document) ?? readRss(document);
  return entries?.map(checkEntry) ?? new Refusal(
    "invalid_value",
    "the file is no Atom feed, and none of RSS: its root is not <feed>, <rss> or <rdf:RDF>",
  );
}

/**
 * Reads JSON: releases of GitHub or GitLab, a JSON Feed, or our own entries; one value, an array, or
 * several values after each other, as `gh api --paginate` writes them.
 */
export function readJsonFile(
  text: string,
  options: FileOptions = {},
): readonly ReadEntry[] | Refusal {
  const values = splitJson(text);
  if (values instanceof Refusal) return values;
  return values.flat(2).flatMap((value) => readValue(value, { options }));
}

/** Reads a line of NDJSON, which has an entry or a release. */
export function readNdjsonLine({ line, text, fault }: TextRecord): readonly ReadEntry[] {
  if (text.trim() === "" && fault === undefined) return [];
  const [value] = fault === undefined ? splitLine(text) : [];
  if (value !== undefined) return readValue(value, { line });
  const { code, detail } = fault ?? new Refusal("invalid_value", "is not JSON");
  return [{ entryId: null, field: null, code, detail: `line ${line} ${detail}`, line }];
}

function splitLine(text: string): readonly unknown[] {
  const values = splitJson(text);
  return values instanceof Refusal ? [] : values;
}

/** Reads a value of JSON. */
function readValue(
  value: unknown,
  { line, options = {} }: { readonly line?: number; readonly options?: FileOptions },
): readonly ReadEntry[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return [
      refuse(null, new Refusal("invalid_type", "is not a JSON object"), { line: line ?? null }),
    ];
  }
  if (isRelease(value)) return [checkEntry({ ...readRelease(value, options), line })];
  const items = readJsonFeed(value);
  if (items !== undefined) return items.map(checkEntry);
  const own = readOwn(value as Readonly<Record<string, unknown>>, line);
  return ["field" in own ? own : checkEntry(own)];
}

/** Reads an entry as `entries export` writes it. */
function readOwn(
  value: Readonly<Record<string, unknown>>,
  line: number | undefined,
): RawEntry | RefusedEntry {
  const { entryId, title, body, labels = [], url = null, state } = value;
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
  const name = (field: string) => {
    const name = parseName(`${value[field] ?? ""}`);
    return name instanceof Refusal ? undefined : name;
  };
  return {
    ...{ entryId: `${entryId}`, title: `${title}`, body: `${body}`, isExact: true, line },
    labels: Array.isArray(labels) ? labels.map(String) : [],
    url: typeof url === "string" ? url : null,
    publishedAt: state === "draft" || value.publishedAt === null ? null : time("publishedAt"),
    createdAt: time("createdAt"),
    updatedAt: time("updatedAt"),
    ...{ createdBy: name("createdBy"), updatedBy: name("updatedBy") },
    publishedBy: name("publishedBy"),
  };
}

const NOT_JSON = new Refusal("invalid_value", "the file is not JSON");
const STRUCTURE = /"(?:[^"\\]|\\.)*"|[[\]{}]/gs;

/** Reads the values of JSON in a text, which may follow each other without anything in between. */
function splitJson(text: string): readonly unknown[] | Refusal {
  const whole = parse(text);
  if (whole !== undefined) return [whole];
  const values: unknown[] = [];
  let [start, depth] = [0, 0];
  for (const { 0: part, index } of text.matchAll(STRUCTURE)) {
    if (part === "[" || part === "{") depth++;
    if (part !== "]" && part !== "}") continue;
    if (--depth > 0) continue;
    const value = parse(text.slice(start, index + 1));
    if (value === undefined) return NOT_JSON;
    values.push(value);
    start = index + 1;
  }
  return values.length === 0 || text.slice(start).trim() !== "" ? NOT_JSON : values;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
