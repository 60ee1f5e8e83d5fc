import type { Storage } from "../adapters/storage.ts";
import type { Board } from "../model/board.ts";
import { BOARDS, POST_REMOVALS } from "../model/kinds.ts";
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

/**
 * Removes a board that is as expected; returns it as it was. From then on nothing shows its posts,
 * which are removed afterwards: see `finishRemovals`.
 */
export async function deleteBoard(
  storage: Storage,
  boardId: string,
  isExpected: IsExpected<Board>,
): Promise<Board | ChangeFault> {
  for (;;) {
    const seen = await storage.get(BOARDS, boardId);
    if (seen === undefined) return "not_found";
    const { instanceId } = seen;
    const refs = { ...refsTo(boardId), removal: { kind: POST_REMOVALS, key: instanceId } };
    const outcome = await storage.transact<typeof refs, Board | ChangeFault | "retry">(
      refs,
      ({ board }) => {
        if (board !== undefined && board.instanceId !== instanceId) return { answer: "retry" };
        return decideIf(board, isExpected, (current) => ({
          answer: current,
          put: { removal: { instanceId, what: "board" } as const },
          remove: ["board"],
        }));
      },
    );
    if (outcome !== "retry") return outcome;
  }
}

type BoardRefs = ReturnType<typeof refsTo>;

function refsTo(boardId: string) {
  return { board: { kind: BOARDS, key: boardId } };
}
