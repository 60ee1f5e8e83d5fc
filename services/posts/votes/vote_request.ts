import type { Post, PostSource } from "../../../model/posts/post.ts";
import type { VOTE } from "../../../model/posts/vote.ts";
import type { GivenValues, SentValues } from "../../../model/resource.ts";

/**
 * A request to vote, or to withdraw a vote. The fields of a vote that are absent keep their values.
 */
export interface VoteRequest extends GivenValues<SentValues<typeof VOTE.fields>> {
  readonly postId: string;
  /** The board that the post must be on, if any. */
  readonly boardId?: string | undefined;
  /** The normal form of the address. */
  readonly userEmail: string;
  /** `null` or absent keeps the stored name. */
  readonly userName?: string | null | undefined;
  readonly vote: boolean;
  /** Whether the person wants to be told about the post; absent: unchanged. */
  readonly notify?: boolean | undefined;
  /** A vote of a `form` is cast on public boards only; it is withdrawn on any. */
  readonly source: PostSource;
  /** Whether the board may be private, because the person only ends their request to be told. */
  readonly onAnyBoard?: boolean | undefined;
  /** The API key that was used; `null` if none was. */
  readonly keyId: string | null;
  /** The name of the key that casts the vote for the person; absent: they cast it themselves. */
  readonly addedBy?: string | undefined;
  /** When (RFC 3339, UTC, milliseconds). */
  readonly at: string;
  /**
   * The value of {@linkcode ERASURE_COUNT} at which the person was not erased; absent: not checked.
   */
  readonly erasures?: string | undefined;
  /**
   * The last erasure of the mailbox that the proof of the address came after; `null`: none. Absent:
   * not checked.
   */
  readonly erasedAt?: string | null | undefined;
}

/** The outcome of a request. */
export interface VoteOutcome {
  /** The post that has the vote: the target of a merged post. */
  readonly post: Post;
  /** Whether the vote stands. */
  readonly vote: boolean;
  /** Whether the person will be told about the post. */
  readonly notify: boolean;
  /** Whether the vote, `notify`, `why` or the name changed. */
  readonly changed: boolean;
}

/** The reason why there is no vote; `erased`: the proof of the address is older than an erasure. */
export type VoteFault = "post_not_found" | "post_closed" | "erased";

/** The outcome of one attempt; `retry`: the post changed in a way that affects the attempt. */
export type VoteStep = VoteOutcome | VoteFault | "retry";
