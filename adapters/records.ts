import {
  type AnyIndex,
  type AnyKind,
  type Decide,
  type Found,
  type Item,
  type ListQuery,
  MAX_CREATED,
  MAX_CREATED_BYTES,
  MAX_LIST_LIMIT,
  MAX_REFS,
  type NewRecord,
  type Position,
  type Ref,
  type Refs,
} from "./storage.ts";

/** The greatest length of a key, and of a text that an index orders by, in characters. */
export const MAX_KEY_LENGTH = 512;

const LONG_TEXT = 100;
/** V8 copies shorter parts of a text at once, so they never keep the whole text in memory. */
const MIN_SHARED_LENGTH = 13;
/** All empty lists of records are this one, which saves 32 bytes of each subscription. */
const EMPTY_LIST: readonly never[] = Object.freeze([]);

/** The change of one record; `next` is `undefined` if the record is removed. */
export interface Change {
  /** The kind of the record. */
  readonly kind: AnyKind;
  /** The key of the record. */
  readonly key: string;
  /** The record to store, frozen. */
  readonly next: Item | undefined;
  /** Whether the decision creates it: no ref names it, and storage has no record with its key. */
  readonly isNew?: boolean | undefined;
}

/** The result of a decision. */
export interface TransactionOutcome<A> {
  /** The value that `transact` resolves to, once the changes are durable. */
  readonly answer: A;
  /** The changes to make, all of them or none. */
  readonly changes: readonly Change[];
}

// Printable ASCII, in which the order of characters is that of bytes in every store.
const KEY = /^[\x21-\x7e]+$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const encoder = new TextEncoder();

/** Tells whether a text can be a key: 1 to 512 printable ASCII characters without spaces. */
export function isKey(text: string): boolean {
  return text.length <= MAX_KEY_LENGTH && KEY.test(text);
}

/**
 * Calls `decide` with the records that `read` finds, and checks the decision. Throws what `decide`
 * throws, a `TypeError` for a change of a record that `refs` do not name or for a record that its
 * kind does not allow, and a `RangeError` if the decision creates too much.
 */
export function runDecide<R extends Refs, A>(
  refs: R,
  decide: Decide<R, A>,
  read: (ref: Ref) => Item | undefined,
): TransactionOutcome<A> {
  const found: Record<string, Item | undefined> = {};
  for (const name in refs) found[name] = read(refs[name]);
  const { answer, put, remove, create } = decide(found as Found<R>);
  const changes: Change[] = [];
  for (const name in put) {
    const next: unknown = put[name];
    if (next === undefined || next === found[name]) continue;
    const { kind, key } = refOf(refs, name);
    const record = copyRecord(kind, next, found[name]);
    if (record[kind.key] !== key) throw new TypeError(`Cannot store "${name}" under another key`);
    changes.push({ kind, key, next: record });
  }
  for (const name of remove === undefined ? [] : new Set(remove.map(String))) {
    const { kind, key } = refOf(refs, name);
    if (put?.[name] !== undefined) throw new TypeError(`Cannot both store and remove "${name}"`);
    if (found[name] !== undefined) changes.push({ kind, key, next: undefined });
  }
  if (create !== undefined && create.length > 0) changes.push(...copyCreated(create, refs));
  return { answer, changes };
}

/** Checks and copies the records that a decision creates. */
function copyCreated(create: readonly NewRecord[], refs: Refs): readonly Change[] {
  if (create.length > MAX_CREATED) {
    throw new RangeError(`Cannot create ${create.length} records: at most ${MAX_CREATED}`);
  }
  const taken = new Set(Object.values(refs).map(nameOf));
  let bytes = 0;
  return create.map(({ kind, record }) => {
    const next = copyRecord(kind, record);
    const key = String(next[kind.key]);
    const name = nameOf({ kind, key });
    if (taken.has(name)) {
      throw new TypeError(`Cannot create a record of ${kind.name} that is named twice`);
    }
    taken.add(name);
    bytes += encoder.encode(JSON.stringify(next)).length;
    if (bytes > MAX_CREATED_BYTES) {
      throw new RangeError(`Cannot create more than ${MAX_CREATED_BYTES} bytes of records`);
    }
    return { kind, key, next, isNew: true };
  });
}

/** Returns a text that differs for any two records. */
function nameOf({ kind, key }: Ref): string {
  return `${kind.name} ${key}`;
}

function refOf(refs: Refs, name: string): Ref {
  if (!Object.hasOwn(refs, name)) {
    throw new TypeError(`Cannot change "${name}": refs do not name it`);
  }
  return refs[name];
}

/**
 * Throws a `RangeError` if there are too many refs, and a `TypeError` if two of them name one
 * record, as their changes could contradict each other.
 */
export function checkRefs(refs: Refs): void {
  const all = Object.values(refs);
  if (all.length > MAX_REFS) {
    throw new RangeError(`Cannot refer to ${all.length} records: at most ${MAX_REFS}`);
  }
  for (let index = 1; index < all.length; index++) {
    const { kind, key } = all[index];
    for (let other = 0; other < index; other++) {
      if (all[other].key === key && all[other].kind.name === kind.name) {
        throw new TypeError("Two refs name the same record");
      }
    }
  }
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
  const copy = inOrder(kind, record);
  for (const name in kind.fields) {
    const value = copy[name];
    if (previous !== undefined && previous[name] === value && value !== undefined) {
      copy[name] = previous[name];
      continue;
    }
    if (!fits(kind.fields[name], value)) {
      throw new TypeError(`Cannot store in ${kind.name}: ${name} is no ${kind.fields[name]}`);
    }
    copy[name] = copyValue(value);
  }
  checkOrderedBy(kind, kind.key, { copy, previous });
  for (const name in kind.indexes) checkOrderedBy(kind, kind.indexes[name].by, { copy, previous });
  return Object.freeze(copy);
}

/** Returns a copy of a record with its fields in the order of its kind. */
function inOrder({ name, fields }: AnyKind, record: Item): Record<string, unknown> {
  const known = Object.keys(fields);
  const given = Object.keys(record);
  // A spread is much faster than a copy field by field.
  if (given.every((field, at) => field === known[at])) return { ...record };
  if (given.some((field) => !Object.hasOwn(fields, field))) {
    throw new TypeError(`Cannot store in ${name}: it has a field that the kind lacks`);
  }
  return Object.fromEntries(known.map((field) => [field, record[field]]));
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

/**
 * Returns the positions of a record by the names of the indexes that it is in, for stores that keep
 * their own ordered entries.
 */
export function indexEntries(kind: AnyKind, record: Item): ReadonlyMap<string, Position> {
  const entries = new Map<string, Position>();
  for (const name in kind.indexes) {
    const position = positionIn(kind, name, record);
    if (position !== undefined) entries.set(name, position);
  }
  return entries;
}

/**
 * Returns the position of a record in one index of its kind; `undefined` if the index does not have
 * it.
 */
export function positionIn(kind: AnyKind, index: string, record: Item): Position | undefined {
  const { where, by } = indexOf(kind, index);
  // A record may be older than a field of the index.
  const read = (name: string) => record[name] === undefined ? kind.defaults?.[name] : record[name];
  for (const name in where) if (read(name) !== where[name]) return undefined;
  const key = String(record[kind.key]);
  if (by === undefined) return { key };
  const value = read(by);
  return typeof value === "string" ? { key, by: value } : undefined;
}

/**
 * Checks a query, and returns its index, which is empty for the order of keys. Throws a
 * `RangeError` for a limit that is out of range and for an index that the kind lacks, and a
 * `TypeError` for a position of another index.
 */
export function checkQuery(kind: AnyKind, { index, after, limit }: ListQuery): AnyIndex {
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIST_LIMIT)) {
    throw new RangeError(`Cannot list ${limit} records: limit is 1 to ${MAX_LIST_LIMIT}`);
  }
  const found = index === undefined ? {} : indexOf(kind, index);
  if (after !== undefined && (after.by === undefined) !== (found.by === undefined)) {
    throw new TypeError(`Cannot list ${kind.name} after a position of another index`);
  }
  return found;
}

function indexOf(kind: AnyKind, name: string): AnyIndex {
  const { indexes = {} } = kind;
  if (Object.hasOwn(indexes, name)) return indexes[name];
  throw new RangeError(`${kind.name} has no index "${name}"`);
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
