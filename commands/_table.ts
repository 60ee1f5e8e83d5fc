const GAP = "  ";
const NARROWEST = 6;
// Marks and invisible characters take no column of a terminal; East Asian and emoji take two.
const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const DOUBLE_WIDTH =
  /^[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}\p{Emoji_Presentation}]$/u;

/** One column of a table. */
export interface Column<T> {
  /** What stands above it. */
  readonly title: string;
  /** The text of a record's cell. */
  readonly text: (record: T) => string;
  /** Whether the column keeps its width where the terminal is too narrow for all of them. */
  readonly fixed?: boolean;
}

/** A table that is written page by page. */
export interface Table<T> {
  /** Formats records, the first time under a line of titles. */
  format(records: readonly T[]): string;
}

/**
 * Creates a table whose columns are as wide as the first page of records needs. On a
 * terminal no line is longer than its `lineWidth`, and cut text ends in `…`; where that is
 * absent nothing is cut.
 */
export function createTable<T>(columns: readonly Column<T>[], lineWidth?: number): Table<T> {
  let widths: readonly number[] | undefined;

  function formatLine(cells: readonly string[]): string {
    const join = (fit: (cell: string, width: number) => string) =>
      cells.map((cell, at) => {
        const width = widths?.[at] ?? 0;
        return pad(fit(cell, width), width);
      }).join(GAP).trimEnd();
    const whole = join((cell) => cell);
    if (lineWidth === undefined || widthOf(whole) <= lineWidth) return `${whole}\n`;
    return `${cut(join(cut), lineWidth)}\n`;
  }

  return {
    format(records) {
      const rows = records.map((record) => columns.map(({ text }) => text(record)));
      let text = "";
      if (widths === undefined) {
        const titles = columns.map(({ title }) => title);
        widths = columns.map((_, at) =>
          [titles, ...rows].reduce((widest, cells) => Math.max(widest, widthOf(cells[at])), 0)
        );
        if (lineWidth !== undefined) widths = shrink(columns, { widths, lineWidth });
        text = formatLine(titles);
      }
      for (const cells of rows) text += formatLine(cells);
      return text;
    },
  };
}

/** Narrows the widest column, again and again, until the line fits or none can be narrowed. */
function shrink<T>(
  columns: readonly Column<T>[],
  { widths, lineWidth }: { readonly widths: readonly number[]; readonly lineWidth: number },
): readonly number[] {
  const shrunk = [...widths];
  let excess = shrunk.reduce((sum, width) => sum + width) + GAP.length * (columns.length - 1) -
    lineWidth;
  for (; excess > 0; excess--) {
    let widest = -1;
    for (let at = 0; at < columns.length; at++) {
      if (columns[at].fixed || shrunk[at] <= NARROWEST) continue;
      if (widest < 0 || shrunk[at] > shrunk[widest]) widest = at;
    }
    if (widest < 0) break;
    shrunk[widest]--;
  }
  return shrunk;
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  let left = width - 1;
  for (const character of text) {
    left -= widthOfCharacter(character);
    if (left < 0) break;
    kept += character;
  }
  return `${kept}…`;
}

/** The columns of a terminal that a text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += widthOfCharacter(character);
  return width;
}

function widthOfCharacter(character: string): number {
  if (character <= "~") return 1;
  return ZERO_WIDTH.test(character) ? 0 : DOUBLE_WIDTH.test(character) ? 2 : 1;
}
