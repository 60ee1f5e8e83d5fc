import { printable } from "./layout.ts";

const GAP = "  ";

/** Formats rows of cells in columns of the necessary width. The first row contains the headings. */
export function formatTable(texts: readonly (readonly string[])[]): string {
  const rows = texts.map((cells) => cells.map((cell) => printable(cell).replaceAll("\n", " ")));
  const widths = rows[0].map((_, at) => Math.max(...rows.map((cells) => cells[at].length)));
  return rows.map((cells) =>
    `${cells.map((cell, at) => cell.padEnd(widths[at])).join(GAP).trimEnd()}\n`
  ).join("");
}
