import type { Storage } from "../adapters/storage.ts";
import type { Board } from "../model/board.ts";
import { BOARDS } from "../model/kinds.ts";
import { applyChange } from "../model/resource.ts";
import { type ChangeFault, decideIf, type IsExpected } from "./conditional.ts";

/** A change of a board; fields that are absent stay as they are. */
export interface BoardUpdate {
  readonly change: Partial<Board>;
  /** When (RFC 3339, UTC, milliseconds). */
  readonly at: string;
  readonly isExpected: IsExpected<Board>;
}

/** Changes a board that is as expected; returns it as it is then. */
export function updateBoard(
  storage: Storage,
  boardId: string,
  { change, at, isExpected }: BoardUpdate,
): Promise<Board | ChangeFault> {
  return storage.transact<BoardRefs, Board | ChangeFault>(
    refsTo(boardId),
    (found) =>
      decideIf(found.board, isExpected, (current) => {
        const board = applyChange(current, change, at);
        return { answer: board, put: { board } };
      }),
  );
}

/** Removes a board that is as expected; returns it as it was. */
export function deleteBoard(
  storage: Storage,
  boardId: string,
  isExpected: IsExpected<Board>,
): Promise<Board | ChangeFault> {
  return storage.transact<BoardRefs, Board | ChangeFault>(
    refsTo(boardId),
    ({ board }) =>
      decideIf(board, isExpected, (current) => ({ answer: current, remove: ["board"] })),
  );
}

type BoardRefs = ReturnType<typeof refsTo>;

function refsTo(boardId: string) {
  return { board: { kind: BOARDS, key: boardId } };
}
