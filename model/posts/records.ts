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
  /** Number of held posts. */
  readonly held: number;
  /** Grows with each public change of the posts, except in votes. */
  readonly version: number;
  /** The time of the last such change (RFC 3339, UTC, milliseconds). */
  readonly updatedAt: string;
}

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
}

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
}

/** A visitor's complaint about a post. */
export interface Report {
  readonly reportId: string;
  /** The `instanceId` of the post, and the time. */
  readonly place: string;
  readonly reason: string;
  /** The time of the report (RFC 3339, UTC, milliseconds). */
  readonly at: string;
  /** The time at which the report is removed. */
  readonly expiresAt: string;
}

/** The pending removal of a deleted board or post. */
export interface PostRemoval {
  /** The `instanceId` of the board or post. */
  readonly instanceId: string;
  readonly what: "board" | "post";
}
