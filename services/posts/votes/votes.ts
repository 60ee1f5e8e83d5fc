import type { Ref, Storage } from "../../../adapters/storage.ts";
import { ENTRIES, POSTS, type SETTINGS, VOTES } from "../../../model/kinds.ts";
import { FORMER_VOTES, PEOPLE } from "../../../model/posts/records.ts";
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
import { ERASURE_COUNT, erasureCountOf } from "../../subscriptions/erased.ts";
import { addOne, newPerson } from "../create.ts";
import { findPost, followMerges, statusAt } from "../posts.ts";
import { countVote, formerVoteIdOf, isSame, isTold } from "./vote_counts.ts";
import type { VoteFault, VoteOutcome, VoteRequest, VoteStep } from "./vote_request.ts";
import { removeIdlePerson } from "./idle_people.ts";
import { finishVoteWork } from "./vote_work.ts";
import { withdrawVote } from "./withdrawal.ts";

export type { VoteFault, VoteOutcome, VoteRequest } from "./vote_request.ts";

type VoteRefs = {
  readonly post: Ref<typeof POSTS>;
  readonly vote: Ref<typeof VOTES>;
  readonly person: Ref<typeof PEOPLE>;
  readonly entry?: Ref<typeof ENTRIES>;
  readonly former?: Ref<typeof FORMER_VOTES>;
  readonly erasures?: Ref<typeof SETTINGS>;
};

/** Fields that a request sets by rules of its own. */
const RULED: readonly string[] = ["postId", "userEmail", "userName", "notify"];

/** Returns the values of a request that a vote takes as they are. */
function furtherOf(request: VoteRequest): GivenValues<Vote> {
  const names = sentNames(VOTE).filter((name) => !RULED.includes(name));
  return Object.fromEntries(names.map((name) => [name, request[name as keyof VoteRequest]]));
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
    if (request.source === "form" && found.board.visibility !== "public") return "post_not_found";
    const post = await followMerges(storage, found.post);
    if (post === undefined) return "post_not_found";
    // Until then, a wish that comes now looks like one that ended while the post was merged.
    if (post.unmergedFrom !== null) {
      await finishVoteWork(storage, post);
      continue;
    }
    const step = request.vote
      ? await addVote(storage, request, post)
      : await withdrawVote(storage, request, post);
    if (step === "retry") continue;
    const isWithdrawn = !request.vote && typeof step === "object" && step.changed;
    if (isWithdrawn) await removeIdlePerson(storage, mailboxOf(request.userEmail));
    return step;
  }
}

async function addVote(storage: Storage, request: VoteRequest, seen: Post): Promise<VoteStep> {
  const { userEmail, at, erasures } = request;
  const mailbox = mailboxOf(userEmail);
  const voteId = voteIdOf(mailbox, seen);
  const place = createVotePlace(seen);
  const hasFormer = seen.formerVotes > 0;
  const refs: VoteRefs = {
    post: { kind: POSTS, key: seen.postId },
    vote: { kind: VOTES, key: voteId },
    person: { kind: PEOPLE, key: mailbox },
    ...seen.entryId !== null && { entry: { kind: ENTRIES, key: seen.entryId } },
    ...hasFormer && {
      former: { kind: FORMER_VOTES, key: await formerVoteIdOf(storage, mailbox, seen) },
    },
    ...erasures !== undefined && { erasures: ERASURE_COUNT },
  };
  return await storage.transact<VoteRefs, VoteStep>(refs, (found) => {
    const { post, vote: current } = found;
    if (!isSame(post, seen) || (post.formerVotes > 0 && !hasFormer)) return { answer: "retry" };
    if (erasures !== undefined && erasureCountOf(found.erasures) !== erasures) {
      return { answer: "erased" };
    }
    const isClosed = post.state !== "public" ||
      isClosing(statusAt(post, found.entry, at));
    const endsTelling = current !== undefined && request.notify === false;
    if (isClosed && !endsTelling) return { answer: "post_closed" };
    const person = found.person ?? newPerson(mailbox);
    const wasTold = current !== undefined && isTold(current, person);
    const notify = request.notify ?? wasTold;
    const userName = request.userName ?? current?.userName ?? null;
    const values = changeOf<Vote>(VOTE, furtherOf(request));
    const changed = current === undefined || notify !== wasTold ||
      userName !== current.userName || applyValues(current, values) !== current;
    // A person who came with a merged post votes for this one, too.
    const isAdded = current !== undefined && !current.own && !isClosed;
    const lacksAsk = notify &&
      !current?.requests.some(({ from, optOuts }) => from === null && optOuts >= person.optOuts);
    if (!changed && !isAdded && !(request.notify === true && lacksAsk)) {
      return { answer: { post, vote: true, notify, changed } };
    }
    const asks = request.notify === true || (notify && !wasTold);
    const names = [null, ...current?.origins ?? []];
    const ask = { at, source: request.source, optOuts: person.optOuts };
    const standing = current?.requests.filter(({ optOuts }) => optOuts >= person.optOuts) ?? [];
    const requests = asks
      ? names.map((from) => standing.find((one) => one.from === from) ?? { from, ...ask })
      : notify
      ? standing
      : [];
    const base: Vote = fillRecord<Vote>(VOTE, {
      ...current ?? {
        voteId,
        postId: post.postId,
        postInstanceId: post.instanceId,
        source: request.source,
        addedBy: request.addedBy,
        keyId: request.keyId,
        at,
        counts: !post.asideDomains.includes(domainOf(userEmail)),
        place,
      },
      own: current?.own === true || !isClosed,
      // A person who asks to be told is mailed at the address in this request.
      userEmail: notify && !wasTold || current === undefined ? userEmail : current.userEmail,
      userName,
      ...values,
    });
    const next = withAsks(base, requests);
    const former = found.former;
    const put = { vote: next, person: current === undefined ? addOne(person) : person };
    const remove = former === undefined ? [] : ["former" as const];
    const counted = current === undefined ? countVote(post, next, former) : post;
    return {
      answer: { post: counted, vote: true, notify, changed },
      put: { ...put, post: counted },
      remove,
    };
  });
}
