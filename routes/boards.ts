import {
  type Board,
  BOARD_DESCRIPTION_MAX_CODE_POINTS,
  type BoardChange,
  parseDescription,
} from "../model/board.ts";
import { parseHttpUrl, URL_MAX_LENGTH } from "../model/http_url.ts";
import { NAME_MAX_CODE_POINTS, parseName } from "../model/name.ts";
import { generateId, ID_PATTERN, parseId } from "../model/record_id.ts";
import { createBoard, deleteBoard, getBoard, listBoards, updateBoard } from "../services/boards.ts";
import type { ChangeFault } from "../services/conditional.ts";
import {
  expectationOf,
  preconditionFailed,
  replyUnlessKnown,
  represent,
  type Representation,
} from "./_conditions.ts";
import { type Field, type FieldSchema, optional, required } from "./_fields.ts";
import { type Operation, operation } from "./_operation.ts";
import { PAGE_FIELDS, pageReply } from "./_page.ts";
import { Problem } from "./_problem.ts";
import { jsonReply } from "./_reply.ts";

const NAME: FieldSchema = {
  description: "The name for people. Normalised to NFC and trimmed.",
  minLength: 1,
  maxLength: NAME_MAX_CODE_POINTS,
  examples: ["Feature requests"],
};
// What both POST and PATCH take, and `null` clears. The type makes an error of types of a field that
// is left out.
const CLEARABLE_FIELDS = {
  description: optional(parseDescription, {
    description: "What the board is for. Normalised to NFC and trimmed; may have several lines.",
    maxLength: BOARD_DESCRIPTION_MAX_CODE_POINTS,
    examples: ["What should we build next?"],
  }),
  url: optional(parseHttpUrl, {
    description:
      "Where the board is shown: an absolute http or https URL in ASCII (RFC 3986). Percent-encode " +
      "other characters, and write a non-ASCII host as `xn--…`.",
    format: "uri",
    maxLength: URL_MAX_LENGTH,
    examples: ["https://example.com/feedback"],
  }),
} satisfies Record<Exclude<keyof BoardChange, "name" | "at">, Field<unknown>>;

const BOARD_ID: FieldSchema = {
  description: "The identifier of the board, case-sensitive.",
  examples: ["feature-requests"],
};

const NOT_FOUND = new Problem("board_not_found", "There is no board with this boardId");

/** The operations on boards. */
export const boardOperations: readonly Operation[] = [
  operation({
    method: "GET",
    path: "/api/v1/boards/:boardId",
    operationId: "getBoard",
    ignoresUnknown: true,
    summary: "Read a board",
    description: "Returns one board. With `If-None-Match`, returns it only if it has changed.",
    tag: "Boards",
    scope: "boards:read",
    params: { boardId: BOARD_ID },
    requestHeaders: ["If-None-Match"],
    successes: [
      {
        status: 200,
        description: "The board, with `Cache-Control: private, no-cache`.",
        schema: "Board",
        headers: ["ETag"],
      },
      { status: 304, description: "The board still matches `If-None-Match`.", headers: ["ETag"] },
    ],
    problems: ["board_not_found"],
    async run({ request, storage, param }) {
      const board = await getBoard(storage, param);
      if (board === undefined) return NOT_FOUND;
      return replyUnlessKnown(request, representBoard(board));
    },
  }),

  operation({
    method: "GET",
    path: "/api/v1/boards",
    operationId: "listBoards",
    summary: "List boards",
    description: "In ascending order of `boardId`.",
    tag: "Boards",
    scope: "boards:read",
    query: PAGE_FIELDS,
    successes: [{ status: 200, description: "A page of boards.", schema: "BoardPage" }],
    run: ({ storage, query }) =>
      pageReply(query, (page) => listBoards(storage, page), {
        positionOf: ({ boardId }) => ({ key: boardId }),
      }),
  }),

  operation({
    method: "POST",
    path: "/api/v1/boards",
    operationId: "createBoard",
    summary: "Create a board",
    description: "Creates a board with the given identifier, or with a generated one.",
    tag: "Boards",
    scope: "boards:write",
    body: {
      boardId: optional(parseId, {
        description: "The identifier, case-sensitive; generated if absent.",
        pattern: ID_PATTERN,
        examples: ["feature-requests"],
      }),
      name: required(parseName, NAME),
      ...CLEARABLE_FIELDS,
    },
    successes: [{
      status: 201,
      description: "The board was created.",
      schema: "Board",
      headers: ["Location", "ETag"],
    }],
    problems: ["board_exists"],
    async run({ storage, body, now, basePath }) {
      const board: Board = {
        boardId: body.boardId ?? generateId(),
        name: body.name,
        description: body.description || null,
        url: body.url ?? null,
        createdAt: now.text,
        updatedAt: now.text,
      };
      if (!await createBoard(storage, board)) {
        return new Problem(
          "board_exists",
          `There already is a board with the boardId ${board.boardId}`,
        );
      }
      const location = `${basePath}/api/v1/boards/${encodeURIComponent(board.boardId)}`;
      return jsonReply(201, board, { ETag: etagOf(board), Location: location });
    },
  }),

  operation({
    method: "PATCH",
    path: "/api/v1/boards/:boardId",
    operationId: "updateBoard",
    summary: "Change a board",
    description:
      "Changes only the fields given. `null` in JSON, or an empty value in a form, clears " +
      "`description` or `url`.",
    tag: "Boards",
    scope: "boards:write",
    params: { boardId: BOARD_ID },
    body: {
      name: optional(parseName, NAME, { nullable: false }),
      ...CLEARABLE_FIELDS,
    },
    requestHeaders: ["If-Match"],
    successes: [
      { status: 200, description: "The board as it is now.", schema: "Board", headers: ["ETag"] },
    ],
    problems: ["board_not_found", "precondition_failed"],
    async run({ request, storage, param, body, now }) {
      const change = { ...body, name: body.name ?? undefined, at: now.text };
      const isExpected = expectationOf(request, etagOf);
      const board = await updateBoard(storage, param, { change, isExpected });
      if (typeof board === "string") return refuse(board, request);
      return jsonReply(200, board, { ETag: etagOf(board) });
    },
  }),

  operation({
    method: "DELETE",
    path: "/api/v1/boards/:boardId",
    operationId: "deleteBoard",
    summary: "Delete a board",
    description: "Deletes the board permanently. Subscriptions are not affected.",
    tag: "Boards",
    scope: "boards:write",
    params: { boardId: BOARD_ID },
    requestHeaders: ["If-Match"],
    successes: [{ status: 204, description: "The board is gone." }],
    problems: ["board_not_found", "precondition_failed"],
    async run({ request, storage, param }) {
      const deleted = await deleteBoard(storage, param, expectationOf(request, etagOf));
      return typeof deleted === "string" ? refuse(deleted, request) : { status: 204 };
    },
  }),
];

// Records never change, so that a representation can be kept as long as its record.
const representations = new WeakMap<Board, Representation>();

function representBoard(board: Board): Representation {
  const known = representations.get(board);
  if (known !== undefined) return known;
  const representation = represent(board);
  representations.set(board, representation);
  return representation;
}

function etagOf(board: Board): string {
  return representBoard(board).etag;
}

function refuse(fault: ChangeFault, request: Request): Problem {
  return fault === "not_found" ? NOT_FOUND : preconditionFailed(request);
}
