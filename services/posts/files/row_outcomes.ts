import type { POST_ROW_CODES } from "../../../model/imports/reports.ts";
import type { Board } from "../../../model/board.ts";
import { mailboxOf } from "../../../model/posts/vote.ts";
import { MAX_OPEN_POSTS } from "../../../model/posts/post.ts";
import type { LeftOutPost } from "../../../model/posts/files/status_words.ts";
import type { Erased } from "../../privacy/erased.ts";

/** The number of rows with each outcome so far. */
export type PostImportCounts =
  & Record<Outcome | "refused", number>
  & { readonly leftOut: Record<LeftOutPost, number> };

type Outcome = "added" | "changed" | "unchanged" | "keptUnsubscribed" | "votesAdded";

export interface PostImportOptions {
  readonly board: Board;
  /** Whether the import only determines the outcomes and changes nothing. */
  readonly isDryRun: boolean;
  /** Throws {@linkcode KeyEnded} once the API key is revoked or expired. */
  readonly checkKey: () => Promise<void>;
  /** Tells the time of a change (RFC 3339, UTC, milliseconds). */
  readonly now: () => string;
  /** Counts each row after it has been stored. */
  readonly counts: PostImportCounts;
}

/**
 * The outcome of one row. An object is the reason for a refusal; a late vote can only be imported
 * once all posts of the file are here.
 */
export type RowOutcome = Outcome | "late" | RowFault;

/** The outcome of one attempt to import a row; after `retry`, another one may succeed. */
export type RowStep = RowOutcome | "retry";

/** The reason why storage refuses a row. */
export interface RowFault {
  readonly code: typeof POST_ROW_CODES[number];
  readonly detail: string;
}

/** The board was deleted during the import. */
export const GONE: RowFault = {
  code: "board_not_found",
  detail: "can't be added: the board was deleted meanwhile",
};
/** The board has as many open posts as it may have. */
export const FULL: RowFault = {
  code: "board_full",
  detail:
    `can't be added: the board has ${MAX_OPEN_POSTS} posts that are neither shipped nor declined`,
};
/** Another board has a post with the identifier. */
export const OTHER_BOARD: RowFault = {
  code: "post_exists",
  detail: "can't be added: another board has a post with this postId",
};
/** The board has no post for the vote. */
export const NO_POST: RowFault = {
  code: "post_not_found",
  detail: "is a vote for a post that is not on this board: import its posts first",
};

/** Tells whether the person with an address was erased here. */
export function isGone(userEmail: string | null, { addresses }: Erased): boolean {
  return userEmail !== null &&
    (addresses.has(userEmail) || addresses.has(mailboxOf(userEmail)));
}
