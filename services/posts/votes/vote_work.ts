import { MAX_REFS, type Storage } from "../../../adapters/storage.ts";
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
  originOf,
  withOrigin,
  withoutOrigin,
  withReturnedAsk,
} from "../../../model/posts/vote_origins.ts";
import { FORMER_VOTES } from "../../../model/posts/records.ts";
import { createYielder } from "../../../model/turns.ts";
import { all, change, type ChangeTools, type Reading } from "../../change.ts";
import { openAddressHash } from "../../privacy/erased.ts";
import { readPages } from "../../records.ts";
import { isAtWork, isPath, listMergePath } from "../merge_path.ts";
import type { WorkInParts } from "../../removals.ts";
import {
  formersCursor,
  lendFormers,
  listVotesAfter,
  takeBackFormers,
  takeFromFormer,
} from "./former_work.ts";
import { formerIdsOf, givenIdsOf, lendAgain, originsOf, readFormer } from "./lent_votes.ts";
import { countVote, uncountVote } from "./vote_counts.ts";

/*
 * Votes of a post are moved or recounted in batches. The post records the pending work: while
 * `voteCursor` is set, the votes after that position are still to be copied to the target of a
 * merge (`mergedInto`), taken back from a former target (`unmergedFrom`), or recounted because a
 * domain was set aside. Each batch is one transaction over the votes, the counts and the cursor, so
 * that work resumes exactly where a crash ended it.
 *
 * A target gives its own votes back to nobody while it takes back those that it had lent: work
 * that leads to such a target finishes that of the target first. As a merge needs two posts that
 * take nothing back, no two posts wait for each other.
 */

type Options = Pick<WorkInParts, "isStopped">;

/** A vote to work on, and the posts that it goes on to. */
interface Step {
  readonly vote: Vote;
  /** The post whose work this is. */
  readonly post: Post;
  readonly path: readonly Post[];
  /** The positions of new copies. */
  readonly places: readonly string[];
  /** At each of these, the keys of a copy without an address, and of what may be lent for it. */
  readonly formers: readonly {
    readonly here: readonly string[];
    readonly given: readonly string[];
  }[];
}

/** Finishes the vote work of a post; returns the changed post, or `undefined` if it is gone. */
export async function finishVoteWork(
  storage: Storage,
  { postId }: Pick<Post, "postId">,
  options: Options = {},
): Promise<Post | undefined> {
  const yieldIfBusy = createYielder();
  for (;;) {
    const seen = await storage.get(POSTS, postId);
    if (seen === undefined || seen.voteCursor === null || options.isStopped?.()) return seen;
    await workOnBatch(storage, { seen, cursor: seen.voteCursor }, options);
    await yieldIfBusy();
  }
}

/** Tells whether any post has pending vote work. */
export async function hasVoteWork(storage: Storage): Promise<boolean> {
  return (await storage.list(POSTS, { index: "byVoteCursor", limit: 1 })).length > 0;
}

/** Finishes the vote work of all posts, or of matching ones, also after a crash. */
export async function finishAllVoteWork(
  storage: Storage,
  { attempt = (part) => part(), ...options }: WorkInParts,
  matches: (post: Post) => boolean = () => true,
): Promise<void> {
  for await (const posts of readPages(storage, POSTS, { index: "byVoteCursor" }, { matches })) {
    for (const post of posts) await attempt(() => finishVoteWork(storage, post, options));
  }
}

async function workOnBatch(
  storage: Storage,
  { seen, cursor }: { readonly seen: Post; readonly cursor: string },
  options: Options,
): Promise<void> {
  const { mergedInto, unmergedFrom } = seen;
  // Earlier versions could merge a former target into the post that was leaving it.
  const path = (await listMergePath(storage, mergedInto ?? unmergedFrom))
    .filter(({ postId }) => postId !== seen.postId);
  const last = path.at(-1);
  if (last !== undefined && last.unmergedFrom !== null) {
    await finishVoteWork(storage, last, options);
    return;
  }
  const owner = unmergedFrom === null ? seen : path[0];
  // The former target was deleted, and its votes with it.
  const isGone = owner === undefined || !cursor.startsWith(voterPrefix(owner.instanceId));
  const isLending = mergedInto !== null && path[0]?.lender === originOf(seen);
  const onFormers = unmergedFrom !== null ? takeBackFormers : isLending ? lendFormers : undefined;
  if (onFormers && owner !== undefined && cursor.startsWith(formersCursor(owner))) {
    return await onFormers(storage, { seen, path, cursor });
  }
  const compared: Post[] = [];
  let refs = 1 + path.length;
  for (const target of path) {
    const more = 1 + 2 * target.lentFrom.length;
    const isCompared = target.formerVotes > 0 || target.lender !== null;
    if (!isCompared || refs + more > MAX_REFS - 1 - path.length) continue;
    compared.push(target);
    refs += more;
  }
  const size = Math.floor((MAX_REFS - 1 - path.length) / refs);
  const page = isGone ? [] : await listVotesAfter(storage, { owner, cursor, limit: size });
  const isLast = page.length < size;
  // Votes whose address was removed are taken back, or lent, after the others.
  const hasFormers = unmergedFrom !== null && (owner?.formerVotes ?? 0) > 0;
  const end = (isLending || hasFormers) && !isGone ? formersCursor(owner) : null;
  const next = isLast ? end : page[page.length - 1].place;
  // Most votes for a former target did not come with the post.
  const votes = unmergedFrom === null
    ? page
    : page.filter(({ origins }) => origins.some((origin) => isOrigin(origin, seen)));
  const places = votes.map(() => path.map((target) => createVotePlace(target)));
  const hash = await openAddressHash(storage);
  const formers = votes.map(({ userEmail }) =>
    path.map((target) => {
      const mailbox = mailboxOf(userEmail);
      return compared.includes(target)
        ? { here: formerIdsOf(hash, mailbox, target), given: givenIdsOf(hash, mailbox, target) }
        : { here: [], given: [] };
    })
  );
  const work = mergedInto !== null ? copyVote : unmergedFrom !== null ? takeBack : recount;
  await change<void>(storage, function* (tools) {
    const { read, put } = tools;
    const readPosts = all(...[seen, ...path].map(({ postId }) => read(POSTS, postId)));
    const readVotes = all(
      ...votes.flatMap(({ userEmail }) =>
        [seen, ...path].map((one) => read(VOTES, voteIdOf(mailboxOf(userEmail), one)))
      ),
    );
    const ids = formers.flat().flatMap(({ here, given }) => [...here, ...given]);
    const readFormers = all(...ids.map((key) => read(FORMER_VOTES, key)));
    const [[post, ...targets]] = yield* all(readPosts, readVotes, readFormers);
    if (!isAtWork(post, seen) || !isPath(targets, path)) return;
    // An address was removed since the copies were looked up.
    if (targets.some((target, at) => target?.formerVotes !== path[at].formerVotes)) return;
    for (const [at, vote] of votes.entries()) {
      yield* work(tools, { vote, post, path, places: places[at], formers: formers[at] });
    }
    const worked = (yield* read(POSTS, seen.postId)) ?? post;
    put(POSTS, { ...worked, voteCursor: next, unmergedFrom: next === null ? null : unmergedFrom });
  });
}

/** Adds a vote to each post of the path: as a new vote, or to the one that its mailbox has. */
function* copyVote(
  { read, put, remove }: ChangeTools,
  { vote, post, path, places, formers }: Step,
): Reading<void> {
  const mailbox = mailboxOf(vote.userEmail);
  let from = yield* read(VOTES, vote.voteId);
  let giver = post;
  for (const [hop, { postId }] of path.entries()) {
    const target = yield* read(POSTS, postId);
    if (from === undefined || target === undefined) return;
    const voteId = voteIdOf(mailbox, target);
    const current = yield* read(VOTES, voteId);
    const former = yield* readFormer({ read }, formers[hop].here);
    const base: Vote = current ?? {
      ...from,
      voteId,
      postId,
      postInstanceId: target.instanceId,
      own: former?.stands === true && former.own,
      origins: originsOf(former),
      requests: [],
      counts: !target.asideDomains.includes(domainOf(from.userEmail)),
      told: [],
      place: places[hop],
    };
    const next = withOrigin(base, from, giver);
    put(VOTES, next);
    const rest = uncountVote(target, former);
    const counted = current === undefined ? countVote(rest, next) : rest;
    if (counted !== target) put(POSTS, counted);
    if (former?.stands) remove(FORMER_VOTES, former.formerVoteId);
    from = next;
    giver = target;
  }
}

/**
 * Takes the name of the post out of a vote of the first target, and removes the vote if nothing is
 * left; likewise at later targets.
 */
function* takeBack(
  tools: ChangeTools,
  { vote, post, path, formers }: Step,
): Reading<void> {
  const { read, put, remove } = tools;
  const mailbox = mailboxOf(vote.userEmail);
  const own = yield* read(VOTES, voteIdOf(mailbox, post));
  let giver = post;
  let left: Vote | undefined;
  for (const [hop, { postId, instanceId }] of path.entries()) {
    const target = yield* read(POSTS, postId);
    const before = yield* read(VOTES, voteIdOf(mailbox, { instanceId }));
    const { here, given } = formers[hop];
    const former = yield* readFormer(tools, here);
    if (target === undefined) return;
    if (before === undefined) {
      // A vote without an address has no requests to be told, so it changes only with the one
      // before it.
      if (former === undefined || left !== undefined) return;
      if (takeFromFormer(tools, former, { giver, target })) return;
      giver = target;
      continue;
    }
    // The target before has lost the vote, or a request.
    left = left === undefined ? withoutOrigin(before, giver) : withOrigin(before, left, giver);
    if (giver === post && own !== undefined) {
      // A name or reason that was changed at the target goes back with the vote.
      const { userName, why } = left === undefined ? before : own;
      put(VOTES, { ...withReturnedAsk(own, before, post), userName, why });
    }
    if (left === undefined) {
      remove(VOTES, before.voteId);
      put(POSTS, uncountVote(target, before));
      yield* lendAgain(tools, target, given);
    } else {
      put(VOTES, left);
    }
    giver = target;
  }
}

/** Recounts a vote under the current list of domains set aside. */
function* recount({ read, put }: ChangeTools, { vote: { voteId }, post }: Step): Reading<void> {
  const vote = yield* read(VOTES, voteId);
  const counted = yield* read(POSTS, post.postId);
  if (vote === undefined || counted === undefined) return;
  const counts = !counted.asideDomains.includes(domainOf(vote.userEmail));
  if (counts === vote.counts) return;
  const next = { ...vote, counts };
  put(VOTES, next);
  put(POSTS, counts ? countVote(counted, next) : uncountVote(counted, vote));
}
