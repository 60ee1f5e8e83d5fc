import { isGutter } from "./html_code.ts";
import type { Conversion } from "./html_inlines.ts";
import { type MarkupElement, textOf, TooLong } from "./markup.ts";

/** Converts the content of a cell to blocks. */
type ConvertCell = (cell: MarkupElement) => Generator<void, readonly string[]>;

// Elements that a cell in Markdown can't contain.
const BLOCKS = /^(?:pre|ul|ol|dl|blockquote|h[1-6]|hr|table|figure|details)$/;
const MAX_SPAN = 20;

/**
 * Converts a table to a Markdown table. Converts only the content if the table is for layout,
 * belongs to a highlighter, or has more than text in its cells.
 */
export function* markdownTableOf(
  table: MarkupElement,
  convert: ConvertCell,
  { leftOut, maxLength }: Conversion,
): Generator<void, readonly string[]> {
  // Checking a table visits all of its elements, so it starts in a new turn.
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
    blocks.push(yield* gridOf(rows, { convert, maxLength }));
    return blocks;
  }
  const kept = rows.flatMap((row) => row.filter((cell) => !hasCode || !isNumbers(cell, row)));
  if (!isLayout && rows.length > 1 && kept.length > rows.length) leftOut.add("table");
  for (const cell of kept) blocks.push(...yield* convert(cell));
  return blocks;
}

/** Tells whether a cell contains only the line numbers of the code beside it. */
function isNumbers(cell: MarkupElement, row: readonly MarkupElement[]): boolean {
  return isGutter(cell) || row.length > 1 && /^[\s\d]+$/.test(textOf(cell));
}

/** Writes a table. A cell that spans columns or rows leaves the other cells empty. */
function* gridOf(
  rows: readonly (readonly MarkupElement[])[],
  { convert, maxLength }: { readonly convert: ConvertCell; readonly maxLength: number },
): Generator<void, string> {
  const texts: string[][] = [];
  let length = 0;
  // For each column, the number of rows that a cell above still spans.
  let filled: number[] = [];
  for (const row of rows) {
    const line: string[] = [];
    texts.push(line);
    const next: number[] = [];
    const skipFilled = () => {
      for (; filled[line.length] > 0; line.push("")) next[line.length] = filled[line.length] - 1;
    };
    for (const cell of row) {
      const blocks = yield* convert(cell);
      const text = blocks.join(" ").replace(/\\?\n/g, " ").replace(/\|/g, "\\|");
      skipFilled();
      const below = spanOf(cell, "rowspan", rows.length) - 1;
      const span = spanOf(cell, "colspan", MAX_SPAN);
      for (let column = 0; column < span; column++) {
        next[line.length] = below;
        line.push(column === 0 ? text : "");
      }
      length += text.length;
    }
    skipFilled();
    filled = next;
    length += 3 * line.length;
    if (length > maxLength) throw new TooLong();
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

/** Returns the number of columns or rows that a cell spans. */
function spanOf({ attributes }: MarkupElement, name: string, most: number): number {
  const span = Math.floor(Number(attributes.get(name) ?? 1));
  // A row span of 0 means all following rows.
  if (span === 0 && name === "rowspan") return most;
  return span >= 1 ? Math.min(span, most) : 1;
}

/** Tells whether an element contains an element with a matching name. */
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
