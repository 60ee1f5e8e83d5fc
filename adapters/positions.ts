import {
  type AnyIndex,
  type AnyKind,
  type Item,
  type ListQuery,
  MAX_LIST_LIMIT,
  type Position,
} from "./storage.ts";

/** Sorts after every character of a key. */
const AFTER_ALL = "\x7f";

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
 * `TypeError` for a position of another index and for `within` in the order of a time.
 */
export function checkQuery(kind: AnyKind, { index, after, within, limit }: ListQuery): AnyIndex {
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIST_LIMIT)) {
    throw new RangeError(`Cannot list ${limit} records: limit is 1 to ${MAX_LIST_LIMIT}`);
  }
  const found = index === undefined ? {} : indexOf(kind, index);
  if (after !== undefined && (after.by === undefined) !== (found.by === undefined)) {
    throw new TypeError(`Cannot list ${kind.name} after a position of another index`);
  }
  if (within !== undefined && found.by !== undefined && kind.fields[found.by].startsWith("time")) {
    throw new TypeError(`Cannot list ${kind.name} within a part of a time`);
  }
  return found;
}

/** The positions between which a listing is, without those at them. Absent: it has no end there. */
export interface Bounds {
  /** The position that all records are above; absent: the start. */
  readonly above?: Position | undefined;
  /** The position that all records are below; absent: the end. */
  readonly below?: Position | undefined;
}

/** Returns the bounds of a query: `after` and `within`. Throws like {@linkcode checkQuery}. */
export function boundsOf(kind: AnyKind, query: ListQuery): Bounds {
  const { by } = checkQuery(kind, query);
  const { after, within = "", reverse = false } = query;
  const bounds = reverse ? { below: after } : { above: after };
  if (within === "") return bounds;
  // Keys have no character between the one before the last of the prefix, followed by AFTER_ALL,
  // and that last one.
  const last = String.fromCharCode(within.charCodeAt(within.length - 1) - 1);
  const before = `${within.slice(0, -1)}${last}${AFTER_ALL}`;
  const first = by === undefined ? { key: before } : { by: before, key: "" };
  const end = by === undefined ? { key: within + AFTER_ALL } : { by: within + AFTER_ALL, key: "" };
  return reverse
    ? { above: first, below: after === undefined || isBefore(end, after) ? end : after }
    : { above: after === undefined || isBefore(after, first) ? first : after, below: end };
}

function isBefore(one: Position, other: Position): boolean {
  return one.by === other.by ? one.key < other.key : `${one.by}` < `${other.by}`;
}

function indexOf(kind: AnyKind, name: string): AnyIndex {
  const { indexes = {} } = kind;
  if (Object.hasOwn(indexes, name)) return indexes[name];
  throw new RangeError(`${kind.name} has no index "${name}"`);
}
