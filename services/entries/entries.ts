import type { Position, Storage } from "../../adapters/storage.ts";
import type { Entry, EntryState } from "../../model/entries/entry.ts";
import { type Changelog, CHANGELOGS, ENTRIES } from "../../model/kinds.ts";
import { entryStateAt } from "../../model/entries/publication.ts";
import { matchShown } from "../../model/entries/shown_text.ts";
import { hasAllWords, queryWords } from "../../model/values/found_words.ts";
import { addMs, EPOCH } from "../../model/values/time.ts";
import type { ChangeTools, Reading } from "../change.ts";
import {
  type Listed,
  listMatching,
  type ReadOptions,
  readPages,
  type Selection,
} from "../records.ts";
import { CHANGELOG_ID } from "../changelog.ts";

/** Selects the entries of a list. */
export interface EntryFilter {
  /** The state to select; absent for all. */
  readonly state?: EntryState | undefined;
  /** The label to select; absent for all. */
  readonly label?: string | undefined;
  /** Words that must all be in the title or the body; absent for all entries. */
  readonly q?: string | undefined;
}

/** A filter, and the page of its result. */
export type EntryQuery = EntryFilter & Pick<ReadOptions, "after" | "limit" | "isGone">;

// An entry may have some 32 KiB.
const PAGE_SIZE = 100;
/** The types of events that a change of an entry may cause. */
export const ENTRY_EVENTS = ["entry.published", "entry.updated", "entry.unpublished"] as const;

/**
 * Returns the entry that was created at a time under an identifier, even if the identifier changed
 * since. An entry that replaced a deleted one is another entry.
 */
export async function findEntry(
  storage: Storage,
  { entryId, createdAt }: Pick<Entry, "entryId" | "createdAt">,
): Promise<Entry | undefined> {
  const entry = await storage.get(ENTRIES, entryId);
  if (entry?.createdAt === createdAt) return entry;
  const after = { by: createdAt, key: "" };
  const page = await storage.list(ENTRIES, { index: "byAge", after, limit: 2 });
  // Entries from one imported file may have the same creation time.
  const found = page.filter((one) => one.createdAt === createdAt);
  return found.length === 1 && found[0].imported === null ? found[0] : undefined;
}

/**
 * Lists entries, newest first: by publication where `state` is `scheduled` or `published`, else by
 * creation. `now` (RFC 3339, UTC, milliseconds) decides which are public.
 */
export function listEntries(
  storage: Storage,
  { after, limit, isGone, ...filter }: EntryQuery,
  now: string,
): Promise<Listed<Entry>> {
  const { index, selection } = followFilter(filter, now);
  const query = { index, reverse: true, after, limit, isGone, pageSize: PAGE_SIZE };
  return listMatching(storage, ENTRIES, query, selection);
}

/**
 * Reads all entries, or those in one state, in the order of {@linkcode listEntries}, with at most
 * one page in memory.
 */
export function readEntries(
  storage: Storage,
  { now, after, ...filter }: EntryFilter & {
    readonly now: string;
    /** Reading starts after this position; absent: at the beginning. */
    readonly after?: Position | undefined;
  },
): AsyncGenerator<readonly Entry[]> {
  const { index, selection } = followFilter(filter, now);
  return readPages(storage, ENTRIES, { index, reverse: true, after, limit: PAGE_SIZE }, selection);
}

function followFilter(
  { state, label, q = "" }: EntryFilter,
  now: string,
): { readonly index: string; readonly selection: Selection<Entry> } {
  const words = queryWords(q);
  const isLike = (entry: Entry) =>
    (label === undefined || entry.labels.includes(label)) && hasShownWords(entry, words);
  if (state === undefined) return { index: "byAge", selection: { matches: isLike } };
  if (state === "draft") return { index: "drafts", selection: { matches: isLike } };
  // Scheduled entries come first. A process whose clock is ahead may have published one of them.
  const matches = (entry: Entry) => entryStateAt(entry, now) === state && isLike(entry);
  const isOver = ({ publishedAt, announceAt }: Entry) =>
    state === "scheduled" && announceAt === null && `${publishedAt}` <= now;
  return { index: "byPublication", selection: { matches, isOver } };
}

/** Tells whether the title and the text of an entry contain all of some words. */
export function hasShownWords({ title, body }: Entry, words: readonly string[]): boolean {
  return words.length === 0 ||
    matchShown({ title, bodies: [body] }, words, (text) => hasAllWords(text, words));
}

/** Returns when the next scheduled entry becomes public; `undefined` if none is scheduled. */
export async function nextPublication(storage: Storage, now: string): Promise<string | undefined> {
  const [next] = await listScheduled(storage, now, 1);
  return next?.announceAt ?? undefined;
}

/** Lists the scheduled entries that become public after a time, the next one first. */
export function listScheduled(
  storage: Storage,
  now: string,
  limit: number,
): Promise<readonly Entry[]> {
  const after = { key: "", by: addMs(now, 1) };
  return storage.list(ENTRIES, { index: "byAnnouncement", after, limit });
}

/** Counts the scheduled entries that become public after a time; few are scheduled at a time. */
export async function countScheduled(storage: Storage, now: string): Promise<number> {
  const query = { index: "byAnnouncement", after: { key: "", by: addMs(now, 1) } };
  let count = 0;
  for await (const page of readPages(storage, ENTRIES, query)) count += page.length;
  return count;
}

/**
 * Returns the changelog after an entry changed from or to some versions; `undefined` if it stays as
 * it is, because the change concerns a draft.
 */
export function advance(
  changelog: Changelog | undefined,
  at: string,
  versions: readonly Entry[],
): Changelog | undefined {
  const states = versions.map((entry) => entryStateAt(entry, at));
  if (states.every((state) => state === "draft")) return undefined;
  const { version = 0, updatedAt = EPOCH } = changelog ?? {};
  const isLater = states.includes("published") && at > updatedAt;
  return {
    changelogId: CHANGELOG_ID,
    version: version + 1,
    updatedAt: isLater ? at : updatedAt,
  };
}

/** Counts a change of an entry in the changelog; see {@linkcode advance}. */
export function* advanceChangelog(
  { read, put }: ChangeTools,
  at: string,
  versions: readonly Entry[],
): Reading<void> {
  const next = advance(yield* read(CHANGELOGS, CHANGELOG_ID), at, versions);
  if (next !== undefined) put(CHANGELOGS, next);
}
