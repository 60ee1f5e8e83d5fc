import { DRY_RUN, flagParameter, textParameter } from "../../imports/parameters.ts";
import { Refusal } from "../../values/refusal.ts";
import { parseChoice } from "../../values/text.ts";
import type { RawColumn } from "./sheet_formats.ts";
import { parseStatusWords } from "./status_words.ts";

/** The fields of a sheet of posts, and of the rows that are read from it. */
export const POST_SHEET_FIELDS = {
  postId: "id",
  title: "title",
  body: "body",
  status: "status",
  state: "state",
  answer: "answer",
  votes: "votes",
  authorEmail: "authorEmail",
  createdAt: "createdAt",
  userEmail: "voterEmail",
  userName: "voterName",
  at: "votedAt",
} as const satisfies Readonly<Record<string, RawColumn>>;

/** One of the {@linkcode POST_SHEET_FIELDS}. */
export type PostSheetField = keyof typeof POST_SHEET_FIELDS;

const FIELDS = Object.keys(POST_SHEET_FIELDS) as readonly PostSheetField[];

/**
 * Accepts the headings of a sheet, such as `title=Idea,body=Details`; refuses with `invalid_value`.
 */
export function parsePostColumns(
  text: string,
): ReadonlyMap<PostSheetField, string> | Refusal {
  const columns = new Map<PostSheetField, string>();
  // Headings may have commas.
  for (const pair of text.split(/,(?=[ \t]{0,9}[A-Za-z]{1,20}=)/)) {
    const at = pair.indexOf("=");
    const heading = pair.slice(at + 1).trim();
    if (at < 1 || heading === "") {
      return new Refusal("invalid_value", "must be like title=Idea,body=Details");
    }
    const field = parseChoice(pair.slice(0, at).trim(), FIELDS);
    if (field instanceof Refusal) {
      return new Refusal(field.code, `has a field that ${field.detail}`);
    }
    if (columns.has(field)) return new Refusal("invalid_value", `has ${field} twice`);
    columns.set(field, heading);
  }
  return columns;
}

/** The parameters of an import of posts. The command takes a flag for each word of `status`. */
export const POST_PARAMETERS = {
  dryRun: DRY_RUN,
  preview: flagParameter("With `dryRun`: report the first posts as they would come."),
  columns: textParameter(
    "The headings of any sheet: the fields `title`, `body`, `status`, `state`, `answer`, " +
      "`votes`, `postId`, `authorEmail`, `createdAt`, and of a voter `userEmail`, `userName`, " +
      "`at`, each with its heading. Without `title`, they add to the columns of a known product.",
    {
      flag: "columns FIELD=HEADING,…",
      example: "title=Idea,body=Details",
      parse: parsePostColumns,
    },
  ),
  status: textParameter(
    "Statuses for words of the file that are not known, as `WORD=STATUS`, separated by commas.",
    { example: "Under review=considering,Later=open", parse: parseStatusWords },
  ),
};
