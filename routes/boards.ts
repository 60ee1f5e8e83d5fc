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
import { changeReply, expectationOf, faultProblem, replyUnlessKnown } from "./_conditions.ts";
import { type Field, type FieldSchema, optional, required } from "./_fields.ts";
import { type Operation, operation } from "./_operation.ts";
import { PAGE_FIELDS, pageReply } from "./_page.ts";
import { Problem } from "./_problem.ts";

const PATH = "/api/v1/boards";
const ONE = `${PATH}/:boardId`;
const TAG = { tag: "Boards" } as const;
const OF_ONE = {
  ...TAG,
  params: {
    boardId: {
      description: "The identifier of the board, case-sensitive.",
      examples: ["feature-requests"],
    },
  },
  problems: ["board_not_found"],
} as const;

const NAME: FieldSchema = {
  description: "The name for people. Normalised to NFC and trimmed.",
  minLength: 1,
  maxLength: NAME_MAX_CODE_POINTS,
  examples: ["Feature requests"],
};
// What both POST and PATCH take, and `null` clears. The compiler refuses a list that lacks a field.
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

const NOT_FOUND = new Problem("board_not_found", "There is no board with this boardId");

export const boardOperations: readonly Operation[] = [
  operation("GET", ONE, {
    ...OF_ONE,
    operationId: "getBoard",
    ignoresUnknown: true,
    summary: "Read a board",
    description: "Returns one board. With `If-None-Match`, returns it only if it has changed.",
    scope: "boards:read",
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
    async run({ request, storage, param }) {
      const board = await getBoard(storage, param);
      return board === undefined ? NOT_FOUND : replyUnlessKnown(request, board);
    },
  }),

  operation("GET", PATH, {
    ...TAG,
    operationId: "listBoards",
    summary: "List boards",
    description: "In ascending order of `boardId`.",
    scope: "boards:read",
    query: PAGE_FIELDS,
    successes: [{ status: 200, description: "A page of boards.", schema: "BoardPage" }],
    run: ({ storage, query }) =>
      pageReply(query, (page) => listBoards(storage, page), {
        positionOf: ({ boardId }) => ({ key: boardId }),
      }),
  }),

  operation("POST", PATH, {
    ...TAG,
    operationId: "createBoard",
    summary: "Create a board",
    description: "Creates a board with the given identifier, or with a generated one.",
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
      const boardId = body.boardId ?? generateId();
      const board: Board = {
        boardId,
        name: body.name,
        description: body.description || null,
        url: body.url ?? null,
        createdAt: now.text,
        updatedAt: now.text,
      };
      if (!await createBoard(storage, board)) {
        return new Problem("board_exists", `There already is a board with the boardId ${boardId}`);
      }
      return changeReply(board, { location: `${basePath}${PATH}/${boardId}` });
    },
  }),

  operation("PATCH", ONE, {
    ...OF_ONE,
    operationId: "updateBoard",
    summary: "Change a board",
    description: "Changes only the fields given. `null` in JSON, or an empty value in a form, " +
      "clears `description` or `url`.",
    scope: "boards:write",
    body: { name: optional(parseName, NAME, { nullable: false }), ...CLEARABLE_FIELDS },
    requestHeaders: ["If-Match"],
    successes: [
      { status: 200, description: "The board as it is now.", schema: "Board", headers: ["ETag"] },
    ],
    async run({ request, storage, param, body, now }) {
      const change = { ...body, name: body.name ?? undefined, at: now.text };
      const isExpected = expectationOf<Board>(request);
      const board = await updateBoard(storage, param, { change, isExpected });
      return typeof board === "string"
        ? faultProblem(board, request, NOT_FOUND)
        : changeReply(board);
    },
  }),

  operation("DELETE", ONE, {
    ...OF_ONE,
    operationId: "deleteBoard",
    summary: "Delete a board",
    description: "Deletes the board permanently. Subscriptions are not affected.",
    scope: "boards:write",
    requestHeaders: ["If-Match"],
    successes: [{ status: 204, description: "The board is gone." }],
    async run({ request, storage, param }) {
      const deleted = await deleteBoard(storage, param, expectationOf<Board>(request));
      return typeof deleted === "string"
        ? faultProblem(deleted, request, NOT_FOUND)
        : { status: 204 };
    },
  }),
];
