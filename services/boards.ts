import type { Storage } from "../adapters/storage.ts";
import type { Board } from "../model/board.ts";
import { BOARDS, CHANGELOGS } from "../model/kinds.ts";
import { POST_REMOVALS, type PostRemoval } from "../model/posts/records.ts";
import { applyChange } from "../model/resource.ts";
import { EPOCH } from "../model/values/time.ts";
import { change, type ChangeTools, type Reading } from "./change.ts";
import type { ChangeFault, IsExpected } from "./conditional.ts";
import { CHANGELOG_ID } from "./changelog.ts";

/** A change of a board; fields that are absent stay as they are. */
export interface BoardUpdate {
  readonly change: Partial<Board>;
  /** When (RFC 3339, UTC, milliseconds). */
  readonly at: string;
  readonly isExpected: IsExpected<Board>;
}

/** Stores a new board; returns `false`, and changes nothing, if its id is taken. */
export function addBoard(storage: Storage, board: Board): Promise<boolean> {
  return change(storage, function* (tools) {
    if (yield* tools.read(BOARDS, board.boardId)) return false;
    tools.put(BOARDS, board);
    yield* renewPages(tools, [undefined, board], board.createdAt);
    return true;
  });
}

/** Changes a board if it is as expected; returns the changed board. */
export function updateBoard(
  storage: Storage,
  boardId: string,
  { change: fields, at, isExpected }: BoardUpdate,
): Promise<Board | ChangeFault> {
  return change<Board | ChangeFault>(storage, function* (tools) {
    const current = yield* tools.read(BOARDS, boardId);
    if (current === undefined) return "not_found";
    if (!isExpected(current)) return "precondition_failed";
    const board = applyChange(current, fields, at);
    tools.put(BOARDS, board);
    yield* renewPages(tools, [current, board], at);
    return board;
  });
}

/**
 * Removes a board if it is as expected; returns the removed board. Its posts become invisible at
 * once; `finishRemovals` removes them later.
 */
export function deleteBoard(
  storage: Storage,
  boardId: string,
  { isExpected, at }: Omit<BoardUpdate, "change">,
): Promise<Board | ChangeFault> {
  return change<Board | ChangeFault>(storage, function* (tools) {
    const current = yield* tools.read(BOARDS, boardId);
    if (current === undefined) return "not_found";
    if (!isExpected(current)) return "precondition_failed";
    const { instanceId } = current;
    yield* tools.read(POST_REMOVALS, instanceId);
    tools.put<PostRemoval>(POST_REMOVALS, { instanceId, what: "board" });
    tools.remove(BOARDS, boardId);
    yield* renewPages(tools, [current, undefined], at);
    return current;
  });
}

/** Invalidates cached pages of the changelog if their links to the boards change. */
function* renewPages(
  { read, put }: ChangeTools,
  [before, after]: readonly [before: Board | undefined, after: Board | undefined],
  at: string,
): Reading<void> {
  if ((before?.visibility === "public") === (after?.visibility === "public")) return;
  const { version = 0, updatedAt = EPOCH } = (yield* read(CHANGELOGS, CHANGELOG_ID)) ?? {};
  put(CHANGELOGS, {
    changelogId: CHANGELOG_ID,
    version: version + 1,
    updatedAt: at > updatedAt ? at : updatedAt,
  });
}
