const GAP = "  ";

/**
 * Formats rows of cells, the first of which has the titles, in columns as wide as they need to be.
 */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0].map((_, at) => Math.max(...rows.map((cells) => cells[at].length)));
  return rows.map((cells) =>
    `${cells.map((cell, at) => cell.padEnd(widths[at])).join(GAP).trimEnd()}\n`
  ).join("");
}
