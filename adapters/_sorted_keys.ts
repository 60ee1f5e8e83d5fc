const BLOCK_SIZE = 512;

/** A set of strings in ascending order of their UTF-16 code units, of which some are marked. */
export interface SortedKeys {
  /** Adds a key that is not yet in the set. */
  add(key: string): void;
  /** Removes a key, if it is in the set. Must be called before the mark of the key changes. */
  remove(key: string): void;
  /** Notes that a key in the set is marked now and was not, or the other way round. */
  updateMark(key: string): void;
  /**
   * Iterates over the keys that follow `after`, or over all; if `marked` is given, only over those
   * that are marked, or that are not. The set must not change meanwhile.
   */
  from(after?: string, marked?: boolean): IterableIterator<string>;
}

/** Keys in order, and how many of them are marked. */
interface Block {
  readonly keys: string[];
  marked: number;
}

/**
 * Creates an ordered set: sorted blocks of at most {@linkcode BLOCK_SIZE} keys, so that an
 * insertion moves one block, not all keys, and a key costs one reference. Blocks without a key of
 * the kind that is asked for are passed over.
 */
export function createSortedKeys(
  isMarked: (key: string) => boolean = () => false,
): SortedKeys {
  const blocks: Block[] = [];

  function add(key: string): void {
    const end = blocks.length - 1;
    // Keys often come in order; then blocks are filled up rather than split in half.
    const isLast = end < 0 || key > last(blocks[end]);
    if (isLast && (end < 0 || blocks[end].keys.length === BLOCK_SIZE)) {
      blocks.push(createBlock([key]));
      return;
    }
    const at = isLast ? end : Math.max(0, lastBlockFrom(key));
    const block = blocks[at];
    const { keys } = block;
    keys.splice(firstIndex(keys, (other) => other > key), 0, key);
    if (keys.length > BLOCK_SIZE) {
      const moved = createBlock(keys.splice(BLOCK_SIZE / 2));
      blocks.splice(at, 1, createBlock(keys), moved);
    } else if (isMarked(key)) block.marked++;
  }

  function remove(key: string): void {
    const at = lastBlockFrom(key);
    if (at < 0) return;
    const { keys } = blocks[at];
    const index = firstIndex(keys, (other) => other >= key);
    if (keys[index] !== key) return;
    if (isMarked(key)) blocks[at].marked--;
    if (keys.length === 1) blocks.splice(at, 1);
    else keys.splice(index, 1);
  }

  function updateMark(key: string): void {
    blocks[lastBlockFrom(key)].marked += isMarked(key) ? 1 : -1;
  }

  function* from(after?: string, marked?: boolean): IterableIterator<string> {
    let at = after === undefined ? 0 : Math.max(0, lastBlockFrom(after));
    let index = after === undefined || blocks.length === 0
      ? 0
      : firstIndex(blocks[at].keys, (other) => other > after);
    for (; at < blocks.length; at++, index = 0) {
      const { keys, marked: count } = blocks[at];
      if (marked !== undefined && count === (marked ? 0 : keys.length)) continue;
      for (; index < keys.length; index++) {
        if (marked === undefined || isMarked(keys[index]) === marked) yield keys[index];
      }
    }
  }

  function createBlock(keys: string[]): Block {
    return { keys, marked: keys.filter(isMarked).length };
  }

  /** The last block whose first key is not above `key`, or -1. */
  function lastBlockFrom(key: string): number {
    return firstIndex(blocks, ({ keys }) => keys[0] > key) - 1;
  }

  return { add, remove, updateMark, from };
}

function last({ keys }: Block): string {
  return keys[keys.length - 1];
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
