import type { Storage } from "../../../adapters/storage.ts";
import type { Post, ShownPost } from "../../../model/posts/post.ts";
import type { Mine } from "../../../services/people/mine.ts";
import { showPosts } from "../../../services/posts/posts.ts";

/** Posts as pages show them, by `postId`. */
export type ShownPosts = ReadonlyMap<string, ShownPost>;

/** Returns the posts that a person voted for or wrote, and may read, as pages show them. */
export async function showOwn(
  storage: Storage,
  { votes, ideas }: Pick<Mine, "votes" | "ideas">,
  now: string,
): Promise<ShownPosts> {
  const readable = [...votes, ...ideas].filter(({ isShown }) => isShown).map(({ post }) => post);
  return await showById(storage, readable, now);
}

/** Returns posts as pages show them. */
export async function showById(
  storage: Storage,
  posts: readonly Post[],
  now: string,
): Promise<ShownPosts> {
  const shown = await showPosts(storage, posts, now);
  return new Map(shown.map((post) => [post.postId, post]));
}
