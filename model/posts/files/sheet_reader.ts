import { splitCsvRecord, unescapeFormula } from "../../values/csv.ts";
import { refuseArray } from "../../values/file_kind.ts";
import type { TextRecord } from "../../values/record_splitter.ts";
import { Refusal } from "../../values/refusal.ts";
import { createSheetReader } from "../../values/sheet_reader.ts";
import { quote } from "../../values/text.ts";
import { checkRawRow, type PostRowReader } from "./file_row.ts";
import { POST_SHEET_FIELDS, type PostSheetField } from "./sheet_columns.ts";
import { ANY_SHEET, POST_SHEET_FORMATS, type PostSheetFormat } from "./sheet_formats.ts";
import type { StatusWords } from "./status_words.ts";

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
  readonly width: number;
  /** The positions of columns, by the format's column names. */
  readonly places: ReadonlyMap<string, number>;
}

const MAX_NAMED = 12;

/** Creates a reader of CSV; the header determines the product. */
export function createPostSheetReader(options: PostSheetOptions): PostRowReader {
  return createSheetReader(
    (record) => readHeader(record, options),
    (record, header) => readRow(record, header, options),
  );
}

function readRow(
  { line, text, fault }: TextRecord,
  { format, separator, width, places }: Header,
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
  if (cells.length !== width) {
    const detail = `has ${cells.length} fields where the header has ${width}`;
    return refuse(new Refusal("invalid_value", detail));
  }
  const raw = format.read(
    (column) => unescapeFormula(cells[places.get(column) ?? -1] ?? ""),
    words,
  );
  return checkRawRow(raw, { boardId, product: format.title, line, row });
}

function readHeader(
  { text, separator = ",", fault }: TextRecord,
  { columns }: PostSheetOptions,
): Header | Refusal {
  const array = refuseArray(text);
  if (array !== undefined) return array;
  if (fault !== undefined) return new Refusal(fault.code, `the header ${fault.detail}`);
  const names = splitCsvRecord(text, separator);
  const places = new Map<string, number>();
  for (const [at, name] of names.entries()) {
    if (!places.has(plain(name))) places.set(plain(name), at);
  }
  const has = (one: string | readonly string[]) => [one].flat().some((name) => places.has(name));
  const known = columns === undefined
    ? POST_SHEET_FORMATS.find((format) => format.columns.every(has))
    : undefined;
  const width = names.length;
  if (known !== undefined) return { format: known, separator, width, places };
  const own = new Map<string, number>();
  for (const field of POST_SHEET_FIELDS) {
    const heading = columns?.get(field);
    const place = names.findIndex((name) => name.trim() === (heading ?? field));
    const found = place < 0 ? places.get(plain(heading ?? field)) : place;
    if (found !== undefined) own.set(field.toLowerCase(), found);
    else if (heading !== undefined) return missing(quote(heading), names);
  }
  return own.has("title")
    ? { format: ANY_SHEET, separator, width, places: own }
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
