import { isGutter } from "./html_code.ts";
import { type MarkupElement, textOf } from "./markup.ts";

/** How what is in a cell is converted. */
export interface TableConversion {
  /** Converts what is in an element to blocks. */
  readonly blocksOf: (element: MarkupElement) => readonly string[];
  /** Called if rows and columns could not be kept, but all that is in them. */
  readonly onLost: () => void;
}

// What can't stand in a cell of Markdown.
const BLOCKS = /^(?:pre|ul|ol|dl|blockquote|h[1-6]|hr|table|figure|details)$/;
const MAX_SPAN = 20;

/**
 * Converts a table to one of Markdown; one that is for layout, that a highlighter made, or whose cells
 * have more in them than text, to what is in it.
 */
export function tableOf(table: MarkupElement, conversion: TableConversion): readonly string[] {
  const { blocksOf, onLost } = conversion;
  const captions = descendants(table, "caption").flatMap(blocksOf);
  const rows = descendants(table, "tr").map((row) =>
    row.children.filter((child): child is MarkupElement =>
      typeof child !== "string" && /^t[dh]$/.test(child.name)
    )
  ).filter((row) => row.length > 0);
  if (rows.length === 0) return captions;
  const cells = rows.flat();
  const hasCode = cells.some((cell) => has(cell, /^pre$/));
  const isNarrow = rows.every((row) => row.length === 1) &&
    !cells.some(({ name }) => name === "th");
  const isLayout = table.attributes.get("role") === "presentation" || isNarrow;
  if (!isLayout && !cells.some((cell) => has(cell, BLOCKS))) {
    return [...captions, gridOf(rows, blocksOf)];
  }
  const kept = rows.flatMap((row) => row.filter((cell) => !hasCode || !isNumbers(cell, row)));
  if (!isLayout && rows.length > 1 && kept.length > rows.length) onLost();
  return [...captions, ...kept.flatMap(blocksOf)];
}

/** Tells whether a cell has nothing but the numbers of the lines of code beside it. */
function isNumbers(cell: MarkupElement, row: readonly MarkupElement[]): boolean {
  return isGutter(cell) || row.length > 1 && /^[\s\d]+$/.test(textOf(cell));
}

function gridOf(
  rows: readonly (readonly MarkupElement[])[],
  blocksOf: TableConversion["blocksOf"],
): string {
  const texts = rows.map((row) =>
    row.flatMap((cell) => {
      const text = blocksOf(cell).join(" ").replace(/\\?\n/g, " ").replace(/\|/g, "\\|");
      const span = Math.min(Number(cell.attributes.get("colspan")) || 1, MAX_SPAN);
      return [text, ...Array(Math.max(0, Math.floor(span) - 1)).fill("")];
    })
  );
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
