import type { Storage } from "../../adapters/storage.ts";
import type { Board } from "../../model/board.ts";
import { POSTS } from "../../model/kinds.ts";
import { BOARD_TALLIES } from "../../model/posts/records.ts";
import { boardPrefix, PLACES } from "../../model/posts/place.ts";
import type { Post } from "../../model/posts/post.ts";
import { listPublicBoards } from "./public_boards.ts";
import { readPages } from "../records.ts";

/** A public board, and the version of its public content. */
export interface BoardState {
  readonly board: Board;
  readonly version: number;
}

/** A page, and the time of its last change (RFC 3339, UTC, milliseconds). */
export interface SitemapPage {
  readonly path: string;
  /** Absent: unknown. */
  readonly at?: string | undefined;
}

// Limit of addresses in a sitemap (sitemaps.org).
const MAX_PAGES = 50_000;
const PAGE_LENGTH = 500;

/** Returns the public boards with their versions: the pages change only with these. */
export function readBoardStates(storage: Storage): Promise<readonly BoardState[]> {
  return listPublicBoards(storage).then((boards) =>
    Promise.all(boards.map(async (board) => {
      const tally = await storage.get(BOARD_TALLIES, board.instanceId);
      return { board, version: tally?.version ?? 0 };
    }))
  );
}

/** Lists the pages of boards, and of their ideas. */
export async function listBoardPages(
  storage: Storage,
  states: readonly BoardState[],
): Promise<readonly SitemapPage[]> {
  const pages: SitemapPage[] = [{ path: "/boards" }, { path: "/roadmap" }];
  for (const { board } of states) {
    const path = `/boards/${encodeURIComponent(board.boardId)}`;
    pages.push({ path, at: board.updatedAt });
    // The index has no merged posts.
    const query = { index: PLACES.new.index, within: boardPrefix(board.instanceId) };
    const matches = ({ state }: Post) => state === "public";
    for await (
      const posts of readPages(storage, POSTS, { ...query, limit: PAGE_LENGTH }, { matches })
    ) {
      for (const { postId, updatedAt } of posts) {
        pages.push({ path: `${path}/${encodeURIComponent(postId)}`, at: updatedAt });
      }
      if (pages.length >= MAX_PAGES) return pages;
    }
  }
  return pages;
}
