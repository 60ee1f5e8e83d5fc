import type { Storage } from "../../../adapters/storage.ts";
import { answer, choice, listOf, pick, sentFlag } from "../../../model/declare.ts";
import { BOARDS } from "../../../model/kinds.ts";
import type { Board } from "../../../model/board.ts";
import { POST_SORTS, type PostSort } from "../../../model/posts/place.ts";
import {
  POST,
  type Post,
  POST_BODY_MAX_BYTES,
  POST_STATES,
  POST_STATUSES,
  type ShownPost,
} from "../../../model/posts/post.ts";
import { VOTE } from "../../../model/posts/vote.ts";
import { parseQuery } from "../../../model/posts/words.ts";
import { changeOf } from "../../../model/resource.ts";
import { isId } from "../../../model/values/record_id.ts";
import { Refusal } from "../../../model/values/refusal.ts";
import { parseText } from "../../../model/values/text.ts";
import { createPost } from "../../../services/posts/create.ts";
import { listPosts, postPosition } from "../../../services/posts/listing.ts";
import { showPost, showPosts } from "../../../services/posts/posts.ts";
import { findSimilar, MAX_SIMILAR } from "../../../services/posts/similar.ts";
import { deletePost, type PostFault, updatePost } from "../../../services/posts/update.ts";
import { readPages } from "../../../services/records.ts";
import {
  changeReply,
  expectationOf,
  faultProblem,
  replyUnlessKnown,
} from "../../_http/conditions.ts";
import { checkScopes, readablePart } from "../../_http/credentials.ts";
import type { QueryValues } from "../../_http/fields.ts";
import { type Context, type Operation, operation, type Outcome } from "../../_http/operation.ts";
import { ORDERED_PAGE_FIELDS, pageReply } from "../../_http/page.ts";
import {
  badValue,
  type FieldProblem,
  type ProblemCode,
  validationFailed,
} from "../../_http/problem.ts";
import { jsonReply } from "../../_http/reply.ts";
import { POST_PATH, POSTS_PATH, readPost, TEAM_SCOPE } from "./_posts.ts";

const MAX_QUERY_CODE_POINTS = 100;
const MAX_SIMILAR_CODE_POINTS = 200;

const SIMILAR = answer("SimilarPosts", "The posts that a title may repeat.", {
  data: listOf(POST, "The most similar first."),
});

/**
 * The fields that result from a change. A key that can't read posts sees them besides the fields
 * that it sent.
 */
const FOLLOWING_FIELDS = ["postId", "boardId", "status", "state", "updatedAt"];

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

export const postOperations: readonly Operation[] = [
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
    },
    successes: [{ status: 200, description: "A page of posts.", page: POST }],
    async run(context) {
      const { storage, query: { boardId, answered } } = context;
      const boards = boardId === undefined
        ? await readBoards(storage)
        : [await storage.get(BOARDS, boardId)].filter((board) => board !== undefined);
      if (boardId !== undefined && boards.length === 0) return "board_not_found";
      const listing = `posts-${boardId ?? "~"}-${answered ?? "any"}`;
      return await listReply(context, { boards, isAnswered: answered, listing });
    },
  }),

  operation("GET", POSTS_PATH, {
    operationId: "listPosts",
    summary: "List posts of a board",
    description:
      "Lists posts by votes, unless `sort` says otherwise. With `hot`, a vote loses half of " +
      "its weight each week. A `state` other than `public` also needs `posts:publish`.",
    scope: "posts:read",
    query: LIST_FIELDS,
    successes: [{ status: 200, description: "A page of posts.", page: POST }],
    async run(context) {
      const board = await context.storage.get(BOARDS, context.param);
      if (board === undefined) return "board_not_found";
      return await listReply(context, { boards: [board], listing: `posts-${board.boardId}` });
    },
  }),

  operation("POST", POSTS_PATH, {
    operationId: "createPost",
    summary: "Create a post",
    description:
      "With `userEmail`, creates the post for that person, whose vote is its first. Without " +
      "it, the post is the team's own and has no vote. The post is public at once.",
    scope: "posts:write",
    body: {
      postId: POST.fields.postId,
      title: POST.fields.title,
      body: POST.fields.body,
      userEmail: VOTE.fields.userEmail,
      userName: VOTE.fields.userName,
      notify: sentFlag("Whether the person asks to be told what becomes of it.", {
        default: false,
      }),
    },
    required: ["title"],
    maxBodyBytes: POST_BODY_MAX_BYTES,
    check: ({ userEmail, notify }) =>
      notify && !userEmail ? [badValue("notify", "needs the userEmail of whoever is told")] : [],
    successes: [{ status: 201, schema: POST, headers: ["Location", "ETag"] }],
    problems: ["post_exists", "board_full"],
    async run({ storage, param, body, caller, now, basePath }) {
      const { userEmail, userName = null, notify = false } = body;
      const post = await createPost(storage, {
        boardId: param,
        postId: body.postId ?? undefined,
        title: body.title,
        body: body.body ?? null,
        author: userEmail ? { userEmail, userName, notify: notify === true } : undefined,
        source: "api",
        keyId: caller.keyId,
        at: now.text,
      });
      if (typeof post === "string") return post as ProblemCode;
      const location = `${basePath}${pathOf(post)}`;
      return changeReply(await showPost(storage, post, now.text), { location });
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
      return jsonReply(200, { data: await showPosts(storage, posts, now.text) });
    },
  }),

  operation("GET", POST_PATH, {
    operationId: "getPost",
    summary: "Read a post",
    description: "A held or hidden post also needs `posts:publish`.",
    scope: "posts:read",
    successes: [{ status: 200, schema: POST, headers: ["ETag"] }],
    async run(context) {
      const found = await readPost(context);
      if (typeof found === "string") return found;
      const { storage, request, now } = context;
      return replyUnlessKnown(request, await showPost(storage, found.post, now.text));
    },
  }),

  operation("PATCH", POST_PATH, {
    operationId: "updatePost",
    summary: "Change a post",
    description:
      "Changes only the given fields: approves a held post (`state=public`), hides a public " +
      "one (`state=hidden`), answers, or sets the status. Declining needs an answer. It " +
      "hides a held post, and tells its author if they asked to be told. With `notify`, the " +
      "people who asked are mailed the status and the answer; nobody gets the same ones " +
      "twice. If nothing can mail, `notify` is a 409. Without `posts:read`, the answer has " +
      "only the texts that were sent.",
    scope: "posts:publish",
    body: {
      ...pick(POST.fields, "title", "body", "status", "answer", "state"),
      notify: sentFlag(
        "Whether those who asked are told of the status and the answer; absent: only the author of a " +
          "held post that is declined.",
      ),
    },
    maxBodyBytes: POST_BODY_MAX_BYTES,
    isConditional: true,
    successes: [{ status: 200, schema: POST, headers: ["ETag"] }],
    problems: ["mail_not_configured"],
    async run(context) {
      const { request, storage, params: [boardId, postId], caller, now, worker } = context;
      const { notify, ...body } = context.body;
      const change = changeOf<Post>(POST, body);
      const mayTell = (notify || change.status === "declined") && await context.hasMail();
      if (notify && !mayTell) return "mail_not_configured";
      const post = await updatePost(storage, {
        boardId,
        postId,
        at: now.text,
        change,
        // The author of a held idea sees nothing of its refusal on any page, and so is always told.
        notify: notify ?? (mayTell && "author"),
        isExpected: expectationOf<ShownPost>(request),
      });
      if (mayTell) worker?.wake();
      if (typeof post === "string") {
        return await postFaultProblem(post, { request, storage, boardId });
      }
      const fields = [...FOLLOWING_FIELDS, ...Object.keys(change)];
      return changeReply(post, {
        show: (shown) => readablePart(shown, caller, { scope: "posts:read", fields }),
      });
    },
  }),

  operation("DELETE", POST_PATH, {
    operationId: "deletePost",
    summary: "Delete a post",
    description: "Deletes the post permanently, with its votes and reports.",
    scope: "posts:publish",
    isConditional: true,
    successes: [{ status: 204, description: "The post is gone." }],
    async run({ request, storage, params: [boardId, postId], now }) {
      const isExpected = expectationOf<ShownPost>(request);
      const fault = await deletePost(storage, { boardId, postId, at: now.text, isExpected });
      return fault === undefined
        ? { status: 204 }
        : await postFaultProblem(fault, { request, storage, boardId });
    },
  }),
];

type ListContext = Pick<Context, "storage" | "caller" | "now" | "isGone"> & {
  readonly query: QueryValues<typeof LIST_FIELDS>;
};

async function listReply(
  { storage, query, caller, now, isGone }: ListContext,
  { boards, isAnswered, listing }: {
    readonly boards: readonly Board[];
    readonly isAnswered?: boolean | undefined;
    readonly listing: string;
  },
): Promise<Outcome> {
  const { status, state = "public", q, sort = "votes" } = query;
  const refused = state === "public" ? undefined : checkScopes(caller, [TEAM_SCOPE]);
  if (refused !== undefined) return refused;
  const words = q === undefined ? undefined : parseQuery(q);
  const filter = { boards, sort, state, status, isAnswered, words };
  return await pageReply(query, async ({ after, limit }) => {
    const page = { after, limit, now: now.text, isGone };
    const { records, stoppedAt } = await listPosts(storage, filter, page);
    const shown = await showPosts(storage, records, now.text);
    return { records: records.map((post, at) => ({ post, shown: shown[at] })), stoppedAt };
  }, {
    listing: `${listing}-${sort}-${state}-${status ?? "any"}`,
    positionOf: ({ post }) => postPosition(post, sort satisfies PostSort),
    show: ({ shown }) => shown,
  });
}

async function readBoards(storage: Storage): Promise<readonly Board[]> {
  const boards: Board[] = [];
  for await (const page of readPages(storage, BOARDS)) boards.push(...page);
  return boards;
}

async function postFaultProblem(
  fault: PostFault,
  { request, storage, boardId }: {
    readonly request: Request;
    readonly storage: Storage;
    readonly boardId: string;
  },
): Promise<Outcome> {
  if (fault === "not_found" || fault === "precondition_failed") {
    const isBoard = fault !== "not_found" || await storage.get(BOARDS, boardId) !== undefined;
    return faultProblem(fault, request, isBoard ? "post_not_found" : "board_not_found");
  }
  return validationFailed([FAULTS[fault]]);
}

const FAULTS: Readonly<
  Record<Exclude<PostFault, "not_found" | "precondition_failed">, FieldProblem>
> = {
  needs_answer: {
    field: "answer",
    code: "required",
    detail: "answer is required: people are told why a post is declined",
  },
  shipped_by_entry: badValue(
    "status",
    "can't change while the entry that ships the post is public",
  ),
  nothing_to_tell: badValue(
    "notify",
    "has nothing to tell: the post is held or merged, or it is open without an answer",
  ),
  not_held: badValue("state", "can't become held again: hide the post with state=hidden"),
};

function pathOf({ boardId, postId }: Post): string {
  return POST_PATH.replace(":boardId", boardId).replace(":postId", postId);
}

function parseBoardId(text: string): string | Refusal {
  return isId(text) ? text : new Refusal("invalid_value", "is no id of a board");
}

function parseWords(text: string, maxCodePoints: number): string | Refusal {
  const words = parseText(text, { maxCodePoints });
  return words === "" ? new Refusal("invalid_value", "is empty") : words;
}
