import type { TextRecord } from "./record_splitter.ts";
import { Refusal } from "./refusal.ts";

/** A reader of CSV whose first record is its header. */
export interface SheetReader<H, R> {
  readonly quoting: true;
  /** The header; `undefined` until it was read. */
  readonly header: H | undefined;
  /** Reads a record; returns `undefined` for the header and for an empty record. */
  read(record: TextRecord): R | Refusal | undefined;
  /** Returns a refusal if the file has no header, after all of it was read. */
  end(): Refusal | undefined;
}

/** Creates a reader of CSV from a reader of its header and one of its rows. */
export function createSheetReader<H, R>(
  readHeader: (record: TextRecord) => H | Refusal,
  readRow: (record: TextRecord, header: H) => R | undefined,
): SheetReader<H, R> {
  let header: H | undefined;
  return {
    quoting: true,
    get header() {
      return header;
    },
    end: () =>
      header === undefined
        ? new Refusal("required", "the file is empty; its first line must be a header")
        : undefined,
    read(record) {
      if (record.text === "" && record.fault === undefined) return undefined;
      if (header !== undefined) return readRow(record, header);
      const found = readHeader(record);
      if (found instanceof Refusal) return found;
      header = found;
      return undefined;
    },
  };
}

/** Returns the headings of the columns that a reader does not use. */
export function unusedOf(
  names: readonly string[],
  places: ReadonlyMap<unknown, number>,
): readonly string[] {
  const used = new Set(places.values());
  return names.map((name) => name.trim()).filter((name, at) => name !== "" && !used.has(at));
}
