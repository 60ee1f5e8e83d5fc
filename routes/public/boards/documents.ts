import type { Board } from "../../../model/board.ts";
import type { ShownPost } from "../../../model/posts/post.ts";
import { inPieces } from "../../../model/turns.ts";
import type { PublicDocument } from "../changelog/editions.ts";
import { createPageHeaders } from "../_page/layout.ts";
import { FEED_TYPES, HTML_TYPE, type Site } from "../_page/site.ts";
import { writeBoardFeed } from "./feed.ts";
import { type BoardContent, renderBoard } from "./board_page.ts";
import { renderBoards } from "./boards_page.ts";
import { type IdeaContent, renderIdeaPage } from "./idea_page.ts";
import { type NewContent, renderNew } from "./new_page.ts";
import { renderRoadmap } from "./roadmap_page.ts";

export interface BoardDocuments {
  boards(content: Parameters<typeof renderBoards>[1]): PublicDocument;
  board(content: BoardContent): PublicDocument;
  idea(content: IdeaContent): PublicDocument;
  newIdea(content: NewContent): PublicDocument;
  roadmap(content: Parameters<typeof renderRoadmap>[1]): PublicDocument;
  feed(board: Board, posts: readonly ShownPost[]): Promise<PublicDocument>;
}

/** Creates the functions that make the pages and feeds of boards. */
export async function createBoardDocuments(site: Site): Promise<BoardDocuments> {
  const headers = await createPageHeaders(site, true);
  // Pages differ for people whose browsers remember them.
  const html = { contentType: HTML_TYPE, headers: { ...headers, Vary: "Cookie" } };
  return {
    boards: (content) => ({ ...html, body: renderBoards(site, content) }),
    board: (content) => ({ ...html, body: renderBoard(site, content) }),
    idea: (content) => ({ ...html, body: renderIdeaPage(site, content) }),
    newIdea: (content) => ({ ...html, body: renderNew(site, content) }),
    roadmap: (content) => ({ ...html, body: renderRoadmap(site, content) }),
    feed: async (board, posts) => ({
      contentType: FEED_TYPES.atom,
      body: await inPieces(writeBoardFeed(site, board, posts)),
    }),
  };
}
