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
 * terminal no line is longer than its `columns`, and cut text ends in `…`; where `columns`
 * is absent nothing is cut.
 */
export function createTable<T>(list: readonly Column<T>[], columns?: number): Table<T> {
  let widths: readonly number[] | undefined;

  function formatLine(cells: readonly string[]): string {
    const join = (fit: (cell: string, width: number) => string) =>
      cells.map((cell, at) => {
        const width = widths?.[at] ?? 0;
        return pad(fit(cell, width), width);
      }).join(GAP).trimEnd();
    const whole = join((cell) => cell);
    if (columns === undefined || widthOf(whole) <= columns) return `${whole}\n`;
    return `${cut(join(cut), columns)}\n`;
  }

  return {
    format(records) {
      const rows = records.map((record) => list.map(({ text }) => text(record)));
      let text = "";
      if (widths === undefined) {
        const titles = list.map(({ title }) => title);
        widths = list.map((_, at) =>
          [titles, ...rows].reduce((widest, cells) => Math.max(widest, widthOf(cells[at])), 0)
        );
        if (columns !== undefined) widths = shrink(list, { widths, columns });
        text = formatLine(titles);
      }
      for (const cells of rows) text += formatLine(cells);
      return text;
    },
  };
}

/** Takes columns from the widest until the line fits, or nothing more can be taken. */
function shrink<T>(
  list: readonly Column<T>[],
  { widths, columns }: { readonly widths: readonly number[]; readonly columns: number },
): readonly number[] {
  const shrunk = [...widths];
  let excess = shrunk.reduce((sum, width) => sum + width) + GAP.length * (list.length - 1) -
    columns;
  for (; excess > 0; excess--) {
    let widest = -1;
    for (let at = 0; at < list.length; at++) {
      if (list[at].fixed || shrunk[at] <= NARROWEST) continue;
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
