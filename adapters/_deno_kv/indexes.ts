import type { AnyKind, Position } from "../storage.ts";
import { type KvClient, MAX_CHECKS } from "./client.ts";
import { countWrites } from "./counts.ts";
import { indexesKey, recordKey, UNUSED_KEY, writesOf } from "./layout.ts";
import type { KvReads } from "./reads.ts";

const PAGE_SIZE = 100;
// With these checks, a server that refuses 100 checks fails before the first record is stored.
const ALL_CHECKS = Array.from({ length: MAX_CHECKS }, (_, i) => {
  return { key: [...UNUSED_KEY, i], versionstamp: null };
});

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Returns a function that updates the stored indexes of a kind, because another version of the
 * program may have defined other indexes. It resolves once each record is in exactly the indexes of
 * its kind.
 */
export function createIndexer(client: KvClient, reads: KvReads): (kind: AnyKind) => Promise<void> {
  const prepared = new WeakMap<AnyKind, Promise<void>>();

  async function build(kind: AnyKind): Promise<void> {
    const key = indexesKey(kind);
    const [{ value }] = await client.read([key]);
    const before = value === null ? "{}" : decoder.decode(value as Uint8Array);
    const definition = definitionOf(kind);
    if (value !== null && definition === before) return;
    const { isCounted: _, ...indexes } = JSON.parse(before);
    const old = { ...kind, indexes };
    let after: Position | undefined;
    do {
      const page = await reads.list(kind, { after, limit: PAGE_SIZE });
      const keys = page.map((record) => String(record[kind.key]));
      await Promise.all(keys.map((key) => move(old, kind, key)));
      after = page.length < PAGE_SIZE ? undefined : { key: keys[keys.length - 1] };
    } while (after !== undefined);
    await client.commit(ALL_CHECKS, [{ key, value: encoder.encode(definition) }]);
  }

  /** Moves a record to other indexes. Another process may move it at the same time. */
  async function move(old: AnyKind, kind: AnyKind, recordName: string): Promise<void> {
    const key = recordKey(kind, recordName);
    let isMoved = false;
    while (!isMoved) {
      const [stored] = await reads.find([key]);
      if (stored === undefined) return;
      const check = { key, versionstamp: stored.versionstamp };
      const writes = [
        ...writesOf({ ...stored, kind: old }, { ...stored, kind }),
        ...countWrites([{ kind, before: stored, next: stored.record }]),
      ];
      isMoved = await client.commit([check], writes);
    }
  }

  return function prepare(kind) {
    let building = prepared.get(kind);
    if (building === undefined) {
      building = build(kind);
      prepared.set(kind, building);
      building.catch(() => prepared.delete(kind));
    }
    return building;
  };
}

/** Returns a text that describes the indexes of a kind, and whether their records are counted. */
function definitionOf({ indexes = {}, counted }: AnyKind): string {
  return JSON.stringify(counted ? { ...indexes, isCounted: true } : indexes);
}
