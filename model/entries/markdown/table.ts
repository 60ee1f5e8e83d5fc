import type { TableDraft } from "./draft.ts";
import { trimSpaces } from "./line.ts";
import type { MarkdownAlignment } from "./tree.ts";

const DELIMITERS = /^[|:\- \t]+$/;
const DELIMITER = /^(:?)-+(:?)$/;
const CELL_PART = /\||\\(?:[^]|$)|[^|\\]+/g;
// Limit of cells that are added to short rows, so that the time stays linear.
const MAX_FILLED_CELLS = 4_096;

/**
 * Returns the table that starts with a header and a row of delimiters, or `undefined` if they don't
 * make one (GFM 0.29, section 4.10).
 */
export function startTable(
  header: string,
  delimiters: string,
  last: number,
): TableDraft | undefined {
  if (!DELIMITERS.test(delimiters)) return undefined;
  const alignments: (MarkdownAlignment | undefined)[] = [];
  for (const cell of splitRow(delimiters)) {
    const match = DELIMITER.exec(cell);
    if (match === null) return undefined;
    const [, left, right] = match;
    alignments.push(left && right ? "center" : left ? "left" : right ? "right" : undefined);
  }
  const cells = splitRow(header);
  return cells.length === alignments.length
    ? { type: "table", alignments, rows: [cells], last }
    : undefined;
}

/** Splits a row at its unescaped bars, including those in code. */
export function splitRow(row: string): readonly string[] {
  const cells: string[] = [];
  let rest = "";
  for (const [part] of trimSpaces(row).replace(/^\|/, "").matchAll(CELL_PART)) {
    if (part === "|") {
      cells.push(trimSpaces(rest));
      rest = "";
    } else rest += part === "\\|" ? "|" : part;
  }
  if (rest !== "") cells.push(trimSpaces(rest));
  return cells;
}

/** Creates a function that makes all rows of a table as long as its header. */
export function createRowFiller(): (table: TableDraft) => readonly (readonly string[])[] {
  let left = MAX_FILLED_CELLS;
  return ({ alignments: { length }, rows }) =>
    rows.map((row) => {
      const missing = Math.max(0, Math.min(length - row.length, left));
      left -= missing;
      return [...row.slice(0, length), ...Array<string>(missing).fill("")];
    });
}
