import { MAX_REFS, type Storage } from "../../../adapters/storage.ts";
import type { KeyedHash } from "../../../model/crypto/cipher.ts";
import { POSTS } from "../../../model/kinds.ts";
import type { Post } from "../../../model/posts/post.ts";
import { FORMER_VOTES, type FormerVote } from "../../../model/posts/records.ts";
import { voterPrefix } from "../../../model/posts/vote.ts";
import { formerWithoutOrigin, isOrigin } from "../../../model/posts/vote_origins.ts";
import { all, change, type ChangeTools } from "../../change.ts";
import { isAtWork, isPath } from "../merge_path.ts";
import { formerVoteIdOf, uncountVote } from "./vote_counts.ts";

/* Merges of posts with votes whose address was removed: see `vote_work.ts`. */

/** Returns the first position of the votes whose address was removed, after all others. */
export function formersCursor({ instanceId }: Post): string {
  return `${voterPrefix(instanceId)}~`;
}

/** Returns the keys of a mailbox's votes without an address at the posts of a path. */
export function findFormers(
  hash: KeyedHash,
  mailbox: string,
  { path, hasFormers }: { readonly path: readonly Post[]; readonly hasFormers: readonly Post[] },
): readonly (string | null)[] {
  return path.map((post) => hasFormers.includes(post) ? formerVoteIdOf(hash, mailbox, post) : null);
}

/**
 * Takes the name of the post out of votes whose address was removed, and out of their copies, as
 * {@linkcode takeBack} does with others.
 */
export async function takeBackFormers(
  storage: Storage,
  { seen, path, cursor }: {
    readonly seen: Post;
    readonly path: readonly Post[];
    readonly cursor: string;
  },
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
      .map((former) => listCopies(storage, former, path.length)),
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
  limit: number,
): Promise<readonly string[]> {
  const keys: string[] = [];
  let next: FormerVote | undefined = former;
  while (next !== undefined && keys.length < limit) {
    keys.push(next.formerVoteId);
    next = next.copyId === null ? undefined : await storage.get(FORMER_VOTES, next.copyId);
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
  if (former.stands) put(POSTS, uncountVote(target, former));
  return false;
}
