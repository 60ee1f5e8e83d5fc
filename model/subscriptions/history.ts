import { Refusal } from "../values/refusal.ts";
import { parseInstant } from "../values/time.ts";

/** A change of `subscribed`, kept as evidence of a consent or an opt-out. */
export interface HistoryEvent {
  /** The time of the change (RFC 3339, UTC, milliseconds). */
  readonly at: string;
  /** The state from then on. */
  readonly subscribed: boolean;
  /** The cause of the change. */
  readonly source: string;
  /** The identifier of the API key that made the change; `null` if none was used. */
  readonly keyId: string | null;
  /** Further evidence from an imported list; absent if there is none. */
  readonly evidence?: Evidence | undefined;
}

/** Texts that prove a consent, by their column names in the imported list. */
export type Evidence = Readonly<Record<string, string>>;

const NEWEST_KEPT = 50;
/** The first event is kept besides the newest ones. */
const MAX_KEPT = 1 + NEWEST_KEPT;
/** The least number of characters of a stored event. */
const MIN_EVENT_LENGTH = 40;
const MAX_EVIDENCE = 10;
const MAX_EVIDENCE_LENGTH = 200;
// A record has room for this many characters, however they are escaped.
const MAX_LENGTH = 40_000;
/** The form of our own keys' identifiers; the operator's key is `operator`. */
const KEY_ID = /^[\w-]{1,128}$/;

/** A stored event. It has no member names because there may be millions of events. */
type Row = [at: string, subscribed: boolean, source: string, keyId: string | null, Evidence?];

/** Appends an event to a stored history, and keeps the first and the newest 50 events. */
export function appendHistory(stored: string, event: HistoryEvent): string {
  const row = JSON.stringify(toRow(event));
  // An opt-out must succeed even if the stored history is damaged.
  if (!stored.startsWith("[[") || !stored.endsWith("]]")) return `[${row}]`;
  const all = `${stored.slice(0, -1)},${row}]`;
  if (all.length < MAX_KEPT * MIN_EVENT_LENGTH) return all;
  const rows = readRows(all);
  return rows === undefined ? `[${row}]` : bound(rows);
}

/** Returns the events of a stored history, oldest first, or `undefined` if it is damaged. */
export function readHistory(stored: string): readonly HistoryEvent[] | undefined {
  const rows = readRows(stored);
  return rows?.map(([at, subscribed, source, keyId, evidence]) => ({
    at,
    subscribed,
    source,
    keyId,
    ...evidence && { evidence },
  }));
}

/** Returns the start of the current or last subscription (RFC 3339, UTC, milliseconds). */
export function subscribedSince(
  { history, updatedAt }: { readonly history: string; readonly updatedAt: string },
): string {
  // A record of an older program has no history, and its `updatedAt` may be that of a changed name.
  return readHistory(history)?.findLast(({ subscribed }) => subscribed)?.at ?? updatedAt;
}

function readRows(stored: string): readonly Row[] | undefined {
  if (stored === "") return [];
  try {
    const rows: unknown = JSON.parse(stored);
    return Array.isArray(rows) && rows.every(isRow) ? rows : undefined;
  } catch {
    return undefined;
  }
}

// The members of a row were checked before it was stored.
function isRow(value: unknown): value is Row {
  return Array.isArray(value);
}

/** Formats events, oldest first, for storage. */
export function writeHistory(events: readonly HistoryEvent[]): string {
  return events.length === 0 ? "" : bound(events.map(toRow));
}

/** Parses the history of an exported record. Refuses others with `invalid_value`. */
export function parseHistory(
  value: unknown,
  sources: readonly string[],
): readonly HistoryEvent[] | Refusal {
  const events = Array.isArray(value) ? value.map((one) => parseEvent(one, sources)) : [undefined];
  return events.every((event) => event !== undefined)
    ? events
    : new Refusal("invalid_value", "is not a history as an export has it");
}

function parseEvent(value: unknown, sources: readonly string[]): HistoryEvent | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { at, subscribed, source, keyId = null, evidence } = value as Record<string, unknown>;
  const time = parseInstant(`${at}`);
  const known = sources.find((one) => one === source);
  const isKey = keyId === null || typeof keyId === "string" && KEY_ID.test(keyId);
  if (time instanceof Refusal || typeof subscribed !== "boolean" || !known || !isKey) {
    return undefined;
  }
  const proof = evidence === undefined || evidence === null ? undefined : parseEvidence(evidence);
  return proof === false ? undefined : {
    at: time,
    subscribed,
    source: known,
    keyId,
    ...proof && { evidence: proof },
  };
}

function parseEvidence(value: unknown): Evidence | false {
  const entries = typeof value === "object" ? Object.entries(value as Evidence) : [];
  const isText = (text: unknown) => typeof text === "string" && text.isWellFormed();
  const isFit = entries.length <= MAX_EVIDENCE && entries.flat().every(isText);
  return isFit && Object.fromEntries(entries);
}

function toRow({ at, subscribed, source, keyId, evidence }: HistoryEvent): Row {
  return evidence === undefined
    ? [at, subscribed, source, keyId]
    : [at, subscribed, source, keyId, cut(evidence)];
}

/** Shortens the texts of evidence and limits their number. */
function cut(evidence: Evidence): Evidence {
  const entries = Object.entries(evidence).slice(0, MAX_EVIDENCE);
  const texts = entries.map((pair) => pair.map((text) => text.slice(0, MAX_EVIDENCE_LENGTH)));
  return Object.fromEntries(texts.map((pair) => pair.map((text) => text.toWellFormed())));
}

function bound(rows: readonly Row[]): string {
  const kept = rows.length > MAX_KEPT ? [rows[0], ...rows.slice(-NEWEST_KEPT)] : rows;
  const text = JSON.stringify(kept);
  if (text.length <= MAX_LENGTH) return text;
  return JSON.stringify(kept.map((row, index) => index === 0 ? row : row.slice(0, 4)));
}
