// These records belong to boards and posts, and callers never see them.

/**
 * How many posts a board has, in a record of its own, so that no post changes its board's `ETag`.
 */
export interface BoardTally {
  /** The instance of the board. */
  readonly instanceId: string;
  /** How many posts are neither shipped, declined nor merged; held and hidden ones are counted. */
  readonly open: number;
  /** How many posts are held. */
  readonly held: number;
  /** Grows with each change of what the public sees of posts, other than their votes. */
  readonly version: number;
  /** When that last changed (RFC 3339, UTC, milliseconds). */
  readonly updatedAt: string;
}

/** One mailbox that has voted. */
export interface Person {
  /** The address without its plus tag. */
  readonly mailbox: string;
  /** How often they opted out: what was asked before the last time is not told. */
  readonly optOuts: number;
  /** Whether one of their ideas was approved, or came from an app. */
  readonly isApproved: boolean;
  /** How many of their ideas are held. */
  readonly heldIdeas: number;
  /** The newest deliveries that told them of what they asked for. */
  readonly told: readonly string[];
}

/** A vote whose address is gone. */
export interface FormerVote {
  /** The keyed hash of the mailbox and the instance of the post. */
  readonly formerVoteId: string;
  readonly postInstanceId: string;
  /**
   * Whether it stands and is in the number; `false`: it was withdrawn, and no import casts it
   * again.
   */
  readonly stands: boolean;
  readonly source: string;
  /** When it was cast (RFC 3339, UTC, milliseconds). */
  readonly at: string;
}

/** A visitor's complaint about a post. */
export interface Report {
  readonly reportId: string;
  /** The instance of the post, and when. */
  readonly place: string;
  readonly reason: string;
  /** When (RFC 3339, UTC, milliseconds). */
  readonly at: string;
  /** Until when it is kept. */
  readonly expiresAt: string;
}

/** A deleted board or post, of which something is left to remove. */
export interface PostRemoval {
  /** The instance of the board or post. */
  readonly instanceId: string;
  readonly what: "board" | "post";
}
