import { otherNames } from "../../imports/file_values.ts";
import { DRY_RUN, flagParameter, textParameter } from "../../imports/parameters.ts";
import { ENTRY, type Entry, LABEL } from "../entry.ts";
import { parseHttpUrl } from "../../values/http_url.ts";
import { parseId } from "../../values/record_id.ts";
import { Refusal, type RefusalCode } from "../../values/refusal.ts";
import { quote } from "../../values/text.ts";
import type { Converted } from "../html/html_to_markdown.ts";

/** An entry read from a file of Boardcast or another product. */
export interface FileEntry extends Pick<Entry, "entryId" | "title" | "body" | "labels" | "url"> {
  /** The values of {@linkcode OTHER_ENTRY_FIELDS} in a file of our own. */
  readonly declared?: Readonly<Record<string, unknown>>;
  /**
   * The time from which it is public (RFC 3339, UTC, milliseconds); `null` for a draft, `undefined`
   * if the file does not contain the time.
   */
  readonly publishedAt: string | null | undefined;
  /** Whether the file contains only the day of publication without a time. */
  readonly isDay: boolean;
  /** The posts that it ships; absent if the file does not name them. */
  readonly posts?: readonly string[] | undefined;
  /**
   * The times and authors of its creation and last change; absent if the file does not contain
   * them.
   */
  readonly createdAt?: string | undefined;
  readonly updatedAt?: string | undefined;
  readonly createdBy?: string | undefined;
  readonly updatedBy?: string | undefined;
  readonly publishedBy?: string | undefined;
  /** Descriptions of the parts that were not kept, for people. */
  readonly leftOut: readonly string[];
  /** Descriptions of the parts that are kept in another form, for people. */
  readonly changed: readonly string[];
  /** The number of links and images that were dropped because their addresses are relative. */
  readonly lost: Converted["lost"];
  /** The number of its first line in the file, from 1; `null` if the file is not line by line. */
  readonly line: number | null;
}

/** An entry in a file, a refused entry, or a part of the file that does not become an entry. */
export type ReadEntry = FileEntry | RefusedEntry | LeftOut;

/** Information about a file that is not in the file. */
export interface FileOptions {
  /** The base of its relative addresses. */
  readonly baseUrl?: string | undefined;
  /** The prefix of its entries' identifiers, such as `ui-`. */
  readonly prefix?: string | undefined;
  /** Gets the members of our own entries that are not used. */
  readonly unusedColumns?: Set<string>;
}

/** The reasons to leave out a part of a file; the report of an import counts each. */
export const LEFT_OUT_KINDS = [
  "unreleased",
  "private",
  "protected",
  "trashed",
  "pages",
  "attachments",
  "others",
] as const;

/** A reason to leave out a part of a file. */
export type LeftOutKind = typeof LEFT_OUT_KINDS[number];

/** A part of a file that does not become an entry. */
export interface LeftOut {
  readonly leftOut: LeftOutKind;
  readonly title?: string;
}

/** A refused entry of a file. */
export interface RefusedEntry {
  /** The identifier; `null` if unknown. */
  readonly entryId: string | null;
  /** The refused field; `null` if the entry as a whole was refused. */
  readonly field: string | null;
  readonly code: RefusalCode;
  /** The reason, for people. */
  readonly detail: string;
  /** As in {@linkcode FileEntry}. */
  readonly line: number | null;
}

/** An unchecked entry, with the values as the file contains them. */
export interface RawEntry
  extends
    Omit<FileEntry, "labels" | "url" | "isDay" | "leftOut" | "changed" | "lost" | "line">,
    Partial<Pick<Converted, "lost" | "isTooLong">> {
  readonly labels?: readonly string[];
  readonly url?: string | null | undefined;
  readonly isDay?: boolean;
  readonly leftOut?: Iterable<string>;
  readonly line?: number | undefined;
  /** Whether its body is kept unchanged, including outer white space and line endings. */
  readonly isExact?: boolean;
}

/** The fields of an entry whose values our own files have as they are declared. */
export const OTHER_ENTRY_FIELDS: readonly string[] = otherNames(ENTRY, [
  "entryId",
  "title",
  "body",
  "labels",
  "url",
  "posts",
]);

const MAX_LABELS = 5;
// Limit of labels that are read; the rest is ignored.
const MAX_LABELS_READ = 100;
const MAX_ID_LENGTH = 1_000;
// Matches control characters and lone surrogates, which entries may not contain.
const UNSUPPORTED = /[^\P{Cc}\t\n\r]|\p{Cs}/gu;

/**
 * Checks an entry of a file. Leaves out an unusable address or label, and names it in `leftOut`.
 */
export function checkEntry(raw: RawEntry): FileEntry | RefusedEntry {
  const { fields } = ENTRY;
  const { publishedAt, createdAt, updatedAt, createdBy, updatedBy, publishedBy } = raw;
  const { lost = { links: 0, images: 0 }, line = null, isDay = false } = raw;
  const leftOut = [...raw.leftOut ?? []];
  // Categories that are addresses are meant for programs, so they are no labels for readers.
  const texts = (raw.labels ?? []).filter((text) => !/^\s*https?:\/\//i.test(text))
    .slice(0, MAX_LABELS_READ);
  const labels = [...new Set(texts.map(toLabel).filter((label) => label !== ""))];
  const changed = texts.flatMap((text) => {
    const label = toLabel(text);
    if (label === text.toLowerCase()) return [];
    return [`the label ${quote(text)} ${label === "" ? "is left out" : `became ${label}`}`];
  });
  if (labels.length > MAX_LABELS) leftOut.push(`labels: ${labels.splice(MAX_LABELS).join(", ")}`);
  const posts = raw.posts && fields.posts.parse(raw.posts.join(" "));
  if (posts instanceof Refusal) leftOut.push(`posts: ${raw.posts?.join(", ")}`);
  const url = raw.url ? fields.url.parse(raw.url) : null;
  if (url instanceof Refusal) leftOut.push(`the address ${raw.url}`);
  const body = raw.isExact ? raw.body : trimLines(raw.body.replace(/\r\n?/g, "\n"))
    .replace(UNSUPPORTED, "");
  const values = {
    entryId: fields.entryId.parse(raw.entryId),
    title: fields.title.parse(raw.isExact ? raw.title : raw.title.replace(UNSUPPORTED, "")),
    body: fields.body.parse(raw.isTooLong ? body.padEnd(fields.body.maxBytes + 1) : body),
  };
  for (const [field, value] of Object.entries(values)) {
    if (!(value instanceof Refusal)) continue;
    return refuse(raw.entryId, value, { field, line });
  }
  return {
    ...values as { [F in keyof typeof values]: string },
    labels,
    url: url instanceof Refusal ? null : url,
    posts: posts instanceof Refusal ? undefined : posts,
    publishedAt,
    isDay,
    createdAt,
    updatedAt,
    createdBy,
    updatedBy,
    publishedBy,
    declared: raw.declared,
    leftOut,
    changed,
    lost,
    line,
  };
}

/** Removes blank lines from both ends. */
function trimLines(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
}

/** Refuses an entry because of a field, or the entry as a whole. */
export function refuse(
  entryId: string | null,
  { code, detail }: Refusal,
  { field = null, line = null }: Partial<Pick<RefusedEntry, "field" | "line">> = {},
): RefusedEntry {
  return { entryId, field, code, detail: `${field ?? "the entry"} ${detail}`, line };
}

/**
 * Derives an identifier from a version, a tag or an address; empty if no usable character remains.
 */
export function toEntryId(text: string): string {
  const id = text.slice(0, MAX_ID_LENGTH).normalize("NFKD")
    .replace(/[^A-Za-z0-9._~-]+/g, "-").replace(/^[^A-Za-z0-9]+|(?<!-)-+$/g, "");
  return (/^\d+(?:\.\d+)+/.test(id) ? `v${id}` : id).slice(0, 128);
}

function toLabel(text: string): string {
  if (LABEL.test(text)) return text;
  const label = text.slice(0, MAX_ID_LENGTH).normalize("NFKD").toLowerCase()
    .replace(/[^a-z0-9]+/g, "-");
  return label.slice(0, 40).replace(/^-+|-+$/g, "");
}

/** The parameters of an import of entries. */
export const ENTRY_PARAMETERS = {
  drafts: flagParameter("Make drafts of new entries.", "drafts"),
  dryRun: DRY_RUN,
  baseUrl: textParameter(
    "The URL that relative links and images start from. Default: that of the feed. Without " +
      "either, they are lost, which is reported.",
    {
      flag: "base-url URL",
      example: "https://github.com/acme/app/blob/main/",
      parse: parseHttpUrl,
      format: "uri",
    },
  ),
  prefix: textParameter(
    "The start of the identifiers of a changelog's entries, for one of several packages.",
    { flag: "prefix TEXT", example: "ui-", parse: parseId },
  ),
};
