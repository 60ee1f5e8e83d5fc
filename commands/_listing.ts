import type { PageQuery } from "../adapters/storage.ts";
import type { Invocation } from "./_command.ts";
import type { Option } from "./_options.ts";
import { type Column, createTable } from "./_table.ts";

const PAGE_SIZE = 1_000;

/** The flag of listings for programs. */
export const JSON_OPTION: Option = {
  name: "json",
  description: "Print one JSON object per line (NDJSON) instead of a table.",
};

/** Where records come from, one page at a time: a part of storage. */
export interface Source<T> {
  /** Lists one page. */
  list(query: PageQuery): Promise<readonly T[]>;
}

/** How a listing is shown. */
export interface Listing<T> {
  readonly source: Source<T>;
  /** The key of a record by which pages follow each other. */
  readonly keyOf: (record: T) => string;
  /** What is listed, in the plural. */
  readonly noun: string;
  /** The columns of the table. */
  readonly columns: readonly Column<T>[];
  /** The JSON object of a record; absent: the record itself. */
  readonly show?: (record: T) => unknown;
}

/** Iterates over a listing page by page, never holding more than one. */
export async function* readPages<T>(
  source: Source<T>,
  keyOf: (record: T) => string,
): AsyncGenerator<readonly T[]> {
  let after: string | undefined;
  while (true) {
    const page = await source.list({ after, limit: PAGE_SIZE });
    if (page.length > 0) yield page;
    if (page.length < PAGE_SIZE) return;
    // Writing may have waited for a slow reader, and what happened meanwhile to a connection be unheard.
    await new Promise((resolve) => setTimeout(resolve, 0));
    after = keyOf(page[page.length - 1]);
  }
}

/** Prints a listing of any length, as a table or as NDJSON. */
export async function printListing<T>(
  { given, terminal }: Invocation,
  listing: Listing<T>,
): Promise<void> {
  const { source, keyOf, show = (record: T) => record } = listing;
  const table = createTable(listing.columns, terminal.outColumns);
  const asJson = given.flag(JSON_OPTION.name);
  let isEmpty = true;
  for await (const page of readPages(source, keyOf)) {
    isEmpty = false;
    terminal.out(asJson ? formatNdjson(page.map(show)) : table.format(page));
  }
  if (isEmpty) terminal.err(`There are no ${listing.noun}.\n`);
}

/** Formats values as NDJSON: one JSON text a line. */
export function formatNdjson(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}

/** The day of a time in UTC, for tables; `-` for none. */
export function formatDay(time: string | null): string {
  return time === null ? "-" : time.slice(0, 10);
}
