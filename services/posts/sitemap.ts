import type { Position, Storage } from "../../adapters/storage.ts";
import type { Board } from "../../model/board.ts";
import { BOARD_TALLIES } from "../../model/kinds.ts";
import type { Post } from "../../model/posts/post.ts";
import { listPublicBoards } from "./public_boards.ts";
import { listPosts } from "./listing.ts";
import { EPOCH } from "../../model/values/time.ts";

/** A public board, and the version of what the public sees of it. */
export interface BoardState {
  readonly board: Board;
  readonly version: number;
}

/** A page, and when its words last changed (RFC 3339, UTC, milliseconds). */
export interface SitemapPage {
  readonly path: string;
  /** Absent: it is not known. */
  readonly at?: string | undefined;
}

// As many addresses as a sitemap may have (sitemaps.org).
const MAX_PAGES = 50_000;
const PAGE_LENGTH = 500;

/** Returns the public boards with their versions: while these are the same, so are the pages. */
export function readBoardStates(storage: Storage): Promise<readonly BoardState[]> {
  return listPublicBoards(storage).then((boards) =>
    Promise.all(boards.map(async (board) => {
      const tally = await storage.get(BOARD_TALLIES, board.instanceId);
      return { board, version: tally?.version ?? 0 };
    }))
  );
}

/** Lists the pages of boards, and of their ideas, the newest first. */
export async function listBoardPages(
  storage: Storage,
  states: readonly BoardState[],
): Promise<readonly SitemapPage[]> {
  const pages: SitemapPage[] = [{ path: "/boards" }, { path: "/roadmap" }];
  for (const { board } of states) {
    const path = `/boards/${encodeURIComponent(board.boardId)}`;
    pages.push({ path, at: board.updatedAt });
    for await (const posts of readNewest(storage, board)) {
      for (const { postId, updatedAt } of posts) {
        pages.push({ path: `${path}/${encodeURIComponent(postId)}`, at: updatedAt });
      }
      if (pages.length >= MAX_PAGES) return pages;
    }
  }
  return pages;
}

async function* readNewest(storage: Storage, board: Board): AsyncGenerator<readonly Post[]> {
  const filter = { boards: [board], sort: "new", state: "public" } as const;
  let after: Position | undefined;
  for (;;) {
    const page = { limit: PAGE_LENGTH, after, now: EPOCH };
    const { records } = await listPosts(storage, filter, page);
    yield records;
    const last = records.at(-1);
    if (last === undefined || records.length < PAGE_LENGTH) return;
    after = { key: last.postId, by: last.createdAt };
  }
}
