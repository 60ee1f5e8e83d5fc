import type { AnyKind, Decide, Found, Item, Position, Ref, Refs } from "./storage.ts";

/** The greatest length of a key, and of a text that an index orders by, in characters. */
export const MAX_KEY_LENGTH = 512;

/** One record as it will be; `next` is `undefined` where it is removed. */
export interface Change {
  /** The kind of the record. */
  readonly kind: AnyKind;
  /** The key of the record. */
  readonly key: string;
  /** The record to store, frozen. */
  readonly next: Item | undefined;
}

/** What a transaction came to. */
export interface Outcome<A> {
  /** What `transact` resolves to, once the changes are durable. */
  readonly answer: A;
  /** What to store and remove, all of it or nothing. */
  readonly changes: readonly Change[];
}

// Printable ASCII, in which the order of characters is that of bytes in every store.
const KEY = /^[\x21-\x7e]+$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Tells whether a text can be a key: 1 to 512 printable ASCII characters without spaces. */
export function isKey(text: string): boolean {
  return text.length <= MAX_KEY_LENGTH && KEY.test(text);
}

/**
 * Has `decide` decide on the records that `read` finds, and checks what it returns. Throws what
 * `decide` throws, and a `TypeError` for a change of a record that `refs` do not name, or for one
 * that its kind does not allow.
 */
export function runDecide<R extends Refs, A>(
  refs: R,
  decide: Decide<R, A>,
  read: (ref: Ref) => Item | undefined,
): Outcome<A> {
  const found: Record<string, Item | undefined> = {};
  for (const name in refs) found[name] = read(refs[name]);
  const { answer, put, remove = [] } = decide(found as Found<R>);
  const changes: Change[] = [];
  for (const name in put) {
    const next: unknown = put[name];
    if (next === undefined || next === found[name]) continue;
    const { kind, key } = refOf(refs, name);
    const record = copyRecord(kind, next);
    if (record[kind.key] !== key) throw new TypeError(`Cannot store "${name}" under another key`);
    changes.push({ kind, key, next: record });
  }
  for (const name of remove) {
    const { kind, key } = refOf(refs, String(name));
    if (found[String(name)] !== undefined) changes.push({ kind, key, next: undefined });
  }
  return { answer, changes };
}

function refOf(refs: Refs, name: string): Ref {
  if (!Object.hasOwn(refs, name)) {
    throw new TypeError(`Cannot change "${name}": refs do not name it`);
  }
  return refs[name];
}

/** Throws a `TypeError` where two refs name one record, whose changes would contradict each other. */
export function checkRefs(refs: Refs): void {
  const seen = new Set<string>();
  for (const name in refs) seen.add(`${refs[name].kind.name} ${refs[name].key}`);
  if (seen.size < Object.keys(refs).length) throw new TypeError("Two refs name the same record");
}

/**
 * Returns a frozen copy of a record. Throws a `TypeError` unless it has the fields of its kind and no
 * others, each with a value of its type: texts without NUL and lone surrogates, whole numbers, times
 * in RFC 3339 (UTC, milliseconds), values that JSON can write.
 */
export function copyRecord(kind: AnyKind, record: unknown): Item {
  if (!isItem(record)) throw new TypeError(`Cannot store a ${typeof record} in ${kind.name}`);
  const names = Object.keys(kind.fields);
  for (const name of names) {
    if (!fits(kind.fields[name], record[name])) {
      throw new TypeError(`Cannot store in ${kind.name}: ${name} is no ${kind.fields[name]}`);
    }
  }
  if (Object.keys(record).length > names.length) {
    throw new TypeError(`Cannot store in ${kind.name}: it has a field that the kind lacks`);
  }
  if (!isKey(String(record[kind.key]))) {
    throw new TypeError(`Cannot store in ${kind.name}: ${kind.key} can't be a key`);
  }
  // A copy of each text, too: engines have a part of a text keep all that it was cut from in memory.
  const copy: Item = JSON.parse(JSON.stringify(record));
  return freeze(copy);
}

/** Freezes a record, and what is in it. */
export function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}

/**
 * Returns the positions of a record in the indexes of its kind, by their names: for stores that keep
 * their own ordered entries. A record that is in no index has none.
 */
export function indexEntries(kind: AnyKind, record: Item): ReadonlyMap<string, Position> {
  const entries = new Map<string, Position>();
  for (const name in kind.indexes) {
    const position = positionIn(kind, name, record);
    if (position !== undefined) entries.set(name, position);
  }
  return entries;
}

/** Returns the position of a record in one index of its kind; `undefined` if it is not in it. */
export function positionIn(kind: AnyKind, index: string, record: Item): Position | undefined {
  const { where, by } = indexOf(kind, index);
  for (const name in where) if (record[name] !== where[name]) return undefined;
  const key = String(record[kind.key]);
  if (by === undefined) return { key };
  const value = record[by];
  return typeof value === "string" ? { key, by: value } : undefined;
}

/** Returns an index by its name. Throws a `RangeError` if the kind has none of this name. */
export function indexOf(kind: AnyKind, name: string): NonNullable<AnyKind["indexes"]>[string] {
  const { indexes = {} } = kind;
  if (Object.hasOwn(indexes, name)) return indexes[name];
  throw new RangeError(`${kind.name} has no index "${name}"`);
}

function isItem(value: unknown): value is Item {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fits(type: string, value: unknown): boolean {
  if (value === null) return type.endsWith("?");
  switch (type.replace("?", "")) {
    case "text":
      return isText(value);
    case "time":
      return typeof value === "string" && TIME.test(value);
    case "boolean":
      return typeof value === "boolean";
    case "integer":
      return Number.isSafeInteger(value);
    case "texts":
      return Array.isArray(value) && value.every(isText);
    default:
      return value !== undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.isWellFormed() && !value.includes("\0");
}
