import type { Storage } from "../../adapters/storage.ts";
import { ENTRIES } from "../../model/kinds.ts";
import type { Post } from "../../model/posts/post.ts";
import { findPost, followMerges } from "./posts.ts";

/** A post on a public board, for the page of the entry that ships it. */
export type ShippedIdea = Pick<Post, "postId" | "boardId" | "title">;

/** Lists the public posts on public boards that an entry ships. */
export async function listShippedIdeas(
  storage: Storage,
  entryId: string,
): Promise<readonly ShippedIdea[]> {
  const postIds = (await storage.get(ENTRIES, entryId))?.posts ?? [];
  const ideas = await Promise.all(postIds.map(async (postId) => {
    const found = await findPost(storage, { postId });
    if (found?.board.visibility !== "public") return undefined;
    // A merged post stays on its board.
    const post = await followMerges(storage, found.post);
    if (post?.state !== "public") return undefined;
    const { boardId, title } = post;
    return { postId: post.postId, boardId, title };
  }));
  return ideas.filter((idea) => idea !== undefined);
}
