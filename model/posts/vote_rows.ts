import { escapeFormula, formatCsvField } from "../values/csv.ts";
import type { ShownVote } from "./vote.ts";

const COLUMNS = [
  "postId",
  "userEmail",
  "userName",
  "notify",
  "notifyAt",
  "why",
  "source",
  "addedBy",
  "at",
  "via",
  "isAuthor",
  "counts",
] as const satisfies readonly (keyof ShownVote)[];

/** The header of votes as CSV. */
export const VOTES_CSV_HEADER = `${COLUMNS.join(",")}\n`;

/** Formats a vote as a row of CSV; an apostrophe precedes text that a spreadsheet would run. */
export function formatVoteRow(vote: ShownVote): string {
  const fields = COLUMNS.map((name) => formatCsvField(escapeFormula(`${vote[name] ?? ""}`)));
  return `${fields.join(",")}\n`;
}
