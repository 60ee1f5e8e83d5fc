import type { Context } from "../../_http/operation.ts";
import type { Problem } from "../../_http/problem.ts";
import type { Reply } from "../../_http/reply.ts";
import { feedTagOf } from "../_page/feed_tag.ts";
import { createPageCache, type PageCache } from "../_page/page_cache.ts";
import type { PublicDocument } from "../changelog/editions.ts";
import { FEED_TYPES, HTML_TYPE, type PublicSite, type Site } from "../_page/site.ts";
import { readViewer, type Viewer } from "../_page/viewer.ts";
import type { Board } from "../../../model/board.ts";
import type { ShownPost } from "../../../model/posts/post.ts";
import { inPieces } from "../../../model/turns.ts";
import { createPageHeaders } from "../_page/layout.ts";
import { writeBoardFeed } from "./feed.ts";
import { type BoardContent, renderBoard } from "./board_page.ts";
import { renderBoards } from "./boards_page.ts";
import { type IdeaContent, renderIdeaPage } from "./idea_page.ts";
import { type NewContent, renderNew } from "./new_page.ts";
import { renderRoadmap } from "./roadmap_page.ts";

/** A page, identified by its name and everything that it shows. */
interface NamedPage {
  readonly name: string;
  readonly content: unknown;
}

type Make = (documents: BoardDocuments) => PublicDocument | Promise<PublicDocument>;

/** Replies with pages of boards. */
export interface View {
  /** The person for whom the browser acts; `undefined`: the page is the same for all. */
  readonly viewer: Viewer | undefined;
  /** Replies with a shared page, which is cached while it shows the same. */
  replyToAll(page: NamedPage, make: Make): Promise<Reply | Problem>;
  /** Replies with a page for one reader, which is never cached. */
  replyOnce(make: Make): Promise<Reply>;
}

/** Creates a function that returns the view for a request. */
export function createBoardViews(site: PublicSite): (context: Context) => Promise<View> {
  const pages: PageCache = createPageCache(site);
  let loading: Promise<BoardDocuments> | undefined;

  async function load({ storage, now }: Context): Promise<BoardDocuments> {
    return await createBoardDocuments({
      ...site,
      tag: await feedTagOf(site, { storage, now: now.text }),
    });
  }

  return async function open(context) {
    loading ??= load(context).catch((error) => {
      loading = undefined;
      throw error;
    });
    const documents = await loading;
    return {
      viewer: await readViewer(context, site),
      replyToAll: (page, make) => pages.reply(context, page, () => make(documents)),
      async replyOnce(make) {
        const { headers, ...document } = await make(documents);
        const unkept = { "Cache-Control": "private, no-store" };
        return { status: 200, ...document, headers: { ...headers, ...unkept } };
      },
    };
  };
}

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
