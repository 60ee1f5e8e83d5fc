import { parseBoolean } from "../../model/boolean.ts";
import { parseEmailAddress } from "../../model/email_address.ts";
import { Refusal } from "../../model/refusal.ts";
import { parseUserName } from "../../model/name.ts";
import { copyTexts } from "../../model/text.ts";
import { splitCsvRecord, unescapeFormula } from "./csv.ts";
import { UsageError } from "../_options.ts";
import { detailOf } from "../_values.ts";

/** The columns of an import, in the order in which they are exported. */
export const ROW_FIELDS = ["userEmail", "userName", "subscribed"] as const;
type RowField = typeof ROW_FIELDS[number];

/** What a row of an import says, checked. */
export interface Row {
  /** The number of the row's first line in the file. */
  readonly line: number;
  /** The normal form of the address. */
  readonly userEmail: string;
  /** The name; `null` where none is given. */
  readonly userName: string | null;
  /** The state. */
  readonly subscribe: boolean;
}

/** Reads the records of one file, in order. */
export interface RowFormat {
  /** Whether a record can have line ends in quotes. */
  readonly quoting: boolean;
  /**
   * Reads a record. Returns a row, the reason why it is refused, or nothing if the record holds no
   * row. Throws a {@linkcode UsageError} for a header that can't be used.
   */
  read(record: string, line: number): Row | string | undefined;
  /** Whether the header, if the format has one, has been read. */
  readonly isReady: () => boolean;
}

/** Rows of CSV under a header that names the columns, in any order. */
export function csvRows(note: (text: string) => void): RowFormat {
  let columns: Readonly<Record<RowField, number>> | undefined;
  let width: number | undefined;
  return {
    quoting: true,
    isReady: () => columns !== undefined,
    read(record, line) {
      if (record === "") return undefined;
      if (columns === undefined) {
        const names = splitCsvRecord(record);
        columns = readHeader(names, note);
        width = names.length;
        return undefined;
      }
      const cells = splitCsvRecord(record);
      if (cells.length !== width) {
        return `the row has ${cells.length} field${
          cells.length === 1 ? "" : "s"
        } where the header has ${width}`;
      }
      return checkRow(line, {
        userEmail: readCell(cells[columns.userEmail]),
        userName: columns.userName < 0 ? null : readCell(cells[columns.userName]),
        subscribed: checkText(cells[columns.subscribed], parseBoolean),
      });
    },
  };
}

function readCell(cell: string): string {
  return copyTexts(unescapeFormula(cell));
}

/** Rows of NDJSON: one object per line, other members ignored. */
export function ndjsonRows(): RowFormat {
  return {
    quoting: false,
    isReady: () => true,
    read(record, line) {
      if (record.trim() === "") return undefined;
      let value: unknown;
      try {
        value = JSON.parse(record);
      } catch {
        return "the row is not JSON";
      }
      if (typeof value !== "object" || value === null || Array.isArray(value)) {
        return "the row is not a JSON object";
      }
      const { userEmail, userName, subscribed }: RawRow = value;
      return checkRow(line, { userEmail, userName, subscribed: checkBoolean(subscribed) });
    },
  };
}

/** Says what kind of file it is whose first line is no header, if that shows. */
export function describeForeign(start: string): string | undefined {
  const line = firstLineOf(start);
  if (/[\0\ufffd]/.test(line)) {
    return "the header is not valid UTF-8; the file must be uncompressed text in UTF-8";
  }
  const foreign = describeForeignJson(start);
  if (foreign !== undefined) return foreign;
  if (/\r(?!\r*$)/.test(line)) return "its lines end with CR; they must end with LF or CRLF";
  if (/^[^,]*[;\t][^,]*$/.test(line)) return "its columns must be separated by commas";
}

/** Says what kind of file it is that can't have one object per line, if that shows. */
export function describeForeignJson(start: string): string | undefined {
  const line = firstLineOf(start);
  // A NUL further on may be that of one bad row. By the control character begins what gzip has made.
  if (/^.{0,3}\0/.test(line) || line.startsWith("\x1f")) {
    return "it is not uncompressed text in UTF-8";
  }
  if (/^\[\s*(?:[{"\]]|$)/.test(line)) {
    return "it is a JSON array; write one object per line (NDJSON)";
  }
  // Of a line whose end is there: a pipe may have brought no more of it yet.
  if (/^\s*\{[ \t\r]*\n/.test(start)) {
    return "it is JSON over several lines; write one object per line (NDJSON)";
  }
}

function firstLineOf(start: string): string {
  return start.trimStart().split("\n", 1)[0];
}

function readHeader(
  names: readonly string[],
  note: (text: string) => void,
): Readonly<Record<RowField, number>> {
  const twice = names.find((name, at) => isRowField(name) && names.indexOf(name) !== at);
  if (twice !== undefined) throw new UsageError(`the header has the column ${twice} twice`);
  const missing = (["userEmail", "subscribed"] as const).find((name) => !names.includes(name));
  if (missing !== undefined) {
    throw new UsageError(
      `the header has no column ${missing}; ` +
        `the first line must name the columns, like ${ROW_FIELDS.join(",")}${hint(names)}`,
    );
  }
  const others = names.filter((name) => !isRowField(name));
  if (others.length > 0) {
    const remark = names.includes("userName") ? "" : hint(names);
    note(`Ignoring the columns ${others.map(quoted).join(", ")}${remark}.\n`);
  }
  const [userEmail, userName, subscribed] = ROW_FIELDS.map((name) => names.indexOf(name));
  return { userEmail, userName, subscribed };
}

function hint(names: readonly string[]): string {
  const known = ROW_FIELDS.map((name) => name.toLowerCase());
  const alike = names.find((name) =>
    !isRowField(name) && known.includes(name.trim().toLowerCase())
  );
  return alike === undefined ? "" : ` (spaces and case count in ${quoted(alike)})`;
}

function isRowField(name: string): boolean {
  return (ROW_FIELDS as readonly string[]).includes(name);
}

function quoted(name: string): string {
  // Text from a file must not control the terminal.
  return JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name)
    .replace(/[\p{Cc}\p{Cf}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

type RawRow = { readonly [K in RowField]?: unknown };

function checkRow(
  line: number,
  raw: RawRow & { readonly subscribed: boolean | Refusal },
): Row | string {
  const userEmail = checkText(raw.userEmail, parseEmailAddress);
  const hasName = raw.userName !== undefined && raw.userName !== null && raw.userName !== "";
  const userName = hasName ? checkText(raw.userName, parseUserName) : "";
  const { subscribed } = raw;
  if (
    userEmail instanceof Refusal || userName instanceof Refusal || subscribed instanceof Refusal
  ) {
    return Object.entries({ userEmail, userName, subscribed })
      .flatMap(([name, value]) => value instanceof Refusal ? [`${name} ${detailOf(value)}`] : [])
      .join("; ");
  }
  return { line, userEmail, userName: userName || null, subscribe: subscribed };
}

function checkText<T>(value: unknown, parse: (text: string) => T | Refusal): T | Refusal {
  if ((value ?? "") === "") return new Refusal("required", "is required");
  if (typeof value !== "string") return new Refusal("invalid_type", "must be a string");
  return parse(value);
}

function checkBoolean(value: unknown): boolean | Refusal {
  if (value === undefined || value === null) return new Refusal("required", "is required");
  return typeof value === "boolean"
    ? value
    : new Refusal("invalid_value", "must be a JSON boolean");
}
