import type { AnyKind, Item } from "./storage.ts";

/** The greatest length of a key, and of a text that an index orders by, in characters. */
export const MAX_KEY_LENGTH = 512;

const LONG_TEXT = 100;
/** V8 copies shorter parts of a text at once, so they never keep the whole text in memory. */
const MIN_SHARED_LENGTH = 13;
/** All empty lists of records are this one, which saves 32 bytes of each subscription. */
const EMPTY_LIST: readonly never[] = Object.freeze([]);

// Printable ASCII, in which the order of characters is that of bytes in every store.
const KEY = /^[\x21-\x7e]+$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Tells whether a text can be a key: 1 to 512 printable ASCII characters without spaces. */
export function isKey(text: string): boolean {
  return text.length <= MAX_KEY_LENGTH && KEY.test(text);
}

/**
 * Returns a frozen copy of a record. Throws a `TypeError` unless it has the fields of its kind and
 * no others, each with a value of its type: texts without NUL and lone surrogates, whole numbers,
 * times in RFC 3339 (UTC, milliseconds), and values that JSON can write. A text that an index
 * orders by must have the form of a key. Values that equal those of `previous`, an earlier copy,
 * are shared with it.
 */
export function copyRecord(kind: AnyKind, record: unknown, previous?: Item): Item {
  if (!isItem(record)) throw new TypeError(`Cannot store a ${typeof record} in ${kind.name}`);
  const known = Object.keys(kind.fields);
  const given = inOrder(kind, record, known);
  const isComparable = previous !== undefined && isInOrder(previous, known);
  // Most fields keep their values. Reading each of them by name would halve the speed.
  const values = Object.values(given);
  const before = isComparable ? Object.values(previous) : [];
  const copy: Record<string, unknown> = { ...isComparable ? previous : given };
  for (let at = 0; at < known.length; at++) {
    const value = values[at];
    if (at < before.length && before[at] === value) continue;
    const name = known[at];
    if (!fits(kind.fields[name], value)) {
      throw new TypeError(`Cannot store in ${kind.name}: ${name} is no ${kind.fields[name]}`);
    }
    copy[name] = copyValue(value);
  }
  checkOrderedBy(kind, kind.key, { copy, previous });
  for (const name in kind.indexes) checkOrderedBy(kind, kind.indexes[name].by, { copy, previous });
  return Object.freeze(copy);
}

function inOrder({ name, fields }: AnyKind, record: Item, known: readonly string[]): Item {
  if (isInOrder(record, known)) return record;
  if (Object.keys(record).some((field) => !Object.hasOwn(fields, field))) {
    throw new TypeError(`Cannot store in ${name}: it has a field that the kind lacks`);
  }
  return Object.fromEntries(known.map((field) => [field, record[field]]));
}

function isInOrder(record: Item, known: readonly string[]): boolean {
  const given = Object.keys(record);
  return given.length === known.length && given.every((field, at) => field === known[at]);
}

/**
 * Copies a value. Texts are copied too, because engines implement a part of a text as a reference
 * to the whole, which would then stay in memory.
 */
function copyValue(value: unknown): unknown {
  if (typeof value === "string") {
    if (value.length < MIN_SHARED_LENGTH) return value;
    // The second way is much faster for long texts.
    return value.length < LONG_TEXT ? JSON.parse(JSON.stringify(value)) : `${value} `.slice(0, -1);
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value) && value.length === 0) return EMPTY_LIST;
  return freeze(JSON.parse(JSON.stringify(value)));
}

function checkOrderedBy(
  kind: AnyKind,
  field: string | undefined,
  { copy, previous }: { readonly copy: Item; readonly previous: Item | undefined },
): void {
  if (field === undefined || copy[field] === null || copy[field] === previous?.[field]) return;
  if (isKey(String(copy[field]))) return;
  throw new TypeError(`Cannot store in ${kind.name}: ${field} has what keys can't have`);
}

/** Freezes a record and all its values. */
export function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}

function isItem(value: unknown): value is Item {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fits(type: string, value: unknown): boolean {
  if (value === null) return type.endsWith("?");
  switch (type) {
    case "text":
    case "text?":
      return isText(value);
    case "time":
    case "time?":
      return typeof value === "string" && TIME.test(value);
    case "boolean":
    case "boolean?":
      return typeof value === "boolean";
    case "integer":
    case "integer?":
      return Number.isSafeInteger(value);
    case "texts":
    case "texts?":
      return Array.isArray(value) && value.every(isText);
    default:
      return isJson(value);
  }
}

function isJson(value: unknown): boolean {
  if (typeof value !== "object" || value === null) {
    return value === null || typeof value === "boolean" || Number.isFinite(value) || isText(value);
  }
  if (Array.isArray(value)) return value.every(isJson);
  return Object.getPrototypeOf(value) === Object.prototype &&
    Object.entries(value).every(([name, part]) => isText(name) && isJson(part));
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.isWellFormed() && !value.includes("\0");
}
