import { columnsOf, formatHeader, formatRow } from "../imports/file_values.ts";
import { type ShownVote, VOTE } from "./vote.ts";

// A cell has one value, and a request has three.
const COLUMNS = columnsOf(VOTE).filter((name) => name !== "asks");

export const VOTES_CSV_HEADER: string = formatHeader(COLUMNS);

/** Formats a vote as a row of CSV. */
export function formatVoteRow(vote: ShownVote): string {
  return formatRow(COLUMNS, vote);
}
