import { indexEntries } from "../positions.ts";
import type { AnyKind, Item } from "../storage.ts";
import type { Write } from "./client.ts";
import type { KvEntry, KvKey } from "./database.ts";
import { indexesKey, type RecordHead } from "./layout.ts";

/** A record before and after a change; `undefined` if it does not exist. */
export interface Replacement {
  readonly kind: AnyKind;
  readonly before: Pick<RecordHead, "isCounted"> & { readonly record: Item } | undefined;
  readonly next: Item | undefined;
}

const BITS = 64;

/** Returns the key of the number of records in an index. */
export function countKey(kind: AnyKind, index: string): KvKey {
  return [...indexesKey(kind), index];
}

/** Reads the number of records in an index. */
export function readCount({ value }: KvEntry): number {
  const sum = (value as { readonly value?: bigint } | null)?.value ?? 0n;
  return Number(BigInt.asIntN(BITS, sum));
}

/**
 * Returns the writes that update the numbers of records in indexes. Sums need no check, so
 * concurrent changes do not wait for each other. Each record stores whether it is counted, so that
 * several processes can begin to count at the same time.
 */
export function countWrites(replacements: readonly Replacement[]): readonly Write[] {
  const sums = new Map<string, { readonly key: KvKey; sum: number }>();
  function add(kind: AnyKind, record: Item, change: number): void {
    for (const index of indexEntries(kind, record).keys()) {
      const name = `${kind.name} ${index}`;
      const sum = sums.get(name) ?? { key: countKey(kind, index), sum: 0 };
      sum.sum += change;
      sums.set(name, sum);
    }
  }
  for (const { kind, before, next } of replacements) {
    if (!kind.counted) continue;
    if (before?.isCounted) add(kind, before.record, -1);
    if (next !== undefined) add(kind, next, 1);
  }
  return [...sums.values()].filter(({ sum }) => sum !== 0)
    .map(({ key, sum }) => ({ key, sum: BigInt.asUintN(BITS, BigInt(sum)) }));
}
