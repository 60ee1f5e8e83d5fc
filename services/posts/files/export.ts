import type { Storage } from "../../../adapters/storage.ts";
import type { Board } from "../../../model/board.ts";
import { POSTS } from "../../../model/kinds.ts";
import type { Post } from "../../../model/posts/post.ts";
import { createPace } from "../../../model/turns.ts";
import { formatNdjson } from "../../../model/values/text.ts";
import { readPages } from "../../records.ts";
import { showPosts } from "../posts.ts";
import { readVotes } from "../voters.ts";

const PAGE_SIZE = 100;
// Small chunks cost client and server more than the lines in them.
const CHUNK_LENGTH = 32_768;

/**
 * Writes all posts of a board as NDJSON, each followed by its votes, with at most one page of votes
 * in memory.
 */
export async function* exportPosts(
  storage: Storage,
  { instanceId }: Board,
  now: string,
): AsyncGenerator<string> {
  const query = { index: "byBoard", after: { by: instanceId, key: "" }, limit: PAGE_SIZE };
  const isOver = (post: Post) => post.boardInstanceId !== instanceId;
  const pace = createPace();
  let lines = "";
  for await (const page of readPages(storage, POSTS, query, { isOver })) {
    const shown = await showPosts(storage, page, now);
    for (const [at, post] of page.entries()) {
      await pace();
      lines += formatNdjson([{ ...shown[at], authorEmail: post.authorEmail }]);
      for await (const votes of readVotes(storage, post)) {
        await pace();
        lines += formatNdjson(votes);
        if (lines.length < CHUNK_LENGTH) continue;
        yield lines;
        lines = "";
      }
    }
  }
  yield lines;
}
