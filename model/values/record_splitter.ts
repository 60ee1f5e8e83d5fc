import { findSeparator } from "./csv.ts";
import { encodingOfMark, MARK_BYTES } from "./file_kind.ts";
import { createLineReader, type TextLine } from "./lines.ts";
import { Refusal } from "./refusal.ts";

/** Limit of a record in UTF-16 code units; memory never holds more of one. */
export const RECORD_MAX_LENGTH = 65_536;

/** One record of a file. */
export interface TextRecord {
  /** The number of its first line, from 1. */
  readonly line: number;
  /** The number of its last line; for a record that is too long, the line at which it became so. */
  readonly lastLine: number;
  /** The text without its line ending; empty if it is too long. */
  readonly text: string;
  /** The separator of its fields; absent if each line is a record. */
  readonly separator?: string | undefined;
  /** The reason why it is unreadable, worded to follow "the row"; absent if it is readable. */
  readonly fault?: Refusal | undefined;
}

/** The options of splitting a file into records. */
export interface SplitterOptions {
  /** Whether quoted fields may contain line ends. */
  readonly quoting: boolean;
  /** The maximum length of a record, in UTF-16 code units. */
  readonly maxLength?: number;
}

/** Splits the bytes of a file into records. */
export interface RecordSplitter {
  /** Takes the next bytes of the file and returns the records that end in them. */
  push(chunk: Uint8Array): readonly TextRecord[];
  /** Returns the last record if it has no line end. */
  end(): readonly TextRecord[];
}

/**
 * The position of the splitter in a record. `closed` follows a quote inside quotes, which either
 * ends the field or is the first of two; `faulty` follows a misplaced quote and lasts to the end of
 * the line.
 */
type State = "field" | "plain" | "quoted" | "closed" | "faulty";

/** A record without its end so far. */
interface OpenRecord {
  readonly line: number;
  text: string;
  state: State;
  fault: Refusal | undefined;
  isReported: boolean;
}

// Excel reads the separator of a file from such a line.
const SEPARATOR = /^sep=(.)$/i;

const NOT_UTF8 = new Refusal("unsupported_characters", "is not valid UTF-8");
const NEVER_CLOSED = new Refusal("invalid_value", "has a quote that is never closed");
const MISPLACED = new Refusal(
  "invalid_value",
  "has a quote inside a field that doesn't start with one",
);
const TRAILING = new Refusal("invalid_value", "has text after a closing quote");

/**
 * Creates a splitter for CSV (RFC 4180). The separator comes from the header, or from a first line
 * such as `sep=;`. With `quoting`, quoted fields may contain line ends; without, each line is a
 * record.
 *
 * Quoting is not repaired: a misplaced quote refuses its record and the rest of that line, and the
 * next line starts the next record. A record that is too long is refused up to its own end, so that
 * its quoted text never counts as records. (The standard library's parser ends at the first
 * malformed record, reports no lines, and has no limit.)
 */
export function createRecordSplitter(
  { quoting, maxLength = RECORD_MAX_LENGTH }: SplitterOptions,
): RecordSplitter {
  // A code unit takes at most 3 bytes of UTF-8, so a longer line is too long for a record.
  const lines = createLineReader(maxLength * 3);
  const transcode = createTranscoder();
  let line = 1;
  let open: OpenRecord | undefined;
  let separator: string | undefined;

  function take({ text, end, isUtf8 }: TextLine, records: TextRecord[]): void {
    if (quoting && text !== "" && separator === undefined) {
      const [, named] = SEPARATOR.exec(text) ?? [];
      // The first line that is not empty is the header, or names the separator.
      separator = named ?? findSeparator(text);
      if (named !== undefined) return void line++;
    }
    const isPlain = isUtf8 && open === undefined && end !== undefined &&
      text.length <= maxLength && !(quoting && text.includes('"'));
    if (isPlain) records.push({ line, lastLine: line, text, separator });
    else {
      const record = open ??= {
        line,
        text: "",
        state: "field",
        fault: undefined,
        isReported: false,
      };
      if (!isUtf8) record.fault ??= NOT_UTF8;
      if (quoting) scan(record, text, separator);
      const isOver = end !== undefined && record.state !== "quoted";
      record.text += isOver ? text : text + (end ?? "");
      const isTooLong = record.text.length > maxLength;
      if (isTooLong) record.fault ??= tooLong(maxLength, record.state);
      if (isTooLong) record.text = "";
      // A record that is too long is reported at once, because its end may be far away.
      if (isOver || isTooLong) report(record, records);
      if (isOver) open = undefined;
    }
    if (end !== undefined) line++;
  }

  function report(record: OpenRecord, records: TextRecord[]): void {
    const { line: first, text, fault, isReported } = record;
    if (!isReported) records.push({ line: first, lastLine: line, text, separator, fault });
    record.isReported = true;
  }

  function takeAll(taken: readonly TextLine[]): TextRecord[] {
    const records: TextRecord[] = [];
    for (const line of taken) take(line, records);
    return records;
  }

  return {
    push: (chunk) => takeAll(lines.push(transcode(chunk))),
    end() {
      const records = [...takeAll(lines.push(transcode())), ...takeAll(lines.end())];
      line--;
      if (open !== undefined) {
        report({ ...open, fault: open.fault ?? NEVER_CLOSED }, records);
      }
      return records;
    },
  };
}

function tooLong(maxLength: number, state: State): Refusal {
  const hint = state === "quoted" ? "; is a quote left open?" : "";
  return new Refusal(
    "too_long",
    `is longer than ${maxLength.toLocaleString("en")} characters${hint}`,
  );
}

function scan(record: OpenRecord, part: string, separator: string | undefined): void {
  for (let at = 0; at < part.length && record.state !== "faulty"; at++) {
    const character = part[at];
    const { state } = record;
    if (state === "quoted") {
      if (character === '"') record.state = "closed";
    } else if (character === '"') {
      if (state === "field" || state === "closed") record.state = "quoted";
      else refuse(record, MISPLACED);
    } else if (state === "closed" && character !== separator) refuse(record, TRAILING);
    else record.state = character === separator ? "field" : "plain";
  }
}

function refuse(record: OpenRecord, fault: Refusal): void {
  record.state = "faulty";
  record.fault ??= fault;
}

const utf8 = new TextEncoder();

/**
 * Creates a function that converts a file's chunks to UTF-8 if the file starts with the byte order
 * mark of UTF-16, as the "Unicode text" of spreadsheets does; other files stay as they are. A call
 * without a chunk returns the rest.
 */
function createTranscoder(): (chunk?: Uint8Array) => Uint8Array {
  let start: Uint8Array | undefined = new Uint8Array();
  let decoder: TextDecoder | undefined;

  return (chunk) => {
    let bytes = chunk ?? new Uint8Array();
    if (start !== undefined) {
      bytes = start.length === 0 ? bytes : Uint8Array.of(...start, ...bytes);
      start = bytes;
      // The mark may arrive in two chunks.
      if (bytes.length < MARK_BYTES && chunk !== undefined) return new Uint8Array();
      const encoding = encodingOfMark(bytes);
      if (encoding !== undefined) decoder = new TextDecoder(encoding);
      start = undefined;
    }
    return decoder ? utf8.encode(decoder.decode(bytes, { stream: chunk !== undefined })) : bytes;
  };
}
