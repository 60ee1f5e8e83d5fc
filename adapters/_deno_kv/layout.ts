import { Buffer } from "node:buffer";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { freeze, MAX_KEY_LENGTH } from "../records.ts";
import { boundsOf, indexEntries } from "../positions.ts";
import {
  type AnyKind,
  type Item,
  type ListQuery,
  type Position,
  StorageError,
} from "../storage.ts";
import type { Write } from "./client.ts";
import type { KvEntry, KvKey, KvListOptions, KvSelector } from "./database.ts";

/** The value under the key of a record, and under its key in each index. */
export interface RecordHead {
  /** A random text that identifies the attempt that stored it. */
  readonly mark: string;
  /** The record, unless it is split into pieces. */
  readonly record?: Item;
  /** Whether the counts of its indexes include the record. */
  readonly isCounted?: true | undefined;
  /** The number of pieces, each under a key of its own. Absent: none. */
  readonly pieces?: number;
}

/**
 * The keys under which a record is stored.
 */
interface RecordKeys {
  readonly heads: readonly KvKey[];
  readonly pieces: readonly KvKey[];
}

/** A record with the mark of the attempt that stores it. */
interface RecordToStore {
  readonly kind: AnyKind;
  readonly record: Item;
  readonly mark: string;
}

/** A key that is never set. */
export const UNUSED_KEY: KvKey = ["boardcast"];

// A head of this size is repeated in each index, so that one read returns a page of an index.
const MAX_HEAD_BYTES = 1_024;
const MAX_VALUE_BYTES = 65_536;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function recordKey({ name }: AnyKind, key: string): KvKey {
  return [...UNUSED_KEY, name, "", key];
}

/** Returns the key of the text that describes the stored indexes of a kind. */
export function indexesKey({ name }: AnyKind): KvKey {
  return [...UNUSED_KEY, name, 0];
}

function keysOf(kind: AnyKind, record: Item, pieces = 0): RecordKeys {
  const key = String(record[kind.key]);
  const entries = [...indexEntries(kind, record)];
  return {
    heads: [
      recordKey(kind, key),
      ...entries.map(([index, place]) => [...UNUSED_KEY, kind.name, index, ...partsOf(place)]),
    ],
    pieces: Array.from({ length: pieces }, (_, i) => [...UNUSED_KEY, kind.name, i + 1, key]),
  };
}

/** Returns the keys of the pieces of a record, given one of its heads. */
export function pieceKeysOf({ key }: KvEntry, { pieces = 0 }: RecordHead): KvKey[] {
  const [name, last] = [String(key[1]), String(key[key.length - 1])];
  return Array.from({ length: pieces }, (_, i) => [...UNUSED_KEY, name, i + 1, last]);
}

/** Returns the range of heads that a query lists, in the order of an index or of keys. */
export function rangeOf(
  kind: AnyKind,
  query: ListQuery,
): readonly [KvSelector, KvListOptions] {
  const { index = "", limit, reverse = false } = query;
  const { above, below } = boundsOf(kind, query);
  const options = { limit, batchSize: limit, reverse };
  const prefix = [...UNUSED_KEY, kind.name, index];
  const [low, high] = [above, below].map((place) => place && partsOf(place));
  const end = high && [...prefix, ...high];
  // A key with one more part is the first key after this one. Deno KV refuses a start that is
  // after the end.
  const isEmpty = low !== undefined && high !== undefined && low.join("\0") >= high.join("\0");
  const start = isEmpty ? end : low && [...prefix, ...low, ""];
  if (start !== undefined && end !== undefined) return [{ start, end }, options];
  if (start !== undefined) return [{ prefix, start }, options];
  return [end === undefined ? { prefix } : { prefix, end }, options];
}

/**
 * Shortens the texts of a position, which may have any length. They stay longer than stored texts,
 * so the order stays the same.
 */
function partsOf({ by, key }: Position): string[] {
  const parts = by === undefined ? [key] : [by, key];
  return parts.map((part) => part.slice(0, MAX_KEY_LENGTH + 1));
}

/** Returns the writes that replace one record by another; either may be absent. */
export function writesOf(
  before: { readonly kind: AnyKind; readonly record: Item; readonly pieces?: number } | undefined,
  next: RecordToStore | undefined,
): readonly Write[] {
  const writes = new Map<string, Write>();
  const write = (key: KvKey, value?: Uint8Array) => writes.set(JSON.stringify(key), { key, value });
  if (before !== undefined) {
    const { heads, pieces } = keysOf(before.kind, before.record, before.pieces);
    for (const key of [...heads, ...pieces]) write(key);
  }
  if (next !== undefined) {
    const { head, pieces } = pack(next);
    const keys = keysOf(next.kind, next.record, pieces.length);
    for (const key of keys.heads) write(key, head);
    keys.pieces.forEach((key, i) => write(key, pieces[i]));
  }
  return [...writes.values()];
}

/** Encodes a record. A large one is compressed and split into pieces. */
function pack({ kind, record, mark }: RecordToStore) {
  const isCounted = kind.counted || undefined;
  const head = encode({ mark, record, isCounted });
  if (head.length <= MAX_HEAD_BYTES) return { head, pieces: [] };
  const bytes = new Uint8Array(deflateRawSync(JSON.stringify(record)));
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += MAX_VALUE_BYTES) {
    pieces.push(bytes.slice(at, at + MAX_VALUE_BYTES));
  }
  return { head: encode({ mark, pieces: pieces.length, isCounted }), pieces };
}

function encode(head: RecordHead): Uint8Array {
  return encoder.encode(JSON.stringify(head));
}

/** Decodes a head. Throws a {@linkcode StorageError} for any other value. */
export function unpackHead({ value }: KvEntry): RecordHead {
  return readable(() => JSON.parse(decoder.decode(value as Uint8Array)));
}

/**
 * Joins and decodes the pieces of a record. Throws a {@linkcode StorageError} if they are damaged.
 */
export function unpackPieces(pieces: readonly KvEntry[]): Item {
  return readable(() => {
    const bytes = Buffer.concat(pieces.map(({ value }) => value as Uint8Array));
    return JSON.parse(decoder.decode(inflateRawSync(bytes)));
  });
}

function readable<T>(read: () => T): T {
  try {
    return freeze(read());
  } catch {
    throw new StorageError("damaged", "Cannot read a record back from Deno KV");
  }
}
