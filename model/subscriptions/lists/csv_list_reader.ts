import { splitCsvRecord } from "../../values/csv.ts";
import { refuseArray } from "../../values/file_kind.ts";
import { nearest } from "../../values/nearest.ts";
import type { TextRecord } from "../../values/record_splitter.ts";
import { Refusal } from "../../values/refusal.ts";
import { checkRow, refuseRow, type RowReader } from "../rows.ts";
import { quote } from "../../values/text.ts";
import { BOARDCAST } from "./boardcast.ts";
import { CHANGES_PAGE } from "./changes_page.ts";
import { GHOST } from "./ghost.ts";
import { KEILA } from "./keila.ts";
import { LIST_OPTIONS, type ListFormat, type ListOptions } from "./list_format.ts";
import { LISTMONK } from "./listmonk.ts";
import { MAILCHIMP } from "./mailchimp.ts";
import { PRODUCTLIFT } from "./productlift.ts";

const FOREIGN = [LISTMONK, KEILA, GHOST, MAILCHIMP, CHANGES_PAGE, PRODUCTLIFT];
const ALL: readonly ListFormat[] = [BOARDCAST, ...FOREIGN];
// Columns of our own exports, for which nobody misspells others.
const OWN = ["labels", "pace"];
// How many headings an error names.
const MAX_NAMED = 12;

/** A header, and where the columns are that its format reads. */
interface Header {
  readonly format: ListFormat;
  readonly width: number;
  readonly separator: string;
  readonly places: ReadonlyMap<string, number>;
}

/** Creates a reader of CSV under a header that tells the format; its columns may be in any order. */
export function createCsvReader(options: ListOptions = {}): RowReader {
  let header: Header | undefined;

  function readRow(record: TextRecord, { format, width, separator, places }: Header) {
    const cells = splitCsvRecord(record.text, separator);
    if (cells.every((cell) => cell === "")) return undefined;
    if (cells.length !== width) {
      const count = `${cells.length} field${cells.length === 1 ? "" : "s"}`;
      const detail = `has ${count} where the header has ${width}`;
      return refuseRow(record, new Refusal("invalid_value", detail));
    }
    const row = format.read((column) => cells[places.get(column) ?? -1] ?? "", options);
    return checkRow(record, row);
  }

  return {
    quoting: true,
    get format() {
      return header?.format.name;
    },
    end: () =>
      header === undefined
        ? new Refusal("required", "the file is empty; its first line must be a header")
        : undefined,
    read(record) {
      if (record.text === "" && record.fault === undefined) return undefined;
      if (header === undefined) {
        const found = readHeader(record, options);
        if (found instanceof Refusal) return found;
        header = found;
        return undefined;
      }
      return record.fault === undefined ? readRow(record, header) : refuseRow(record, record.fault);
    },
  };
}

function readHeader(
  { text, separator = ",", fault }: TextRecord,
  options: ListOptions,
): Header | Refusal {
  const array = refuseArray(text);
  if (array !== undefined) return array;
  if (fault !== undefined) return new Refusal(fault.code, `the header ${fault.detail}`);
  const names = splitCsvRecord(text, separator);
  const format = findFormat(names, options);
  const refusal = checkOptions(format, options) ?? checkFormat(names, format, options);
  if (refusal !== undefined) return refusal;
  const places = new Map<string, number>();
  for (const column of columnsOf(format)) {
    const found = findColumn(names, column, { format, options });
    if (found.length > 1) {
      return new Refusal("invalid_value", `the header has the column ${column} twice`);
    }
    if (found.length === 1) places.set(column, found[0]);
  }
  const isSaidTwice = format === BOARDCAST && options.state !== undefined &&
    places.has("subscribed");
  if (isSaidTwice) {
    return new Refusal("invalid_value", "state does not apply to a list with a column subscribed");
  }
  return { format, separator, width: names.length, places };
}

/** Finds the format that a header is of. */
function findFormat(
  names: readonly string[],
  { format: chosen, columns }: ListOptions,
): ListFormat {
  const fits = (format: ListFormat) =>
    format.columns.every((column) => names.some((name) => isNamed(format, name, column))) &&
    otherColumn(names, format) === undefined;
  if (chosen !== undefined) return ALL.find(({ name }) => name === chosen)!;
  return columns === undefined ? ALL.find(fits) ?? BOARDCAST : BOARDCAST;
}

/** Returns why an option is none for lists of a format. */
function checkOptions({ title, options: known = [] }: ListFormat, options: ListOptions) {
  const unmeant = LIST_OPTIONS.find((option) =>
    options[option] !== undefined && !known.includes(option)
  );
  return unmeant && new Refusal(
    "invalid_value",
    `${unmeant} does not apply to a list of ${title}, for which this was taken`,
  );
}

/** Returns why a header is not of a format. */
function checkFormat(
  names: readonly string[],
  format: ListFormat,
  options: ListOptions,
): Refusal | undefined {
  const { required, title } = format;
  const wanted = format === BOARDCAST ? columnsOf(format) : required;
  const unmeant = names.filter((name) => !wanted.some((column) => isNamed(format, name, column)));
  for (const column of wanted) {
    if (findColumn(names, column, { format, options }).length > 0) continue;
    const heading = options.columns?.get(column);
    // Who names columns has looked at the others; "label" and "place" are words of their own.
    const isChecked = options.columns === undefined && !OWN.includes(column);
    const meant = isChecked ? nearest(column, unmeant) : undefined;
    const isSaid = column === "subscribed" && options.state !== undefined;
    // Only a misspelt heading, under which names would be lost, is an error.
    const isNeeded = required.includes(column) && !isSaid || heading !== undefined;
    if (!isNeeded && meant === undefined) continue;
    const hint = hintAt(names, { format, column, heading, meant });
    const named = heading === undefined ? column : quote(heading);
    return new Refusal("required", `the header has no column ${named}${hint}`);
  }
  const other = otherColumn(names, format);
  return other === undefined ? undefined : new Refusal(
    "invalid_value",
    `the header has the column ${quote(other)}, which lists of ${title} don't have`,
  );
}

/** Returns where a column is, by the heading that was named for it, or else its own. */
function findColumn(
  names: readonly string[],
  column: string,
  { format, options }: { readonly format: ListFormat; readonly options: ListOptions },
): readonly number[] {
  const heading = options.columns?.get(column);
  const isIt = (name: string) =>
    heading === undefined ? isNamed(format, name, column) : plain(name) === plain(heading);
  const exact = names.indexOf(heading ?? column);
  if (heading !== undefined && exact >= 0) return [exact];
  return names.flatMap((name, at) => isIt(name) ? [at] : []);
}

function columnsOf({ required, others = [] }: ListFormat): readonly string[] {
  return [...required, ...others];
}

/** Returns a column that a list of a format does not have, if that matters. */
function otherColumn(names: readonly string[], format: ListFormat): string | undefined {
  if (!format.isExact) return undefined;
  const isKnown = (name: string) => format.columns.some((column) => isNamed(format, name, column));
  return names.find((name) => name !== "" && !isKnown(name));
}

/** Says what to do where a column is missing. */
function hintAt(
  names: readonly string[],
  { format, column, heading, meant }: {
    readonly format: ListFormat;
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
  const products = FOREIGN.map(({ title }) => title).join(", ");
  return "; the first line must name the columns, like userEmail,userName,subscribed, or be that of " +
    `an export of another product (${products}), or name its own by columns (--columns ` +
    `userEmail=HEADING)${has}`;
}

/** Tells whether a heading names a column. People who rename those of others keep their words. */
function isNamed(
  { name: format, aliases }: ListFormat,
  heading: string,
  column: string,
): boolean {
  if (heading === column || format === "boardcast") return heading === column;
  const known = [column, ...aliases?.[column] ?? []];
  return known.some((name) => plain(name) === plain(heading));
}

function plain(name: string): string {
  return name.trim().toLowerCase().replace(/[\s_-]+/g, " ");
}
