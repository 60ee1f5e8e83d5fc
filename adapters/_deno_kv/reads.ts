import { type AnyKind, type Item, type ListQuery, MAX_LIST_LIMIT } from "../storage.ts";
import type { KvClient } from "./client.ts";
import type { KvEntry, KvKey } from "./database.ts";
import { pieceKeysOf, rangeOf, type RecordHead, unpackHead, unpackPieces } from "./layout.ts";

/** A record with its head. */
export interface Stored extends RecordHead {
  readonly record: Item;
  /** The versionstamp of the commit that stored it. */
  readonly versionstamp: string | null;
}

/** Reads records. Each record is read as of one moment. */
export interface KvReads {
  /**
   * Reads the records whose heads have these keys; `undefined` stands for a missing record.
   */
  find(keys: readonly KvKey[]): Promise<readonly (Stored | undefined)[]>;
  list(kind: AnyKind, query: ListQuery): Promise<readonly Item[]>;
  /** Counts the records in an index. */
  count(kind: AnyKind, index: string): Promise<number>;
}

/** Creates the reads of a database. */
export function createKvReads(client: KvClient): KvReads {
  async function find(keys: readonly KvKey[]): Promise<readonly (Stored | undefined)[]> {
    return await complete(keys, await client.read(keys));
  }

  /** Reads the pieces of records whose heads were read. */
  async function complete(
    keys: readonly KvKey[],
    entries: readonly KvEntry[],
  ): Promise<readonly (Stored | undefined)[]> {
    const heads = entries.map((entry) =>
      entry.versionstamp === null ? undefined : unpackHead(entry)
    );
    const pieceKeys = heads.map((head, i) => head ? pieceKeysOf(entries[i], head) : []);
    const pieces = await client.read(pieceKeys.flat());
    let at = 0;
    return await Promise.all(heads.map(async (head, i) => {
      const { versionstamp } = entries[i];
      if (head === undefined) return undefined;
      if (head.record !== undefined) return { ...head, record: head.record, versionstamp };
      const own = pieces.slice(at, at += pieceKeys[i].length);
      // Head and pieces are always written together. If their versions differ, the record has
      // changed between the two reads.
      const isWhole = own.every((piece) => piece.versionstamp === versionstamp);
      return isWhole
        ? { ...head, record: unpackPieces(own), versionstamp }
        : (await find([keys[i]]))[0];
    }));
  }

  async function list(kind: AnyKind, query: ListQuery): Promise<readonly Item[]> {
    const entries = await client.list(...rangeOf(kind, query));
    const found = await complete(entries.map(({ key }) => key as KvKey), entries);
    const records = found.filter((stored) => stored !== undefined).map(({ record }) => record);
    if (entries.length < query.limit || records.length === entries.length) return records;
    // Some records were removed between the two reads. Read again, as a page may be short only if
    // no more records follow.
    return await list(kind, query);
  }

  async function count(kind: AnyKind, index: string): Promise<number> {
    const [selector, options] = rangeOf(kind, { index, limit: MAX_LIST_LIMIT });
    return (await client.list(selector, { ...options, limit: undefined })).length;
  }

  return { find, list, count };
}
