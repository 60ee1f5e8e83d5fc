import { choice, sentFlag } from "../declare.ts";
import { DRY_RUN, flagParameter, textParameter } from "../imports/parameters.ts";
import { Refusal } from "../values/refusal.ts";
import { parseChoice } from "../values/text.ts";

/** The products whose exports an import understands; `boardcast` is this one. */
export const LIST_FORMAT_NAMES = [
  "boardcast",
  "listmonk",
  "keila",
  "ghost",
  "mailchimp",
  "changes.page",
  "productlift",
] as const;

export type ListFormatName = typeof LIST_FORMAT_NAMES[number];

/** The statuses in a listmonk list. An export contains one status without naming it. */
export const LIST_STATUSES = ["confirmed", "unconfirmed", "unsubscribed"] as const;

/** The states of Mailchimp contacts; Mailchimp exports one file per state. */
export const LIST_STATES = ["subscribed", "unsubscribed", "cleaned"] as const;

export const SHEET_FIELDS = ["userEmail", "userName", "subscribed", "labels", "pace"] as const;

/** Information about a list that is not in its file. */
export interface ListOptions {
  /** The format; absent: the header determines it. */
  readonly format?: ListFormatName | undefined;
  /** The list status of all subscribers in a file of listmonk. */
  readonly listStatus?: typeof LIST_STATUSES[number] | undefined;
  /** The state of all contacts in a file of Mailchimp, or in a sheet without a column for it. */
  readonly state?: typeof LIST_STATES[number] | undefined;
  /** The headings of a sheet, by the name of the corresponding field. */
  readonly columns?: ReadonlyMap<string, string> | undefined;
  /** The words of a sheet for being subscribed, in lower case. */
  readonly true?: readonly string[] | undefined;
  /** The words of a sheet for not being subscribed, in lower case. */
  readonly false?: readonly string[] | undefined;
}

/** The names of the list options, except `format`. */
export const LIST_OPTIONS = ["listStatus", "columns", "state", "true", "false"] as const;

/** One of the {@linkcode LIST_OPTIONS}. */
export type ListOption = typeof LIST_OPTIONS[number];

/**
 * Accepts the name of a format, in any case, and with or without its dot; refuses with
 * `invalid_value`.
 */
export function parseListFormat(text: string): ListFormatName | Refusal {
  const letters = (name: string) => name.toLowerCase().replace(/[^a-z]/g, "");
  const known = LIST_FORMAT_NAMES.find((name) => letters(name) === letters(text));
  return known ?? parseChoice(text, LIST_FORMAT_NAMES);
}

/**
 * Accepts the headings of a sheet, such as `userEmail=E-Mail,userName=Last, first`; refuses with
 * `invalid_value`.
 */
export function parseColumns(text: string): ReadonlyMap<string, string> | Refusal {
  const columns = new Map<string, string>();
  // Headings may have commas.
  for (const pair of text.split(/,(?=\s*[A-Za-z]+=)/)) {
    const [, field = "", written = ""] = /^\s*([A-Za-z]+)=([^\r\n]*)$/.exec(pair) ?? [];
    const heading = written.trim();
    if (heading === "") {
      return new Refusal("invalid_value", "must be like userEmail=Email,userName=Name");
    }
    const known = parseChoice(field, SHEET_FIELDS);
    if (known instanceof Refusal) {
      return new Refusal(known.code, `has a field that ${known.detail}`);
    }
    if (columns.has(field)) return new Refusal("invalid_value", `has ${field} twice`);
    columns.set(field, heading);
  }
  return columns;
}

/** Accepts words, separated by commas; refuses with `invalid_value` if there are none. */
export function parseListWords(text: string): readonly string[] | Refusal {
  const words = text.split(",").map((word) => word.trim().toLowerCase()).filter((word) =>
    word !== ""
  );
  return words.length > 0
    ? words
    : new Refusal("invalid_value", "is empty: write words with commas between, such as yes,ja");
}

/**
 * The parameters of an import of subscribers. The command chooses the format by a flag that knows
 * NDJSON, too.
 */
export const LIST_PARAMETERS = {
  dryRun: DRY_RUN,
  resubscribe: flagParameter("Let rows subscribe unsubscribed addresses again.", "resubscribe"),
  format: {
    ...choice(LIST_FORMAT_NAMES, "The format. Default: the header tells it."),
    parse: parseListFormat,
  },
  listStatus: {
    ...choice(
      LIST_STATUSES,
      "The subscription status of everybody in a list of listmonk, because the file does not " +
        "have it.",
    ),
    flag: "list-status STATUS",
  },
  state: {
    ...choice(
      LIST_STATES,
      "The state of everybody in a list of Mailchimp or in a sheet, if the file has no column " +
        "for it.",
    ),
    flag: "state STATE",
  },
  columns: textParameter(
    "The headings of any other sheet: the fields `userEmail`, `userName` and `subscribed`, " +
      "each with its heading. The heading of a field that is left out is its own name.",
    {
      flag: "columns FIELD=HEADING,…",
      example: "userEmail=E-Mail,userName=Name",
      parse: parseColumns,
    },
  ),
  true: textParameter(
    "More words in the column `subscribed` that mean true, separated by commas, in any case. " +
      "Those of spreadsheets are known.",
    { flag: "true WORDS", example: "active,confirmed", parse: parseListWords },
  ),
  false: textParameter("More words in the column `subscribed` that mean false.", {
    flag: "false WORDS",
    example: "inactive",
    parse: parseListWords,
  }),
};

/** The parameters of a list of subscribers that its export has, too. */
export const EXPORT_PARAMETERS = {
  subscribed: {
    ...sentFlag("Return only subscribers in this state."),
    flag: "subscribed true | false",
  },
};
