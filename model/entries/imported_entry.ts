import type { Item } from "../kind.ts";
import { ENTRY, type Entry } from "./entry.ts";
import type { Authorship } from "./publication.ts";
import { type FileEntry, OTHER_ENTRY_FIELDS } from "./files/file_entry.ts";
import { hash64 } from "../crypto/hash64.ts";
import { Refusal } from "../values/refusal.ts";
import { defaultOf, type Fields, fillRecord } from "../resource.ts";
import { addMs } from "../values/time.ts";
import { startOfDay } from "../values/time_zone.ts";

/**
 * The outcome of importing one entry; `kept`: it was edited here since the last import, and stays.
 */
export type EntryImportOutcome = "added" | "changed" | "unchanged" | "kept";

/** An entry after an import. */
export interface EntryImport {
  readonly outcome: EntryImportOutcome;
  /** The entry to store; absent if nothing changes. */
  readonly next?: Entry;
  /** Whether the entry stays unchanged because the caller may not change public entries. */
  readonly isPublic?: boolean;
}

export interface ImportedEntryOptions extends Authorship {
  /** Whether a new entry becomes a draft. */
  readonly asDraft: boolean;
  /** The time zone in which a day without a time begins. */
  readonly timeZone: string;
}

/** The time by which days begin earlier in the easternmost time zone than in UTC. */
const EARLIEST_DAY_MS = 14 * 3_600_000;
const NO_DATE = new Refusal("required", "is not known: write a date, or import drafts");

/**
 * Compares an entry of a file with the stored one. Adds a new entry with its original date. Changes
 * a stored entry that changed in the file but not here. Keeps an entry that was written or edited
 * here.
 */
export function importEntry(
  stored: Entry | undefined,
  file: FileEntry,
  { asDraft, timeZone, by, at }: ImportedEntryOptions,
): EntryImport | Refusal {
  const content = hashOf(file);
  const dated = startOf(file, timeZone);
  const imported = `${content} ${dated ?? "-"}`;
  if (stored === undefined) {
    const publishedAt = asDraft ? null : publicationOf(file, dated, at);
    if (publishedAt === undefined) return NO_DATE;
    const createdAt = earliest(file.createdAt ?? dated ?? at, at);
    const next = fillRecord<Entry>(ENTRY, {
      entryId: file.entryId,
      ...contentOf(file),
      publishedAt,
      imported,
      createdAt,
      firstPublishedAt: publishedAt,
      announceAt: publishedAt !== null && publishedAt > at ? publishedAt : null,
      updatedAt: earliest(file.updatedAt ?? createdAt, at),
      createdBy: file.createdBy ?? by,
      updatedBy: file.updatedBy ?? by,
      publishedBy: publishedAt === null ? null : file.publishedBy ?? by,
    });
    return { outcome: "added", next };
  }
  const current = hashOf(stored);
  const [before, date] = stored.imported?.split(" ") ?? [];
  if (stored.imported === imported || current === content && stored.imported === null) {
    return { outcome: current === content ? "unchanged" : "kept" };
  }
  if (current !== before) return { outcome: current === content ? "unchanged" : "kept" };
  // If the publication times differ, somebody published the entry here.
  const isDated = stored.publishedAt !== null && stored.publishedAt === date;
  const dates = isDated
    ? redate(stored, publicationOf(file, dated, at) ?? stored.publishedAt, at)
    : {};
  // Only the file's date changed, and the entry was published here at its own date.
  if (current === content && (dates.publishedAt ?? stored.publishedAt) === stored.publishedAt) {
    return { outcome: "unchanged" };
  }
  const changed = { imported, updatedAt: at, updatedBy: by };
  const next = { ...stored, ...contentOf(file), ...dates, ...changed };
  return { outcome: "changed", next };
}

function redate(stored: Entry, publishedAt: string | null, at: string): Partial<Entry> {
  const { firstPublishedAt } = stored;
  return {
    publishedAt,
    firstPublishedAt: firstPublishedAt === stored.publishedAt ? publishedAt : firstPublishedAt,
    announceAt: publishedAt !== null && publishedAt > at ? publishedAt : null,
  };
}

/** Returns the values that a file gives to an entry. */
function contentOf({ title, body, labels, url, declared }: FileEntry): Partial<Entry> {
  return { title, body, labels, url, ...declared };
}

/** Returns a hash of what a file can change; fields with their defaults do not alter it. */
function hashOf(entry: Entry | FileEntry): string {
  const { title, body, labels, url } = entry;
  const values = ("line" in entry ? entry.declared ?? {} : entry) as Item;
  const fields: Fields = ENTRY.fields;
  const others = OTHER_ENTRY_FIELDS.map((name) => [name, values[name]] as const).filter((
    [name, value],
  ) => value !== undefined && JSON.stringify(value) !== JSON.stringify(defaultOf(fields[name])));
  return hash64(JSON.stringify([title, body, labels, url, ...others]));
}

/**
 * Returns the publication time in a file. A day without a time begins at midnight in the time zone.
 */
function startOf({ publishedAt, isDay }: FileEntry, timeZone: string): string | null | undefined {
  return publishedAt && isDay ? startOfDay(publishedAt.slice(0, 10), timeZone) : publishedAt;
}

/**
 * Returns the time from which an entry is public; `undefined` if unknown. A day that has begun
 * somewhere on earth counts as now; a future time becomes a schedule.
 */
function publicationOf(
  { publishedAt, isDay }: FileEntry,
  dated: string | null | undefined,
  at: string,
): string | null | undefined {
  const hasBegun = isDay && publishedAt != null && publishedAt <= addMs(at, EARLIEST_DAY_MS);
  return hasBegun && dated != null && dated > at ? at : dated;
}

function earliest(time: string, at: string): string {
  return time < at ? time : at;
}
