import type { RawPostRow } from "./file_row.ts";
import { readStatusWord, type StatusWords } from "./status_words.ts";

/** Returns the text in a column; empty if there is no such column. */
type Cells = (column: string) => string;

/** A product's format of sheets. */
export interface PostSheetFormat {
  /** The product's name for people. */
  readonly title: string;
  /** The lower-case columns that identify the format; one member of a list is enough. */
  readonly columns: readonly (string | readonly string[])[];
  /** Reads a row. */
  readonly read: (cells: Cells, words: StatusWords | undefined) => RawPostRow;
}

const UNKNOWN_AUTHOR = /^[^@]*$/;

/** The formats of sheets; a file's header determines its format. */
export const POST_SHEET_FORMATS: readonly PostSheetFormat[] = [
  {
    title: "Boardcast",
    columns: ["postid", "boardid", "title", "state", "importedvotes"],
    read: (cells, words) => ({
      id: cells("postid"),
      hasOwnIds: true,
      title: cells("title"),
      body: cells("body"),
      status: readStatusWord(cells("status"), words),
      state: cells("state"),
      answer: cells("answer"),
      answeredAt: cells("answeredat"),
      // The table has no voters.
      votes: `${Number(cells("votes")) + Number(cells("importedvotes"))}`,
      mergedInto: cells("mergedinto").trim() || undefined,
      createdAt: cells("createdat"),
      authorEmail: cells("authoremail"),
    }),
  },
  {
    title: "Fider",
    columns: ["number", "title", "description", "votes count", "status", "response"],
    read(cells, words) {
      const isDuplicate = cells("status").trim().toLowerCase() === "duplicate";
      return {
        id: cells("number"),
        title: cells("title"),
        body: cells("description"),
        status: isDuplicate ? "open" : readStatusWord(cells("status"), words),
        answer: cells("response"),
        answeredAt: cells("responded at"),
        // The original post already has the votes of its duplicate.
        votes: isDuplicate ? "0" : cells("votes count"),
        mergedInto: isDuplicate ? cells("original number").trim() : undefined,
        createdAt: cells("created at"),
      };
    },
  },
  {
    title: "Quackback",
    columns: ["id", "title", "content", "status", "vote count"],
    read: (cells, words) => ({
      id: cells("id"),
      title: cells("title"),
      body: cells("content"),
      status: readStatusWord(cells("status"), words),
      votes: cells("vote count"),
      authorEmail: cells("author email"),
      createdAt: cells("created at"),
    }),
  },
  {
    title: "Quackback",
    columns: ["post id", "voter email"],
    read: (cells) => ({
      id: cells("post id"),
      isVote: true,
      voterEmail: cells("voter email"),
      votedAt: cells("created at"),
    }),
  },
  {
    title: "UserVoice",
    columns: [["idea id", "suggestion id"], ["title", "idea title", "suggestion title"]],
    read(cells, words) {
      const one = (...columns: readonly string[]) =>
        columns.map(cells).find((text) => text.trim() !== "") ?? "";
      return {
        id: one("idea id", "suggestion id"),
        title: one("title", "idea title", "suggestion title"),
        body: one("description", "idea description", "text", "body"),
        status: readStatusWord(one("public status", "status", "public status name"), words),
        answer: one("status update", "public status update", "latest status update"),
        answeredAt: one("status updated at", "status update at", "status update time"),
        votes: one("votes", "votes count", "vote count"),
        authorEmail: one("creator email", "idea creator email", "creator email address"),
        createdAt: one("created at", "idea created at", "created"),
        voterEmail: one("user email", "user email address", "voter email"),
        voterName: one("user name", "voter name"),
      };
    },
  },
];

/** Any other sheet, whose columns have our fields' names or were assigned to our fields. */
export const ANY_SHEET: PostSheetFormat = {
  title: "sheet",
  columns: ["title"],
  read: (cells, words) => ({
    id: cells("postid") || cells("title"),
    title: cells("title"),
    body: cells("body"),
    status: readStatusWord(cells("status"), words),
    answer: cells("answer"),
    votes: cells("votes"),
    authorEmail: UNKNOWN_AUTHOR.test(cells("authoremail")) ? "" : cells("authoremail"),
    createdAt: cells("createdat"),
    voterEmail: cells("useremail"),
    voterName: cells("username"),
    votedAt: cells("at"),
  }),
};
