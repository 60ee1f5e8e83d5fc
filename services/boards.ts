import type { Ref, Storage } from "../adapters/storage.ts";
import type { Board } from "../model/board.ts";
import { BOARDS, type Changelog, CHANGELOGS } from "../model/kinds.ts";
import { POST_REMOVALS } from "../model/posts/records.ts";
import { applyChange } from "../model/resource.ts";
import { EPOCH } from "../model/values/time.ts";
import { type ChangeFault, decideIf, type IsExpected } from "./conditional.ts";
import { CHANGELOG_ID } from "./entries/entries.ts";

/** A change of a board; fields that are absent stay as they are. */
export interface BoardUpdate {
  readonly change: Partial<Board>;
  /** When (RFC 3339, UTC, milliseconds). */
  readonly at: string;
  readonly isExpected: IsExpected<Board>;
}

/** Stores a new board; returns `false`, and changes nothing, if its id is taken. */
export function addBoard(storage: Storage, board: Board): Promise<boolean> {
  const refs = refsTo(board.boardId, board.visibility === "public");
  return storage.transact<BoardRefs, boolean>(refs, (found) => {
    if (found.board !== undefined) return { answer: false };
    return {
      answer: true,
      put: { board, ...seenChange(found, [undefined, board], board.createdAt) },
    };
  });
}

/** Changes a board if it is as expected; returns the changed board. */
export function updateBoard(
  storage: Storage,
  boardId: string,
  { change, at, isExpected }: BoardUpdate,
): Promise<Board | ChangeFault> {
  return storage.transact<BoardRefs, Board | ChangeFault>(
    refsTo(boardId, change.visibility !== undefined),
    (found) =>
      decideIf(found.board, isExpected, (current) => {
        const board = applyChange(current, change, at);
        return { answer: board, put: { board, ...seenChange(found, [current, board], at) } };
      }),
  );
}

/**
 * Removes a board if it is as expected; returns the removed board. Its posts become invisible at
 * once; `finishRemovals` removes them later.
 */
export async function deleteBoard(
  storage: Storage,
  boardId: string,
  { isExpected, at }: Omit<BoardUpdate, "change">,
): Promise<Board | ChangeFault> {
  for (;;) {
    const seen = await storage.get(BOARDS, boardId);
    if (seen === undefined) return "not_found";
    const { instanceId } = seen;
    const refs: BoardRefs = {
      ...refsTo(boardId, seen.visibility === "public"),
      removal: { kind: POST_REMOVALS, key: instanceId },
    };
    const outcome = await storage.transact<BoardRefs, Board | ChangeFault | "retry">(
      refs,
      (found) => {
        const { board } = found;
        const isSame = board?.instanceId === instanceId && board.visibility === seen.visibility;
        if (board !== undefined && !isSame) return { answer: "retry" };
        return decideIf(board, isExpected, (current) => ({
          answer: current,
          put: {
            removal: { instanceId, what: "board" } as const,
            ...seenChange(found, [current, undefined], at),
          },
          remove: ["board"],
        }));
      },
    );
    if (outcome !== "retry") return outcome;
  }
}

type BoardRefs = {
  readonly board: Ref<typeof BOARDS>;
  readonly removal?: Ref<typeof POST_REMOVALS>;
  readonly changelog?: Ref<typeof CHANGELOGS>;
};

function refsTo(boardId: string, isSeen: boolean): BoardRefs {
  return {
    board: { kind: BOARDS, key: boardId },
    ...isSeen && { changelog: { kind: CHANGELOGS, key: CHANGELOG_ID } },
  };
}

/** Invalidates cached pages of the changelog, whose links to the boards may have changed. */
function seenChange(
  found: { readonly changelog?: Changelog | undefined },
  [before, after]: readonly [before: Board | undefined, after: Board | undefined],
  at: string,
): { readonly changelog?: Changelog } {
  const isSame = (before?.visibility === "public") === (after?.visibility === "public");
  if (isSame) return {};
  const { version = 0, updatedAt = EPOCH } = found.changelog ?? {};
  return {
    changelog: {
      changelogId: CHANGELOG_ID,
      version: version + 1,
      updatedAt: at > updatedAt ? at : updatedAt,
    },
  };
}
