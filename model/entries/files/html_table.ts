import { isGutter } from "./html_code.ts";
import type { Conversion } from "./html_inlines.ts";
import { type MarkupElement, textOf } from "./markup.ts";

/** Converts what is in a cell to blocks. */
type ConvertCell = (cell: MarkupElement) => Generator<void, readonly string[]>;

// What can't stand in a cell of Markdown.
const BLOCKS = /^(?:pre|ul|ol|dl|blockquote|h[1-6]|hr|table|figure|details)$/;
const MAX_SPAN = 20;

/**
 * Converts a table to one of Markdown; one that is for layout, that a highlighter made, or whose cells
 * have more in them than text, to what is in it.
 */
export function* tableOf(
  table: MarkupElement,
  convert: ConvertCell,
  { leftOut }: Conversion,
): Generator<void, readonly string[]> {
  // Each table looks at all that is in it.
  yield;
  const blocks: string[] = [];
  for (const caption of descendants(table, "caption")) blocks.push(...yield* convert(caption));
  const rows = descendants(table, "tr").map((row) =>
    row.children.filter((child): child is MarkupElement =>
      typeof child !== "string" && /^t[dh]$/.test(child.name)
    )
  ).filter((row) => row.length > 0);
  if (rows.length === 0) return blocks;
  yield;
  const cells = rows.flat();
  const hasCode = cells.some((cell) => has(cell, /^pre$/));
  const isNarrow = rows.every((row) => row.length === 1) &&
    !cells.some(({ name }) => name === "th");
  yield;
  const isLayout = table.attributes.get("role") === "presentation" || isNarrow;
  if (!isLayout && !cells.some((cell) => has(cell, BLOCKS))) {
    blocks.push(yield* gridOf(rows, convert));
    return blocks;
  }
  const kept = rows.flatMap((row) => row.filter((cell) => !hasCode || !isNumbers(cell, row)));
  if (!isLayout && rows.length > 1 && kept.length > rows.length) leftOut.add("table");
  for (const cell of kept) blocks.push(...yield* convert(cell));
  return blocks;
}

/** Tells whether a cell has nothing but the numbers of the lines of code beside it. */
function isNumbers(cell: MarkupElement, row: readonly MarkupElement[]): boolean {
  return isGutter(cell) || row.length > 1 && /^[\s\d]+$/.test(textOf(cell));
}

function* gridOf(
  rows: readonly (readonly MarkupElement[])[],
  convert: ConvertCell,
): Generator<void, string> {
  const texts: string[][] = [];
  for (const row of rows) {
    const line: string[] = [];
    texts.push(line);
    for (const cell of row) {
      const blocks = yield* convert(cell);
      const text = blocks.join(" ").replace(/\\?\n/g, " ").replace(/\|/g, "\\|");
      const span = Math.floor(Math.min(Number(cell.attributes.get("colspan")) || 1, MAX_SPAN));
      line.push(text, ...Array(Math.max(0, span - 1)).fill(""));
    }
  }
  const width = texts.reduce((most, { length }) => Math.max(most, length), 0);
  const write = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const pad = (cells: readonly string[], other: string) =>
    Array.from({ length: width }, (_, at) => cells[at] ?? other);
  const marks = rows[0].map(({ attributes }) => {
    const text = `${attributes.get("align")} ${attributes.get("style")}`;
    const [, side = ""] = /\b(left|center|right)\b/.exec(text) ?? [];
    return { left: ":--", center: ":-:", right: "--:" }[side] ?? "---";
  });
  const head = [write(pad(texts[0], "")), write(pad(marks, "---"))];
  return [...head, ...texts.slice(1).map(write)].join("\n");
}

/** Tells whether there is an element of some names in another. */
function has({ children }: MarkupElement, names: RegExp): boolean {
  return children.some((child) =>
    typeof child !== "string" && (names.test(child.name) || has(child, names))
  );
}

function descendants(element: MarkupElement, name: string): MarkupElement[] {
  return element.children.flatMap((child) => {
    if (typeof child === "string" || child.name === "table") return [];
    return child.name === name ? [child] : descendants(child, name);
  });
}
