import { splitCsvRecord, unescapeFormula } from "../../values/csv.ts";
import { refuseArray } from "../../values/file_kind.ts";
import type { TextRecord } from "../../values/record_splitter.ts";
import { Refusal } from "../../values/refusal.ts";
import { createSheetReader, unusedOf } from "../../values/sheet_reader.ts";
import { quote } from "../../values/text.ts";
import { checkRawRow, type PostRowReader } from "./file_row.ts";
import { POST_SHEET_FIELDS, type PostSheetField } from "./sheet_columns.ts";
import {
  ANY_SHEET,
  POST_SHEET_FORMATS,
  type PostSheetFormat,
  type RawColumn,
} from "./sheet_formats.ts";
import { readStatusWord, type StatusWords } from "./status_words.ts";

/** Information about a sheet that is not in its file. */
export interface PostSheetOptions {
  readonly boardId: string;
  /** The headings by field. */
  readonly columns?: ReadonlyMap<PostSheetField, string> | undefined;
  /** The statuses by the sheet's words. */
  readonly words?: StatusWords | undefined;
}

/** The header of a sheet. */
interface Header {
  readonly format: PostSheetFormat;
  readonly separator: string;
  readonly names: readonly string[];
  /** The positions of columns, by the fields of a row. */
  readonly places: ReadonlyMap<RawColumn, number>;
}

const MAX_NAMED = 12;

/** Creates a reader of CSV; the header determines the product. */
export function createPostSheetReader(options: PostSheetOptions): PostRowReader {
  const reader = createSheetReader(
    (record) => readHeader(record, options),
    (record, header) => readRow(record, header, options),
  );
  return {
    quoting: true,
    read: reader.read,
    end: reader.end,
    get unusedColumns() {
      return reader.header === undefined ? [] : unusedOf(reader.header.names, reader.header.places);
    },
  };
}

function readRow(
  { line, text, fault }: TextRecord,
  { format, separator, names, places }: Header,
  { boardId, words }: PostSheetOptions,
) {
  const row = text === "" ? null : text;
  const refuse = ({ code, detail }: Refusal) => ({
    line,
    field: null,
    code,
    detail: `the row ${detail}`,
    row,
  });
  if (fault !== undefined) return refuse(fault);
  const cells = splitCsvRecord(text, separator);
  if (cells.every((cell) => cell.trim() === "")) return undefined;
  if (cells.length !== names.length) {
    const detail = `has ${cells.length} fields where the header has ${names.length}`;
    return refuse(new Refusal("invalid_value", detail));
  }
  const raw = new Map([...places].map(([field, at]) => [field, unescapeFormula(cells[at])]));
  const { title, hasOwnIds, isVote } = format;
  if (format === ANY_SHEET && raw.get("id")?.trim() === "") raw.delete("id");
  return checkRawRow({
    ...Object.fromEntries(raw),
    status: readStatusWord(raw.get("status") ?? "", words, format.words),
    hasOwnIds,
    isVote,
  }, { boardId, product: title, line, row });
}

function readHeader(
  { text, separator = ",", fault }: TextRecord,
  { columns }: PostSheetOptions,
): Header | Refusal {
  const array = refuseArray(text);
  if (array !== undefined) return array;
  if (fault !== undefined) return new Refusal(fault.code, `the header ${fault.detail}`);
  const names = splitCsvRecord(text, separator);
  const plainNames = names.map(plain);
  const known = columns === undefined
    ? POST_SHEET_FORMATS.find(({ knownBy, headings }) =>
      knownBy.every((field) => headings[field]?.some((name) => plainNames.includes(name)))
    )
    : undefined;
  const places = new Map<RawColumn, number>();
  if (known !== undefined) {
    for (const [field, headings] of Object.entries(known.headings)) {
      const heading = headings.find((name) => plainNames.includes(name));
      if (heading !== undefined) places.set(field as RawColumn, plainNames.indexOf(heading));
    }
    return { format: known, separator, names, places };
  }
  for (const [field, column] of Object.entries(POST_SHEET_FIELDS)) {
    const heading = columns?.get(field as PostSheetField);
    const exact = names.findIndex((name) => name.trim() === (heading ?? field));
    const place = exact < 0 ? plainNames.indexOf(plain(heading ?? field)) : exact;
    if (place >= 0) places.set(column, place);
    else if (heading !== undefined) return missing(quote(heading), names);
  }
  // A heading that was assigned to another field is not taken by its name.
  for (const [field, column] of Object.entries(POST_SHEET_FIELDS)) {
    if (columns === undefined || columns.has(field as PostSheetField)) continue;
    const others = [...columns.keys()].map((other) => places.get(POST_SHEET_FIELDS[other]));
    if (others.includes(places.get(column))) places.delete(column);
  }
  return places.has("title")
    ? { format: ANY_SHEET, separator, names, places }
    : missing("title", names);
}

function missing(column: string, names: readonly string[]): Refusal {
  const found = names.slice(0, MAX_NAMED).map(quote).join(", ");
  return new Refusal(
    "required",
    `the header has no column ${column}; it has ${found}${
      names.length > MAX_NAMED ? ", …" : ""
    }: ` +
      "name its headings by columns (--columns title=HEADING,body=HEADING), or send what Fider, " +
      "Quackback or UserVoice exports",
  );
}

function plain(name: string): string {
  return name.trim().toLowerCase().replace(/[\s_.-]+/g, " ");
}
