import type { MarkdownBlock, MarkdownTree } from "./tree.ts";

/**
 * Returns as much of the start of a text as has a size at most: of its last block, some lines, items or
 * rows. The size of a text is that of its blocks together.
 */
export function shortenMarkdown(
  tree: MarkdownTree,
  maxSize: number,
  sizeOf: (tree: MarkdownTree) => number,
): MarkdownTree {
  let left = maxSize;
  for (const [index, block] of tree.entries()) {
    const size = sizeOf([block]);
    if (size <= left) {
      left -= size;
      continue;
    }
    const { length, take } = cutBlock(block);
    const frame = sizeOf([take(0, 0)]);
    left -= frame;
    let count = 0;
    while (count < length && (left -= sizeOf([take(count, count + 1)]) - frame) >= 0) count++;
    return [...tree.slice(0, index), ...count === 0 ? [] : [take(0, count)]];
  }
  return tree;
}

/** Returns of how many parts a block is made, and what takes some of them. */
function cutBlock(block: MarkdownBlock): {
  readonly length: number;
  readonly take: (start: number, end: number) => MarkdownBlock;
} {
  switch (block.type) {
    case "paragraph":
    case "heading":
    case "quote": {
      const { length } = block.children;
      return {
        length,
        take: (
          start,
          end,
        ) => ({ ...block, children: block.children.slice(start, end) } as MarkdownBlock),
      };
    }
    case "list": {
      const { items } = block;
      return {
        length: items.length,
        take: (start, end) => ({ ...block, items: items.slice(start, end) }),
      };
    }
    case "table": {
      const { rows } = block;
      return {
        length: rows.length,
        take: (start, end) => ({ ...block, rows: rows.slice(start, end) }),
      };
    }
    case "code_block": {
      const lines = block.text.split(/(?<=\n)/);
      const take = (start: number, end: number) => ({
        ...block,
        text: lines.slice(start, end).join(""),
      });
      return { length: lines.length, take };
    }
    case "thematic_break":
      return { length: 0, take: () => block };
  }
}
