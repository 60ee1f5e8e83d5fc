const LF = 0x0a;
const CR = 0x0d;
const COMMA = 0x2c;
const QUOTE = 0x22;

/** The most bytes of one record; a longer one is refused and not kept in memory. */
export const RECORD_MAX_BYTES = 65_536;

/** One record of a file, whole or refused. */
export interface FramedRecord {
  /** The number of its first line in the file, from 1. */
  readonly line: number;
  /** The number of its last line. */
  readonly lastLine: number;
  /** Its bytes without the line end; empty where it is refused. */
  readonly bytes: Uint8Array;
  /** Why it is refused. */
  readonly fault?: string;
}

/** Splits the bytes of a file into records. */
export interface RecordFramer {
  /** Takes the next bytes of the file and returns the records that end in them. */
  push(chunk: Uint8Array): FramedRecord[];
  /** Returns the last record, if the file doesn't end with a line end. */
  end(): FramedRecord[];
  /** Why the record that has not ended yet is refused, if it already is. */
  readonly fault: () => string | undefined;
}

/**
 * Where in a record the framer is. `closed` follows a quote inside quotes, which either ends the
 * field or is the first of two; `faulty` follows a misplaced quote and lasts to the end of the line.
 */
type State = "field" | "plain" | "quoted" | "closed" | "closed-cr" | "faulty";

/**
 * Creates a framer for CSV (RFC 4180), whose quoted fields may have line ends in them, or
 * where `quoting` is off for lines. A line ends with LF or CRLF.
 *
 * Quoting is not repaired: a record with a quote where none may stand is refused together with
 * the rest of the line where that came to light, and the next line starts the next record. One
 * with more bytes than {@linkcode RECORD_MAX_BYTES} is refused up to its own end, as what stands
 * in its quotes is no record, however much it looks like one. No more than one record is held.
 */
export function createRecordFramer({ quoting }: { readonly quoting: boolean }): RecordFramer {
  let held = new Uint8Array();
  let scanned = 0;
  let lastByte: number | undefined;
  let state: State = "field";
  let fault: string | undefined;
  let firstLine = 1;
  let line = 1;

  function push(chunk: Uint8Array): FramedRecord[] {
    const buffer = concat(held, chunk);
    const records: FramedRecord[] = [];
    let start = 0;
    for (let at = scanned; at < buffer.length; at++) {
      const byte = buffer[at];
      if (at - start >= RECORD_MAX_BYTES) checkLength(byte, at - start);
      if (byte === LF && state !== "quoted") {
        records.push(finish(buffer.subarray(start, buffer[at - 1] === CR ? at - 1 : at)));
        start = at + 1;
        firstLine = ++line;
        continue;
      }
      if (state !== "faulty") step(byte);
      if (byte === LF) line++;
    }
    // Nothing more is needed of a refused record.
    held = fault === undefined ? buffer.slice(start) : new Uint8Array();
    scanned = held.length;
    lastByte = buffer.at(-1) ?? lastByte;
    return records;
  }

  function end(): FramedRecord[] {
    if (held.length === 0 && fault === undefined) return [];
    if (state === "quoted") {
      // The file ends with the line, before the next one has begun.
      if (lastByte === LF) line--;
      fault = "has a quote that is never closed";
    }
    if (state === "closed-cr") fault = "has text after a closing quote";
    return [finish(held)];
  }

  function finish(bytes: Uint8Array): FramedRecord {
    const record = fault === undefined
      ? { line: firstLine, lastLine: line, bytes }
      : { line: firstLine, lastLine: line, bytes: new Uint8Array(), fault };
    state = "field";
    fault = undefined;
    return record;
  }

  function step(byte: number): void {
    if (!quoting) return;
    if (state === "quoted") {
      if (byte === QUOTE) state = "closed";
    } else if (byte === QUOTE) {
      if (state === "field" || state === "closed") state = "quoted";
      else refuse("has a quote inside a field that doesn't start with one");
    } else if (state === "closed-cr" || (state === "closed" && byte !== COMMA && byte !== CR)) {
      refuse("has text after a closing quote");
    } else if (state === "closed" && byte === CR) {
      state = "closed-cr";
    } else {
      state = byte === COMMA ? "field" : "plain";
    }
  }

  function refuse(reason: string): void {
    state = "faulty";
    fault = reason;
  }

  function checkLength(byte: number, length: number): void {
    // Only its line end may follow a record of the greatest length.
    const isLineEnd = byte === LF || (byte === CR && length === RECORD_MAX_BYTES);
    if (isLineEnd && state !== "quoted") return;
    fault ??= `is longer than ${RECORD_MAX_BYTES.toLocaleString("en")} bytes`;
  }

  return { push, end, fault: () => fault };
}

/** Joins bytes; without a head, the tail as it is. */
export function concat(head: Uint8Array, tail: Uint8Array): Uint8Array {
  if (head.length === 0) return tail;
  const whole = new Uint8Array(head.length + tail.length);
  whole.set(head);
  whole.set(tail, head.length);
  return whole;
}
