import type { Storage } from "../../../adapters/storage.ts";
import type { Board } from "../../../model/board.ts";
import { POSTS } from "../../../model/kinds.ts";
import type { Post } from "../../../model/posts/post.ts";
import {
  type ExportedPost,
  formatPostRow,
  POSTS_CSV_HEADER,
} from "../../../model/posts/post_rows.ts";
import { createYielder } from "../../../model/turns.ts";
import { formatNdjson } from "../../../model/values/text.ts";
import { readPages } from "../../records.ts";
import { showPosts } from "../posts.ts";
import { readVotes } from "../votes/voters.ts";

const PAGE_SIZE = 100;
// The votes of so many posts are read at the same time, as a database takes a while to answer.
const READ_AT_ONCE = 20;
// Small chunks cost client and server more than the lines in them.
const CHUNK_LENGTH = 32_768;

export interface ExportOptions {
  /** Whether held and hidden posts are left out. */
  readonly isPublicOnly: boolean;
  /** The present time (RFC 3339, UTC, milliseconds). */
  readonly now: string;
}

/**
 * Writes all posts of a board as NDJSON, each followed by its votes, with at most one page of votes
 * of some posts in memory.
 */
export async function* exportPosts(
  storage: Storage,
  board: Board,
  options: ExportOptions,
): AsyncGenerator<string> {
  const yieldIfBusy = createYielder();
  let lines = "";
  for await (const posts of readBoard(storage, board, options)) {
    for (let at = 0; at < posts.length; at += READ_AT_ONCE) {
      const pages = await readFirstVotes(storage, posts.slice(at, at + READ_AT_ONCE));
      for (const { shown, votes, first } of pages) {
        await yieldIfBusy();
        lines += formatNdjson([shown]);
        for (let page = first; !page.done; page = await votes.next()) {
          await yieldIfBusy();
          // The name of a key means nothing on another server.
          lines += formatNdjson(page.value.map(({ addedBy: _, ...vote }) => vote));
          if (lines.length < CHUNK_LENGTH) continue;
          yield lines;
          lines = "";
        }
      }
    }
  }
  yield lines;
}

/** Begins to read the votes of posts, all at the same time. */
function readFirstVotes(storage: Storage, posts: readonly BoardPost[]) {
  return Promise.all(posts.map(async ({ post, shown }) => {
    const votes = readVotes(storage, post);
    return { shown, votes, first: await votes.next() };
  }));
}

/** Writes all posts of a board as CSV: a header, and a row for each post. */
export async function* exportPostTable(
  storage: Storage,
  board: Board,
  options: ExportOptions,
): AsyncGenerator<string> {
  const yieldIfBusy = createYielder();
  let rows = POSTS_CSV_HEADER;
  for await (const posts of readBoard(storage, board, options)) {
    for (const { shown } of posts) {
      await yieldIfBusy();
      rows += formatPostRow(shown);
    }
    if (rows.length < CHUNK_LENGTH) continue;
    yield rows;
    rows = "";
  }
  yield rows;
}

/** A post as it is stored and as an export shows it. */
interface BoardPost {
  readonly post: Post;
  readonly shown: ExportedPost;
}

/** Reads the posts of a board in pages. */
async function* readBoard(
  storage: Storage,
  { instanceId }: Board,
  { isPublicOnly, now }: ExportOptions,
): AsyncGenerator<readonly BoardPost[]> {
  const query = { index: "byBoard", within: instanceId, limit: PAGE_SIZE };
  const matches = ({ state }: Post) => !isPublicOnly || state === "public";
  for await (const page of readPages(storage, POSTS, query, { matches })) {
    const shown = await showPosts(storage, page, now);
    yield page.map((post, at) => ({
      post,
      shown: { ...shown[at], authorEmail: post.authorEmail },
    }));
  }
}
