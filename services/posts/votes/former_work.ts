import { MAX_REFS, type Storage } from "../../../adapters/storage.ts";
import { POSTS, VOTES } from "../../../model/kinds.ts";
import type { Post } from "../../../model/posts/post.ts";
import { FORMER_VOTES, type FormerVote } from "../../../model/posts/records.ts";
import { mailboxOf, type Vote, voterPrefix } from "../../../model/posts/vote.ts";
import { formerWithoutOrigin, isOrigin } from "../../../model/posts/vote_origins.ts";
import { all, change, type ChangeTools } from "../../change.ts";
import { openAddressHash } from "../../privacy/erased.ts";
import { isAtWork, isPath } from "../merge_path.ts";
import { formerIdsOf, lend, lentIdOf, readFormer } from "./lent_votes.ts";
import { uncountVote } from "./vote_counts.ts";

/* Merges of posts with votes whose address was removed: see `vote_work.ts` and `lent_votes.ts`. */

/** The work of a post on the posts that its merge leads to, or led to. */
interface FormerWork {
  readonly seen: Post;
  readonly path: readonly Post[];
  readonly cursor: string;
}

/** Returns the first position of the votes whose address was removed, after all others. */
export function formersCursor({ instanceId }: Post): string {
  return `${voterPrefix(instanceId)}~`;
}

/** Lists the votes of a post after a position. */
export async function listVotesAfter(
  storage: Storage,
  { owner, cursor, limit }: {
    readonly owner: Post;
    readonly cursor: string;
    readonly limit: number;
  },
): Promise<readonly Vote[]> {
  const within = voterPrefix(owner.instanceId);
  // `!` sorts before all characters of a position, so reading starts right after the cursor's vote.
  const after = { by: cursor === within ? within : `${cursor}!`, key: "" };
  return await storage.list(VOTES, { index: "byPost", within, after, limit });
}

/**
 * Lends some votes of a post to its target. A first pass over the votes copies each of them; a
 * second one, over the votes of the target, removes the copies whose mailbox has one of these.
 */
export async function lendFormers(
  storage: Storage,
  { seen, path: [target], cursor }: FormerWork,
): Promise<void> {
  const first = formersCursor(seen);
  const second = `${first}~`;
  const isSecond = cursor.startsWith(second);
  const limit = Math.floor((MAX_REFS - 2) / (1 + (isSecond ? target.lentFrom.length : 1)));
  const after = { by: seen.instanceId, key: cursor.slice(first.length) };
  const query = { index: "byPost", within: seen.instanceId, after, limit };
  const page = isSecond ? [] : await storage.list(FORMER_VOTES, query);
  const place = cursor.slice(second.length);
  const votes = isSecond
    ? await listVotesAfter(storage, { owner: target, cursor: place, limit })
    : [];
  const hash = await openAddressHash(storage);
  const copyIds = votes.map(({ userEmail }) =>
    formerIdsOf(hash, mailboxOf(userEmail), target).slice(1)
  );
  const end = isSecond ? null : `${second}${voterPrefix(target.instanceId)}`;
  const last = isSecond ? votes[limit - 1]?.place : page[limit - 1]?.formerVoteId;
  const next = last === undefined ? end : `${isSecond ? second : first}${last}`;
  await change<void>(storage, function* (tools) {
    const { read, put, remove } = tools;
    const [[post, owner], formers, covering, covered] = yield* all(
      all(read(POSTS, seen.postId), read(POSTS, target.postId)),
      all(...page.map(({ formerVoteId }) => read(FORMER_VOTES, formerVoteId))),
      all(...votes.map(({ voteId }) => read(VOTES, voteId))),
      all(...copyIds.map((ids) => readFormer(tools, ids))),
      all(...page.map(({ formerVoteId }) => read(FORMER_VOTES, lentIdOf(formerVoteId, target)))),
    );
    if (!isAtWork(post, seen) || !isPath([owner], [target])) return;
    let counted = owner!;
    for (const former of formers) counted = yield* lend(tools, former, counted);
    for (const [at, copy] of covered.entries()) {
      if (!copy?.stands || covering[at] === undefined) continue;
      remove(FORMER_VOTES, copy.formerVoteId);
      counted = uncountVote(counted, copy);
    }
    put(POSTS, counted);
    put(POSTS, { ...post, voteCursor: next });
  });
}

/**
 * Takes the name of the post out of votes whose address was removed, and out of their copies, as
 * {@linkcode takeBack} does with others.
 */
export async function takeBackFormers(
  storage: Storage,
  { seen, path, cursor }: FormerWork,
): Promise<void> {
  const [{ instanceId }] = path;
  const first = formersCursor(path[0]);
  const size = Math.floor((MAX_REFS - 1 - path.length) / path.length);
  const after = { by: instanceId, key: cursor.slice(first.length) };
  const query = { index: "byPost", within: instanceId, after, limit: size };
  const page = await storage.list(FORMER_VOTES, query);
  const next = page.length < size ? null : `${first}${page[page.length - 1].formerVoteId}`;
  const chains = await Promise.all(
    page.filter(({ origins }) => origins.some((origin) => isOrigin(origin, seen)))
      .map((former) => listCopies(storage, former, path)),
  );
  await change<void>(storage, function* (tools) {
    const { read, put } = tools;
    const [[post, ...targets]] = yield* all(
      all(...[seen, ...path].map(({ postId }) => read(POSTS, postId))),
      all(...chains.flat().map((key) => read(FORMER_VOTES, key))),
    );
    if (!isAtWork(post, seen) || !isPath(targets, path)) return;
    for (const keys of chains) {
      let giver = post;
      for (const [hop, key] of keys.entries()) {
        const target = yield* read(POSTS, path[hop].postId);
        const former = yield* read(FORMER_VOTES, key);
        if (target === undefined || former?.postInstanceId !== target.instanceId) break;
        if (takeFromFormer(tools, former, { giver, target })) break;
        giver = target;
      }
    }
    put(POSTS, {
      ...post,
      voteCursor: next,
      unmergedFrom: next === null ? null : post.unmergedFrom,
    });
  });
}

/** Returns the keys of a vote without an address and of its copies along a path. */
async function listCopies(
  storage: Storage,
  former: FormerVote,
  [, ...targets]: readonly Post[],
): Promise<readonly string[]> {
  const keys = [former.formerVoteId];
  let last = former;
  for (const target of targets) {
    const copy = last.copyId === null ? undefined : await storage.get(FORMER_VOTES, last.copyId);
    const next = copy?.postInstanceId === target.instanceId
      ? copy
      : await storage.get(FORMER_VOTES, lentIdOf(last.formerVoteId, target));
    if (next === undefined) break;
    keys.push(next.formerVoteId);
    last = next;
  }
  return keys;
}

/** Takes a post's name out of a vote without an address. Tells whether anything of it is left. */
export function takeFromFormer(
  { put, remove }: Pick<ChangeTools, "put" | "remove">,
  former: FormerVote,
  { giver, target }: { readonly giver: Post; readonly target: Post },
): boolean {
  const left = formerWithoutOrigin(former, giver);
  if (left !== undefined) {
    put(FORMER_VOTES, left);
    return true;
  }
  remove(FORMER_VOTES, former.formerVoteId);
  put(POSTS, uncountVote(target, former));
  return false;
}
