import { findSeparator, splitCsvRecord } from "../../values/csv.ts";
import { nearest } from "../../values/nearest.ts";
import type { TextRecord } from "../../values/record_splitter.ts";
import { Refusal } from "../../values/refusal.ts";
import { checkRow, refuseRow, type RowReader } from "../rows.ts";
import { quote } from "../../values/text.ts";
import { BOARDCAST } from "./boardcast.ts";
import { CHANGES_PAGE } from "./changes_page.ts";
import { GHOST } from "./ghost.ts";
import { KEILA } from "./keila.ts";
import type { ListFormat, ListFormatName, ListOptions } from "./list_format.ts";
import { LISTMONK } from "./listmonk.ts";
import { MAILCHIMP } from "./mailchimp.ts";
import { PRODUCTLIFT } from "./productlift.ts";

const FOREIGN = [LISTMONK, KEILA, GHOST, MAILCHIMP, CHANGES_PAGE, PRODUCTLIFT];
const ALL: readonly ListFormat[] = [BOARDCAST, ...FOREIGN];

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

function readHeader({ text, fault }: TextRecord, options: ListOptions): Header | Refusal {
  if (fault !== undefined) return new Refusal(fault.code, `the header ${fault.detail}`);
  const separator = findSeparator(text);
  const names = splitCsvRecord(text, separator);
  const format = findFormat(names, options.format);
  if (format instanceof Refusal) return format;
  const unmeant = (["listStatus", "state"] as const).find((option) =>
    options[option] !== undefined && option !== format.option
  );
  if (unmeant !== undefined) {
    return new Refusal(
      "invalid_value",
      `${unmeant} does not apply to a list of ${format.title}, for which this was taken`,
    );
  }
  const places = new Map<string, number>();
  for (const column of [...format.required, ...format.others ?? []]) {
    const found = names.flatMap((name, at) => isNamed(format, name, column) ? [at] : []);
    if (found.length > 1) {
      return new Refusal("invalid_value", `the header has the column ${column} twice`);
    }
    if (found.length === 1) places.set(column, found[0]);
  }
  return { format, separator, width: names.length, places };
}

/** Finds the format that a header is of. */
function findFormat(
  names: readonly string[],
  chosen: ListFormatName | undefined,
): ListFormat | Refusal {
  const fits = (format: ListFormat) =>
    format.columns.every((column) => names.some((name) => isNamed(format, name, column))) &&
    otherColumn(names, format) === undefined;
  const format = chosen === undefined
    ? [BOARDCAST, ...FOREIGN].find(fits) ?? BOARDCAST
    : ALL.find(({ name }) => name === chosen)!;
  return checkFormat(names, format) ?? format;
}

/** Returns why a header is not of a format. */
function checkFormat(names: readonly string[], format: ListFormat): Refusal | undefined {
  const { required, others = [], title } = format;
  const wanted = format === BOARDCAST ? [...required, ...others] : required;
  const unmeant = names.filter((name) => !wanted.some((column) => isNamed(format, name, column)));
  for (const column of wanted) {
    if (names.some((name) => isNamed(format, name, column))) continue;
    const meant = nearest(column, unmeant);
    // Only a misspelt heading, under which names would be lost, is an error.
    if (!required.includes(column) && meant === undefined) continue;
    return new Refusal("required", `the header has no column ${column}${hint(format, meant)}`);
  }
  const other = otherColumn(names, format);
  return other === undefined ? undefined : new Refusal(
    "invalid_value",
    `the header has the column ${quote(other)}, which lists of ${title} don't have`,
  );
}

/** Returns a column that a list of a format does not have, if that matters. */
function otherColumn(names: readonly string[], format: ListFormat): string | undefined {
  if (!format.isExact) return undefined;
  const isKnown = (name: string) => format.columns.some((column) => isNamed(format, name, column));
  return names.find((name) => name !== "" && !isKnown(name));
}

function hint(format: ListFormat, meant: string | undefined): string {
  if (format !== BOARDCAST) return `, which lists of ${format.title} have`;
  if (meant !== undefined) return `, but ${quote(meant)}: spelling, spaces and case count`;
  const products = FOREIGN.map(({ title }) => title).join(", ");
  return "; the first line must name the columns, like userEmail,userName,subscribed, or be that of " +
    `an export of another product (${products})`;
}

/** Tells whether a heading names a column. People who rename those of others keep their words. */
function isNamed({ name: format }: ListFormat, heading: string, column: string): boolean {
  if (heading === column || format === "boardcast") return heading === column;
  return plain(heading) === plain(column);
}

function plain(name: string): string {
  return name.trim().toLowerCase().replace(/[\s_-]+/g, " ");
}
