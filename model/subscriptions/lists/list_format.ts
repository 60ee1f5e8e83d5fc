import type { Refusal } from "../../values/refusal.ts";
import type { RawRow } from "../rows.ts";
import { parseChoice } from "../../values/text.ts";

/** The products whose lists are known; `boardcast` is this one. */
export const LIST_FORMAT_NAMES = [
  "boardcast",
  "listmonk",
  "keila",
  "ghost",
  "mailchimp",
  "changes.page",
  "productlift",
] as const;

/** The name of a format of lists. */
export type ListFormatName = typeof LIST_FORMAT_NAMES[number];

/** What lists of listmonk can be of: it exports the subscribers of one status, and doesn't write which. */
export const LIST_STATUSES = ["confirmed", "unconfirmed", "unsubscribed"] as const;

/** What lists of Mailchimp can be of: it writes a file for each state. */
export const LIST_STATES = ["subscribed", "unsubscribed", "cleaned"] as const;

/** What is known of a list beside what stands in it. */
export interface ListOptions {
  /** The format, where the header is not to tell it. */
  readonly format?: ListFormatName | undefined;
  /** The status in their list of all subscribers in a file of listmonk. */
  readonly listStatus?: typeof LIST_STATUSES[number] | undefined;
  /** The state of all contacts in a file of Mailchimp. */
  readonly state?: typeof LIST_STATES[number] | undefined;
}

/** Returns the text in a column of one row; empty where there is no such column. */
export type Cells = (column: string) => string;

/** A format of lists in CSV. */
export interface ListFormat {
  readonly name: ListFormatName;
  /** What people call the product. */
  readonly title: string;
  /** The columns by which it is known. */
  readonly columns: readonly string[];
  /** The columns without which it can't be read at all. */
  readonly required: readonly string[];
  /** Others that are read. */
  readonly others?: readonly string[];
  /** Whether it has these columns and no others: more of them might say who left. */
  readonly isExact?: boolean;
  /** The option that is for lists of this format alone. */
  readonly option?: "listStatus" | "state";
  read(cells: Cells, options: ListOptions): RawRow;
}

/** Accepts the name of a format, in any case, and with or without its dot; refuses with `invalid_value`. */
export function parseListFormat(text: string): ListFormatName | Refusal {
  const letters = (name: string) => name.toLowerCase().replace(/[^a-z]/g, "");
  const known = LIST_FORMAT_NAMES.find((name) => letters(name) === letters(text));
  return known ?? parseChoice(text, LIST_FORMAT_NAMES);
}

/** Joins the parts of a name. */
export function joinNames(...names: readonly string[]): string {
  return names.map((name) => name.trim()).filter((name) => name !== "").join(" ");
}
