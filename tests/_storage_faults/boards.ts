import type { Tables } from "../../adapters/_tables.ts";
import type { Board } from "../../model/board.ts";
import { sampleBoard } from "../_contract/samples.ts";
import { type Faults, inCalls, inRules, turn } from "./fault.ts";

const FIELDS = (Object.keys(sampleBoard("any")) as (keyof Board)[])
  .filter((field) => field !== "boardId");

/** Faults of storage for boards. */
export const BOARD_FAULTS: Faults = {
  "answers null for a board that is unknown": inRules("boards", (sound) => ({
    get: (boardId) => sound.get(boardId) ?? null as never,
  })),

  "overwrites a board when it is created again": inRules("boards", (sound, tables) => ({
    create(board) {
      const isNew = sound.create(board);
      if (!isNew) assign(tables, board);
      return isNew;
    },
  })),

  "claims to have created a board whose identifier is taken": inRules("boards", (sound) => ({
    create: (board) => sound.create(board) || true,
  })),

  "looks whether an identifier is taken before it creates the board": inCalls(
    "boards",
    (sound, tables) => ({
      async create(board) {
        if (await sound.get(board.boardId)) return false;
        await turn();
        assign(tables, board);
        return true;
      },
    }),
  ),

  "replaces a board whatever was read of it": inRules("boards", (sound, tables) => ({
    replace(current, next) {
      if (sound.get(current.boardId) === undefined) return false;
      assign(tables, next);
      return true;
    },
  })),

  "deletes a board whatever was read of it": inRules("boards", (sound) => ({
    delete({ boardId }) {
      const board = sound.get(boardId);
      return board !== undefined && sound.delete(board);
    },
  })),

  ...Object.fromEntries(FIELDS.map((field) => [
    `does not compare the ${field} of a board`,
    inRules("boards", (sound) => {
      function withStored(current: Board): Board {
        const stored = sound.get(current.boardId);
        return { ...current, [field]: stored?.[field] };
      }
      return {
        replace: (current, next) => sound.replace(withStored(current), next),
        delete: (current) => sound.delete(withStored(current)),
      };
    }),
  ])),

  "compares boards in the order of their fields": inRules("boards", (sound) => {
    function isStored(current: Board): boolean {
      return JSON.stringify(sound.get(current.boardId)) === JSON.stringify(current);
    }
    return {
      replace: (current, next) => isStored(current) && sound.replace(current, next),
      delete: (current) => isStored(current) && sound.delete(current),
    };
  }),

  "compares a board some time before it replaces or deletes it": inCalls(
    "boards",
    (sound, tables) => {
      async function isStored(current: Board): Promise<boolean> {
        const isEqual = await sound.replace(current, current);
        await turn();
        return isEqual;
      }
      return {
        async replace(current, next) {
          if (!await isStored(current)) return false;
          assign(tables, next);
          return true;
        },
        async delete(current) {
          if (!await isStored(current)) return false;
          tables.assign({ table: "boards", key: current.boardId });
          return true;
        },
      };
    },
  ),

  "refuses a board that is older than the stored one": inRules("boards", (sound) => ({
    replace: (current, next) => next.updatedAt >= current.updatedAt && sound.replace(current, next),
  })),

  "keeps when a board was created, whatever replaces it": inRules("boards", (sound) => ({
    replace: (current, next) => sound.replace(current, { ...next, createdAt: current.createdAt }),
  })),

  "adds a board that was to be replaced and is unknown": inRules("boards", (sound) => ({
    replace: (current, next) =>
      sound.replace(current, next) ||
      (sound.get(current.boardId) === undefined && sound.create(next)),
  })),

  "claims to have deleted a board that is unknown": inRules("boards", (sound) => ({
    delete: (current) => sound.delete(current) || sound.get(current.boardId) === undefined,
  })),

  "never gives the identifier of a deleted board again": inRules("boards", (sound) => {
    const deleted = new Set<string>();
    return {
      create: (board) => !deleted.has(board.boardId) && sound.create(board),
      delete(current) {
        const isDone = sound.delete(current);
        if (isDone) deleted.add(current.boardId);
        return isDone;
      },
    };
  }),

  "stores a board that replaces another in two steps": inCalls("boards", (sound) => ({
    async replace(current, next) {
      const half = { ...current, name: next.name };
      if (!await sound.replace(current, half)) return false;
      await turn();
      return sound.replace(half, next);
    },
  })),
};

function assign(tables: Tables, board: Board): void {
  tables.assign({ table: "boards", key: board.boardId, next: { ...board } });
}
