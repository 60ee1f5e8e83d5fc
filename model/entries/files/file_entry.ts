import { ENTRY, type Entry, LABEL } from "../entry.ts";
import { Refusal, type RefusalCode } from "../../values/refusal.ts";
import { quote } from "../../values/text.ts";
import type { Converted } from "../html/html_to_markdown.ts";

/** An entry in a file of Boardcast or another product. */
export interface FileEntry extends Pick<Entry, "entryId" | "title" | "body" | "labels" | "url"> {
  /**
   * When it became, or becomes, public (RFC 3339, UTC, milliseconds); `null` for a draft,
   * `undefined` where the file doesn't say when.
   */
  readonly publishedAt: string | null | undefined;
  /** Whether the file has only the day of the publication without a time. */
  readonly isDay: boolean;
  /** The posts that it ships; absent where the file doesn't say. */
  readonly posts?: readonly string[] | undefined;
  /** When it was created and last changed, and by whom; absent where the file doesn't say. */
  readonly createdAt?: string | undefined;
  readonly updatedAt?: string | undefined;
  readonly createdBy?: string | undefined;
  readonly updatedBy?: string | undefined;
  readonly publishedBy?: string | undefined;
  /** The parts that could not be kept, for people. */
  readonly leftOut: readonly string[];
  /** The parts that are kept in another form, for people. */
  readonly changed: readonly string[];
  /** The number of links and images that lead nowhere, because their addresses are relative. */
  readonly lost: Converted["lost"];
  /**
   * The number of its first line in the file, from 1; `null` where the file has no lines of its
   * own.
   */
  readonly line: number | null;
}

/** An entry of a file, a refusal of one, or a part of the file that is no entry here. */
export type ReadEntry = FileEntry | RefusedEntry | LeftOut;

/** The facts about a file that do not stand in it. */
export interface FileOptions {
  /** The address that its relative addresses start from. */
  readonly baseUrl?: string | undefined;
  /** The start of the identifiers of its entries, such as `ui-`. */
  readonly prefix?: string | undefined;
}

/** The reasons to leave a part of a file out, as the report of an import counts them. */
export const LEFT_OUT_KINDS = [
  "unreleased",
  "private",
  "protected",
  "trashed",
  "pages",
  "attachments",
  "others",
] as const;

/** A reason to leave a part of a file out. */
export type LeftOutKind = typeof LEFT_OUT_KINDS[number];

/** A part of a file that is no entry here. */
export interface LeftOut {
  readonly leftOut: LeftOutKind;
  /** The title, if it has one. */
  readonly title?: string;
}

/** A refusal of an entry of a file. */
export interface RefusedEntry {
  /** The identifier; `null` if unknown. */
  readonly entryId: string | null;
  /** The field that was refused; `null` if the entry as a whole was. */
  readonly field: string | null;
  readonly code: RefusalCode;
  /** The fault, for people. */
  readonly detail: string;
  /** As in {@linkcode FileEntry}. */
  readonly line: number | null;
}

/** An entry as it is written, not checked yet. */
export interface RawEntry
  extends
    Omit<FileEntry, "labels" | "url" | "isDay" | "leftOut" | "changed" | "lost" | "line">,
    Partial<Pick<Converted, "lost" | "isTooLong">> {
  readonly labels?: readonly string[];
  readonly url?: string | null | undefined;
  readonly isDay?: boolean;
  readonly leftOut?: Iterable<string>;
  readonly line?: number | undefined;
  /** Whether its body is kept as it is, white space at the ends and line ends included. */
  readonly isExact?: boolean;
}

const MAX_LABELS = 5;
// The rest of the labels of a file is not read.
const MAX_LABELS_READ = 100;
const MAX_ID_LENGTH = 1_000;
// Control characters and lone surrogates, which no entry may have.
const UNSUPPORTED = /[^\P{Cc}\t\n\r]|\p{Cs}/gu;

/**
 * Checks an entry of a file. An address or labels that can't be kept are left out, and said to be.
 */
export function checkEntry(raw: RawEntry): FileEntry | RefusedEntry {
  const { fields } = ENTRY;
  const { publishedAt, createdAt, updatedAt, createdBy, updatedBy, publishedBy } = raw;
  const { lost = { links: 0, images: 0 }, line = null, isDay = false } = raw;
  const leftOut = [...raw.leftOut ?? []];
  // A scheme that has its terms as addresses tells programs something, and readers nothing.
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

/** Refuses an entry because of a field, or as a whole. */
export function refuse(
  entryId: string | null,
  { code, detail }: Refusal,
  { field = null, line = null }: Partial<Pick<RefusedEntry, "field" | "line">> = {},
): RefusedEntry {
  return { entryId, field, code, detail: `${field ?? "the entry"} ${detail}`, line };
}

/** Makes an identifier of a version, a tag or an address; empty if nothing is left of it. */
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
