import type { Ref, Storage } from "../../adapters/storage.ts";
import { ENTRIES, FORMER_VOTES, PEOPLE, POSTS, type SETTINGS, VOTES } from "../../model/kinds.ts";
import { addToScore, takeFromScore } from "../../model/posts/hot_score.ts";
import { placed } from "../../model/posts/place.ts";
import { isClosing, type Post, type PostSource } from "../../model/posts/post.ts";
import type { FormerVote } from "../../model/posts/records.ts";
import {
  createVotePlace,
  domainOf,
  mailboxOf,
  VOTE,
  type Vote,
  voteIdOf,
} from "../../model/posts/vote.ts";
import { fillRecord } from "../../model/resource.ts";
import { ERASURE_COUNT, openAddressHash } from "../subscriptions/erased.ts";
import { newPerson } from "./create.ts";
import { findPost, followMerges, statusAt } from "./posts.ts";

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
type Step = VoteOutcome | VoteFault | "retry";

type VoteRefs = {
  readonly post: Ref<typeof POSTS>;
  readonly vote: Ref<typeof VOTES>;
  readonly person: Ref<typeof PEOPLE>;
  readonly [entry: `entry ${string}`]: Ref<typeof ENTRIES>;
  readonly [former: `former ${string}`]: Ref<typeof FORMER_VOTES>;
  readonly [count: `erasures ${string}`]: Ref<typeof SETTINGS>;
};

/**
 * Casts or withdraws the vote of one mailbox, in one step with the number. A repetition changes
 * nothing. Withdrawing is always possible; a vote is cast on public posts that are neither shipped
 * nor declined.
 */
export async function castVote(
  storage: Storage,
  request: VoteRequest,
): Promise<VoteOutcome | VoteFault> {
  for (;;) {
    const found = await findPost(storage, request);
    if (found === undefined) return "post_not_found";
    if (request.source === "form" && found.board.visibility !== "public") return "post_not_found";
    const post = await followMerges(storage, found.post);
    if (post === undefined) return "post_not_found";
    const step = request.vote
      ? await addVote(storage, request, post)
      : await withdrawVote(storage, request, post);
    if (step !== "retry") return step;
  }
}

async function addVote(storage: Storage, request: VoteRequest, seen: Post): Promise<Step> {
  const { userEmail, at, erasures } = request;
  const mailbox = mailboxOf(userEmail);
  const voteId = voteIdOf(mailbox, seen);
  const place = createVotePlace(seen);
  const hasFormer = seen.formerVotes > 0;
  const refs: VoteRefs = {
    post: { kind: POSTS, key: seen.postId },
    vote: { kind: VOTES, key: voteId },
    person: { kind: PEOPLE, key: mailbox },
    ...seen.entryId !== null && { "entry of": { kind: ENTRIES, key: seen.entryId } },
    ...hasFormer && {
      "former of": { kind: FORMER_VOTES, key: await formerVoteIdOf(storage, mailbox, seen) },
    },
    ...erasures !== undefined && { "erasures of": ERASURE_COUNT },
  };
  return await storage.transact<VoteRefs, Step>(refs, (found) => {
    const { post, vote: current } = found;
    if (!isSame(post, seen) || (post.formerVotes > 0 && !hasFormer)) return { answer: "retry" };
    if (erasures !== undefined && (found["erasures of"]?.value ?? "0") !== erasures) {
      return { answer: "erased" };
    }
    const isClosed = post.state !== "public" ||
      isClosing(statusAt(post, found["entry of"], at));
    const endsTelling = current !== undefined && request.notify === false;
    if (isClosed && !endsTelling) return { answer: "post_closed" };
    const person = found.person ?? newPerson(mailbox);
    const wasTold = current !== undefined && isTold(current, person);
    const notify = request.notify ?? wasTold;
    const userName = request.userName ?? current?.userName ?? null;
    const why = request.why === undefined ? current?.why ?? null : request.why;
    const changed = current === undefined || notify !== wasTold || why !== current.why ||
      userName !== current.userName;
    if (!changed) return { answer: { post, vote: true, notify, changed } };
    const asks = notify && !wasTold;
    const next: Vote = fillRecord<Vote>(VOTE, {
      ...current ?? {
        voteId,
        postId: post.postId,
        postInstanceId: post.instanceId,
        source: request.source,
        keyId: request.keyId,
        at,
        counts: !post.asideDomains.includes(domainOf(userEmail)),
        place,
      },
      // People who ask to be told are told at the address that they give.
      userEmail: asks || current === undefined ? userEmail : current.userEmail,
      userName,
      why,
      notify,
      notifyAt: asks ? at : notify ? current?.notifyAt : null,
      notifySource: asks ? request.source : notify ? current?.notifySource : null,
      optOuts: asks ? person.optOuts : current?.optOuts,
    });
    const former = found["former of"];
    const put = { vote: next, person: found.person ?? person };
    const remove = former === undefined ? [] : ["former of" as const];
    const counted = current === undefined ? countVote(post, next, former) : post;
    return {
      answer: { post: counted, vote: true, notify, changed },
      put: { ...put, post: counted },
      remove,
    };
  });
}

async function withdrawVote(storage: Storage, request: VoteRequest, seen: Post): Promise<Step> {
  const mailbox = mailboxOf(request.userEmail);
  const voteId = voteIdOf(mailbox, seen);
  const formerVoteId = await formerVoteIdOf(storage, mailbox, seen);
  const unchanged = { post: seen, vote: false, notify: false, changed: false } as const;
  const [vote, former] = await Promise.all([
    storage.get(VOTES, voteId),
    seen.formerVotes > 0 ? storage.get(FORMER_VOTES, formerVoteId) : undefined,
  ]);
  // A ref that stays absent would make the transaction run alone on PostgreSQL.
  if (vote === undefined && former?.stands !== true) return unchanged;
  const refs = {
    post: { kind: POSTS, key: seen.postId },
    vote: { kind: VOTES, key: voteId },
    former: { kind: FORMER_VOTES, key: formerVoteId },
  };
  return await storage.transact<typeof refs, Step>(refs, (found) => {
    const { post } = found;
    if (!isSame(post, seen)) return { answer: "retry" };
    const standing = found.vote ?? (found.former?.stands ? found.former : undefined);
    if (standing === undefined) return { answer: { ...unchanged, post } };
    const left = uncountVote(post, standing);
    const mark: FormerVote = {
      formerVoteId,
      postInstanceId: post.instanceId,
      stands: false,
      source: standing.source,
      at: standing.at,
    };
    return {
      answer: { post: left, vote: false, notify: false, changed: true },
      put: { post: left, former: mark },
      remove: ["vote"],
    };
  });
}

/** Tells whether a post is still what a step was prepared for. */
function isSame(post: Post | undefined, seen: Post): post is Post {
  return post !== undefined && post.instanceId === seen.instanceId &&
    post.mergedInto === null && post.entryId === seen.entryId;
}

/** Tells whether a voter asked to be told, and has not opted out since. */
export function isTold(vote: Vote, person: { readonly optOuts: number } | undefined): boolean {
  return vote.notify && vote.optOuts >= (person?.optOuts ?? 0);
}

/** Returns a post with one more vote, which may take the place of one whose address went. */
export function countVote(post: Post, vote: Vote, former?: FormerVote): Post {
  const base = former?.stands ? uncountVote(post, former) : post;
  if (!vote.counts) return base;
  return placed({
    ...base,
    votes: base.votes + 1,
    hotScore: addToScore(base.hotScore, vote.at),
  });
}

/** Returns a post without a vote, or without one whose address went. */
export function uncountVote(post: Post, vote: Vote | FormerVote): Post {
  const isFormer = "formerVoteId" in vote;
  const formerVotes = post.formerVotes - Number(isFormer);
  if (!isFormer && !vote.counts) return post;
  const votes = Math.max(0, post.votes - 1);
  const { createdAt } = post;
  const hotScore = takeFromScore(post.hotScore, vote.at, { votes, createdAt });
  return placed({ ...post, votes, hotScore, formerVotes });
}

/** Returns the key of what is left of a mailbox's vote for a post without its address. */
export async function formerVoteIdOf(
  storage: Storage,
  mailbox: string,
  post: Pick<Post, "instanceId">,
): Promise<string> {
  return await (await openAddressHash(storage))(voteIdOf(mailbox, post));
}
