import type { PostStatus } from "../post.ts";
import type { RawPostRow } from "./raw_row.ts";

/** A field of a row that has a column. */
export type RawColumn =
  | Exclude<keyof RawPostRow, "status" | "hasOwnIds" | "isVote">
  | "status"
  // Only identifies the export of Boardcast.
  | "boardId";

/** The lower-case headings of each field; the first of them that a file has counts. */
export type RawHeadings = { readonly [field in RawColumn]?: readonly string[] };

/** A product's format of sheets. */
export interface PostSheetFormat {
  /** The product's name for people. */
  readonly title: string;
  /** The fields whose columns identify the format. */
  readonly knownBy: readonly RawColumn[];
  readonly headings: RawHeadings;
  /** Further words for statuses. */
  readonly words?: Readonly<Record<string, PostStatus>>;
  /** Whether the identifiers are those of Boardcast, which the import keeps. */
  readonly hasOwnIds?: boolean;
  /** Whether each row is only a vote, for a post in another file. */
  readonly isVote?: boolean;
}

/** The formats of sheets; a file's header determines its format. */
export const POST_SHEET_FORMATS: readonly PostSheetFormat[] = [
  {
    title: "Boardcast",
    knownBy: ["id", "boardId", "title", "state", "importedVotes"],
    hasOwnIds: true,
    headings: {
      id: ["postid"],
      boardId: ["boardid"],
      title: ["title"],
      body: ["body"],
      status: ["status"],
      state: ["state"],
      answer: ["answer"],
      answeredAt: ["answeredat"],
      // The table has no voters.
      votes: ["votes"],
      importedVotes: ["importedvotes"],
      mergedInto: ["mergedinto"],
      createdAt: ["createdat"],
      authorEmail: ["authoremail"],
    },
  },
  {
    title: "Fider",
    knownBy: ["id", "title", "body", "votes", "status", "answer"],
    words: { duplicate: "open" },
    headings: {
      id: ["number"],
      title: ["title"],
      body: ["description"],
      status: ["status"],
      answer: ["response"],
      answeredAt: ["responded at"],
      votes: ["votes count"],
      mergedInto: ["original number"],
      createdAt: ["created at"],
    },
  },
  {
    title: "Quackback",
    knownBy: ["id", "title", "body", "status", "votes"],
    headings: {
      id: ["id"],
      title: ["title"],
      body: ["content", "body"],
      status: ["status"],
      state: ["moderation", "moderation state"],
      answer: ["response"],
      answeredAt: ["response at"],
      votes: ["vote count"],
      authorEmail: ["author email"],
      createdAt: ["created at"],
    },
  },
  {
    title: "Quackback",
    knownBy: ["id", "voterEmail"],
    isVote: true,
    headings: { id: ["post id"], voterEmail: ["voter email"], votedAt: ["created at"] },
  },
  {
    title: "UserVoice",
    knownBy: ["id", "title"],
    headings: {
      id: ["idea id", "suggestion id"],
      title: ["title", "idea title", "suggestion title"],
      body: ["description", "idea description", "suggestion body", "text", "body"],
      status: ["public status", "public status name", "suggestion status name", "status"],
      state: ["moderation state", "suggestion moderation state", "suggestion state"],
      answer: [
        "status update",
        "public status update message",
        "suggestion status update message",
        "public status update",
        "latest status update",
      ],
      answeredAt: [
        "status updated at",
        "public status updated timestamp",
        "suggestion status updated timestamp",
        "status update at",
        "status update time",
      ],
      votes: [
        "votes",
        "votes count",
        "vote count",
        "voters count",
        "suggestion voters count",
        "suggestion supporters count",
        "suggestion votes count",
      ],
      mergedInto: ["parent idea id", "idea parent id", "suggestion parent id"],
      authorEmail: [
        "creator email",
        "idea creator email",
        "idea creator email address",
        "creator email address",
        "suggestion creator email address",
        "suggestion creator email",
      ],
      createdAt: [
        "created at",
        "idea created at",
        "created timestamp",
        "idea created timestamp",
        "suggestion created timestamp",
        "created",
      ],
      voterEmail: ["user email", "user email address", "voter email", "supporter email"],
      voterName: ["user name", "voter name", "supporter name"],
      votedAt: ["linked idea creation date"],
    },
  },
];

/** Any other sheet, whose columns have our fields' names or were assigned to our fields. */
export const ANY_SHEET: PostSheetFormat = { title: "sheet", knownBy: ["title"], headings: {} };
