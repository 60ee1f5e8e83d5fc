import { MAX_REFS, type Ref, type Storage } from "../../../adapters/storage.ts";
import { POSTS, VOTES } from "../../../model/kinds.ts";
import type { Post } from "../../../model/posts/post.ts";
import {
  createVotePlace,
  domainOf,
  mailboxOf,
  type Vote,
  voteIdOf,
  voterPrefix,
} from "../../../model/posts/vote.ts";
import {
  isOrigin,
  withOrigin,
  withoutOrigin,
  withReturnedAsk,
} from "../../../model/posts/vote_origins.ts";
import { createPace } from "../../../model/turns.ts";
import { readPages } from "../../records.ts";
import { listMergePath } from "../merge_path.ts";
import type { WorkInParts } from "../removal.ts";
import { countVote, uncountVote } from "./vote_counts.ts";

/*
 * Votes of a post are moved or recounted in batches. The post records the pending work: while
 * `voteCursor` is set, the votes after that position are still to be copied to the target of a
 * merge (`mergedInto`), taken back from a former target (`unmergedFrom`), or recounted because a
 * domain was set aside. Each batch is one transaction over the votes, the counts and the cursor, so
 * that work resumes exactly where a crash ended it.
 */

/** A batch of votes, with their copies at each target of the merge path. */
type BatchRefs = {
  readonly post: Ref<typeof POSTS>;
  readonly [target: `target ${number}`]: Ref<typeof POSTS>;
  readonly [vote: `vote ${number}`]: Ref<typeof VOTES>;
  readonly [copy: `copy ${string}`]: Ref<typeof VOTES>;
};

/** The records of a batch; each step reads and changes them. */
interface Batch {
  post: Post;
  /** The posts that receive the votes or give them back, in the order of the merge path. */
  readonly targets: Post[];
  readonly votes: readonly (Vote | undefined)[];
  /** The votes of the same mailboxes at each target. */
  readonly copies: readonly (readonly (Vote | undefined)[])[];
  /** The positions of new copies. */
  readonly places: readonly (readonly string[])[];
  readonly put: Map<string, Vote>;
  readonly removed: Set<string>;
}

/** Finishes the vote work of a post; returns the changed post. */
export async function finishVoteWork(
  storage: Storage,
  { postId }: Pick<Post, "postId">,
  { isStopped = () => false }: Pick<WorkInParts, "isStopped"> = {},
): Promise<Post> {
  const pace = createPace();
  for (let seen = await storage.get(POSTS, postId);; seen = await storage.get(POSTS, postId)) {
    if (seen === undefined) throw new TypeError(`Cannot find the post ${postId}`);
    if (seen.voteCursor === null || isStopped()) return seen;
    await workOnBatch(storage, seen, seen.voteCursor);
    await pace();
  }
}

/** Tells whether any post has pending vote work. */
export async function hasVoteWork(storage: Storage): Promise<boolean> {
  return (await storage.list(POSTS, { index: "byVoteCursor", limit: 1 })).length > 0;
}

/** Finishes the vote work of all posts, also after a crash. */
export async function finishAllVoteWork(
  storage: Storage,
  { attempt = (part) => part(), ...options }: WorkInParts,
): Promise<void> {
  for await (const posts of readPages(storage, POSTS, { index: "byVoteCursor" })) {
    for (const post of posts) await attempt(() => finishVoteWork(storage, post, options));
  }
}

async function workOnBatch(storage: Storage, seen: Post, cursor: string): Promise<void> {
  const { mergedInto, unmergedFrom } = seen;
  const path = await listMergePath(storage, mergedInto ?? unmergedFrom);
  const owner = unmergedFrom === null ? seen : path[0];
  // The former target was deleted, and its votes with it.
  const isGone = owner === undefined || !cursor.startsWith(voterPrefix(owner.instanceId));
  const size = Math.floor((MAX_REFS - 1 - path.length) / (1 + path.length));
  const page = isGone ? [] : await listVotes(storage, { owner, cursor, limit: size });
  const next = page.length < size ? null : page[page.length - 1].place;
  // Most votes for a former target did not come with the post.
  const votes = unmergedFrom === null
    ? page
    : page.filter(({ origins }) => origins.some((origin) => isOrigin(origin, seen)));
  // Votes are read from their owner. While votes are taken back, the other side is the post itself.
  const others = unmergedFrom === null ? path : [seen, ...path.slice(1)];
  const copyIds = votes.map(({ userEmail }) =>
    others.map((other) => voteIdOf(mailboxOf(userEmail), other))
  );
  const refs: BatchRefs = {
    post: { kind: POSTS, key: seen.postId },
    ...Object.fromEntries(
      path.map(({ postId }, at) => [`target ${at}`, { kind: POSTS, key: postId }]),
    ),
    ...Object.fromEntries(
      votes.map(({ voteId }, at) => [`vote ${at}`, { kind: VOTES, key: voteId }]),
    ),
    ...Object.fromEntries(
      copyIds.flatMap((ids, at) =>
        ids.map((key, hop) => [`copy ${at} ${hop}`, { kind: VOTES, key }])
      ),
    ),
  };
  const places = votes.map(() => path.map((target) => createVotePlace(target)));
  await storage.transact<BatchRefs, void>(refs, (found) => {
    const { post } = found;
    const targets = path.map((_, at) => found[`target ${at}`]);
    if (!isSame(post, seen) || !isPath(targets, path)) return { answer: undefined };
    const batch: Batch = {
      post,
      targets,
      votes: votes.map((_, at) => found[`vote ${at}`]),
      copies: copyIds.map((ids, at) => ids.map((_, hop) => found[`copy ${at} ${hop}`])),
      places,
      put: new Map(),
      removed: new Set(),
    };
    const work = mergedInto !== null ? copyVotes : unmergedFrom !== null ? takeBack : recount;
    work(batch);
    return {
      answer: undefined,
      put: {
        ...Object.fromEntries(batch.targets.map((target, at) => [`target ${at}`, target])),
        ...Object.fromEntries(batch.put),
        post: {
          ...batch.post,
          voteCursor: next,
          unmergedFrom: next === null ? null : unmergedFrom,
        },
      },
      remove: [...batch.removed] as (keyof BatchRefs)[],
    };
  });
}

/** Lists the votes of a post after a position. */
async function listVotes(
  storage: Storage,
  { owner, cursor, limit }: {
    readonly owner: Post;
    readonly cursor: string;
    readonly limit: number;
  },
): Promise<readonly Vote[]> {
  const prefix = voterPrefix(owner.instanceId);
  // `!` sorts before all characters of a position, so reading starts right after the cursor's vote.
  const after = { by: cursor === prefix ? prefix : `${cursor}!`, key: "" };
  const page = await storage.list(VOTES, { index: "byPost", after, limit });
  return page.filter(({ place }) => place.startsWith(prefix));
}

function isSame(post: Post | undefined, seen: Post): post is Post {
  return post !== undefined && post.instanceId === seen.instanceId &&
    post.mergedInto === seen.mergedInto && post.unmergedFrom === seen.unmergedFrom &&
    post.voteCursor === seen.voteCursor;
}

function isPath(found: readonly (Post | undefined)[], path: readonly Post[]): found is Post[] {
  return found.every((post, at) =>
    post?.instanceId === path[at].instanceId && post.mergedInto === path[at].mergedInto
  );
}

/** Adds votes to each post of the path: as new votes, or to those that their mailboxes have. */
function copyVotes(batch: Batch): void {
  const { post, targets, votes, copies, places, put } = batch;
  votes.forEach((vote, at) => {
    let from = vote;
    targets.forEach((target, hop) => {
      if (from === undefined) return;
      const current = copies[at][hop];
      const base: Vote = current ?? {
        ...from,
        voteId: voteIdOf(mailboxOf(from.userEmail), target),
        postId: target.postId,
        postInstanceId: target.instanceId,
        own: false,
        origins: [],
        requests: [],
        counts: !target.asideDomains.includes(domainOf(from.userEmail)),
        told: [],
        place: places[at][hop],
      };
      const next = withOrigin(base, from, hop === 0 ? post : targets[hop - 1]);
      put.set(`copy ${at} ${hop}`, next);
      if (current === undefined) targets[hop] = countVote(target, next);
      from = next;
    });
  });
}

/**
 * Takes the name of the post out of the votes of the first target, and removes those that have
 * nothing left; likewise at later targets.
 */
function takeBack(batch: Batch): void {
  const { post, targets, votes, copies, put, removed } = batch;
  votes.forEach((vote, at) => {
    if (vote === undefined) return;
    const [own, ...further] = copies[at];
    let left = withoutOrigin(vote, post);
    if (own !== undefined) {
      // A name or reason that was changed at the target goes back with the vote.
      const { userName, why } = left === undefined ? vote : own;
      put.set(`copy ${at} 0`, { ...withReturnedAsk(own, vote, post), userName, why });
    }
    for (const [hop, before] of [vote, ...further].entries()) {
      if (before === undefined) return;
      if (hop > 0) {
        // The target before has lost the vote, or a request.
        const from = targets[hop - 1];
        left = left === undefined ? withoutOrigin(before, from) : withOrigin(before, left, from);
      }
      const name = hop === 0 ? `vote ${at}` : `copy ${at} ${hop}`;
      if (left === undefined) {
        removed.add(name);
        targets[hop] = uncountVote(targets[hop], before);
      } else {
        put.set(name, left);
      }
    }
  });
}

/** Recounts votes under the current list of domains set aside. */
function recount(batch: Batch): void {
  batch.votes.forEach((vote, at) => {
    if (vote === undefined) return;
    const counts = !batch.post.asideDomains.includes(domainOf(vote.userEmail));
    if (counts === vote.counts) return;
    const next = { ...vote, counts };
    batch.put.set(`vote ${at}`, next);
    batch.post = counts ? countVote(batch.post, next) : uncountVote(batch.post, vote);
  });
}
