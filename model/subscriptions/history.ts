import { Refusal } from "../values/refusal.ts";
import { parseInstant } from "../values/time.ts";

/** A change of `subscribed`, kept as evidence of a consent or an opt-out. */
export interface HistoryEvent {
  /** When (RFC 3339, UTC, milliseconds). */
  readonly at: string;
  /** The state from then on. */
  readonly subscribed: boolean;
  /** What caused it. */
  readonly source: string;
  /** The API key by which it came; `null` where none was used. */
  readonly keyId: string | null;
  /** What else proves it; absent where nothing does. */
  readonly evidence?: Evidence | undefined;
}

/** Texts that prove a consent, by their name in the list that they come from. */
export type Evidence = Readonly<Record<string, string>>;

// The first, and the newest.
const NEWEST_KEPT = 50;
const MAX_KEPT = 1 + NEWEST_KEPT;
// An event takes at least so many characters.
const MIN_EVENT_LENGTH = 40;
const EVENT_START = '],["';
const MAX_EVIDENCE = 10;
const MAX_EVIDENCE_LENGTH = 200;
// A record has room for it, however its characters are written.
const MAX_LENGTH = 40_000;
// Of keys as they are made here, and of the operator's own.
const KEY_ID = /^[\w-]{1,128}$/;

/** A stored event: a list without names, as there may be millions. */
type Row = [at: string, subscribed: boolean, source: string, keyId: string | null, Evidence?];

/** Adds an event to a stored history, which is a text; of many, the first and the newest 50 are kept. */
export function appendHistory(stored: string, event: HistoryEvent): string {
  const row = JSON.stringify(toRow(event));
  // An opt-out must not fail because of what can't be read.
  if (!stored.startsWith("[[") || !stored.endsWith("]]")) return `[${row}]`;
  const all = withoutSecond(`${stored.slice(0, -1)},${row}]`);
  return all.length <= MAX_LENGTH ? all : bound(JSON.parse(all));
}

/** Leaves out the second event of a stored history that has one too many: parsing it would cost far more. */
function withoutSecond(all: string): string {
  if (all.length < MAX_KEPT * MIN_EVENT_LENGTH) return all;
  const later: number[] = [];
  for (let at = all.indexOf(EVENT_START); at >= 0;) {
    // Each event begins with a time. In its texts, quotes are escaped, and no digit follows their ends.
    const isStart = /^\d/.test(all[at + EVENT_START.length]);
    if (isStart) later.push(at);
    at = all.indexOf(EVENT_START, at + (isStart ? MIN_EVENT_LENGTH : 1));
  }
  return later.length < MAX_KEPT ? all : all.slice(0, later[0]) + all.slice(later[1]);
}

/** Returns the events of a stored history, oldest first; `undefined` if it can't be read. */
export function readHistory(stored: string): readonly HistoryEvent[] | undefined {
  const rows = readRows(stored);
  return rows?.map(([at, subscribed, source, keyId, evidence]) => ({
    ...{ at, subscribed, source, keyId },
    ...evidence && { evidence },
  }));
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

// What is in it was checked before it was stored.
function isRow(value: unknown): value is Row {
  return Array.isArray(value);
}

/** Writes events, oldest first, as a history is stored. */
export function writeHistory(events: readonly HistoryEvent[]): string {
  return events.length === 0 ? "" : bound(events.map(toRow));
}

/** Accepts a history as an export has it; refuses with `invalid_value`. */
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
    ...{ at: time, subscribed, source: known, keyId },
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

/** Bounds the texts of evidence. */
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
