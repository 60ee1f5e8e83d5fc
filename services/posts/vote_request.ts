import type { Post, PostSource } from "../../model/posts/post.ts";

/** A request to vote, or to withdraw a vote. */
export interface VoteRequest {
  readonly postId: string;
  /** The board that the post has to stand on; absent: any. */
  readonly boardId?: string | undefined;
  /** The normal form of the address. */
  readonly userEmail: string;
  /** `null` or absent keeps the stored name. */
  readonly userName?: string | null | undefined;
  readonly vote: boolean;
  /** Whether they ask to be told what becomes of it; absent: as before. */
  readonly notify?: boolean | undefined;
  /** Absent: as before; `null` clears it. */
  readonly why?: string | null | undefined;
  /** A vote of a `form` is cast on public boards only. */
  readonly source: PostSource;
  /** The API key by which it came; `null` where none was used. */
  readonly keyId: string | null;
  /** When (RFC 3339, UTC, milliseconds). */
  readonly at: string;
  /**
   * The value of {@linkcode ERASURE_COUNT} at which the person was not erased; absent: nobody asks.
   */
  readonly erasures?: string | undefined;
}

/** The outcome of a request. */
export interface VoteOutcome {
  /** The post whose vote it is: of a merged one, the one that it went to. */
  readonly post: Post;
  /** Whether the vote stands. */
  readonly vote: boolean;
  /** Whether the person is told what becomes of it. */
  readonly notify: boolean;
  /** Whether the vote, `notify`, `why` or the name changed. */
  readonly changed: boolean;
}

/** Why there is no vote; `erased`: somebody was erased since `erasures` was read. */
export type VoteFault = "post_not_found" | "post_closed" | "erased";

/** The outcome of one attempt; `retry`: the post changed in a way that the attempt depends on. */
export type VoteStep = VoteOutcome | VoteFault | "retry";
