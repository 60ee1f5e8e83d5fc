import { DatabaseSync } from "node:sqlite";
import {
  type ApiKey,
  applySubscriptionChange,
  type Board,
  type PageQuery,
  type Scope,
  type Storage,
  StorageError,
  type StorageErrorCode,
  type Subscription,
} from "@boardcast/boardcast";

// Each change of the tables raises it.
const SCHEMA_VERSION = 1;
const BUSY_TIMEOUT_MS = 2_000;

// Text compares by its UTF-8 bytes unless a column says otherwise, which is the order that
// listings promise.
const SCHEMA = `
  BEGIN IMMEDIATE;
  CREATE TABLE IF NOT EXISTS boards (
    boardId TEXT PRIMARY KEY, name TEXT NOT NULL, description TEXT, url TEXT,
    createdAt TEXT NOT NULL, updatedAt TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS subscriptions (
    userEmail TEXT PRIMARY KEY, userName TEXT, subscribed INTEGER NOT NULL,
    createdAt TEXT NOT NULL, updatedAt TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS subscriptionsByState ON subscriptions (subscribed, userEmail);
  CREATE TABLE IF NOT EXISTS apiKeys (
    keyId TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, name TEXT NOT NULL, hint TEXT NOT NULL,
    scopes TEXT NOT NULL, createdAt TEXT NOT NULL, expiresAt TEXT, revokedAt TEXT,
    lastUsedAt TEXT) STRICT, WITHOUT ROWID;
  PRAGMA user_version = ${SCHEMA_VERSION};
  COMMIT;
`;

const KEY_COLUMNS = { boards: "boardId", subscriptions: "userEmail", apiKeys: "keyId" } as const;
type Table = keyof typeof KEY_COLUMNS;
type Values = Readonly<Record<string, string | number | null>>;

/**
 * Opens storage in one SQLite file, which is created where it is missing. What is written
 * survives the loss of power. Any number of processes on one machine may share the file.
 */
export function openSqliteStorage(path: string): Storage {
  const db = guard(() => connect(path));
  let closed = false;
  // Whether the log beside the file may show somebody who was erased, by a process that ended too.
  let isLogStale = true;

  function all<T>(sql: string, values: Values): T[] {
    return db.prepare(sql).all(values).map((row) => ({ ...row }) as T);
  }

  function find<T>(table: Table, value: string, column: string = KEY_COLUMNS[table]): T[] {
    return all(`SELECT * FROM ${table} WHERE ${column} = :value`, { value });
  }

  function list<T>(table: Table, { after = "", limit }: PageQuery, filter = "true"): T[] {
    const key = KEY_COLUMNS[table];
    const sql = `SELECT * FROM ${table} WHERE ${filter} AND ${key} > :after
      ORDER BY ${key} LIMIT :limit`;
    return all(sql, { after, limit });
  }

  /** Runs a statement and returns how many rows it changed. */
  function change(sql: string, values: Values): number {
    return Number(db.prepare(sql).run(values).changes);
  }

  // SQLite answers at once, so that calls take effect in the order in which they are made.
  function run<T>(operation: () => T): Promise<T> {
    return new Promise((resolve) => {
      if (closed) throw new StorageError("closed", "Cannot use storage that was closed");
      const result = guard(operation);
      if (isLogStale) isLogStale = !emptyLog();
      resolve(result);
    });
  }

  /** Returns whether it did: the log can't be emptied while another connection reads or writes. */
  function emptyLog(): boolean {
    try {
      // A later call tries again, so that none has to wait for the other connection.
      db.exec("PRAGMA busy_timeout = 0");
      return db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0;
    } catch {
      // The call itself was carried out.
      return false;
    } finally {
      db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }

  /** Runs several statements as one step. IMMEDIATE: what is read can't change before the write. */
  function runInTransaction<T>(operation: () => T): Promise<T> {
    return run(() => {
      db.exec("BEGIN IMMEDIATE");
      try {
        const result = operation();
        db.exec("COMMIT");
        return result;
      } catch (error) {
        try {
          db.exec("ROLLBACK");
        } catch {
          // Some errors have rolled it back already.
        }
        throw error;
      }
    });
  }

  function insertBoard(board: Board): boolean {
    const sql = `INSERT INTO boards VALUES
      (:boardId, :name, :description, :url, :createdAt, :updatedAt) ON CONFLICT DO NOTHING`;
    return change(sql, { ...board }) > 0;
  }

  function deleteBoard(current: Board): boolean {
    const sql = `DELETE FROM boards WHERE boardId = :boardId AND name = :name
      AND description IS :description AND url IS :url
      AND createdAt = :createdAt AND updatedAt = :updatedAt`;
    return change(sql, { ...current }) > 0;
  }

  function getSubscription(userEmail: string): Subscription | undefined {
    return find<SubscriptionRow>("subscriptions", userEmail).map(toSubscription)[0];
  }

  function insertKey(key: ApiKey): void {
    const sql = `INSERT INTO apiKeys VALUES (:keyId, :hash, :name, :hint, :scopes,
      :createdAt, :expiresAt, :revokedAt, :lastUsedAt)`;
    change(sql, { ...key, scopes: key.scopes.join(" ") });
  }

  return {
    boards: {
      get: (boardId) => run(() => find<Board>("boards", boardId)[0]),
      list: (query) => run(() => list<Board>("boards", query)),
      create: (board) => run(() => insertBoard(board)),
      replace: (current, next) => runInTransaction(() => deleteBoard(current) && insertBoard(next)),
      delete: (current) => run(() => deleteBoard(current)),
    },

    subscriptions: {
      put: (asked) =>
        runInTransaction(() => {
          const previous = getSubscription(asked.userEmail);
          const subscription = applySubscriptionChange(previous, asked);
          if (subscription === previous) return { subscription, previous, changed: false };
          const sql = `INSERT OR REPLACE INTO subscriptions VALUES
            (:userEmail, :userName, :subscribed, :createdAt, :updatedAt)`;
          change(sql, { ...subscription, subscribed: Number(subscription.subscribed) });
          return { subscription, previous, changed: true };
        }),
      get: (userEmail) => run(() => getSubscription(userEmail)),
      list: ({ subscribed, ...page }) =>
        run(() => {
          const filter = subscribed === undefined ? "true" : `subscribed = ${Number(subscribed)}`;
          return list<SubscriptionRow>("subscriptions", page, filter).map(toSubscription);
        }),
      erase: (userEmail) =>
        run(() => {
          const sql = "DELETE FROM subscriptions WHERE userEmail = :userEmail";
          const erased = change(sql, { userEmail }) > 0;
          // The log beside the file still holds pages that show the person.
          isLogStale ||= erased;
          return erased;
        }),
    },

    apiKeys: {
      create: (key) => run(() => insertKey(key)),
      get: (keyId) => run(() => find<KeyRow>("apiKeys", keyId).map(toKey)[0]),
      findByHash: (hash) => run(() => find<KeyRow>("apiKeys", hash, "hash").map(toKey)[0]),
      list: (query) => run(() => list<KeyRow>("apiKeys", query).map(toKey)),
      rotate: ({ keyId, at, until, successor }) =>
        runInTransaction(() => {
          const end = until === at
            ? "revokedAt = :until"
            : "expiresAt = min(ifnull(expiresAt, :until), :until)";
          const sql = `UPDATE apiKeys SET ${end} WHERE keyId = :keyId AND revokedAt IS NULL
            AND (expiresAt IS NULL OR expiresAt > :at)`;
          if (change(sql, { keyId, at, until }) === 0) return false;
          insertKey(successor);
          return true;
        }),
      revoke: (keyId, at) =>
        run(() => {
          const sql = "UPDATE apiKeys SET revokedAt = ifnull(revokedAt, :at) WHERE keyId = :keyId";
          return change(sql, { keyId, at }) > 0;
        }),
      touch: (keyId, minute) =>
        run(() => {
          const sql = `UPDATE apiKeys SET lastUsedAt = :minute
            WHERE keyId = :keyId AND ifnull(lastUsedAt, '') < :minute`;
          change(sql, { keyId, minute });
        }),
    },

    ping: () => runInTransaction(() => {}),
    close() {
      if (!closed) db.close();
      closed = true;
      return Promise.resolve();
    },
  };
}

function connect(path: string): DatabaseSync {
  const db = new DatabaseSync(path);
  try {
    const version = Number(db.prepare("PRAGMA user_version").get()?.user_version);
    // 0 is a new file. Migrate those of older versions here: SCHEMA leaves tables as they are.
    if (version !== 0 && version !== SCHEMA_VERSION) {
      throw new StorageError("incompatible", "Cannot open storage that another version wrote");
    }
    // FULL: a commit waits until the log is on the disk. secure_delete: what is deleted is
    // overwritten.
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; ${SCHEMA}`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Runs an operation; whatever it throws becomes a `StorageError`. */
function guard<T>(operation: () => T): T {
  try {
    return operation();
  } catch (error) {
    if (error instanceof StorageError) throw error;
    throw new StorageError(codeOf(error), "SQLite failed", { cause: error });
  }
}

/** Translates SQLite's result code, whose low byte is the class (sqlite.org/rescode.html). */
function codeOf(error: unknown): StorageErrorCode {
  const { errcode = 0 } = error as { readonly errcode?: number };
  const SQLITE_CORRUPT = 11;
  const SQLITE_CONSTRAINT = 19;
  const SQLITE_NOTADB = 26;
  if ((errcode & 0xff) === SQLITE_CONSTRAINT) return "conflict";
  return [SQLITE_CORRUPT, SQLITE_NOTADB].includes(errcode & 0xff) ? "damaged" : "unavailable";
}

type SubscriptionRow = Omit<Subscription, "subscribed"> & { readonly subscribed: number };
type KeyRow = Omit<ApiKey, "scopes"> & { readonly scopes: string };

function toSubscription(row: SubscriptionRow): Subscription {
  return { ...row, subscribed: row.subscribed === 1 };
}

function toKey(row: KeyRow): ApiKey {
  return { ...row, scopes: row.scopes.split(" ") as Scope[] };
}
