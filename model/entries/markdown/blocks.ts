import {
  type CodeDraft,
  type Draft,
  type ItemDraft,
  lastLineOf,
  type ParagraphDraft,
  type QuoteDraft,
  type TableDraft,
} from "./draft.ts";
import {
  measureIndent,
  restOf,
  skipCharacters,
  skipColumns,
  type SourceLine,
  startLine,
  trimSpaces,
} from "./line.ts";
import { splitRow, startTable } from "./table.ts";
import { MARKDOWN_MAX_NESTING } from "./tree.ts";

const HEADING = /^(#{1,6})(?=[ \t]|$)/;
const THEMATIC_BREAK = /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const FENCE = /^(?:`{3,}(?=[^`]*$)|~{3,})/;
const CLOSING_FENCE = /^(`{3,}|~{3,})[ \t]*$/;
const SETEXT_UNDERLINE = /^(?:=+|-+)[ \t]*$/;
const LIST_MARKER = /^(?:(\d{1,9})([.)])|[-+*])(?=[ \t]|$)/;
// Text that is indented further is code.
const MAX_INDENT = 3;
const CODE_INDENT = 4;
const MAX_PADDING = 4;

/** Finds the blocks of a text, line by line (CommonMark 0.31, appendix, phase 1). */
export function parseBlocks(text: string): readonly Draft[] {
  const root: QuoteDraft = { type: "quote", children: [], last: 0 };
  // The containers that the next line may continue, outermost first, and the block that may take
  // the line's text.
  const open: (QuoteDraft | ItemDraft)[] = [root];
  let leaf: ParagraphDraft | CodeDraft | TableDraft | undefined;
  let lineNumber = 0;

  function closeFrom(depth: number): void {
    open.length = depth;
    leaf = undefined;
  }

  function followsBlankLine(block: Draft): boolean {
    return lastLineOf(block) < lineNumber - 1;
  }

  function add<T extends Draft>(depth: number, block: T): T {
    closeFrom(depth);
    const parent = open[depth - 1];
    const previous = parent.children.at(-1);
    if (parent.type === "item" && previous !== undefined && followsBlankLine(previous)) {
      parent.list.isTight = false;
    }
    parent.children.push(block);
    return block;
  }

  function addItem(
    depth: number,
    options: { marker: string; start: number | undefined; width: number },
  ): void {
    const { marker, start, width } = options;
    const last = lineNumber;
    let list = open[depth - 1].children.at(-1);
    if (list?.type === "list" && list.marker === marker) {
      closeFrom(depth);
      if (followsBlankLine(list)) list.isTight = false;
    } else {
      list = add(depth, { type: "list", marker, start, children: [], isTight: true, last });
    }
    const item: ItemDraft = { type: "item", list, width, children: [], last };
    list.children.push(item);
    open.push(item);
  }

  /**
   * Replaces the open paragraph by a block. A paragraph of several lines keeps all lines but the
   * last.
   */
  function replaceParagraph<T extends Draft>(depth: number, block: T): T {
    const siblings = open[depth - 1].children;
    const paragraph = siblings.at(-1);
    if (block.type === "table" && paragraph?.type === "paragraph" && paragraph.lines.length > 1) {
      paragraph.lines.pop();
      siblings.push(block);
    } else siblings[siblings.length - 1] = block;
    return block;
  }

  function readCode(code: CodeDraft, line: SourceLine): void {
    if (code.fence === "") return void code.lines.push(`${restOf(line)}\n`);
    const { indent, start } = measureIndent(line);
    const closing = indent <= MAX_INDENT && CLOSING_FENCE.exec(line.text.slice(start));
    if (closing && closing[1].startsWith(code.fence)) {
      code.last = lineNumber;
      leaf = undefined;
    } else {
      skipColumns(line, code.indent);
      code.lines.push(`${restOf(line)}\n`);
    }
  }

  /** Reads the rest of a line, after the markers of its first `depth` containers. */
  function readBlocks(depth: number, line: SourceLine): void {
    const { indent, start } = measureIndent(line);
    const rest = line.text.slice(start);
    if (rest === "") return closeFrom(depth);
    const last = lineNumber;
    if (indent > MAX_INDENT) {
      if (leaf?.type === "paragraph") return void leaf.lines.push(rest);
      skipColumns(line, CODE_INDENT);
      const code = { type: "code_block", fence: "", indent: CODE_INDENT, info: "", last } as const;
      leaf = add(depth, { ...code, lines: [`${restOf(line)}\n`] });
      return;
    }

    const paragraph = depth === open.length && leaf?.type === "paragraph" ? leaf : undefined;
    const level = HEADING.exec(rest)?.[1].length;
    const fence = FENCE.exec(rest)?.[0];
    if (paragraph !== undefined && SETEXT_UNDERLINE.test(rest)) {
      const text = trimSpaces(paragraph.lines.join("\n"));
      replaceParagraph(depth, { type: "heading", level: rest[0] === "=" ? 1 : 2, text, last });
      leaf = undefined;
    } else if (level !== undefined) {
      add(depth, { type: "heading", level, text: trimHeading(rest.slice(level)), last });
    } else if (fence !== undefined) {
      const info = rest.slice(fence.length).trim();
      leaf = add(depth, { type: "code_block", fence, indent, info, lines: [], last });
    } else if (THEMATIC_BREAK.test(rest)) {
      add(depth, { type: "thematic_break", last });
    } else if (depth > MARKDOWN_MAX_NESTING) {
      readText(depth, rest);
    } else if (skipQuoteMarker(line)) {
      open.push(add(depth, { type: "quote", children: [], last }));
      readBlocks(depth + 1, line);
    } else {
      const marker = LIST_MARKER.exec(rest);
      const interrupts = paragraph !== undefined;
      if (marker === null || (interrupts && !canInterrupt(marker, rest))) {
        return readText(depth, rest);
      }
      const [bullet, digits, delimiter = bullet] = marker;
      skipColumns(line, indent);
      skipCharacters(line, bullet.length);
      const start = digits === undefined ? undefined : Number(digits);
      const width = indent + bullet.length + skipPadding(line);
      addItem(depth, { marker: delimiter, start, width });
      readBlocks(depth + 1, line);
    }
  }

  function readText(depth: number, text: string): void {
    if (depth === open.length && leaf?.type === "table") {
      leaf.rows.push(splitRow(text));
      return;
    }
    if (depth === open.length && leaf?.type === "paragraph") {
      const table = startTable(leaf.lines.at(-1) ?? "", text, lineNumber);
      if (table !== undefined) {
        leaf = replaceParagraph(depth, table);
        return;
      }
    }
    // A paragraph goes on even if the line lacks the markers of its containers.
    if (leaf?.type !== "paragraph") {
      leaf = add(depth, { type: "paragraph", lines: [], last: lineNumber });
    }
    leaf.lines.push(text);
  }

  for (const source of text.split("\n")) {
    lineNumber++;
    const line = startLine(source);
    let depth = 1;
    while (depth < open.length && continues(open[depth], line)) depth++;
    const code = leaf?.type === "code_block" && depth === open.length ? leaf : undefined;
    const isInCode = code !== undefined && (code.fence !== "" || continuesCode(line));
    if (isInCode) readCode(code, line);
    else readBlocks(depth, line);
    for (const container of open) container.last = lineNumber;
    // A blank line after indented code is not part of it.
    const isBlank = isInCode && code.fence === "" && code.lines.at(-1)?.trim() === "";
    if (leaf !== undefined && !isBlank) leaf.last = lineNumber;
  }
  return root.children;
}

/** Tells whether a line belongs to indented code, and skips its indent. */
function continuesCode(line: SourceLine): boolean {
  const { indent, start } = measureIndent(line);
  if (indent < CODE_INDENT && start < line.text.length) return false;
  skipColumns(line, CODE_INDENT);
  return true;
}

function continues(container: QuoteDraft | ItemDraft, line: SourceLine): boolean {
  if (container.type === "quote") return skipQuoteMarker(line);
  const { indent, start } = measureIndent(line);
  const isBlank = start === line.text.length;
  // An item may start with one blank line, not with two.
  if (isBlank ? container.children.length === 0 : indent < container.width) return false;
  skipColumns(line, isBlank ? indent : container.width);
  return true;
}

function skipQuoteMarker(line: SourceLine): boolean {
  const { indent, start } = measureIndent(line);
  if (indent > MAX_INDENT || line.text[start] !== ">") return false;
  skipColumns(line, indent);
  skipCharacters(line, 1);
  skipColumns(line, 1);
  return true;
}

function canInterrupt([marker, digits]: RegExpExecArray, rest: string): boolean {
  const isEmpty = trimSpaces(rest) === marker;
  return !isEmpty && (digits === undefined || Number(digits) === 1);
}

/**
 * Skips the white space between the marker of a list item and its content, and returns its columns.
 */
function skipPadding(line: SourceLine): number {
  const { indent, start } = measureIndent(line);
  const isBlank = start === line.text.length;
  const columns = isBlank || indent > MAX_PADDING ? 1 : indent;
  skipColumns(line, columns);
  return columns;
}

/** Removes the closing sequence of a heading. */
function trimHeading(text: string): string {
  const trimmed = trimSpaces(text);
  let end = trimmed.length;
  while (trimmed[end - 1] === "#") end--;
  return end === 0 || /[ \t]/.test(trimmed[end - 1]) ? trimSpaces(trimmed.slice(0, end)) : trimmed;
}
