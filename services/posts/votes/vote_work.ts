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
    : page.filter(({ via, notifyVia }) => via === seen.postId || notifyVia === seen.postId);
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

/** Copies votes to each post of the path at which their mailbox has none. */
function copyVotes(batch: Batch): void {
  const { post, targets, votes, copies, places, put } = batch;
  votes.forEach((vote, at) => {
    if (vote === undefined) return;
    targets.forEach((target, hop) => {
      const via = hop === 0 ? post.postId : targets[hop - 1].postId;
      const current = copies[at][hop];
      const name = `copy ${at} ${hop}`;
      if (current === undefined) {
        const copy: Vote = {
          ...vote,
          voteId: voteIdOf(mailboxOf(vote.userEmail), target),
          postId: target.postId,
          postInstanceId: target.instanceId,
          via,
          counts: !target.asideDomains.includes(domainOf(vote.userEmail)),
          notifyVia: null,
          told: [],
          place: places[at][hop],
        };
        put.set(name, copy);
        targets[hop] = countVote(target, copy);
      } else if (vote.notify && (!current.notify || vote.optOuts > current.optOuts)) {
        // People who asked to be told about the merged post are told about its target instead.
        const { notify, notifyAt, notifySource, optOuts } = vote;
        put.set(name, { ...current, notify, notifyAt, notifySource, optOuts, notifyVia: via });
      }
    });
  });
}

/**
 * Removes votes that came with the post from the first target, and their copies at later targets.
 */
function takeBack(batch: Batch): void {
  const { post, targets, votes, copies, put, removed } = batch;
  votes.forEach((vote, at) => {
    const [own, ...further] = copies[at];
    for (const [hop, copy] of [vote, ...further].entries()) {
      const via = hop === 0 ? post.postId : targets[hop - 1].postId;
      const name = hop === 0 ? `vote ${at}` : `copy ${at} ${hop}`;
      if (copy?.notifyVia === via) {
        const ended = { notify: false, notifyAt: null, notifySource: null, notifyVia: null };
        put.set(name, { ...copy, ...ended });
      }
      if (copy?.via !== via) return;
      removed.add(name);
      targets[hop] = uncountVote(targets[hop], copy);
      // A request or reason that was changed at the target goes back with the vote.
      if (hop === 0 && own !== undefined) {
        const { userName, why, notify, notifyAt, notifySource, optOuts } = copy;
        const kept = { ...own, userName, why, notify, notifyAt, notifySource, optOuts };
        put.set(`copy ${at} 0`, kept);
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
