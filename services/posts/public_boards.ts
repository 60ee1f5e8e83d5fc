import type { Storage } from "../../adapters/storage.ts";
import type { Board } from "../../model/board.ts";
import { BOARD_TALLIES, BOARDS } from "../../model/kinds.ts";
import { readPages } from "../records.ts";

/** Lists all boards that everybody may see, by id. */
export async function listPublicBoards(storage: Storage): Promise<readonly Board[]> {
  const boards: Board[] = [];
  const matches = ({ visibility }: Board) => visibility === "public";
  for await (const page of readPages(storage, BOARDS, {}, { matches })) boards.push(...page);
  return boards;
}

/** Returns a board that everybody may see. */
export async function getPublicBoard(
  storage: Storage,
  boardId: string,
): Promise<Board | undefined> {
  const board = await storage.get(BOARDS, boardId);
  return board?.visibility === "public" ? board : undefined;
}

/** Returns how many posts of a board are open. */
export async function countOpen(storage: Storage, { instanceId }: Board): Promise<number> {
  return (await storage.get(BOARD_TALLIES, instanceId))?.open ?? 0;
}
