import type { SiteContext } from "../../branded.ts";
import type { Board } from "../../../model/board.ts";
import { choice } from "../../../model/declare.ts";
import { POST_SORTS } from "../../../model/posts/place.ts";
import { isClosing, POST_STATUSES, type ShownPost } from "../../../model/posts/post.ts";
import { parseQuery } from "../../../model/posts/words.ts";
import { inPieces, limitConcurrency } from "../../../model/turns.ts";
import type { Refusal } from "../../../model/values/refusal.ts";
import { parseText } from "../../../model/values/text.ts";
import { listPosts, postPosition } from "../../../services/posts/listing.ts";
import {
  findPost,
  followMerges,
  isShippedByEntry,
  readEntriesOf,
  showPosts,
  showPostWith,
} from "../../../services/posts/posts.ts";
import {
  countOpen,
  getPublicBoard,
  listPublicBoards,
} from "../../../services/posts/public_boards.ts";
import { readRoadmap, type RoadmapPosts } from "../../../services/posts/roadmap.ts";
import { mailboxOf } from "../../../model/posts/vote.ts";
import { recentVotes } from "../../../model/posts/vote_days.ts";
import { renderVoteForm } from "./vote_form.ts";
import { readRemembered, showVisitor } from "../_page/visitor.ts";
import { createLimit } from "../../_http/rate_limit.ts";
import { type Context, FOUND_PAGE, type Operation, operation } from "../../_http/operation.ts";
import { encodeCursor, ORDERED_PAGE_FIELDS, refuseForeign } from "../../_http/page.ts";
import type { Problem } from "../../_http/problem.ts";
import type { Reply } from "../../_http/reply.ts";
import { createBoardViews, type View } from "./views.ts";
import { ideaAddress, SEARCH_MAX_LENGTH } from "./parts.ts";
import { FEED_TYPES } from "../_page/site.ts";
import { renderBoard } from "./board_page.ts";
import { renderBoards, renderRoadmap } from "./overviews.ts";
import { writeBoardFeed } from "./feed.ts";
import { renderIdeaPage } from "./idea_page.ts";

const PAGE_LENGTH = 20;
// Limit of searches that run or wait. Each may read all ideas of a board, and anybody can search.
const MAX_SEARCHES = 64;
// Limit of long searches that run.
const MAX_RUNNING = 2;
const FEED_LENGTH = 50;
// Roadmap changes appear within this time.
const ROADMAP_MS = 2_000;
const VALIDATORS = ["ETag", "Last-Modified"] as const;
const FOUND = { ...FOUND_PAGE, headers: VALIDATORS } as const;

const q = {
  schema: {
    description: "Only ideas that have all of these words; the last one may be incomplete.",
    type: "string",
    maxLength: SEARCH_MAX_LENGTH,
    examples: ["dark mode"],
  },
  // An empty search finds everything.
  parse: (text: string): string | Refusal => parseText(text, { maxCodePoints: SEARCH_MAX_LENGTH }),
} as const;

/** Creates the operations of the pages and feeds of boards. */
export async function operations(
  { site, documents }: SiteContext,
): Promise<readonly Operation[]> {
  const views = createBoardViews(site, await documents());
  let roadmap:
    | { readonly ms: number; readonly posts: Promise<readonly RoadmapPosts[]> }
    | undefined;

  const inLimit = createLimit(MAX_SEARCHES, "searches");
  const inTurn = limitConcurrency(MAX_RUNNING);

  async function showBoard(view: View, context: BoardContext, board: Board) {
    const { storage, now, query, isGone } = context;
    const { status, sort } = query;
    const q = query.q || undefined;
    const order = sort ?? "votes";
    const listing = `ideas-${board.boardId}-${order}-${status ?? "any"}`;
    const refused = refuseForeign(query.cursor, listing);
    if (refused !== undefined) return refused;
    const filter = {
      boards: [board],
      sort: order,
      state: "public",
      status,
      words: q === undefined ? undefined : parseQuery(q),
    } as const;
    const page = {
      after: query.cursor ?? undefined,
      limit: PAGE_LENGTH + 1,
      now: now.text,
      isGone,
      inTurn,
    };
    const { records, stoppedAt } = await listPosts(storage, filter, page);
    const shown = records.slice(0, PAGE_LENGTH);
    const end = records.length > PAGE_LENGTH
      ? postPosition(shown[PAGE_LENGTH - 1], order)
      : stoppedAt;
    const content = {
      board,
      query: {
        status,
        sort: order === "votes" ? undefined : order,
        q,
        cursor: query.cursor ? encodeCursor(query.cursor) : undefined,
      },
      posts: await showPosts(storage, shown, now.text),
      next: end && encodeCursor({ listing, ...end }),
    };
    if (view.visitor !== undefined) {
      const visitor = await showVisitor(storage, view.visitor, shown);
      return await view.replyOnce((site) => renderBoard(site, { ...content, visitor }));
    }
    const name = `board ${board.boardId} ${JSON.stringify(content.query)}`;
    return await view.replyToAll({ name, content }, (site) => renderBoard(site, content));
  }

  return [
    operation("GET", "/boards", {
      operationId: "getBoardsPage",
      summary: "See the public boards",
      isPage: true,
      successes: [FOUND],
      async run(context) {
        const { storage } = context;
        const boards = await Promise.all(
          (await listPublicBoards(storage)).map(async (board) => ({
            board,
            open: await countOpen(storage, board),
          })),
        );
        const view = await views(context);
        const page = { name: "boards", content: boards };
        return await view.reply(page, (site, visitor) => renderBoards(site, { boards, visitor }));
      },
    }),

    operation("GET", "/boards/:boardId.atom", {
      operationId: "getBoardFeed",
      summary: "Follow a board by Atom",
      description:
        `Returns the newest ${FEED_LENGTH} ideas of a public board as Atom 1.0 (RFC 4287).`,
      successes: [{ status: 200, schema: "Feed", headers: VALIDATORS }],
      async run(context) {
        const { storage, param, now } = context;
        const board = await getPublicBoard(storage, param);
        if (board === undefined) return "board_not_found";
        const filter = { boards: [board], sort: "new", state: "public" } as const;
        const page = { limit: FEED_LENGTH, now: now.text };
        const { records } = await listPosts(storage, filter, page);
        const posts = (await showPosts(storage, records, now.text)).map(withoutVotes);
        const view = await views(context);
        const content = { board, posts };
        return await view.replyToAll(
          { name: `feed ${param}`, content },
          async (site) => ({
            contentType: FEED_TYPES.atom,
            body: await inPieces(writeBoardFeed(site, board, posts)),
          }),
        );
      },
    }),

    operation("GET", "/boards/:boardId", {
      operationId: "getBoardPage",
      summary: "See the ideas of a public board",
      description: "Returns a page of 20 ideas, by votes unless `sort` says otherwise.",
      isPage: true,
      query: {
        status: choice(POST_STATUSES, "Only ideas of this status."),
        sort: choice(POST_SORTS, "The order, highest first. Default: `votes`."),
        q,
        cursor: ORDERED_PAGE_FIELDS.cursor,
      },
      successes: [FOUND],
      problems: ["rate_limited"],
      async run(context) {
        const board = await getPublicBoard(context.storage, context.param);
        if (board === undefined) return "board_not_found";
        const view = await views(context);
        const show = () => showBoard(view, context, board);
        return context.query.q ? await inLimit(show) : await show();
      },
    }),

    operation("GET", "/boards/:boardId/:postId", {
      operationId: "getIdeaPage",
      summary: "See an idea",
      description: "A merged idea redirects to the idea that it was merged into.",
      isPage: true,
      successes: [
        FOUND,
        { status: 301, description: "The idea was merged into another.", headers: ["Location"] },
      ],
      problems: ["post_not_found"],
      async run(context): Promise<Reply | Problem | "post_not_found"> {
        const { storage, params: [boardId, postId], now } = context;
        const found = await findPost(storage, { boardId, postId });
        if (found?.board.visibility !== "public") return "post_not_found";
        const { board, post } = found;
        const view = await views(context);
        if (post.mergedInto !== null) {
          const last = await followMerges(storage, post);
          return last?.state === "public" ? moved(ideaAddress(site, last)) : "post_not_found";
        }
        if (post.state !== "public") {
          // Only the author, whose address a mail has proved, can see it.
          const author = await readRemembered(context);
          const isAuthor = author && mailboxOf(author.userEmail) === post.authorMailbox;
          if (!isAuthor) return "post_not_found";
        }
        const entry = (await readEntriesOf(storage, [post])).get(`${post.entryId}`);
        const shown = showPostWith(post, entry, now.text);
        const content = {
          board,
          post: shown,
          isByTeam: post.source === "api" && post.authorMailbox === null,
          entry: isShippedByEntry(post, entry, now.text) ? entry : undefined,
          recent: recentVotes(post.voteDays, now.text),
        };
        const canVote = post.state === "public" && !isClosing(shown.status);
        if (view.visitor !== undefined) {
          const visitor = await showVisitor(storage, view.visitor, [post]);
          const hasVoted = visitor.votedFor.has(postId);
          const known = { isKnown: true, hasVoted, isTold: visitor.toldOf.has(postId), canVote };
          const form = canVote || hasVoted ? renderVoteForm(site, post, known) : undefined;
          return await view.replyOnce((site) =>
            renderIdeaPage(site, { ...content, visitor, form })
          );
        }
        const form = canVote ? renderVoteForm(site, post) : undefined;
        const name = `idea ${boardId} ${postId}`;
        return await view.replyToAll(
          { name, content },
          (site) => renderIdeaPage(site, { ...content, form }),
        );
      },
    }),

    operation("GET", "/roadmap", {
      operationId: "getRoadmapPage",
      summary: "See the roadmap",
      description:
        "Returns the ideas of all public boards that are considered, planned and started, " +
        "50 of each by votes, and those that were shipped in the last 90 days.",
      isPage: true,
      successes: [FOUND],
      async run(context) {
        const { storage, now } = context;
        const age = now.ms - (roadmap?.ms ?? -Infinity);
        if (roadmap === undefined || age >= ROADMAP_MS || age < 0) {
          const posts = listPublicBoards(storage).then((boards) =>
            readRoadmap(storage, boards, now.text)
          );
          roadmap = { ms: now.ms, posts };
          posts.catch(() => roadmap = undefined);
        }
        const columns = await Promise.all((await roadmap.posts).map(async ({ status, posts }) => ({
          status,
          posts: await showPosts(storage, posts, now.text),
        })));
        const view = await views(context);
        const page = { name: "roadmap", content: columns };
        return await view.reply(page, (site, visitor) => renderRoadmap(site, { columns, visitor }));
      },
    }),
  ];
}

type BoardContext = Context & {
  readonly query: {
    readonly status?: ShownPost["status"] | undefined;
    readonly sort?: typeof POST_SORTS[number] | undefined;
    readonly q?: string | null | undefined;
    readonly cursor?: Parameters<typeof refuseForeign>[0];
  };
};

/** A feed shows no votes, so it must not change with them. */
function withoutVotes(post: ShownPost): ShownPost {
  return { ...post, votes: 0, importedVotes: 0 };
}

function moved(address: string): Reply {
  return {
    status: 301,
    headers: { Location: address, "Cache-Control": "public, max-age=60" },
  };
}
