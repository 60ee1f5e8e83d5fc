import type { Kind } from "../kind.ts";

// These records belong to boards and posts, and the API never shows them.

/**
 * The counts of a board's posts, in a separate record so that posts don't change the board's
 * `ETag`.
 */
export interface BoardTally {
  /** The `instanceId` of the board. */
  readonly instanceId: string;
  /**
   * Number of posts that are neither shipped, declined nor merged; includes held and hidden ones.
   */
  readonly open: number;
  /** Number of these posts that are public. */
  readonly publicOpen: number;
  /** Number of held posts. */
  readonly held: number;
  /** Grows with each public change of the posts, except in votes. */
  readonly version: number;
  /** The time of the last such change (RFC 3339, UTC, milliseconds). */
  readonly updatedAt: string;
}

/** @internal The counts of boards, changed together with their posts. */
export const BOARD_TALLIES: Kind<BoardTally> = {
  name: "boardTallies",
  key: "instanceId",
  fields: {
    instanceId: "text",
    open: "integer",
    publicOpen: "integer",
    held: "integer",
    version: "integer",
    updatedAt: "time",
  },
};

/** A mailbox that has voted. */
export interface Person {
  /** The address without its plus tag. */
  readonly mailbox: string;
  /** Number of opt-outs. A request from before the last opt-out no longer applies. */
  readonly optOuts: number;
  /** Whether an idea of theirs was approved, or came from an app. */
  readonly isApproved: boolean;
  /** Number of their held ideas. */
  readonly heldIdeas: number;
  /** The latest deliveries that told them about posts. */
  readonly told: readonly string[];
  /** Number of their ideas by forms within a day since `formIdeasSince`. */
  readonly formIdeas: number;
  readonly formIdeasSince: string | null;
  /** Grows with each vote or idea that is added, from a random number on. */
  readonly additions: number;
  /** Whether a vote of theirs went, and the record goes if they have nothing left. */
  readonly isLeaving: boolean;
}

/** @internal The people who have voted, by mailbox. */
export const PEOPLE: Kind<Person> = {
  name: "people",
  key: "mailbox",
  fields: {
    mailbox: "text",
    optOuts: "integer",
    isApproved: "boolean",
    heldIdeas: "integer",
    told: "texts",
    formIdeas: "integer",
    formIdeasSince: "time?",
    additions: "integer",
    isLeaving: "boolean",
  },
  indexes: { leaving: { where: { isLeaving: true } } },
  defaults: { formIdeas: 0, formIdeasSince: null, additions: 0, isLeaving: false },
  personal: true,
};

/** The rest of a vote whose address was removed. */
export interface FormerVote {
  /** The keyed hash of the mailbox and the instance of the post. */
  readonly formerVoteId: string;
  readonly postInstanceId: string;
  /**
   * Whether the vote stands and is counted; `false`: it was withdrawn, and no import restores it.
   */
  readonly stands: boolean;
  readonly source: string;
  /** The time of the vote (RFC 3339, UTC, milliseconds). */
  readonly at: string;
  /** Whether it was cast at this very post. */
  readonly own: boolean;
  /** The names of the merged posts from which it came, too: see `vote_origins.ts`. */
  readonly origins: readonly string[];
  /** Its copy at the target of a merge, if that lost its address, too. */
  readonly copyId: string | null;
}

/** @internal The votes whose addresses were removed. */
export const FORMER_VOTES: Kind<FormerVote> = {
  name: "formerVotes",
  key: "formerVoteId",
  fields: {
    formerVoteId: "text",
    postInstanceId: "text",
    stands: "boolean",
    source: "text",
    at: "time",
    own: "boolean",
    origins: "texts",
    copyId: "text?",
  },
  indexes: { byPost: { by: "postInstanceId" } },
  defaults: { own: true, origins: [], copyId: null },
};

/** The pending removal of a deleted board or post. */
export interface PostRemoval {
  /** The `instanceId` of the board or post. */
  readonly instanceId: string;
  readonly what: "board" | "post";
}

/** @internal The pending removals of deleted boards and posts. */
export const POST_REMOVALS: Kind<PostRemoval> = {
  name: "postRemovals",
  key: "instanceId",
  fields: { instanceId: "text", what: "text" },
};
