import { type ApiKey, isLiveKey } from "../model/api_key.ts";
import type { Board } from "../model/board.ts";
import { applySubscriptionChange, type Subscription } from "../model/subscription.ts";
import { copyTexts } from "../model/text.ts";
import { createSortedKeys } from "./_sorted_keys.ts";
import {
  type ApiKeyStorage,
  type BoardStorage,
  type Storage,
  StorageError,
  type SubscriptionStorage,
} from "./storage.ts";

/** The methods of a part of storage, each done at once. */
type AtOnce<Part> = {
  readonly [Name in keyof Part]: Part[Name] extends (...input: infer In) => Promise<infer Out>
    ? (...input: In) => Out
    : never;
};

/**
 * The records as frozen objects in maps, and the rules of the storage interface on them,
 * all synchronous: what adapters that keep everything in memory have in common.
 */
export interface Tables {
  readonly boards: AtOnce<BoardStorage>;
  readonly subscriptions: AtOnce<SubscriptionStorage>;
  readonly apiKeys: AtOnce<ApiKeyStorage>;
  /** Stores or removes a record as it is, by no rule: to load, replay and take back changes. */
  assign(change: RecordChange): void;
}

/** One record stored or removed; `next` is absent where it is removed. */
export type RecordChange =
  | { readonly table: "boards"; readonly key: string; readonly next?: Board }
  | { readonly table: "subscriptions"; readonly key: string; readonly next?: Subscription }
  | { readonly table: "apiKeys"; readonly key: string; readonly next?: ApiKey };

/**
 * Creates empty tables. `onChange` is told of each change by rule just before it is made,
 * while the maps still hold what it replaces.
 */
export function createTables(onChange: (change: RecordChange) => void = () => {}): Tables {
  const boards = new Map<string, Board>();
  const boardOrder = createSortedKeys();
  const subscriptions = new Map<string, Subscription>();
  const subscriptionOrder = createSortedKeys((userEmail) =>
    subscriptions.get(userEmail)!.subscribed
  );
  const apiKeys = new Map<string, ApiKey>();
  const keyOrder = createSortedKeys();
  const keyIds = new Map<string, string>();

  function assignBoard(boardId: string, next: Board | undefined): void {
    if (next === undefined) {
      boardOrder.remove(boardId);
      boards.delete(boardId);
      return;
    }
    if (!boards.has(boardId)) boardOrder.add(boardId);
    boards.set(boardId, Object.freeze(next));
  }

  function assignSubscription(userEmail: string, next: Subscription | undefined): void {
    const previous = subscriptions.get(userEmail);
    if (next === undefined) {
      subscriptionOrder.remove(userEmail);
      subscriptions.delete(userEmail);
      return;
    }
    subscriptions.set(userEmail, Object.freeze(next));
    if (previous === undefined) subscriptionOrder.add(userEmail);
    else if (previous.subscribed !== next.subscribed) subscriptionOrder.updateMark(userEmail);
  }

  function assignKey(keyId: string, next: ApiKey | undefined): void {
    const previous = apiKeys.get(keyId);
    if (next === undefined) {
      if (previous !== undefined) keyIds.delete(previous.hash);
      keyOrder.remove(keyId);
      apiKeys.delete(keyId);
      return;
    }
    if (previous === undefined) keyOrder.add(keyId);
    keyIds.set(next.hash, keyId);
    Object.freeze(next.scopes);
    apiKeys.set(keyId, Object.freeze(next));
  }

  function assign(change: RecordChange): void {
    if (change.table === "subscriptions") assignSubscription(change.key, change.next);
    else if (change.table === "boards") assignBoard(change.key, change.next);
    else assignKey(change.key, change.next);
  }

  function apply(change: RecordChange): void {
    onChange(change);
    assign(change);
  }

  function setBoard(board: Board): void {
    const next = copyTexts(board);
    apply({ table: "boards", key: next.boardId, next });
  }

  function setKey(key: ApiKey): void {
    // A copy: whoever is told of the change holds on to it, and the key is the caller's.
    const next = copyTexts(key);
    apply({ table: "apiKeys", key: next.keyId, next });
  }

  function createKey(key: ApiKey): void {
    if (apiKeys.has(key.keyId) || keyIds.has(key.hash)) {
      throw new StorageError("conflict", "Cannot create the API key: it exists already");
    }
    setKey(key);
  }

  return {
    assign,
    boards: {
      get: (boardId) => boards.get(boardId),
      list: ({ after, limit }) => page(boardOrder.from(after), boards, limit),
      create(board) {
        if (boards.has(board.boardId)) return false;
        setBoard(board);
        return true;
      },
      replace(current, next) {
        if (!equalBoards(boards.get(current.boardId), current)) return false;
        setBoard(next);
        return true;
      },
      delete(current) {
        if (!equalBoards(boards.get(current.boardId), current)) return false;
        apply({ table: "boards", key: current.boardId });
        return true;
      },
    },
    subscriptions: {
      put(change) {
        const previous = subscriptions.get(change.userEmail);
        const result = applySubscriptionChange(previous, change);
        if (result === previous) return { subscription: result, previous, changed: false };
        const userEmail = previous?.userEmail ?? copyTexts(result.userEmail);
        const isRenamed = result.userName !== previous?.userName;
        const userName = isRenamed ? copyTexts(result.userName) : previous.userName;
        const subscription = { ...result, userEmail, userName };
        apply({ table: "subscriptions", key: userEmail, next: subscription });
        return { subscription, previous, changed: true };
      },
      get: (userEmail) => subscriptions.get(userEmail),
      list: ({ subscribed, after, limit }) =>
        page(subscriptionOrder.from(after, subscribed), subscriptions, limit),
      erase(userEmail) {
        if (!subscriptions.has(userEmail)) return false;
        apply({ table: "subscriptions", key: userEmail });
        return true;
      },
    },
    apiKeys: {
      create: createKey,
      get: (keyId) => apiKeys.get(keyId),
      findByHash(hash) {
        const keyId = keyIds.get(hash);
        return keyId === undefined ? undefined : apiKeys.get(keyId);
      },
      list: ({ after, limit }) => page(keyOrder.from(after), apiKeys, limit),
      rotate({ keyId, at, until, successor }) {
        const key = apiKeys.get(keyId);
        if (key === undefined || !isLiveKey(key, at)) return false;
        createKey(successor);
        const sooner = key.expiresAt !== null && key.expiresAt < until;
        setKey(
          until === at ? { ...key, revokedAt: at } : sooner ? key : { ...key, expiresAt: until },
        );
        return true;
      },
      revoke(keyId, at) {
        const key = apiKeys.get(keyId);
        if (key === undefined) return false;
        if (key.revokedAt === null) setKey({ ...key, revokedAt: at });
        return true;
      },
      touch(keyId, minute) {
        const key = apiKeys.get(keyId);
        if (key === undefined || (key.lastUsedAt !== null && key.lastUsedAt >= minute)) return;
        setKey({ ...key, lastUsedAt: minute });
      },
    },
  };
}

/** Opens tables as storage that ends with the process. */
export function openTables(tables: Tables): Storage {
  let closed = false;

  // Each call runs to its end at once, so that calls take effect in the order they are made.
  function run<T>(operation: () => T): Promise<T> {
    if (closed) {
      return Promise.reject(new StorageError("closed", "Cannot use storage that was closed"));
    }
    try {
      return Promise.resolve(operation());
    } catch (error) {
      return Promise.reject(error);
    }
  }

  return {
    boards: {
      get: (boardId) => run(() => tables.boards.get(boardId)),
      list: (query) => run(() => tables.boards.list(query)),
      create: (board) => run(() => tables.boards.create(board)),
      replace: (current, next) => run(() => tables.boards.replace(current, next)),
      delete: (current) => run(() => tables.boards.delete(current)),
    },
    subscriptions: {
      put: (change) => run(() => tables.subscriptions.put(change)),
      get: (userEmail) => run(() => tables.subscriptions.get(userEmail)),
      list: (query) => run(() => tables.subscriptions.list(query)),
      erase: (userEmail) => run(() => tables.subscriptions.erase(userEmail)),
    },
    apiKeys: {
      create: (key) => run(() => tables.apiKeys.create(key)),
      get: (keyId) => run(() => tables.apiKeys.get(keyId)),
      findByHash: (hash) => run(() => tables.apiKeys.findByHash(hash)),
      list: (query) => run(() => tables.apiKeys.list(query)),
      rotate: (rotation) => run(() => tables.apiKeys.rotate(rotation)),
      revoke: (keyId, at) => run(() => tables.apiKeys.revoke(keyId, at)),
      touch: (keyId, minute) => run(() => tables.apiKeys.touch(keyId, minute)),
    },
    ping: () => run(() => {}),
    close() {
      closed = true;
      return Promise.resolve();
    },
  };
}

function equalBoards(stored: Board | undefined, expected: Board): boolean {
  return stored !== undefined &&
    stored.name === expected.name && stored.description === expected.description &&
    stored.url === expected.url && stored.createdAt === expected.createdAt &&
    stored.updatedAt === expected.updatedAt;
}

function page<T>(keys: Iterable<string>, records: ReadonlyMap<string, T>, limit: number): T[] {
  const found: T[] = [];
  for (const key of keys) {
    found.push(records.get(key)!);
    if (found.length >= limit) break;
  }
  return found;
}
