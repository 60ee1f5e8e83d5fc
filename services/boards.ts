import type { ListQuery, Storage } from "../adapters/storage.ts";
import { applyBoardChange, type Board, type BoardChange } from "../model/board.ts";
import { BOARDS } from "../model/kinds.ts";
import { isId } from "../model/record_id.ts";
import { type ChangeFault, decideIf, type IsExpected } from "./conditional.ts";
import { insertRecord } from "./records.ts";

export async function getBoard(storage: Storage, boardId: string): Promise<Board | undefined> {
  return isId(boardId) ? await storage.get(BOARDS, boardId) : undefined;
}

export function listBoards(storage: Storage, query: ListQuery): Promise<readonly Board[]> {
  return storage.list(BOARDS, query);
}

/** Stores a new board; returns `false`, and changes nothing, if its `boardId` is taken. */
export function createBoard(storage: Storage, board: Board): Promise<boolean> {
  return insertRecord(storage, BOARDS, board);
}

/** Changes a board that is as expected; returns it as it is then. */
export async function updateBoard(
  storage: Storage,
  boardId: string,
  { change, isExpected }: { readonly change: BoardChange; readonly isExpected: IsExpected<Board> },
): Promise<Board | ChangeFault> {
  if (!isId(boardId)) return "not_found";
  return await storage.transact<BoardRefs, Board | ChangeFault>(
    refsTo(boardId),
    (found) =>
      decideIf(found.board, isExpected, (current) => {
        const board = applyBoardChange(current, change);
        return { answer: board, put: { board } };
      }),
  );
}

/** Removes a board that is as expected; returns it as it was. */
export async function deleteBoard(
  storage: Storage,
  boardId: string,
  isExpected: IsExpected<Board>,
): Promise<Board | ChangeFault> {
  if (!isId(boardId)) return "not_found";
  return await storage.transact<BoardRefs, Board | ChangeFault>(
    refsTo(boardId),
    ({ board }) =>
      decideIf(board, isExpected, (current) => ({ answer: current, remove: ["board"] })),
  );
}

type BoardRefs = ReturnType<typeof refsTo>;

function refsTo(boardId: string) {
  return { board: { kind: BOARDS, key: boardId } };
}
