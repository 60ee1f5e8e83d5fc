// The boards by their names, which people know them by.

import { call } from "../client.js";
import { may } from "../session.js";

/** @typedef {import("../../model/board.ts").ShownBoard} Board */

/** The boards that this tab has read, by their identifiers. @type {Map<string, Board>} */
const known = new Map();

/**
 * Reads all boards; none with a key that may not read them.
 *
 * @param {AbortSignal} [signal]
 * @returns {Promise<readonly Board[]>}
 */
export async function readBoards(signal) {
  /** @type {Board[]} */
  const boards = [];
  /** @type {string | null} */
  let cursor = may("boards:read") ? "" : null;
  while (cursor !== null) {
    /** @type {{ data: Board[], nextCursor: string | null }} */
    const page = await call("GET", "boards", { query: { limit: "100", cursor }, signal });
    boards.push(...page.data);
    cursor = page.nextCursor;
  }
  known.clear();
  for (const board of boards) known.set(board.boardId, board);
  return boards;
}

/** Reads the boards unless this tab has read some. @param {AbortSignal} [signal] */
export async function knowBoards(signal) {
  if (known.size === 0) await readBoards(signal);
}

/** Returns a board that this tab has read. @param {string} boardId */
export function boardOf(boardId) {
  return known.get(boardId);
}

/** Returns the name of a board, or its identifier if it was not read. @param {string} boardId */
export function boardName(boardId) {
  return known.get(boardId)?.name ?? boardId;
}

/** Tells whether the name of its board distinguishes an idea from others. */
export function hasManyBoards() {
  return known.size > 1;
}
