import { concat } from "../../std.ts";

/** A line of a file, or a piece of a line that is too long for memory. */
export interface TextLine {
  /** The text without its line ending. */
  readonly text: string;
  /** The line ending; `undefined` if more of the line follows. */
  readonly end: "\n" | "\r\n" | "\r" | "" | undefined;
  /** Whether it is valid UTF-8; otherwise its text contains replacement characters. */
  readonly isUtf8: boolean;
}

/** Splits the bytes of a file into lines. */
export interface LineReader {
  /** Takes the next bytes of the file, and returns the lines that end in them. */
  push(chunk: Uint8Array): readonly TextLine[];
  /** Returns the last line if it has no line end. */
  end(): readonly TextLine[];
}

const [LF, CR] = [0x0a, 0x0d];
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenientUtf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Creates a reader of lines that end with LF, CRLF or CR; the last line may have no end. Skips a
 * byte order mark. Holds at most `maxHeldBytes` of an unfinished line.
 */
export function createLineReader(maxHeldBytes: number): LineReader {
  const held = new Uint8Array(maxHeldBytes);
  let heldBytes = 0;
  let isAtStart = true;

  function takeHeld(rest: Uint8Array = new Uint8Array()): Uint8Array {
    const bytes = concat([held.subarray(0, heldBytes), rest]);
    heldBytes = 0;
    const isMarked = isAtStart && BYTE_ORDER_MARK.every((byte, at) => bytes[at] === byte);
    isAtStart = false;
    return isMarked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
  }

  return {
    push(chunk) {
      const lines: TextLine[] = [];
      const isEnded = heldBytes > 0 && held[heldBytes - 1] === CR;
      if (isEnded && chunk.length > 0 && chunk[0] !== LF) splitBlock(takeHeld(), lines);
      // The next byte decides whether this CR is a whole line ending or half of CR LF.
      const end = Math.max(chunk.lastIndexOf(LF), chunk.subarray(0, -1).lastIndexOf(CR)) + 1;
      if (end > 0) splitBlock(takeHeld(chunk.subarray(0, end)), lines);
      for (let rest = chunk.subarray(end); rest.length > 0;) {
        const part = rest.subarray(0, maxHeldBytes - heldBytes);
        held.set(part, heldBytes);
        heldBytes += part.length;
        rest = rest.subarray(part.length);
        if (heldBytes === maxHeldBytes) {
          lines.push({ text: lenientUtf8.decode(takeHeld()), end: undefined, isUtf8: true });
        }
      }
      return lines;
    },
    end() {
      const lines: TextLine[] = [];
      if (heldBytes > 0) splitLines(takeHeld(), lines);
      return lines;
    },
  };
}

/** Splits a block of whole lines at once, because nearly all are valid UTF-8. */
function splitBlock(block: Uint8Array, lines: TextLine[]): void {
  let text: string;
  try {
    text = utf8.decode(block);
  } catch {
    return splitLines(block, lines);
  }
  let [lf, cr] = [-1, -1];
  for (let start = 0, at: number; start < text.length; start = at + 1) {
    if (lf < start) lf = nextIndex(text, "\n", start);
    if (cr < start) cr = nextIndex(text, "\r", start);
    at = Math.min(lf, cr);
    const end = at === lf ? "\n" : lf === cr + 1 ? "\r\n" : "\r";
    lines.push({ text: text.slice(start, at), end, isUtf8: true });
    if (end === "\r\n") at++;
  }
}

function nextIndex(text: string, character: string, from: number): number {
  const index = text.indexOf(character, from);
  return index < 0 ? Infinity : index;
}

/** Splits a block line by line to find invalid UTF-8. */
function splitLines(block: Uint8Array, lines: TextLine[]): void {
  for (let start = 0, at: number; start < block.length; start = at + 1) {
    at = start;
    while (at < block.length && block[at] !== LF && block[at] !== CR) at++;
    const isCrLf = block[at] === CR && block[at + 1] === LF;
    const end = at >= block.length ? "" : isCrLf ? "\r\n" : block[at] === LF ? "\n" : "\r";
    lines.push({ ...decode(block.subarray(start, at)), end });
    if (isCrLf) at++;
  }
}

function decode(bytes: Uint8Array): Pick<TextLine, "text" | "isUtf8"> {
  try {
    return { text: utf8.decode(bytes), isUtf8: true };
  } catch {
    return { text: lenientUtf8.decode(bytes), isUtf8: false };
  }
}
