const BLOCK_SIZE = 512;

/** A set of strings in ascending order of their UTF-16 code units. */
export interface OrderedKeys {
  /** How many keys there are. */
  readonly size: number;
  /** Adds a key that is not yet in the set. */
  add(key: string): void;
  /** Removes a key, if it is in the set. */
  remove(key: string): void;
  /** Iterates over the keys that follow `after`, or over all. The set must not change meanwhile. */
  from(after?: string): IterableIterator<string>;
}

/**
 * Creates an ordered set: sorted blocks of at most {@linkcode BLOCK_SIZE} keys, so that an
 * insertion moves a block and not the whole, and the cost is one reference a key.
 */
export function createOrderedKeys(): OrderedKeys {
  const blocks: string[][] = [];
  let size = 0;

  function add(key: string): void {
    size++;
    if (blocks.length === 0) {
      blocks.push([key]);
      return;
    }
    const end = blocks.length - 1;
    const at = key >= blocks[end][0] ? end : Math.max(0, lastBlockFrom(key));
    const block = blocks[at];
    // Keys often come in order; then blocks are filled up rather than split in half.
    if (key > block[block.length - 1]) {
      if (block.length < BLOCK_SIZE) block.push(key);
      else blocks.splice(at + 1, 0, [key]);
      return;
    }
    block.splice(firstIndex(block, (other) => other > key), 0, key);
    if (block.length > BLOCK_SIZE) blocks.splice(at + 1, 0, block.splice(BLOCK_SIZE / 2));
  }

  function remove(key: string): void {
    const at = lastBlockFrom(key);
    if (at < 0) return;
    const block = blocks[at];
    const index = firstIndex(block, (other) => other >= key);
    if (block[index] !== key) return;
    size--;
    if (block.length === 1) blocks.splice(at, 1);
    else block.splice(index, 1);
  }

  function* from(after?: string): IterableIterator<string> {
    let at = after === undefined ? 0 : Math.max(0, lastBlockFrom(after));
    let index = after === undefined || blocks.length === 0
      ? 0
      : firstIndex(blocks[at], (other) => other > after);
    for (; at < blocks.length; at++, index = 0) {
      for (; index < blocks[at].length; index++) yield blocks[at][index];
    }
  }

  /** The last block whose first key is not above `key`, or -1. */
  function lastBlockFrom(key: string): number {
    return firstIndex(blocks, (block) => block[0] > key) - 1;
  }

  return {
    get size() {
      return size;
    },
    add,
    remove,
    from,
  };
}

/** Binary search: the first index where `isAbove` holds, or the length of the list. */
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
