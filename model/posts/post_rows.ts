import { escapeFormula, formatCsvField } from "../values/csv.ts";
import type { ShownPost } from "./post.ts";

/** A post as an export shows it. */
export interface ExportedPost extends ShownPost {
  readonly authorEmail: string | null;
}

const COLUMNS = [
  "postId",
  "boardId",
  "title",
  "body",
  "status",
  "answer",
  "answeredAt",
  "votes",
  "state",
  "source",
  "importedVotes",
  "history",
  "mergedInto",
  "entryId",
  "createdAt",
  "updatedAt",
  "authorEmail",
] as const satisfies readonly (keyof ExportedPost)[];

/** The header of posts as CSV. */
export const POSTS_CSV_HEADER = `${COLUMNS.join(",")}\n`;

/**
 * Formats a post as a row of CSV, its history as JSON; an apostrophe precedes text that a
 * spreadsheet would run.
 */
export function formatPostRow(post: ExportedPost): string {
  const fields = COLUMNS.map((name) => {
    const value = post[name] ?? "";
    const text = typeof value === "object" ? JSON.stringify(value) : `${value}`;
    return formatCsvField(escapeFormula(text));
  });
  return `${fields.join(",")}\n`;
}
