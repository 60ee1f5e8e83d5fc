import type { Storage } from "../../../adapters/storage.ts";
import { sentFlag, settable } from "../../../model/declare.ts";
import { grantsScope } from "../../../model/keys/api_key.ts";
import { BOARDS, POSTS } from "../../../model/kinds.ts";
import { POST, type Post, POST_BODY_MAX_BYTES, type ShownPost } from "../../../model/posts/post.ts";
import { POST_RESPONSE, POST_SHOWN } from "../../../model/posts/post_shown.ts";
import { VOTE } from "../../../model/posts/vote.ts";
import { changeOf } from "../../../model/resource.ts";
import { createPost } from "../../../services/posts/create.ts";
import { listMergedInto } from "../../../services/posts/merge_path.ts";
import { showPost } from "../../../services/posts/posts.ts";
import type { PostFault } from "../../../services/posts/post_change.ts";
import { deletePost, updatePost } from "../../../services/posts/update.ts";
import {
  changeReply,
  expectationOf,
  faultProblem,
  replyUnlessKnown,
} from "../../_http/conditions.ts";
import { checkScopes, readablePart } from "../../_http/credentials.ts";
import { type Operation, operation, type Outcome } from "../../_http/operation.ts";
import {
  badValue,
  type FieldProblem,
  Problem,
  type ProblemCode,
  validationFailed,
} from "../../_http/problem.ts";
import { jsonReply } from "../../_http/reply.ts";
import {
  deliveryFor,
  deliveryOf,
  POST_PATH,
  POSTS_PATH,
  readPost,
  TEAM_SCOPE,
  VOTER_QUERY,
  withVoted,
} from "./_posts.ts";

const { postId, ...CHANGED_FIELDS } = settable(POST.fields);
// The team decides about a post once there is one.
const { status: _, answer: __, state: ___, ...CREATED_FIELDS } = CHANGED_FIELDS;

/**
 * The fields that result from a change. A key that can't read posts sees them besides the fields
 * that it sent.
 */
const FOLLOWING_FIELDS = ["postId", "boardId", "status", "state", "updatedAt"];

/** The operations on a post: create, read, change and delete. */
export const operations = (): readonly Operation[] => [
  operation("POST", POSTS_PATH, {
    operationId: "createPost",
    summary: "Create a post",
    description:
      "With `userEmail`, creates the post for that person, whose vote is its first. Without " +
      "it, the post is the team's own and has no vote. The post is public at once.",
    scope: "posts:write",
    body: {
      postId,
      ...CREATED_FIELDS,
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
    successes: [{ status: 201, schema: POST_SHOWN, headers: ["Location", "ETag"] }],
    problems: ["post_exists", "board_full"],
    async run({ storage, param, body, caller, now, basePath }) {
      const { userEmail, userName = null, notify = false, ...values } = body;
      const post = await createPost(storage, {
        ...values,
        boardId: param,
        postId: values.postId ?? undefined,
        body: values.body ?? null,
        author: userEmail ? { userEmail, userName, notify: notify === true } : undefined,
        source: "api",
        keyId: caller.keyId,
        addedBy: caller.name,
        at: now.text,
      });
      if (typeof post === "string") return post as ProblemCode;
      const location = `${basePath}${pathOf(post)}`;
      const also = deliveryOf(post);
      return changeReply(await showPost(storage, post, now.text), { location, also });
    },
  }),

  operation("GET", POST_PATH, {
    operationId: "getPost",
    summary: "Read a post",
    description:
      "A held or hidden post also needs `posts:publish`. The `ETag` is that of the post itself, " +
      "so a change of `merged`, `deliveryId` or `voted` does not change it.",
    scope: "posts:read",
    query: VOTER_QUERY,
    successes: [{ status: 200, schema: POST_RESPONSE, headers: ["ETag"] }],
    async run(context) {
      const found = await readPost(context);
      if (typeof found === "string") return found;
      const { storage, request, now, caller, query: { voter } } = context;
      const refused = voter && checkScopes(caller, ["posts:write"]);
      if (refused) return refused;
      const shown = await showPost(storage, found.post, now.text);
      const reply = replyUnlessKnown(request, shown);
      // A vote leaves the ETag as it is, so it can't tell that the response is known.
      if (reply instanceof Problem || (reply.status !== 200 && !voter)) return reply;
      const [voted] = await withVoted(storage, voter, [{ post: found.post, shown }]);
      const whole = { ...voted, ...deliveryOf(found.post) };
      if (!grantsScope(caller.scopes, TEAM_SCOPE)) return jsonReply(200, whole, reply.headers);
      const merged = (await listMergedInto(storage, found.post))
        .map(({ postId, title }) => ({ postId, title }));
      return jsonReply(200, { ...whole, merged }, reply.headers);
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
      "twice. If nothing can mail, `notify` is a 409. Without `posts:read`, the response has " +
      "only the texts that were sent.",
    scope: TEAM_SCOPE,
    body: {
      ...CHANGED_FIELDS,
      notify: sentFlag(
        "Whether those who asked are told of the status and the answer; absent: only the author of a " +
          "held post that is declined.",
      ),
    },
    maxBodyBytes: POST_BODY_MAX_BYTES,
    isConditional: true,
    successes: [{ status: 200, schema: POST_SHOWN, headers: ["ETag"] }],
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
        // No page shows the refusal of a held idea to its author, so a mail always tells them.
        notify: notify ?? (mayTell && "author"),
        isExpected: expectationOf<ShownPost>(request),
      });
      if (mayTell) worker?.wake();
      if (typeof post === "string") {
        return await postFaultProblem(post, { request, storage, boardId });
      }
      const fields = [...FOLLOWING_FIELDS, ...Object.keys(change)];
      const stored = await storage.get(POSTS, postId);
      return changeReply(post, {
        also: stored && deliveryFor(caller, stored),
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
  cant_hold: badValue(
    "state",
    "can't become held: the post is hidden or merged, or an entry ships it",
  ),
};

function pathOf({ boardId, postId }: Post): string {
  return POST_PATH.replace(":boardId", boardId).replace(":postId", postId);
}
