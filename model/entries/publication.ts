import { ENTRY, type Entry, type EntryState, type ShownEntry } from "./entry.ts";
import { showRecord } from "../resource.ts";
import type { WebhookEvent } from "../webhooks/webhook_event.ts";

/**
 * Returns the state of an entry at a time (RFC 3339, UTC, milliseconds). The clock decides only on what
 * is scheduled: what one process has published is published in all of them.
 */
export function entryStateAt({ publishedAt, announceAt }: Entry, now: string): EntryState {
  if (publishedAt === null) return "draft";
  return announceAt !== null && announceAt > now ? "scheduled" : "published";
}

/** Tells whether an entry has ever been public by a time. */
function wasEverPublic({ firstPublishedAt, announceAt }: Entry, now: string): boolean {
  if (firstPublishedAt === null) return false;
  return firstPublishedAt !== announceAt || announceAt <= now;
}

/** Returns an entry as the API shows it at a time (RFC 3339, UTC, milliseconds). */
export function showEntry(entry: Entry, now: string): ShownEntry {
  return showRecord<Entry, ShownEntry>(ENTRY, entry, { state: entryStateAt(entry, now) });
}

/**
 * Publishes an entry from `from` on, at a time `now` (both RFC 3339, UTC, milliseconds). Returns
 * `current` itself if it is public already, or if nothing changes.
 */
export function publishEntry(current: Entry, from: string, now: string): Entry {
  if (entryStateAt(current, now) === "published" || current.publishedAt === from) return current;
  return {
    ...current,
    publishedAt: from,
    firstPublishedAt: wasEverPublic(current, now) ? current.firstPublishedAt : from,
    announceAt: from > now ? from : null,
    updatedAt: now,
  };
}

/** Makes an entry a draft again, at a time; returns `current` itself if it is one. */
export function unpublishEntry(current: Entry, now: string): Entry {
  if (current.publishedAt === null) return current;
  const firstPublishedAt = wasEverPublic(current, now) ? current.firstPublishedAt : null;
  return { ...current, publishedAt: null, firstPublishedAt, announceAt: null, updatedAt: now };
}

/** An entry before and after a change, and the events for webhooks, in their order. */
export interface EntryUpdate {
  /** The entry before the change, once its publication is announced. */
  readonly current: Entry;
  /** The entry after it; `undefined` where it is removed. */
  readonly next: Entry | undefined;
  readonly events: readonly WebhookEvent[];
}

/**
 * Changes an entry at a time (RFC 3339, UTC, milliseconds). The events are its publication, if its time
 * has come and it was not announced yet, and then the change itself.
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
    const draft = next ?? unpublishEntry(current, now);
    events.push({ type: "entry.unpublished", at: now, data: showEntry(draft, now) });
  }
  return { current, next, events };
}
