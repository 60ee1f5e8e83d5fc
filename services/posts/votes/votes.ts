import type { Storage } from "../../../adapters/storage.ts";
import { ENTRIES, ERASURES, POSTS, SETTINGS, VOTES } from "../../../model/kinds.ts";
import {
  FORMER_VOTES,
  type FormerVote,
  PEOPLE,
  type Person,
} from "../../../model/posts/records.ts";
import { isClosing, type Post } from "../../../model/posts/post.ts";
import {
  createVotePlace,
  domainOf,
  mailboxOf,
  VOTE,
  type Vote,
  voteIdOf,
} from "../../../model/posts/vote.ts";
import {
  applyValues,
  changeOf,
  fillRecord,
  type GivenValues,
  sentNames,
} from "../../../model/resource.ts";
import { withAsks } from "../../../model/posts/vote_origins.ts";
import { all, change } from "../../change.ts";
import { ERASURE_COUNT, erasureCountOf, openAddressHash } from "../../privacy/erased.ts";
import { addOne, newPerson } from "../create.ts";
import { findPost, followMerges, statusAt } from "../posts.ts";
import { formerIdsOf, originsOf, readFormer } from "./lent_votes.ts";
import { countVote, isSame, isTold, uncountVote } from "./vote_counts.ts";
import type { VoteFault, VoteOutcome, VoteRequest, VoteStep } from "./vote_request.ts";
import { finishVoteWork } from "./vote_work.ts";
import { withdrawVote } from "./withdrawal.ts";

export type { VoteFault, VoteOutcome, VoteRequest } from "./vote_request.ts";

/** Fields that a request sets by rules of its own. */
const RULED: readonly string[] = ["postId", "userEmail", "userName", "notify"];

const FURTHER = sentNames(VOTE).filter((name) => !RULED.includes(name));

/** Returns the values of a request that a vote takes as they are. */
function furtherOf(request: VoteRequest): GivenValues<Vote> {
  return Object.fromEntries(FURTHER.map((name) => [name, request[name as keyof VoteRequest]]));
}

/**
 * Casts or withdraws the vote of one mailbox, and updates the post's count in the same step. A
 * repetition changes nothing. Withdrawing always works; casting needs a public post that is neither
 * shipped nor declined.
 */
export async function castVote(
  storage: Storage,
  request: VoteRequest,
): Promise<VoteOutcome | VoteFault> {
  for (;;) {
    const found = await findPost(storage, request);
    if (found === undefined) return "post_not_found";
    const needsPublicBoard = request.source === "form" && request.vote && !request.onAnyBoard;
    if (needsPublicBoard && found.board.visibility !== "public") return "post_not_found";
    const post = await followMerges(storage, found.post);
    if (post === undefined) return "post_not_found";
    // Until this work is done, a new request to be told looks like one that ended while the post
    // was merged.
    if (post.unmergedFrom !== null) {
      await finishVoteWork(storage, post);
      continue;
    }
    const step = request.vote
      ? await addVote(storage, request, post)
      : await withdrawVote(storage, request, post);
    if (step !== "retry") return step;
  }
}

async function addVote(storage: Storage, request: VoteRequest, seen: Post): Promise<VoteStep> {
  const { userEmail, erasures, erasedAt } = request;
  const mailbox = mailboxOf(userEmail);
  const place = createVotePlace(seen);
  const hash = await openAddressHash(storage);
  return await change<VoteStep>(storage, function* ({ read, put, remove }) {
    const formerOf = (post: Post) =>
      post.formerVotes > 0
        ? readFormer({ read }, formerIdsOf(hash, mailbox, post))
        : read(FORMER_VOTES, null);
    const [post, current, person = newPerson(mailbox), entry, erasure, count] = yield* all(
      read(POSTS, seen.postId),
      read(VOTES, voteIdOf(mailbox, seen)),
      read(PEOPLE, mailbox),
      read(ENTRIES, seen.entryId),
      read(ERASURES, erasedAt === undefined ? null : hash(mailbox)),
      read(SETTINGS, erasures === undefined ? null : ERASURE_COUNT.key),
      formerOf(seen),
    );
    if (!isSame(post, seen)) return "retry";
    const former = yield* formerOf(post);
    const isErased = (erasures !== undefined && erasureCountOf(count) !== erasures) ||
      (erasedAt !== undefined && (erasure?.erasedAt ?? null) !== erasedAt);
    if (isErased) return "erased";
    const isClosed = post.state !== "public" || isClosing(statusAt(post, entry, request.at));
    const endsTelling = current !== undefined && request.notify === false;
    if (isClosed && !endsTelling) return "post_closed";
    const { next, ...outcome } = voteAfter(request, {
      post,
      current,
      former,
      person,
      isClosed,
      place,
    });
    if (next === undefined) return { post, vote: true, ...outcome };
    const rest = uncountVote(post, former);
    const counted = current === undefined ? countVote(rest, next) : rest;
    put(VOTES, next);
    put(PEOPLE, current === undefined ? addOne(person) : person);
    put(POSTS, counted);
    if (former !== undefined) remove(FORMER_VOTES, former.formerVoteId);
    return { post: counted, vote: true, ...outcome };
  });
}

/** Returns a vote after a request to cast it; `next` is `undefined` if nothing is to be stored. */
function voteAfter(
  request: VoteRequest,
  { post, current, former, person, isClosed, place }: {
    readonly post: Post;
    readonly current: Vote | undefined;
    readonly former: FormerVote | undefined;
    readonly person: Person;
    readonly isClosed: boolean;
    readonly place: string;
  },
): { readonly next: Vote | undefined } & Pick<VoteOutcome, "notify" | "changed"> {
  const { userEmail, source, at } = request;
  const { optOuts } = person;
  const wasTold = current !== undefined && isTold(current, person);
  const notify = request.notify ?? wasTold;
  const userName = request.userName ?? current?.userName ?? null;
  const values = changeOf<Vote>(VOTE, furtherOf(request));
  const changed = current === undefined || notify !== wasTold ||
    userName !== current.userName || applyValues(current, values) !== current;
  const standing = current?.requests.filter((ask) => ask.optOuts >= optOuts) ?? [];
  // A person who came with a merged post votes for this one, too.
  const isAdded = current !== undefined && !current.own && !isClosed;
  const lacksAsk = request.notify === true && standing.every(({ from }) => from !== null);
  if (!changed && !isAdded && !lacksAsk) return { next: undefined, notify, changed };
  const asks = request.notify === true || (notify && !wasTold);
  const names = [null, ...current?.origins ?? []];
  const ask = { at, source, optOuts };
  const requests = asks
    ? names.map((from) => standing.find((one) => one.from === from) ?? { from, ...ask })
    : notify
    ? standing
    : [];
  const base: Vote = fillRecord<Vote>(VOTE, {
    ...current ?? {
      voteId: voteIdOf(person.mailbox, post),
      postId: post.postId,
      postInstanceId: post.instanceId,
      source,
      addedBy: request.addedBy,
      keyId: request.keyId,
      at,
      counts: !post.asideDomains.includes(domainOf(userEmail)),
      place,
      origins: originsOf(former),
    },
    own: current?.own === true || !isClosed,
    // A person who asks to be told is mailed at the address in this request.
    userEmail: notify && !wasTold || current === undefined ? userEmail : current.userEmail,
    userName,
    ...values,
  });
  return { next: withAsks(base, requests), notify, changed };
}
