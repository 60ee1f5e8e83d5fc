const BLOCK_SIZE = 512;
const PART_SIZE = 1_024;
// More samples make the parts more alike in size.
const SAMPLES_PER_PART = 8;

/** A set of strings in ascending order of their UTF-16 code units. */
export interface SortedKeys {
  /** Adds a key that is not yet in the set. */
  add(key: string): void;
  /**
   * Fills the empty set with keys in any order. Pauses between pieces of the work if they are many.
   */
  fill(keys: readonly string[]): Generator<void, void>;
  /** Removes a key, if it is in the set. */
  remove(key: string): void;
  /** Iterates over the keys above `after`, or over all. The set must not change meanwhile. */
  ascending(after?: string): IterableIterator<string>;
  /**
   * Iterates downwards over the keys below `before`, or over all. The set must not change
   * meanwhile.
   */
  descending(before?: string): IterableIterator<string>;
}

/**
 * Creates an empty ordered set: sorted blocks of at most {@linkcode BLOCK_SIZE} keys, so that an
 * insertion moves one block, not all keys, and a key costs one reference.
 */
export function createSortedKeys(): SortedKeys {
  const blocks: string[][] = [];

  function add(key: string): void {
    const end = blocks.length - 1;
    // Keys often come in order. Blocks are then filled to the end rather than split in half.
    const isLast = end < 0 || key > blocks[end][blocks[end].length - 1];
    if (isLast && (end < 0 || blocks[end].length === BLOCK_SIZE)) {
      blocks.push([key]);
      return;
    }
    const at = isLast ? end : Math.max(0, lastBlockFrom(key));
    const block = blocks[at];
    block.splice(firstIndex(block, (other) => other > key), 0, key);
    if (block.length > BLOCK_SIZE) blocks.splice(at + 1, 0, block.splice(BLOCK_SIZE / 2));
  }

  function remove(key: string): void {
    const at = lastBlockFrom(key);
    if (at < 0) return;
    const block = blocks[at];
    const index = firstIndex(block, (other) => other >= key);
    if (block[index] !== key) return;
    if (block.length === 1) blocks.splice(at, 1);
    else block.splice(index, 1);
  }

  function* fill(keys: readonly string[]): Generator<void, void> {
    for (const part of yield* partition(keys)) {
      part.sort();
      for (let at = 0; at < part.length; at += BLOCK_SIZE) {
        blocks.push(part.slice(at, at + BLOCK_SIZE));
      }
      if (part.length === keys.length) return;
      yield;
    }
  }

  function* ascending(after?: string): IterableIterator<string> {
    let at = after === undefined ? 0 : Math.max(0, lastBlockFrom(after));
    let index = after === undefined || blocks.length === 0
      ? 0
      : firstIndex(blocks[at], (other) => other > after);
    for (; at < blocks.length; at++, index = 0) {
      for (; index < blocks[at].length; index++) yield blocks[at][index];
    }
  }

  function* descending(before?: string): IterableIterator<string> {
    let at = before === undefined ? blocks.length - 1 : lastBlockFrom(before);
    let index = at < 0 || before === undefined
      ? Infinity
      : firstIndex(blocks[at], (other) => other >= before);
    for (; at >= 0; at--, index = Infinity) {
      for (let i = Math.min(index, blocks[at].length) - 1; i >= 0; i--) yield blocks[at][i];
    }
  }

  /** Returns the last block whose first key is not above `key`, or -1. */
  function lastBlockFrom(key: string): number {
    return firstIndex(blocks, (block) => block[0] > key) - 1;
  }

  return { add, fill, remove, ascending, descending };
}

/**
 * Divides keys into parts of about {@linkcode PART_SIZE}. All keys of a part are above those of the
 * parts before it, so each part can be sorted alone.
 */
function* partition(keys: readonly string[]): Generator<void, readonly string[][]> {
  const count = Math.ceil(keys.length / PART_SIZE);
  const step = Math.max(1, Math.floor(PART_SIZE / SAMPLES_PER_PART));
  const samples = keys.filter((_, at) => at % step === 0);
  if (count > 1) samples.sort();
  const bounds = Array.from(
    { length: Math.max(0, count - 1) },
    (_, at) => samples[Math.floor((at + 1) * samples.length / count)],
  );
  const parts: string[][] = Array.from({ length: count }, () => []);
  for (let at = 0; at < keys.length; at++) {
    parts[firstIndex(bounds, (bound) => bound > keys[at])].push(keys[at]);
    if (at % PART_SIZE === PART_SIZE - 1 && count > 1) yield;
  }
  return parts;
}

/** Returns the first index where `isAbove` holds, by binary search, or the length of the list. */
function firstIndex<T>(list: readonly T[], isAbove: (item: T) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isAbove(list[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}
