import type { TextRecord } from "../values/record_splitter.ts";
import { type Refusal, REFUSAL_CODES } from "../values/refusal.ts";
import {
  count,
  countOrNull,
  listOf,
  object,
  oneOf,
  part,
  text,
  textOrNull,
  texts,
  timeOrNull,
} from "../declare.ts";
import { POST_STATES, POST_STATUSES } from "../posts/post.ts";
import type { ShownOf } from "../resource.ts";

/** The code of the row or entry at which an import stopped because its API key ended. */
export const KEY_ENDED = "invalid_token";

/** The codes of rows of posts and votes that have no place on a board. */
export const POST_ROW_CODES = [
  "board_not_found",
  "board_full",
  "post_exists",
  "post_not_found",
] as const;

/** The code of an imported post whose original, into which it was merged, is missing. */
export const ORIGINAL_MISSING = "original_missing";

const UNUSED_COLUMNS = texts("The columns, or members of lines, that were not used.", [
  "Company",
]);

/** A row of a list that was not imported. */
export const REFUSED_ROW = object("RefusedRow", "A row that was refused.", {
  line: count("The number of its first line in the file, counted from 1.", 3),
  field: textOrNull("The first field that was refused; `null`: the row as a whole.", "userEmail"),
  code: oneOf(
    [...REFUSAL_CODES, ...POST_ROW_CODES, ORIGINAL_MISSING, KEY_ENDED],
    "The stable code. `invalid_token`: the API key ended, and this row and all after it " +
      "were not imported. `post_exists`: another board has the post. `post_not_found`: the " +
      "vote is for a post that the board does not have. `original_missing`: the row was not " +
      "refused; it is a post of its own, as the post that it was merged into is missing.",
    { example: "required" },
  ),
  detail: text(
    "What is wrong, for people, with all fields that were refused.",
    "userEmail is required",
  ),
  row: textOrNull("Its text as it came; `null`: it is too long.", ",Ann,true"),
});

/** The last line of the report on an import of subscribers. */
export const IMPORT_SUM = object("ImportSum", "How many rows had each outcome.", {
  added: count("How many people are new.", 1),
  changed: count("How many rows changed something.", 0),
  unchanged: count("How many rows changed nothing.", 0),
  keptUnsubscribed: count("How many rows did not subscribe somebody who has opted out.", 0),
  refused: count("How many rows were refused.", 1),
  unusedColumns: UNUSED_COLUMNS,
});

/** The last line of the report on a dry run. */
export const DRY_RUN_SUM = object("DryRunSum", "How many rows would have each outcome.", {
  ...IMPORT_SUM.fields,
  dryRun: part("What the file says.", {
    format: text("What it was taken for.", "boardcast"),
    subscribing: count("How many rows say that somebody is subscribed.", 1),
    unsubscribing: count("How many rows say that somebody is not.", 0),
  }),
});

/** A remark on an entry of a file that was not imported unchanged. */
export const ENTRY_REMARK = object("EntryRemark", "An entry that was not imported as it is.", {
  entryId: textOrNull("The entry; `null`: it has no usable identifier.", "v1.3.0"),
  field: textOrNull("The field that was refused."),
  code: text(
    "The code of a refusal, or: `edited_here`: the entry was edited here, and stays; " +
      "`left_out`: parts could not be imported; `changed`: parts were changed; " +
      "`insufficient_scope`: the entry is public, and stays; `invalid_token`: the API key " +
      "ended, and the rest was not imported.",
    "edited_here",
  ),
  detail: text(
    "The same for people.",
    "was written or edited here, and stays as it is",
  ),
  line: countOrNull("The number of its first line; `null` in files without lines.", 12),
});

/** The last line of the report on an import of entries. */
export const ENTRY_IMPORT_SUM = object("EntryImportSum", "How many entries had each outcome.", {
  added: count("How many are new.", 1),
  changed: count("How many were changed, as they were in the file.", 0),
  unchanged: count("How many stay as they were.", 12),
  kept: count("How many stay as they were edited here.", 1),
  refused: count("How many were refused.", 0),
  leftOut: part("What is no entry here, or leads nowhere.", {
    unreleased: count("Sections of what is not released.", 1),
    private: count("Posts that are not for everybody.", 0),
    protected: count("Posts that a password protects.", 0),
    trashed: count("Posts in the trash.", 0),
    pages: count("Pages.", 0),
    attachments: count("Attachments.", 0),
    others: count("Menus, templates, comments, revisions and the like.", 0),
    undated: count("Versions without a date.", 0),
    links: count("Relative links.", 0),
    images: count("Relative images.", 0),
  }),
  unusedColumns: UNUSED_COLUMNS,
});

/** The last line of the report on an import of posts. */
export const POST_IMPORT_SUM = object("PostImportSum", "How many rows had each outcome.", {
  added: count("How many posts are new.", 12),
  changed: count("How many rows filled what was empty in a post.", 0),
  unchanged: count("How many rows are here already.", 3),
  keptUnsubscribed: count(
    "How many votes were not imported because they were withdrawn here, or because the " +
      "person was erased.",
    0,
  ),
  refused: count("How many rows were refused.", 1),
  votesAdded: count("How many votes are new.", 40),
  leftOut: part("How many rows were not imported.", {
    spam: count("Posts that were spam.", 1),
    deleted: count("Posts that were deleted.", 0),
    withoutAddress: count("Votes whose voters have no address.", 0),
  }),
  unusedColumns: UNUSED_COLUMNS,
});

/** A post of a file, as it would come. */
const PREVIEWED_POST = object("PreviewedPost", "A post of a file, as it would come.", {
  line: count("The number of its first line in the file, counted from 1.", 2),
  title: text("The title.", "Dark mode"),
  body: textOrNull("The text.", "At night the white hurts."),
  status: oneOf(POST_STATUSES, "The status."),
  state: oneOf(POST_STATES, "Whether it would be public.", { example: "public" }),
  answer: textOrNull("The answer."),
  importedVotes: count("The number of votes, with those of voters in the file.", 12),
  authorEmail: textOrNull("The address of its author.", "ann@example.com"),
  userEmail: textOrNull("The address of the voter in the same row."),
  createdAt: timeOrNull("When it was created; `null`: the file does not tell."),
});

/** The last line of the report on a dry run of an import of posts, with `preview`. */
export const POST_PREVIEW_SUM = object(
  "PostPreviewSum",
  "How many rows would have each outcome, and what the first posts would be.",
  {
    ...POST_IMPORT_SUM.fields,
    format: text("The product that the file comes from, or `sheet`.", "sheet"),
    preview: listOf(PREVIEWED_POST, "The first three posts of the file."),
  },
);

export type PreviewedPost = ShownOf<typeof PREVIEWED_POST.fields>;
export type RefusedRow = ShownOf<typeof REFUSED_ROW.fields>;
export type ImportSum = ShownOf<typeof IMPORT_SUM.fields>;
export type DryRun = ShownOf<typeof DRY_RUN_SUM.fields>["dryRun"];
export type EntryRemark = ShownOf<typeof ENTRY_REMARK.fields>;
export type EntryImportSum = ShownOf<typeof ENTRY_IMPORT_SUM.fields>;

/** Refuses a row as a whole. */
export function refuseRow(record: TextRecord, { code, detail }: Refusal): RefusedRow {
  return refused(record, { field: null, code, detail: `the row ${detail}` });
}

/** Refuses a row for a reason; one of several lines is told with both ends. */
export function refused(
  { line, lastLine, text }: TextRecord,
  { detail, ...reason }: Pick<RefusedRow, "field" | "code" | "detail">,
): RefusedRow {
  const row = reason.code === "too_long" && text === "" ? null : text;
  const extent = lastLine > line ? ` (lines ${line} to ${lastLine})` : "";
  return { line, ...reason, detail: detail + extent, row };
}

/** Returns the remark on the first row that was not imported because the API key ended. */
export function stoppedRow(message: string, line: number): RefusedRow {
  const detail = `${message}: neither this row nor those after it were imported`;
  return { line, field: null, code: KEY_ENDED, detail, row: null };
}
