import type { Storage } from "../../adapters/storage.ts";
import type { Board } from "../../model/board.ts";
import { BOARDS } from "../../model/kinds.ts";
import { BOARD_TALLIES } from "../../model/posts/records.ts";
import { readPages } from "../records.ts";

/** Lists all public boards by id. */
export async function listPublicBoards(storage: Storage): Promise<readonly Board[]> {
  const boards: Board[] = [];
  const matches = ({ visibility }: Board) => visibility === "public";
  for await (const page of readPages(storage, BOARDS, {}, { matches })) boards.push(...page);
  return boards;
}

export async function getPublicBoard(
  storage: Storage,
  boardId: string,
): Promise<Board | undefined> {
  const board = await storage.get(BOARDS, boardId);
  return board?.visibility === "public" ? board : undefined;
}

/** Returns the number of public posts of a board that are open. */
export async function countOpen(storage: Storage, { instanceId }: Board): Promise<number> {
  return (await storage.get(BOARD_TALLIES, instanceId))?.publicOpen ?? 0;
}
