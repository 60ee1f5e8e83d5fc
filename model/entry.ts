import { parseId } from "./record_id.ts";
import { Refusal } from "./refusal.ts";
import { parseChoice } from "./text.ts";
import type { WebhookEvent } from "./webhook.ts";

/** An entry of the changelog as it is stored. */
export interface Entry {
  /** The identifier, case-sensitive, as that of a board; it never changes. */
  readonly entryId: string;
  /** The title, 1 to 200 code points. */
  readonly title: string;
  /** What the entry says, in Markdown, as it came: up to 32,768 bytes of UTF-8. */
  readonly body: string;
  /** Up to 5 words of `[a-z0-9-]{1,40}`. */
  readonly labels: readonly string[];
  /** Where to read more: an absolute http or https URL, up to 2,000 characters; or `null`. */
  readonly url: string | null;
  /** From when on the entry is public (RFC 3339, UTC, milliseconds); `null` for a draft. */
  readonly publishedAt: string | null;
  /** When the entry first became public, which decides whether it may still be mailed; or `null`. */
  readonly firstPublishedAt: string | null;
  /**
   * From when on it is public by the clock of whoever looks, if it is scheduled; `null` once it is known
   * to be public, whatever a clock says, and for a draft.
   */
  readonly announceAt: string | null;
  /** When the entry was created (RFC 3339, UTC, milliseconds). */
  readonly createdAt: string;
  /** When the entry last changed (RFC 3339, UTC, milliseconds). */
  readonly updatedAt: string;
}

/** Whether an entry is public; `scheduled` if it will be. */
export type EntryState = typeof ENTRY_STATES[number];

export const ENTRY_STATES = ["draft", "scheduled", "published"] as const;

/** An entry as the API shows it. */
export interface ShownEntry extends Omit<Entry, "firstPublishedAt" | "announceAt"> {
  /** The state at the time of the response. */
  readonly state: EntryState;
}

/** A change requested for an entry; a field that is `undefined` stays unchanged. */
export interface EntryChange {
  readonly title?: string | undefined;
  readonly body?: string | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly url?: string | null | undefined;
  readonly at: string;
}

export const ENTRY_BODY_MAX_BYTES = 32_768;
export const ENTRY_MAX_LABELS = 5;
export const LABEL_PATTERN = "^[a-z0-9-]{1,40}$";

const LABEL = new RegExp(LABEL_PATTERN);
// Control characters but tabs and line breaks, and lone surrogates.
const UNSUPPORTED = /[^\P{Cc}\t\n\r]|\p{Cs}/u;
const utf8 = new TextEncoder();

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
  const { entryId, title, body, labels, url, publishedAt, createdAt, updatedAt } = entry;
  const state = entryStateAt(entry, now);
  return { entryId, title, body, labels, url, state, publishedAt, createdAt, updatedAt };
}

/** Applies a change to an entry. Returns `current` itself if nothing changes. */
export function applyEntryChange(current: Entry, change: EntryChange): Entry {
  const next = {
    title: change.title ?? current.title,
    body: change.body ?? current.body,
    labels: change.labels ?? current.labels,
    url: change.url === undefined ? current.url : change.url,
  };
  const isSame = next.title === current.title && next.body === current.body &&
    next.url === current.url && next.labels.join(" ") === current.labels.join(" ");
  return isSame ? current : { ...current, ...next, updatedAt: change.at };
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

// What stands in paths where an identifier would.
const RESERVED_IDS = ["preview", "export", "import"];

/** Accepts the identifier of a new entry; refuses with `too_long` or `invalid_value`. */
export function parseEntryId(text: string): string | Refusal {
  if (!RESERVED_IDS.includes(text)) return parseId(text);
  return new Refusal("invalid_value", "is a word that the API itself has in its paths");
}

/** Accepts the body of an entry, as it came; refuses with `too_long` or `unsupported_characters`. */
export function parseEntryBody(text: string): string | Refusal {
  if (utf8.encode(text).length > ENTRY_BODY_MAX_BYTES) {
    return new Refusal("too_long", `is longer than ${ENTRY_BODY_MAX_BYTES} bytes of UTF-8`);
  }
  if (UNSUPPORTED.test(text)) {
    return new Refusal("unsupported_characters", "has control characters or lone surrogates");
  }
  return text;
}

/** Accepts labels separated by spaces, each taken once; refuses with `invalid_value`. */
export function parseLabels(text: string): readonly string[] | Refusal {
  const labels = [...new Set(text.split(" ").filter((label) => label !== ""))];
  if (!labels.every((label) => LABEL.test(label))) {
    return new Refusal(
      "invalid_value",
      "has a label that is not of 1 to 40 lower-case letters a-z, digits and hyphens",
    );
  }
  return labels.length <= ENTRY_MAX_LABELS
    ? labels
    : new Refusal("invalid_value", `has more than ${ENTRY_MAX_LABELS} labels`);
}

/** Accepts the name of a state; refuses with `invalid_value`. */
export function parseEntryState(text: string): EntryState | Refusal {
  return parseChoice(text, ENTRY_STATES);
}
