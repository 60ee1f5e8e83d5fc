import { BOARDS } from "../../model/kinds.ts";
import { BOARD, type Board, createBoard, showBoard } from "../../model/board.ts";
import { generateId } from "../../model/values/record_id.ts";
import { settable } from "../../model/declare.ts";
import { changeOf } from "../../model/resource.ts";
import { addBoard, deleteBoard, updateBoard } from "../../services/boards.ts";
import { finishRemovals } from "../../services/posts/removal.ts";
import { changeReply, expectationOf, faultProblem, replyUnlessKnown } from "../_http/conditions.ts";
import { type Operation, operation } from "../_http/operation.ts";
import { PAGE_FIELDS, pageReply } from "../_http/page.ts";
import { Problem } from "../_http/problem.ts";
import { readablePart } from "../_http/credentials.ts";

const PATH = "/api/v1/boards";
const ONE = `${PATH}/:boardId`;

const BOARD_FIELDS = settable(BOARD.fields);
const { boardId: _, ...CHANGED_FIELDS } = BOARD_FIELDS;

export const operations = (): readonly Operation[] => [
  operation("GET", ONE, {
    operationId: "getBoard",
    ignoresUnknown: true,
    summary: "Read a board",
    scope: "boards:read",
    successes: [{ status: 200, schema: BOARD, headers: ["ETag"] }],
    async run({ request, storage, param }) {
      const board = await storage.get(BOARDS, param);
      return board === undefined ? "board_not_found" : replyUnlessKnown(request, board, showBoard);
    },
  }),

  operation("GET", PATH, {
    operationId: "listBoards",
    summary: "List boards",
    description: "In ascending order of `boardId`.",
    scope: "boards:read",
    query: PAGE_FIELDS,
    successes: [{ status: 200, description: "A page of boards.", page: BOARD }],
    run: ({ storage, query }) =>
      pageReply(query, (page) => storage.list(BOARDS, page), {
        listing: "boards",
        positionOf: ({ boardId }) => ({ key: boardId }),
        show: showBoard,
      }),
  }),

  operation("POST", PATH, {
    operationId: "createBoard",
    summary: "Create a board",
    scope: "boards:write",
    body: BOARD_FIELDS,
    required: ["name"],
    successes: [{ status: 201, schema: BOARD, headers: ["Location", "ETag"] }],
    problems: ["board_exists"],
    async run({ storage, body, now, basePath }) {
      const boardId = body.boardId ?? generateId();
      const board = createBoard({ ...body, boardId }, now.text);
      if (!await addBoard(storage, board)) {
        return new Problem("board_exists", `There already is a board with the boardId ${boardId}`);
      }
      return changeReply(showBoard(board), { location: `${basePath}${PATH}/${boardId}` });
    },
  }),

  operation("PATCH", ONE, {
    operationId: "updateBoard",
    summary: "Change a board",
    description:
      "Changes only the given fields. Without `boards:read`, the response has only these fields.",
    scope: "boards:write",
    body: CHANGED_FIELDS,
    isConditional: true,
    successes: [{ status: 200, schema: BOARD, headers: ["ETag"] }],
    async run({ request, storage, param, body, caller, now }) {
      const isExpected = expectationOf<Board>(request, showBoard);
      const change = changeOf<Board>(BOARD, body);
      const board = await updateBoard(storage, param, { change, at: now.text, isExpected });
      if (typeof board === "string") return faultProblem(board, request, "board_not_found");
      const fields = ["boardId", ...Object.keys(change), "updatedAt"];
      return changeReply(showBoard(board), {
        show: (shown) => readablePart(shown, caller, { scope: "boards:read", fields }),
      });
    },
  }),

  operation("DELETE", ONE, {
    operationId: "deleteBoard",
    summary: "Delete a board",
    description: "Deletes the board and its posts permanently. Subscriptions stay.",
    scope: "boards:write",
    isConditional: true,
    successes: [{ status: 204, description: "The board is gone." }],
    async run({ request, storage, param, now, warn }) {
      const isExpected = expectationOf<Board>(request, showBoard);
      const deleted = await deleteBoard(storage, param, { isExpected, at: now.text });
      if (typeof deleted === "string") return faultProblem(deleted, request, "board_not_found");
      // The response does not wait for this removal. If it fails, the worker finishes it.
      finishRemovals(storage).catch(() => warn("The board's posts are left to regular work"));
      return { status: 204 };
    },
  }),
];
