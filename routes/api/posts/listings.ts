import type { Storage } from "../../../adapters/storage.ts";
import { choice, listOf, object, sentFlag } from "../../../model/declare.ts";
import { BOARDS } from "../../../model/kinds.ts";
import type { Board } from "../../../model/board.ts";
import { POST_SORTS, type PostSort } from "../../../model/posts/place.ts";
import { POST_STATES, POST_STATUSES } from "../../../model/posts/post.ts";
import { POST_SHOWN } from "../../../model/posts/post_shown.ts";
import { parseQuery } from "../../../model/posts/words.ts";
import { isId } from "../../../model/values/record_id.ts";
import { Refusal } from "../../../model/values/refusal.ts";
import { parseText } from "../../../model/values/text.ts";
import { listPosts, listReported, postPosition } from "../../../services/posts/listing.ts";
import { showPosts } from "../../../services/posts/posts.ts";
import { findSimilar, MAX_SIMILAR } from "../../../services/posts/similar.ts";
import { readPages } from "../../../services/records.ts";
import { checkScopes } from "../../_http/credentials.ts";
import type { QueryValues } from "../../_http/fields.ts";
import { type Context, type Operation, operation, type Outcome } from "../../_http/operation.ts";
import { ORDERED_PAGE_FIELDS, pageReply } from "../../_http/page.ts";
import { jsonReply } from "../../_http/reply.ts";
import { deliveryOf, POSTS_PATH, TEAM_SCOPE, VOTER_QUERY, withVoted } from "./_posts.ts";

const MAX_QUERY_CODE_POINTS = 100;
const MAX_SIMILAR_CODE_POINTS = 200;

const SIMILAR = object("SimilarPosts", "The posts that a title may repeat.", {
  data: listOf(POST_SHOWN, "The most similar first."),
});

const LIST_FIELDS = {
  ...ORDERED_PAGE_FIELDS,
  status: choice(POST_STATUSES, "Return only posts of this status."),
  state: choice(POST_STATES, "Return only posts in this state. Default: `public`."),
  q: {
    schema: {
      description:
        "Return only posts whose title, body or answer has all of these words, in any case. " +
        "The last word may be incomplete.",
      type: "string",
      minLength: 1,
      maxLength: MAX_QUERY_CODE_POINTS,
      examples: ["dark mode"],
    },
    parse: (text: string) => parseWords(text, MAX_QUERY_CODE_POINTS),
  },
  sort: choice(POST_SORTS, "The order, highest first. Default: `votes`."),
} as const;

/** The operations that find posts: by state, words and order, or like a title. */
export const operations = (): readonly Operation[] => [
  operation("GET", "/api/v1/posts", {
    operationId: "listAllPosts",
    summary: "List posts of all boards",
    description:
      "Lists posts by votes, unless `sort` says otherwise. A `state` other than `public` " +
      "also needs `posts:publish`.",
    scope: "posts:read",
    query: {
      ...LIST_FIELDS,
      boardId: {
        schema: {
          description: "Return only posts of this board.",
          type: "string",
          examples: ["feature-requests"],
        },
        parse: parseBoardId,
      },
      answered: sentFlag("Return only posts with an answer, or without one."),
      reported: sentFlag(
        "`true`: return only posts whose reports were not dealt with; needs `posts:publish` and " +
          "`subscriptions:read`.",
      ),
    },
    successes: [{ status: 200, description: "A page of posts.", page: POST_SHOWN }],
    async run(context) {
      const { storage, caller, query: { boardId, answered, reported = false } } = context;
      const refused = reported && checkScopes(caller, [TEAM_SCOPE, "subscriptions:read"]);
      if (refused) return refused;
      const boards = boardId === undefined
        ? await readBoards(storage)
        : [await storage.get(BOARDS, boardId)].filter((board) => board !== undefined);
      if (boardId !== undefined && boards.length === 0) return "board_not_found";
      const listing = `posts-${boardId ?? "~"}-${answered ?? "any"}-${reported}`;
      const list = reported ? listReported : listPosts;
      return await listReply(context, { boards, isAnswered: answered, listing, list });
    },
  }),

  operation("GET", POSTS_PATH, {
    operationId: "listPosts",
    summary: "List posts of a board",
    description:
      "Lists posts by votes, unless `sort` says otherwise. With `hot`, a vote loses half of " +
      "its weight each week. A `state` other than `public` also needs `posts:publish`.",
    scope: "posts:read",
    query: { ...LIST_FIELDS, ...VOTER_QUERY },
    successes: [{ status: 200, description: "A page of posts.", page: POST_SHOWN }],
    async run(context) {
      const board = await context.storage.get(BOARDS, context.param);
      if (board === undefined) return "board_not_found";
      const { caller, query: { voter } } = context;
      const refused = voter && checkScopes(caller, ["posts:write"]);
      if (refused) return refused;
      const listing = `posts-${board.boardId}`;
      return await listReply(context, { boards: [board], listing, voter });
    },
  }),

  operation("GET", `${POSTS_PATH}/similar`, {
    operationId: "findSimilarPosts",
    summary: "Find similar posts",
    description:
      `Returns up to ${MAX_SIMILAR} public posts that can be voted for and may mean the ` +
      "same.",
    scope: "posts:read",
    query: {
      q: {
        schema: {
          description: "A title, whose last word may be incomplete.",
          type: "string",
          minLength: 1,
          maxLength: MAX_SIMILAR_CODE_POINTS,
          examples: ["dark mode"],
        },
        parse: (text) => parseWords(text, MAX_SIMILAR_CODE_POINTS),
      },
    },
    required: ["q"],
    successes: [{ status: 200, schema: SIMILAR }],
    async run({ storage, param, query, now }) {
      const board = await storage.get(BOARDS, param);
      if (board === undefined) return "board_not_found";
      const posts = await findSimilar(storage, board, { q: query.q, now: now.text });
      const shown = await showPosts(storage, posts, now.text);
      const data = shown.map((one, index) => ({ ...one, ...deliveryOf(posts[index]) }));
      return jsonReply(200, { data });
    },
  }),
];

type ListContext = Pick<Context, "storage" | "caller" | "now" | "isGone"> & {
  readonly query: QueryValues<typeof LIST_FIELDS>;
};

async function listReply(
  { storage, query, caller, now, isGone }: ListContext,
  { boards, isAnswered, listing, voter, list = listPosts }: {
    readonly boards: readonly Board[];
    readonly isAnswered?: boolean | undefined;
    readonly listing: string;
    readonly voter?: string | null | undefined;
    readonly list?: typeof listPosts;
  },
): Promise<Outcome> {
  const { status, state = "public", q, sort = "votes" } = query;
  const refused = state === "public" ? undefined : checkScopes(caller, [TEAM_SCOPE]);
  if (refused !== undefined) return refused;
  const words = q === undefined ? undefined : parseQuery(q);
  const filter = { boards, sort, state, status, isAnswered, words };
  return await pageReply(query, async ({ after, limit }) => {
    const page = { after, limit, now: now.text, isGone };
    const { records, stoppedAt } = await list(storage, filter, page);
    const shown = await showPosts(storage, records, now.text);
    const posts = records.map((post, at) => ({ post, shown: shown[at] }));
    const voted = await withVoted(storage, voter, posts);
    return { records: posts.map(({ post }, at) => ({ post, shown: voted[at] })), stoppedAt };
  }, {
    listing: `${listing}-${sort}-${state}-${status ?? "any"}`,
    positionOf: ({ post }) => postPosition(post, sort satisfies PostSort),
    show: ({ post, shown }) => ({ ...shown, ...deliveryOf(post) }),
  });
}

async function readBoards(storage: Storage): Promise<readonly Board[]> {
  const boards: Board[] = [];
  for await (const page of readPages(storage, BOARDS)) boards.push(...page);
  return boards;
}

function parseBoardId(text: string): string | Refusal {
  return isId(text) ? text : new Refusal(
    "invalid_value",
    "is not the identifier of a board: 1 to 128 letters, digits and . _ ~ -",
  );
}

function parseWords(text: string, maxCodePoints: number): string | Refusal {
  const words = parseText(text, { maxCodePoints });
  return words === "" ? new Refusal("invalid_value", "is empty") : words;
}
