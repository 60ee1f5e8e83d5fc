import { splitCsvRecord } from "./csv.ts";
import { refuseArray } from "./file_kind.ts";
import type { TextRecord } from "./record_splitter.ts";
import { Refusal } from "./refusal.ts";

/** A header of CSV, with the positions of the columns that are used. */
interface SheetHeader {
  readonly places: ReadonlyMap<string, number>;
}

/** The parts of a reader of CSV that differ by what its rows are. */
export interface SheetOptions<H extends SheetHeader, R> {
  readonly readHeader: (names: readonly string[]) => H | Refusal;
  readonly readRow: (cells: readonly string[], header: H, record: TextRecord) => R;
  /** Refuses a row as a whole. */
  readonly refuse: (record: TextRecord, refusal: Refusal) => R;
}

/** A reader of CSV whose first record is its header. */
export interface SheetReader<H, R> {
  readonly quoting: true;
  /** The header; `undefined` until it was read. */
  readonly header: H | undefined;
  /** The headings of the columns that are not used. */
  readonly unusedColumns: readonly string[];
  /** Reads a record; returns `undefined` for the header and for an empty record. */
  read(record: TextRecord): R | Refusal | undefined;
  /** Returns a refusal if the file has no header, after all of it was read. */
  end(): Refusal | undefined;
}

/** Creates a reader of CSV from a reader of its header and one of its rows. */
export function createSheetReader<H extends SheetHeader, R>(
  { readHeader, readRow, refuse }: SheetOptions<H, R>,
): SheetReader<H, R> {
  let header: H | undefined;
  let names: readonly string[] = [];
  let separator = ",";

  function startWith(record: TextRecord): Refusal | undefined {
    const { text, fault } = record;
    const array = refuseArray(text);
    if (array !== undefined) return array;
    if (fault !== undefined) return new Refusal(fault.code, `the header ${fault.detail}`);
    separator = record.separator ?? ",";
    names = splitCsvRecord(text, separator);
    const found = readHeader(names);
    if (found instanceof Refusal) return found;
    header = found;
    return undefined;
  }

  return {
    quoting: true,
    get header() {
      return header;
    },
    get unusedColumns() {
      const used = new Set(header?.places.values());
      return header === undefined
        ? []
        : names.map((name) => name.trim()).filter((name, at) => name !== "" && !used.has(at));
    },
    end: () =>
      header === undefined
        ? new Refusal("required", "the file is empty; its first line must be a header")
        : undefined,
    read(record) {
      if (record.text === "" && record.fault === undefined) return undefined;
      if (header === undefined) return startWith(record);
      if (record.fault !== undefined) return refuse(record, record.fault);
      const cells = splitCsvRecord(record.text, separator);
      if (cells.every((cell) => cell.trim() === "")) return undefined;
      if (cells.length === names.length) return readRow(cells, header, record);
      const count = `${cells.length} field${cells.length === 1 ? "" : "s"}`;
      const detail = `has ${count} where the header has ${names.length}`;
      return refuse(record, new Refusal("invalid_value", detail));
    },
  };
}
