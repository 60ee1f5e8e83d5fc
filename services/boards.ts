import type { Decision, ListQuery, Storage } from "../adapters/storage.ts";
import { applyBoardChange, type Board, type BoardChange, isBoardId } from "../model/board.ts";
import { BOARDS } from "../model/kinds.ts";

/** Why a board was not changed. */
export type BoardFault = "board_not_found" | "precondition_failed";

/** Tells whether a board is in the version that the caller means to change. */
export type IsExpected = (board: Board) => boolean;

type BoardRefs = { readonly board: { readonly kind: typeof BOARDS; readonly key: string } };

/** Returns the board, or `undefined` if there is none. */
export async function getBoard(storage: Storage, boardId: string): Promise<Board | undefined> {
  return isBoardId(boardId) ? await storage.get(BOARDS, boardId) : undefined;
}

/** Lists boards in ascending order of `boardId`. */
export function listBoards(storage: Storage, query: ListQuery): Promise<readonly Board[]> {
  return storage.list(BOARDS, query);
}

/** Stores a new board; returns `false`, and changes nothing, if its `boardId` is taken. */
export function createBoard(storage: Storage, board: Board): Promise<boolean> {
  return storage.transact(
    refsTo(board.boardId),
    ({ board: current }) =>
      current === undefined ? { answer: true, put: { board } } : { answer: false },
  );
}

/** Changes a board that is as expected; returns it as it is then. */
export function updateBoard(
  storage: Storage,
  boardId: string,
  { change, isExpected }: { readonly change: BoardChange; readonly isExpected: IsExpected },
): Promise<Board | BoardFault> {
  return changeBoard(storage, boardId, isExpected, (current) => {
    const board = applyBoardChange(current, change);
    return { answer: board, put: { board } };
  });
}

/** Removes a board that is as expected; returns it as it was. */
export function deleteBoard(
  storage: Storage,
  boardId: string,
  { isExpected }: { readonly isExpected: IsExpected },
): Promise<Board | BoardFault> {
  return changeBoard(storage, boardId, isExpected, (current) => ({
    answer: current,
    remove: ["board"],
  }));
}

async function changeBoard(
  storage: Storage,
  boardId: string,
  isExpected: IsExpected,
  decide: (current: Board) => Decision<BoardRefs, Board | BoardFault>,
): Promise<Board | BoardFault> {
  if (!isBoardId(boardId)) return "board_not_found";
  return await storage.transact<BoardRefs, Board | BoardFault>(
    refsTo(boardId),
    ({ board: current }) => {
      if (current === undefined) return { answer: "board_not_found" };
      return isExpected(current) ? decide(current) : { answer: "precondition_failed" };
    },
  );
}

function refsTo(boardId: string): BoardRefs {
  return { board: { kind: BOARDS, key: boardId } };
}
