/** Formats a Markdown table: a column of names, then columns of figures. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const widths = headings.map((heading, i) =>
    Math.max(heading.length, ...rows.map((row) => row[i].length))
  );
  const line = (cells: readonly string[]) =>
    `| ${
      cells.map((cell, i) => i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))
        .join(" | ")
    } |`;
  const rule = widths.map((width, i) => i === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`);
  return [line(headings), line(rule), ...rows.map(line)].join("\n");
}

/** Formats a number with thousands separators. */
export function figure(value: number, decimals = 0): string {
  return value.toLocaleString("en", {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
}
