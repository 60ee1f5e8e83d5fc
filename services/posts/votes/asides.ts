import type { Storage } from "../../../adapters/storage.ts";
import { POSTS, VOTES } from "../../../model/kinds.ts";
import type { Post } from "../../../model/posts/post.ts";
import { voterPrefix } from "../../../model/posts/vote.ts";
import { readPages, replaceRecord } from "../../records.ts";
import { findPost, followMerges } from "../posts.ts";
import { finishVoteWork } from "./vote_work.ts";
import { castVote } from "./votes.ts";
import { removeMergedVote } from "./withdrawal.ts";

/**
 * Sets a domain aside for a post, or undoes that. Votes of a domain that is set aside stay but
 * don't count. Returns the post, or `undefined` if there is none. Follows a merged post to its
 * target.
 */
export async function setDomainAside(
  storage: Storage,
  { boardId, postId, domain, aside }: {
    readonly boardId: string;
    readonly postId: string;
    readonly domain: string;
    readonly aside: boolean;
  },
): Promise<Post | undefined> {
  for (;;) {
    const found = (await findPost(storage, { boardId, postId }))?.post;
    const target = found && await followMerges(storage, found);
    if (target === undefined) return undefined;
    const seen = await finishVoteWork(storage, target);
    if (seen === undefined) return undefined;
    const ref = { kind: POSTS, key: seen.postId };
    const changed = await replaceRecord<Post>(storage, ref, (post) => {
      const isSame = post.instanceId === seen.instanceId && post.mergedInto === null &&
        post.voteCursor === null;
      if (!isSame) return undefined;
      if (post.asideDomains.includes(domain) === aside) return post;
      const others = post.asideDomains.filter((other) => other !== domain);
      return {
        ...post,
        asideDomains: aside ? [...others, domain].sort() : others,
        voteCursor: voterPrefix(post.instanceId),
      };
    });
    if (changed !== undefined) return await finishVoteWork(storage, changed);
  }
}

/** Withdraws all votes that an API key cast since a time (RFC 3339); returns their number. */
export async function withdrawVotesOfKey(
  storage: Storage,
  { keyId, since, at }: { readonly keyId: string; readonly since: string; readonly at: string },
): Promise<number> {
  let withdrawn = 0;
  for await (const votes of readPages(storage, VOTES)) {
    for (const vote of votes.filter((vote) => vote.keyId === keyId && vote.at >= since)) {
      const { postId, userEmail, source } = vote;
      const post = await storage.get(POSTS, postId);
      // The person may have cast the vote at the target themselves.
      const changed = post !== undefined && post.mergedInto !== null
        ? await removeMergedVote(storage, vote)
        : await castVote(storage, {
          postId,
          userEmail,
          vote: false,
          source,
          keyId: null,
          at,
        });
      const isWithdrawn = typeof changed === "object" ? changed.changed : changed === true;
      withdrawn += Number(isWithdrawn);
    }
  }
  return withdrawn;
}
