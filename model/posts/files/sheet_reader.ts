import { refuseRow } from "../../imports/reports.ts";
import { unescapeFormula } from "../../values/csv.ts";
import { Refusal } from "../../values/refusal.ts";
import { createSheetReader, type SheetReader } from "../../values/sheet_reader.ts";
import { quote } from "../../values/text.ts";
import { OTHER_POST_FIELDS, type ReadPostRow } from "./file_row.ts";
import { checkRawRow } from "./raw_row.ts";
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
  /** The positions of columns, by the fields of a row or, in our own table, of a post. */
  readonly places: ReadonlyMap<string, number>;
}

const MAX_NAMED = 12;

/** Creates a reader of CSV; the header determines the product. */
export function createPostSheetReader(
  { boardId, columns, words }: PostSheetOptions,
): SheetReader<Header, ReadPostRow> {
  return createSheetReader<Header, ReadPostRow>({
    readHeader: (names) => readHeader(names, columns),
    readRow(cells, { format, places }, { line, text: row }) {
      const raw = new Map([...places].map(([field, at]) => [field, unescapeFormula(cells[at])]));
      const { title, hasOwnIds, isVote } = format;
      if (format === ANY_SHEET && raw.get("id")?.trim() === "") raw.delete("id");
      return checkRawRow({
        ...Object.fromEntries(raw),
        status: readStatusWord(raw.get("status") ?? "", words, format.words),
        hasOwnIds,
        isVote,
        declared: raw,
      }, { boardId, product: title, line, row });
    },
    refuse: refuseRow,
  });
}

function readHeader(
  names: readonly string[],
  columns: PostSheetOptions["columns"],
): Header | Refusal {
  const plainNames = names.map(plain);
  // Columns with a title describe a whole sheet; others add to what a product's file has.
  const known = !columns?.has("title")
    ? POST_SHEET_FORMATS.find(({ knownBy, headings }) =>
      knownBy.every((field) => headings[field]?.some((name) => plainNames.includes(name)))
    )
    : undefined;
  const places = new Map<string, number>();
  if (known !== undefined) {
    for (const [field, headings] of Object.entries(known.headings)) {
      const heading = headings.find((name) => plainNames.includes(name));
      if (heading !== undefined) places.set(field as RawColumn, plainNames.indexOf(heading));
    }
    const own = known.hasOwnIds ? OTHER_POST_FIELDS : [];
    for (const name of own.filter((name) => names.includes(name))) {
      places.set(name, names.indexOf(name));
    }
  }
  for (const [field, column] of Object.entries(POST_SHEET_FIELDS)) {
    const heading = columns?.get(field as PostSheetField);
    if (known !== undefined && heading === undefined) continue;
    const exact = names.findIndex((name) => name.trim() === (heading ?? field));
    const place = exact < 0 ? plainNames.indexOf(plain(heading ?? field)) : exact;
    if (place >= 0) places.set(column, place);
    else if (heading !== undefined) return missing(quote(heading), names);
  }
  if (known !== undefined) return { format: known, places };
  // A heading that was assigned to another field is not taken by its name.
  for (const [field, column] of Object.entries(POST_SHEET_FIELDS)) {
    if (columns === undefined || columns.has(field as PostSheetField)) continue;
    const others = [...columns.keys()].map((other) => places.get(POST_SHEET_FIELDS[other]));
    if (others.includes(places.get(column))) places.delete(column);
  }
  return places.has("title") ? { format: ANY_SHEET, places } : missing("title", names);
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
