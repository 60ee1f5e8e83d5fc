import { openTables } from "../../adapters/_tables.ts";
import { type Fault, type Faults, inAllCalls } from "./fault.ts";

/** Takes what it is asked for to be what is stored and looks like it. */
function takingForAnother(isAlike: (stored: string, asked: string) => boolean): Fault {
  return (tables) => {
    const { boards, subscriptions, apiKeys } = tables;
    const all = { limit: Infinity };
    const stored = (asked: string, keys: readonly string[]) =>
      keys.includes(asked) ? asked : keys.find((key) => isAlike(key, asked)) ?? asked;
    const board = (id: string) => stored(id, boards.list(all).map(({ boardId }) => boardId));
    const email = (id: string) =>
      stored(id, subscriptions.list(all).map(({ userEmail }) => userEmail));
    const key = (id: string) => stored(id, apiKeys.list(all).map(({ keyId }) => keyId));
    return openTables({
      ...tables,
      boards: {
        ...boards,
        get: (boardId) => boards.get(board(boardId)),
        replace(current, next) {
          const boardId = board(current.boardId);
          return boards.replace({ ...current, boardId }, { ...next, boardId });
        },
        delete: (current) => boards.delete({ ...current, boardId: board(current.boardId) }),
      },
      subscriptions: {
        ...subscriptions,
        get: (userEmail) => subscriptions.get(email(userEmail)),
        put: (change) => subscriptions.put({ ...change, userEmail: email(change.userEmail) }),
        erase: (userEmail) => subscriptions.erase(email(userEmail)),
      },
      apiKeys: {
        ...apiKeys,
        get: (keyId) => apiKeys.get(key(keyId)),
        findByHash: (hash) =>
          apiKeys.findByHash(stored(hash, apiKeys.list(all).map((found) => found.hash))),
        touch: (keyId, minute) => apiKeys.touch(key(keyId), minute),
        revoke: (keyId, at) => apiKeys.revoke(key(keyId), at),
        rotate: ({ keyId, ...rest }) => apiKeys.rotate({ ...rest, keyId: key(keyId) }),
      },
    });
  };
}

/** Whether a text matches a pattern of SQL. */
function isLike(text: string, pattern: string): boolean {
  const escaped = pattern.replace(/[.*+?^${}()|[\]\\\/-]/g, "\\$&");
  return new RegExp(`^${escaped.replaceAll("%", ".*").replaceAll("_", ".")}$`).test(text);
}

/** Faults of how records are found. */
export const IDENTITY_FAULTS: Faults = {
  "ignores case in what identifies a record": takingForAnother((stored, asked) =>
    stored.toLowerCase() === asked.toLowerCase()
  ),

  "takes what identifies a record for a pattern": takingForAnother(isLike),

  "finds a record by the beginning of what identifies it": takingForAnother((stored, asked) =>
    stored.startsWith(asked)
  ),

  "cuts what identifies a record": takingForAnother((stored, asked) =>
    stored.length === asked.length && asked.length > 40 &&
    stored.slice(0, -1) === asked.slice(0, -1)
  ),

  "finds what all objects inherit": inAllCalls((call, name) => async (...input) =>
    await call(...input) ??
      (name.endsWith(".get") ? ({} as Record<string, unknown>)[input[0] as string] : undefined)
  ),
};
