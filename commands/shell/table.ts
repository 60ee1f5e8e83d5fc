const GAP = "  ";

/** Formats rows of cells in columns of the necessary width. The first row contains the headings. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0].map((_, at) => Math.max(...rows.map((cells) => cells[at].length)));
  return rows.map((cells) =>
    `${cells.map((cell, at) => cell.padEnd(widths[at])).join(GAP).trimEnd()}\n`
  ).join("");
}
