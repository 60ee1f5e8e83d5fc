import { nearest } from "../values/nearest.ts";
import { Refusal } from "../values/refusal.ts";
import { createSheetReader } from "../values/sheet_reader.ts";
import { quote } from "../values/text.ts";
import { LIST_FORMATS, type ListFormat } from "./list_formats.ts";
import { LIST_OPTIONS, type ListFormatName, type ListOptions } from "./list_options.ts";
import { type RefusedRow, refuseRow } from "../imports/reports.ts";
import { checkRow, DECLARED_FIELDS, type ImportRow, type RowReader } from "./rows.ts";

const { boardcast: BOARDCAST, ...FOREIGN } = LIST_FORMATS;
const NAMES = Object.keys(LIST_FORMATS) as readonly ListFormatName[];
// Boardcast's own columns. Other products' headings are not taken for misspellings of these.
const OWN = ["labels", "pace", ...DECLARED_FIELDS];
// Limit of headings that an error names.
const MAX_NAMED = 12;

/** A header, and the positions of the columns that its format reads. */
interface Header {
  readonly format: ListFormatName;
  readonly places: ReadonlyMap<string, number>;
}

/** Creates a reader of CSV. Its header determines the format; columns may be in any order. */
export function createCsvReader(options: ListOptions = {}): RowReader {
  const reader = createSheetReader<Header, ImportRow | RefusedRow>({
    readHeader: (names) => readHeader(names, options),
    readRow(cells, { format, places }, record) {
      const cell = (column: string) => cells[places.get(column) ?? -1] ?? "";
      return checkRow(record, LIST_FORMATS[format].read(cell, options));
    },
    refuse: refuseRow,
  });
  return {
    quoting: true,
    get format() {
      return reader.header?.format;
    },
    get unusedColumns() {
      return reader.unusedColumns;
    },
    end: reader.end,
    read: reader.read,
  };
}

function readHeader(names: readonly string[], options: ListOptions): Header | Refusal {
  const headings = { names, exact: placesOf(names), plain: placesOf(names.map(plain)) };
  const format = findFormat(headings, options);
  const columns = columnsOf(LIST_FORMATS[format], headings, options);
  const refusal = checkOptions(columns, options) ?? checkColumns(columns, options);
  if (refusal !== undefined) return refusal;
  const places = new Map<string, number>();
  for (const column of columns.all) {
    const [place, other] = columns.find(column);
    if (other !== undefined) {
      return new Refusal("invalid_value", `the header has the column ${column} twice`);
    }
    if (place !== undefined) places.set(column, place);
  }
  if (format === "boardcast" && options.state !== undefined && places.has("subscribed")) {
    return new Refusal("invalid_value", "state does not apply to a list with a column subscribed");
  }
  return { format, places };
}

/** Finds the format of a header. */
function findFormat(headings: Headings, options: ListOptions): ListFormatName {
  if (options.format !== undefined) return options.format;
  const fits = (name: ListFormatName) => {
    const { format, find, other } = columnsOf(LIST_FORMATS[name], headings, options);
    return other === undefined && format.columns.every((column) => find(column).length > 0);
  };
  return options.columns === undefined ? NAMES.find(fits) ?? "boardcast" : "boardcast";
}

/**
 * The headings of a file (there may be thousands) and their positions, by exact and by normalized
 * spelling.
 */
interface Headings {
  readonly names: readonly string[];
  readonly exact: ReadonlyMap<string, readonly number[]>;
  readonly plain: ReadonlyMap<string, readonly number[]>;
}

function placesOf(names: readonly string[]): Headings["exact"] {
  const places = new Map<string, number[]>();
  for (const [at, name] of names.entries()) {
    const known = places.get(name);
    if (known === undefined) places.set(name, [at]);
    else known.push(at);
  }
  return places;
}

/** The columns of a format, as a header has them. */
interface Columns extends Pick<Headings, "names"> {
  readonly format: ListFormat;
  /** All columns that the reader uses. */
  readonly all: readonly string[];
  /** Returns the positions of a column, by the heading chosen for it or by its own name. */
  readonly find: (column: string) => readonly number[];
  /** A column that this format must not have; `undefined` if there is none. */
  readonly other: string | undefined;
}

function columnsOf(
  format: ListFormat,
  { names, ...headings }: Headings,
  options: ListOptions,
): Columns {
  const { columns, required = columns, others = [], aliases } = format;
  const find = (column: string) => {
    const heading = options.columns?.get(column);
    const exact = headings.exact.get(heading ?? column);
    if (heading !== undefined && exact !== undefined) return exact.slice(0, 1);
    // People who rename other products' columns keep the products' words.
    if (heading === undefined && format === BOARDCAST) return exact ?? [];
    const known = [heading ?? column, ...aliases?.[column] ?? []];
    return [...new Set(known.map(plain))].flatMap((name) => headings.plain.get(name) ?? []);
  };
  const known = new Set(columns.flatMap(find));
  const other = format.isExact
    ? names.find((name, at) => name !== "" && !known.has(at))
    : undefined;
  return { format, names, all: [...required, ...others], find, other };
}

/** Returns a refusal if an option does not apply to a format. */
function checkOptions({ format: { title, options: known = [] } }: Columns, options: ListOptions) {
  const unread = LIST_OPTIONS.find((option) =>
    options[option] !== undefined && !known.includes(option)
  );
  return unread && new Refusal(
    "invalid_value",
    `${unread} does not apply to a list of ${title}, for which this was taken`,
  );
}

/** Returns a refusal if a header does not fit a format. */
function checkColumns(columns: Columns, options: ListOptions): Refusal | undefined {
  const { format, names, all, find, other } = columns;
  const { required = format.columns, title } = format;
  const wanted = format === BOARDCAST ? all : required;
  const read = new Set(wanted.flatMap(find));
  const unread = names.filter((_, at) => !read.has(at));
  for (const column of wanted) {
    if (find(column).length > 0) continue;
    const heading = options.columns?.get(column);
    // People who name columns have seen all of them. "label" and "place" are different words.
    const isChecked = options.columns === undefined && !OWN.includes(column);
    const meant = isChecked ? nearest(column, unread) : undefined;
    const hasState = column === "subscribed" && options.state !== undefined;
    // A missing optional column is an error only if a heading looks like its misspelling, because
    // its values would be lost.
    const isNeeded = required.includes(column) && !hasState || heading !== undefined;
    if (!isNeeded && meant === undefined) continue;
    const hint = hintAt(columns, { column, heading, meant });
    const named = heading === undefined ? column : quote(heading);
    return new Refusal("required", `the header has no column ${named}${hint}`);
  }
  return other === undefined ? undefined : new Refusal(
    "invalid_value",
    `the header has the column ${quote(other)}, which lists of ${title} don't have`,
  );
}

/** Suggests how to fix a missing column. */
function hintAt(
  { format, names }: Columns,
  { column, heading, meant }: {
    readonly column: string;
    readonly heading: string | undefined;
    readonly meant: string | undefined;
  },
): string {
  const found = names.slice(0, MAX_NAMED).map(quote).join(", ");
  const has = `; it has ${found}${names.length > MAX_NAMED ? ", …" : ""}`;
  if (heading !== undefined) return has;
  if (format.aliases !== undefined) {
    return `, which lists of ${format.title} have, in no language that is known${has}: name it by ` +
      "columns (--columns userEmail=HEADING)";
  }
  if (format !== BOARDCAST) return `, which lists of ${format.title} have`;
  if (meant !== undefined) return `, but ${quote(meant)}: spelling, spaces and case count`;
  if (column === "subscribed") {
    return `${has}: name it by columns (--columns subscribed=HEADING), or say by state what all are ` +
      "(--state subscribed)";
  }
  const products = Object.values(FOREIGN).map(({ title }) => title).join(", ");
  return "; the first line must name the columns, like userEmail,userName,subscribed, or be that of " +
    `an export of another product (${products}), or name its own by columns (--columns ` +
    `userEmail=HEADING)${has}`;
}

function plain(name: string): string {
  return name.trim().toLowerCase().replace(/[\s_-]+/g, " ");
}
