import { ENTRY, type Entry, type EntryState, type ShownEntry } from "./entry.ts";
import { showRecord } from "../resource.ts";
import type { WebhookEvent } from "../webhooks/webhook_event.ts";

/**
 * Returns the state of an entry at a time (RFC 3339, UTC, milliseconds). The clock decides only
 * about scheduled entries: an entry that one process has published is published in all processes.
 */
export function entryStateAt({ publishedAt, announceAt }: Entry, now: string): EntryState {
  if (publishedAt === null) return "draft";
  return announceAt !== null && announceAt > now ? "scheduled" : "published";
}

/** Tells whether an entry has ever been public by a time. */
export function wasEverPublic({ firstPublishedAt, announceAt }: Entry, now: string): boolean {
  if (firstPublishedAt === null) return false;
  return firstPublishedAt !== announceAt || announceAt <= now;
}

/** Returns an entry as the API shows it at a time (RFC 3339, UTC, milliseconds). */
export function showEntry(entry: Entry, now: string): ShownEntry {
  return showRecord(ENTRY, entry, { state: entryStateAt(entry, now) });
}

/** The author and the time of a change. */
export interface Authorship {
  /** The name of the key. */
  readonly by: string | null;
  /** When (RFC 3339, UTC, milliseconds). */
  readonly at: string;
}

/**
 * Publishes an entry from `from` on (RFC 3339, UTC, milliseconds). Returns `current` itself if it
 * is public already, or if nothing changes.
 */
export function publishEntry(current: Entry, from: string, { by, at }: Authorship): Entry {
  if (entryStateAt(current, at) === "published" || current.publishedAt === from) return current;
  return {
    ...current,
    publishedAt: from,
    firstPublishedAt: wasEverPublic(current, at) ? current.firstPublishedAt : from,
    announceAt: from > at ? from : null,
    updatedAt: at,
    updatedBy: by,
    publishedBy: by,
  };
}

/** Makes an entry a draft again; returns `current` itself if it is one. */
export function unpublishEntry(current: Entry, { by, at }: Authorship): Entry {
  if (current.publishedAt === null) return current;
  return {
    ...current,
    publishedAt: null,
    firstPublishedAt: wasEverPublic(current, at) ? current.firstPublishedAt : null,
    announceAt: null,
    updatedAt: at,
    updatedBy: by,
    publishedBy: null,
  };
}

/** An entry before and after a change, and the events for webhooks, in their order. */
export interface EntryUpdate {
  /** The entry before the change, with its publication announced. */
  readonly current: Entry;
  /** The entry after the change; `undefined` if the change removes it. */
  readonly next: Entry | undefined;
  readonly events: readonly WebhookEvent[];
}

/**
 * Changes an entry at a time (RFC 3339, UTC, milliseconds). The events are its publication, if its
 * time has come and it was not announced yet, and then the change itself.
 */
export function changeEntry(
  stored: Entry,
  now: string,
  change: (current: Entry) => Entry | undefined,
): EntryUpdate {
  const { announceAt } = stored;
  const isDue = announceAt !== null && announceAt <= now;
  const current = isDue ? { ...stored, announceAt: null } : stored;
  const next = change(current);
  const events: WebhookEvent[] = [];
  if (isDue) {
    events.push({ type: "entry.published", at: announceAt, data: showEntry(stored, now) });
  }
  const wasPublic = entryStateAt(current, now) === "published";
  const isPublic = next !== undefined && entryStateAt(next, now) === "published";
  if (isPublic && next !== current) {
    const type = wasPublic ? "entry.updated" : "entry.published";
    events.push({ type, at: now, data: showEntry(next, now) });
  } else if (wasPublic && !isPublic) {
    const draft = next ?? unpublishEntry(current, { by: current.updatedBy, at: now });
    events.push({ type: "entry.unpublished", at: now, data: showEntry(draft, now) });
  }
  return { current, next, events };
}
