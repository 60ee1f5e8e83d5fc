import type { MarkdownBlock, MarkdownTree } from "./tree.ts";

/** Returns as much of the start of a text as fits: of its last block, some lines, items or rows. */
export function shortenMarkdown(
  tree: MarkdownTree,
  fits: (tree: MarkdownTree) => boolean,
): MarkdownTree {
  const count = findMost(tree.length, (length) => fits(tree.slice(0, length)));
  const whole = tree.slice(0, count);
  if (count === tree.length) return whole;
  const cut = cutBlock(tree[count]);
  const most = findMost(cut.length, (length) => fits([...whole, cut.take(length)]));
  return most === 0 ? whole : [...whole, cut.take(most)];
}

/** Returns of how many parts a block is made, and what takes so many of them. */
function cutBlock(block: MarkdownBlock): {
  readonly length: number;
  readonly take: (count: number) => MarkdownBlock;
} {
  switch (block.type) {
    case "paragraph":
    case "heading":
    case "quote": {
      const { length } = block.children;
      return {
        length,
        take: (count) => ({ ...block, children: block.children.slice(0, count) } as MarkdownBlock),
      };
    }
    case "list": {
      const { items } = block;
      return {
        length: items.length,
        take: (count) => ({ ...block, items: items.slice(0, count) }),
      };
    }
    case "table": {
      const { rows } = block;
      return { length: rows.length, take: (count) => ({ ...block, rows: rows.slice(0, count) }) };
    }
    case "code_block": {
      const lines = block.text.split(/(?<=\n)/);
      const take = (count: number) => ({ ...block, text: lines.slice(0, count).join("") });
      return { length: lines.length, take };
    }
    case "thematic_break":
      return { length: 0, take: () => block };
  }
}

/** Returns the greatest number up to `max` for which something holds, as it does for all below it. */
function findMost(max: number, holds: (count: number) => boolean): number {
  let [most, tooMany] = [0, max + 1];
  while (tooMany - most > 1) {
    const middle = Math.floor((most + tooMany) / 2);
    if (holds(middle)) most = middle;
    else tooMany = middle;
  }
  return most;
}
