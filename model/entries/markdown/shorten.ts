import type { MarkdownBlock, MarkdownTree } from "./tree.ts";

/**
 * Returns the start of a text up to a size. The last block may keep only some of its lines, items
 * or rows. The size of a text is the sum of its blocks.
 */
export function shortenMarkdown(
  tree: MarkdownTree,
  maxSize: number,
  sizeOf: (tree: MarkdownTree) => number,
): MarkdownTree {
  const whole = fit(tree.length, maxSize, (start, end) => sizeOf(tree.slice(start, end)));
  if (whole.count === tree.length) return tree;
  const { length, take } = cutBlock(tree[whole.count]);
  const frame = sizeOf([take(0, 0)]);
  const { count } = fit(
    length,
    whole.left - frame,
    (start, end) => sizeOf([take(start, end)]) - frame,
  );
  return [...tree.slice(0, whole.count), ...count === 0 ? [] : [take(0, count)]];
}

/**
 * Counts the parts that fit. Measuring takes some 10 µs and one paragraph may have 16,000 parts, so
 * the step doubles while parts fit, and then halves.
 */
function fit(
  length: number,
  maxSize: number,
  sizeOf: (start: number, end: number) => number,
): { readonly count: number; readonly left: number } {
  let count = 0;
  let left = maxSize;
  let factor = 2;
  for (let step = 1; step >= 1 && count < length; step *= factor) {
    const end = Math.min(length, count + step);
    const size = sizeOf(count, end);
    if (size > left) {
      factor = 0.5;
    } else {
      left -= size;
      count = end;
    }
  }
  return { count, left };
}

/** Returns the number of parts in a block, and a function that takes some of them. */
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
