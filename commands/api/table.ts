const GAP = "  ";
// Enough to tell addresses and titles apart; what is then too wide ends at the edge.
const NARROWEST = 12;
// Marks and invisible characters take no column of a terminal; East Asian and emoji take two. (The npm
// package of the standard library lacks a file that its `unicodeWidth` needs.)
const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const DOUBLE_WIDTH =
  /^[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}\p{Emoji_Presentation}]$/u;

/** A column of a table. */
export interface Column<T> {
  readonly title: string;
  readonly text: (record: T) => string;
  /** Whether the column keeps its width where the terminal is too narrow for all of them. */
  readonly fixed?: boolean;
}

/**
 * Creates a function that formats pages of records, the first one below the titles. Columns are as wide
 * as the first page needs. Text that would exceed `lineWidth` is cut, and ends in `…`.
 */
export function createTable<T>(
  columns: readonly Column<T>[],
  lineWidth = Infinity,
): (records: readonly T[]) => string {
  let widths: readonly number[] | undefined;

  return (records) => {
    const rows = records.map((record) => columns.map(({ text }) => text(record)));
    if (widths === undefined) {
      rows.unshift(columns.map(({ title }) => title));
      widths = fitWidths(rows, { columns, lineWidth });
    }
    const lines = rows.map((cells) => {
      const whole = joinCells(cells, widths!);
      if (widthOf(whole) <= lineWidth) return whole;
      return cut(joinCells(cells.map((cell, at) => cut(cell, widths![at])), widths!), lineWidth);
    });
    return lines.map((line) => `${line}\n`).join("");
  };
}

function joinCells(cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((cell, at) =>
    cell + " ".repeat(Math.max(0, widths[at] - widthOf(cell)))
  );
  return padded.join(GAP).trimEnd();
}

/** Narrows the widest column, again and again, until the line fits or none can be narrowed. */
function fitWidths<T>(
  rows: readonly (readonly string[])[],
  { columns, lineWidth }: { readonly columns: readonly Column<T>[]; readonly lineWidth: number },
): readonly number[] {
  const widths = columns.map((_, at) => Math.max(...rows.map((cells) => widthOf(cells[at]))));
  const sum = () => widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
  while (sum() > lineWidth) {
    const flexible = widths.map((width, at) => columns[at].fixed ? 0 : width);
    const widest = Math.max(...flexible);
    if (widest <= NARROWEST) break;
    widths[flexible.indexOf(widest)]--;
  }
  return widths;
}

function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  for (const character of text) {
    if (widthOf(kept + character) > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

/** Returns how many columns of a terminal a text takes. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    if (character <= "~") width++;
    else if (!ZERO_WIDTH.test(character)) width += DOUBLE_WIDTH.test(character) ? 2 : 1;
  }
  return width;
}
