import { otherNames } from "../../imports/file_values.ts";
import type { RefusedRow } from "../../imports/reports.ts";
import type { TextRecord } from "../../values/record_splitter.ts";
import type { Refusal } from "../../values/refusal.ts";
import { POST, type Post, type PostSource, type StatusChange } from "../post.ts";
import type { LeftOutPost } from "./status_words.ts";

export interface FilePost extends
  Pick<
    Post,
    | "postId"
    | "title"
    | "body"
    | "status"
    | "answer"
    | "answeredAt"
    | "state"
    | "source"
    | "importedVotes"
    | "mergedInto"
    | "entryId"
    | "authorEmail"
  > {
  readonly history: readonly StatusChange[];
  /** Absent if the file has no time. */
  readonly createdAt: string | undefined;
  readonly updatedAt: string | undefined;
  /** The number of counted votes, including those without a line in the file. */
  readonly votes: number;
  /** Whether the file contains votes of other people than the author. */
  readonly hasOthers: boolean;
  /**
   * The number of imported votes if the post that it was merged into is missing. By default, that
   * number is the same.
   */
  readonly unmergedVotes?: number;
}

/** A request to be told, in a file. */
export interface FileAsk {
  /** The merged post at which it was made; `null`: the vote's own post. */
  readonly via: string | null;
  /** Absent if the file has no time. */
  readonly at: string | undefined;
  readonly source: PostSource;
}

export interface FileVote {
  readonly postId: string;
  /** The normal form of the address. */
  readonly userEmail: string;
  readonly userName: string | null;
  readonly why: string | null;
  readonly source: PostSource;
  /** Absent if the file has no time. */
  readonly at: string | undefined;
  /** Whether the voter voted for this very post. */
  readonly own: boolean;
  /** The merged posts from which the vote came. */
  readonly via: readonly string[];
  readonly asks: readonly FileAsk[];
  /**
   * The target of the post's merge, if the file also has a line for this vote's copy at the target.
   */
  readonly mergedInto: string | null;
  readonly counts: boolean;
  /** Whether its post's number of imported votes includes this vote. */
  readonly isInNumber: boolean;
}

/** A row of a file: a post, a vote, or both. */
export interface PostFileRow {
  readonly line: number;
  /** The text of the row; `null` if it is too long or the format has no text. */
  readonly row: string | null;
  readonly post?: FilePost | undefined;
  readonly vote?: FileVote | undefined;
  /** Whether the post has no identifier in the file, but is known by its title. */
  readonly lacksId?: boolean;
}

/** A row of a file whose post was spam or deleted there. */
export interface LeftOutRow extends Pick<PostFileRow, "line" | "row"> {
  readonly leftOut: LeftOutPost;
}

/** A row that was read: to import, left out, or refused. */
export type ReadPostRow = PostFileRow | LeftOutRow | RefusedRow;

/** Reads the records of a file of posts, after its header if there is one. */
export interface PostRowReader {
  /** Whether quoted fields may contain line ends. */
  readonly quoting: boolean;
  /** As in the options of a splitter. */
  readonly maxLength?: number;
  /** The columns that are not used, once they are known. */
  readonly unusedColumns: readonly string[];
  /**
   * Reads a record; returns `undefined` for an empty record, and a refusal for an unusable file.
   */
  read(record: TextRecord): ReadPostRow | Refusal | undefined;
  /** Returns a refusal if the file is unusable, after all of it was read. */
  end(): Refusal | undefined;
}

/** The fields of a post whose values our own files have as they are declared. */
export const OTHER_POST_FIELDS: readonly string[] = otherNames(POST, [
  "postId",
  "title",
  "body",
  "status",
  "answer",
  "state",
]);
