const TAB_COLUMNS = 4;

/**
 * A line and the position of its reader. A tab reaches to the next column that is a multiple of 4.
 */
export interface SourceLine {
  readonly text: string;
  offset: number;
  column: number;
  /** The columns of a tab before `offset` that are not read yet. */
  spare: number;
}

export function startLine(text: string): SourceLine {
  return { text, offset: 0, column: 0, spare: 0 };
}

/** Measures the white space that comes next: its columns, and the offset of what follows. */
export function measureIndent(
  line: SourceLine,
): { readonly indent: number; readonly start: number } {
  let column = line.column + line.spare;
  let start = line.offset;
  for (;; start++) {
    if (line.text[start] === " ") column++;
    else if (line.text[start] === "\t") column += TAB_COLUMNS - column % TAB_COLUMNS;
    else return { indent: column - line.column, start };
  }
}

/** Skips white space of at most `columns`. */
export function skipColumns(line: SourceLine, columns: number): void {
  const end = line.column + columns;
  while (line.column < end) {
    if (line.spare > 0) {
      line.spare--;
      line.column++;
    } else if (line.text[line.offset] === "\t") {
      line.spare = TAB_COLUMNS - line.column % TAB_COLUMNS;
      line.offset++;
    } else if (line.text[line.offset] === " ") {
      line.offset++;
      line.column++;
    } else {
      return;
    }
  }
}

/** Skips characters other than white space. */
export function skipCharacters(line: SourceLine, count: number): void {
  line.offset += count;
  line.column += count;
}

export function restOf(line: SourceLine): string {
  return " ".repeat(line.spare) + line.text.slice(line.offset);
}

/** Removes spaces and tabs from both ends. (A pattern would take quadratic time at the end.) */
export function trimSpaces(text: string): string {
  let end = text.length;
  while (text[end - 1] === " " || text[end - 1] === "\t") end--;
  return text.slice(0, end).replace(/^[ \t]+/, "");
}
