import {
  columnsOf,
  formatHeader,
  formatRow,
  isRefused,
  otherNames,
  readValues,
} from "../imports/file_values.ts";
import { parseEmailAddress } from "../values/email_address.ts";
import { acceptListTime } from "../values/time.ts";
import { parseUserName } from "../values/text.ts";
import type { TextRecord } from "../values/record_splitter.ts";
import { createObjectReader } from "../values/object_reader.ts";
import { Refusal } from "../values/refusal.ts";
import { refused, type RefusedRow, refuseRow } from "../imports/reports.ts";
import { CHOSEN_LABELS, CHOSEN_PACE, type Pace } from "./choices.ts";
import { type ShownSubscription, SUBSCRIPTION, SUBSCRIPTION_SOURCES } from "./subscription.ts";
import { type Evidence, type HistoryEvent, parseHistory } from "./history.ts";

/** An accepted row of an import. */
export interface ImportRow {
  /** The normal form of the address. */
  readonly userEmail: string;
  /** `null` if the row has no name. */
  readonly userName: string | null;
  readonly subscribe: boolean;
  /**
   * The time at which the address joined the list (RFC 3339, UTC, milliseconds); absent if unknown.
   */
  readonly createdAt?: string | undefined;
  /** The time at which the address got its state there. */
  readonly since?: string | undefined;
  /** Further evidence of a consent, by its column names there. */
  readonly evidence?: Evidence | undefined;
  /** The chosen labels; absent if the list has no labels. */
  readonly labels?: readonly string[] | null | undefined;
  readonly pace?: Pace | undefined;
  /** The history from an export of Boardcast; absent for any other list. */
  readonly history?: readonly HistoryEvent[] | undefined;
}

/** Reads the records of one file in order. */
export interface RowReader {
  /** Whether quoted fields may contain line ends. */
  readonly quoting: boolean;
  /** The name of the format of the file, once it is known. */
  readonly format: string | undefined;
  /** The columns that are not used, once they are known. */
  readonly unusedColumns: readonly string[];
  /**
   * Reads a record. Returns nothing if it holds no row, and a {@linkcode Refusal} if the file can't
   * be used at all.
   */
  read(record: TextRecord): ImportRow | RefusedRow | Refusal | undefined;
  /** Returns a refusal if the ended file is unusable. */
  end(): Refusal | undefined;
}

const COLUMNS = columnsOf(SUBSCRIPTION, [
  "userEmail",
  "userName",
  "subscribed",
  "source",
  "createdAt",
  "updatedAt",
]);

/** The first line of an export. */
export const CSV_HEADER: string = formatHeader(COLUMNS);

/** The fields whose values a row has as they are declared. */
export const DECLARED_FIELDS: readonly string[] = otherNames(SUBSCRIPTION, [
  "userEmail",
  "userName",
  "labels",
  "pace",
]);

type RowField = "userEmail" | "userName" | "subscribed" | "labels" | "pace" | "history";

/** The members of an export's lines. What a line tells by other members, its history tells, too. */
const KNOWN: ReadonlySet<string> = new Set([...Object.keys(SUBSCRIPTION.fields), "history"]);

/** Creates a reader of NDJSON: one object per line. */
export function createNdjsonReader(): RowReader {
  const reader = createObjectReader<ImportRow | RefusedRow>({
    known: KNOWN,
    refuse: refuseRow,
    readObject(value, record) {
      const { userEmail, userName, subscribed, labels, pace, history }: {
        readonly [K in RowField]?: unknown;
      } = value;
      return checkRow(record, {
        userEmail,
        userName,
        subscribed: checkBoolean(subscribed),
        labels,
        pace,
        history: (history ?? undefined) && parseHistory(history, SUBSCRIPTION_SOURCES),
        valueOf: (name) => value[name],
      });
    },
  });
  return Object.assign(reader, { format: "boardcast" });
}

/** Formats a subscription as a record of CSV that is safe to open in a spreadsheet. */
export function formatCsvRow(subscription: ShownSubscription): string {
  return formatRow(COLUMNS, subscription);
}

/** The unchecked values of a row. */
export interface RawRow {
  readonly userEmail: unknown;
  readonly userName: unknown;
  readonly subscribed: boolean | Refusal;
  /** Words in a text or a list; absent for all labels. */
  readonly labels?: unknown;
  readonly pace?: unknown;
  /** As in {@linkcode ImportRow}, in any spelling. */
  readonly createdAt?: string;
  /** As in {@linkcode ImportRow}, in any spelling. */
  readonly since?: string;
  /** As in {@linkcode ImportRow}. */
  readonly evidence?: Evidence;
  /** As in {@linkcode ImportRow}. */
  readonly history?: readonly HistoryEvent[] | Refusal | undefined;
  /** Returns the value of one of the {@linkcode DECLARED_FIELDS}; absent if the list has none. */
  readonly valueOf?: (name: string) => unknown;
}

/** Checks the values of a row. */
export function checkRow(record: TextRecord, raw: RawRow): ImportRow | RefusedRow {
  const userEmail = checkText(raw.userEmail, parseEmailAddress);
  const hasName = raw.userName !== undefined && raw.userName !== null && raw.userName !== "";
  const userName = hasName ? checkText(raw.userName, parseUserName) : "";
  const { subscribed, history } = raw;
  const labels = checkLabels(raw.labels);
  const hasPace = (raw.pace ?? "") !== "";
  const pace = hasPace ? checkText(raw.pace, CHOSEN_PACE.parse) : undefined;
  const createdAt = acceptListTime(raw.createdAt);
  const since = raw.since === undefined ? undefined : acceptListTime(raw.since);
  const declared = raw.valueOf && readValues(SUBSCRIPTION, DECLARED_FIELDS, raw.valueOf);
  if (declared !== undefined && isRefused(declared)) {
    const { field, refusal: { code, detail } } = declared;
    return refused(record, { field, code, detail: `${field} ${detail}` });
  }
  if (
    !(userEmail instanceof Refusal) && !(userName instanceof Refusal) &&
    !(subscribed instanceof Refusal) && !(history instanceof Refusal) &&
    !(labels instanceof Refusal) && !(pace instanceof Refusal) &&
    !(createdAt instanceof Refusal) && !(since instanceof Refusal)
  ) {
    const row = {
      userEmail,
      userName: userName || null,
      subscribe: subscribed,
      ...labels !== undefined && { labels },
      ...pace !== undefined && { pace },
      ...declared,
      ...history !== undefined && { history },
    };
    if (raw.createdAt === undefined) return row;
    return { ...row, createdAt, since: since ?? createdAt, evidence: raw.evidence };
  }
  const reasons = Object.entries({
    userEmail,
    userName,
    subscribed,
    labels,
    pace,
    history,
    createdAt,
    since,
  })
    .flatMap(([field, value]) => value instanceof Refusal ? [{ field, ...value }] : []);
  const [{ field, code }] = reasons;
  // The hints for forms do not apply to rows.
  const details = reasons.map(({ field, detail }) =>
    `${field} ${detail.replace(/; in a form, .*/, "")}`
  );
  return refused(record, { field, code, detail: details.join("; ") });
}

function checkLabels(value: unknown): readonly string[] | null | undefined | Refusal {
  if (value === undefined || value === null) return value;
  const text = Array.isArray(value) ? value.join(" ") : value;
  return text === "" ? null : checkText(text, CHOSEN_LABELS.parse);
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
