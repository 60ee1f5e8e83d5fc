import { parseBoolean } from "./boolean.ts";
import { escapeFormula, formatCsvField, splitCsvRecord, unescapeFormula } from "./csv.ts";
import { parseEmailAddress } from "./email_address.ts";
import { parseUserName } from "./name.ts";
import { nearest } from "./nearest.ts";
import type { TextRecord } from "./record_splitter.ts";
import { Refusal, type RefusalCode } from "./refusal.ts";
import type { Subscription } from "./subscription.ts";
import { quote } from "./text.ts";

/** A row of an import that was accepted. */
export interface ImportRow {
  /** The normal form of the address. */
  readonly userEmail: string;
  /** `null` where no name is given. */
  readonly userName: string | null;
  readonly subscribe: boolean;
}

/** Why a row can't be imported. */
export interface RefusedRow {
  /** The number of its first line in the file, from 1. */
  readonly line: number;
  /** The first field that was refused; `null` if the row as a whole was. */
  readonly field: string | null;
  /** The stable code. */
  readonly code: RefusalCode;
  /** What is wrong, for people, with all fields that were refused. */
  readonly detail: string;
}

/** Reads the records of one file, in their order. */
export interface RowReader {
  /** Whether records may have line ends in quotes. */
  readonly quoting: boolean;
  /**
   * Reads a record. Returns nothing if it holds no row, and a {@linkcode Refusal} if the file can't be
   * used at all.
   */
  read(record: TextRecord): ImportRow | RefusedRow | Refusal | undefined;
  /** Returns why the file can't be used, now that it has ended. */
  end(): Refusal | undefined;
}

/** The first line of an export. */
export const CSV_HEADER = "userEmail,userName,subscribed,source,createdAt,updatedAt\n";

type RowField = "userEmail" | "userName" | "subscribed";
const ROW_FIELDS: readonly RowField[] = ["userEmail", "userName", "subscribed"];

/** Creates a reader of CSV under a header that names the columns, in any order; it ignores others. */
export function createCsvReader(): RowReader {
  let columns: Header | undefined;
  return {
    quoting: true,
    end: () =>
      columns === undefined
        ? new Refusal("required", "the file is empty; its first line must be a header")
        : undefined,
    read(record) {
      if (record.text === "" && record.fault === undefined) return undefined;
      if (columns === undefined) {
        const header = readHeader(record);
        if (header instanceof Refusal) return header;
        columns = header;
        return undefined;
      }
      if (record.fault !== undefined) return refuseRow(record, record.fault);
      const cells = splitCsvRecord(record.text);
      if (cells.length !== columns.width) {
        const count = `${cells.length} field${cells.length === 1 ? "" : "s"}`;
        const detail = `has ${count} where the header has ${columns.width}`;
        return refuseRow(record, new Refusal("invalid_value", detail));
      }
      return checkRow(record, {
        userEmail: unescapeFormula(cells[columns.userEmail]),
        userName: columns.userName < 0 ? "" : unescapeFormula(cells[columns.userName]),
        subscribed: checkText(cells[columns.subscribed], parseBoolean),
      });
    },
  };
}

/** Creates a reader of NDJSON: one object per line; it ignores other members. */
export function createNdjsonReader(): RowReader {
  return {
    quoting: false,
    end: () => undefined,
    read(record) {
      if (record.fault !== undefined) return refuseRow(record, record.fault);
      if (record.text.trim() === "") return undefined;
      let value: unknown;
      try {
        value = JSON.parse(record.text);
      } catch {
        return refuseRow(record, new Refusal("invalid_value", "is not JSON"));
      }
      if (typeof value !== "object" || value === null || Array.isArray(value)) {
        return refuseRow(record, new Refusal("invalid_type", "is not a JSON object"));
      }
      const { userEmail, userName, subscribed }: { readonly [K in RowField]?: unknown } = value;
      return checkRow(record, { userEmail, userName, subscribed: checkBoolean(subscribed) });
    },
  };
}

/** Formats a subscription as a record of CSV that is safe to open in a spreadsheet. */
export function formatCsvRow(subscription: Subscription): string {
  const { userEmail, userName, subscribed, source, createdAt, updatedAt } = subscription;
  const [email, name] = [userEmail, userName ?? ""].map((text) =>
    formatCsvField(escapeFormula(text))
  );
  return `${email},${name},${subscribed},${source},${createdAt},${updatedAt}\n`;
}

/** Where the columns are that an import reads, from 0; -1 for one that is not there. */
type Header = Readonly<Record<RowField, number>> & { readonly width: number };

function readHeader({ text, fault }: TextRecord): Header | Refusal {
  if (fault !== undefined) return new Refusal(fault.code, `the header ${fault.detail}`);
  const names = splitCsvRecord(text);
  const twice = ROW_FIELDS.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice !== undefined) {
    return new Refusal("invalid_value", `the header has the column ${twice} twice`);
  }
  const others = names.filter((name) => !ROW_FIELDS.some((field) => field === name));
  for (const field of ROW_FIELDS.filter((field) => !names.includes(field))) {
    const meant = nearest(field, others);
    // Only a misspelt heading, under which names would be lost, is an error.
    if (field === "userName" && meant === undefined) continue;
    const hint = meant === undefined
      ? `; the first line must name the columns, like ${ROW_FIELDS.join(",")}`
      : `, but ${quote(meant)}: spelling, spaces and case count`;
    const separator = /^[^,]*[;\t][^,]*$/.test(text) ? "; separate columns by commas" : "";
    return new Refusal("required", `the header has no column ${field}${separator || hint}`);
  }
  const [userEmail, userName, subscribed] = ROW_FIELDS.map((name) => names.indexOf(name));
  return { userEmail, userName, subscribed, width: names.length };
}

function refuseRow({ line, lastLine }: TextRecord, { code, detail }: Refusal): RefusedRow {
  return { line, field: null, code, detail: `the row ${detail}${extent(line, lastLine)}` };
}

function extent(line: number, lastLine: number): string {
  return lastLine > line ? ` (lines ${line} to ${lastLine})` : "";
}

interface RawRow {
  readonly userEmail: unknown;
  readonly userName: unknown;
  readonly subscribed: boolean | Refusal;
}

function checkRow({ line, lastLine }: TextRecord, raw: RawRow): ImportRow | RefusedRow {
  const userEmail = checkText(raw.userEmail, parseEmailAddress);
  const hasName = raw.userName !== undefined && raw.userName !== null && raw.userName !== "";
  const userName = hasName ? checkText(raw.userName, parseUserName) : "";
  const { subscribed } = raw;
  if (
    !(userEmail instanceof Refusal) && !(userName instanceof Refusal) &&
    !(subscribed instanceof Refusal)
  ) {
    return { userEmail, userName: userName || null, subscribe: subscribed };
  }
  const refused = Object.entries({ userEmail, userName, subscribed })
    .flatMap(([field, value]) => value instanceof Refusal ? [{ field, ...value }] : []);
  const [{ field, code }] = refused;
  // The hints for forms do not apply to rows.
  const details = refused.map(({ field, detail }) =>
    `${field} ${detail.replace(/; in a form, .*/, "")}`
  );
  return { line, field, code, detail: details.join("; ") + extent(line, lastLine) };
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
