import { DatabaseSync } from "node:sqlite";
import {
  type AnyKind,
  boundsOf,
  type Change,
  freeze,
  indexEntries,
  type Item,
  type Kind,
  type ListQuery,
  runDecide,
  type Storage,
  StorageError,
} from "@boardcast/boardcast";

const BUSY_TIMEOUT_MS = 2_000;

// FULL: a commit waits until the log is on the disk. secure_delete: what is removed is overwritten,
// once the log has been emptied, which closing does. Text compares by its bytes, as listings
// promise.
const SCHEMA = `
  PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;
  CREATE TABLE IF NOT EXISTS records (
    kind TEXT, key TEXT, record TEXT NOT NULL, PRIMARY KEY (kind, key)) STRICT;
  CREATE TABLE IF NOT EXISTS entries (
    kind TEXT, list TEXT, position TEXT, key TEXT,
    PRIMARY KEY (kind, list, position, key)) STRICT, WITHOUT ROWID;
`;

/**
 * Opens storage in one SQLite file, which is created where it is missing. What is written survives
 * the loss of power. Any number of processes on one machine may share the file.
 */
export function openSqliteStorage(path: string): Storage {
  const db = connect(path);
  const find = db.prepare("SELECT record FROM records WHERE kind = ? AND key = ?");
  const put = db.prepare("INSERT OR REPLACE INTO records VALUES (?, ?, ?)");
  const remove = db.prepare("DELETE FROM records WHERE kind = ? AND key = ?");
  const addEntry = db.prepare("INSERT INTO entries VALUES (?, ?, ?, ?)");
  const removeEntry = db.prepare(
    "DELETE FROM entries WHERE kind = ? AND list = ? AND position = ? AND key = ?",
  );
  const [ascending, descending] = ["ASC", "DESC"].map((order) =>
    db.prepare(`SELECT record FROM entries JOIN records USING (kind, key)
      WHERE kind = ? AND list = ? AND (position, key) > (?, ?) AND (position, key) < (?, ?)
      ORDER BY position ${order}, key ${order} LIMIT ?`)
  );
  let closed = false;

  function read({ name }: { readonly name: string }, key: string): Item | undefined {
    const row = find.get(name, key);
    return row && parse(row);
  }

  function apply({ kind, key, next }: Change): void {
    for (const [list, position] of entriesOf(kind, read(kind, key))) {
      removeEntry.run(kind.name, list, position, key);
    }
    for (const [list, position] of entriesOf(kind, next)) {
      addEntry.run(kind.name, list, position, key);
    }
    if (next === undefined) remove.run(kind.name, key);
    else put.run(kind.name, key, JSON.stringify(next));
  }

  // IMMEDIATE: no other process can change what is read before the commit.
  function inTransaction<T>(operation: () => T): T {
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
  }

  // SQLite answers at once, so that nothing is under way between two calls.
  function run<T>(operation: () => T): Promise<T> {
    return new Promise((resolve) => {
      if (closed) throw new StorageError("closed", "Cannot use storage that was closed");
      resolve(guard(operation));
    });
  }

  return {
    get: <T>(kind: Kind<T>, key: string) => run(() => read(kind, key) as T | undefined),
    list: <T>(kind: Kind<T>, query: ListQuery) =>
      run(() => {
        const { above, below } = boundsOf(kind, query);
        const { index = "", limit, reverse = false } = query;
        // Without a bound: below and above every character that a position has.
        const ends = [above ?? { by: "", key: "" }, below ?? { by: "\x7F", key: "" }];
        const places = ends.flatMap(({ by = "", key }) => [by, key]);
        const statement = reverse ? descending : ascending;
        return statement.all(kind.name, index, ...places, limit).map(parse) as T[];
      }),
    transact: (refs, decide) =>
      run(() =>
        inTransaction(() => {
          const { answer, changes } = runDecide(refs, decide, ({ kind, key }) => read(kind, key));
          for (const change of changes) apply(change);
          return answer;
        })
      ),
    ping: () => run(() => inTransaction(() => {})),
    close() {
      if (!closed) db.close();
      closed = true;
      return Promise.resolve();
    },
  };
}

function connect(path: string): DatabaseSync {
  return guard(() => {
    const db = new DatabaseSync(path);
    try {
      db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
      // Only the error matters: it says why the file is no database.
      db.prepare("PRAGMA user_version").get();
      db.exec(SCHEMA);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

function parse(row: { readonly record?: unknown }): Item {
  return freeze(JSON.parse(String(row.record)));
}

/**
 * The lists that have a record, with its position: that of all records, and those of the indexes.
 */
function entriesOf(kind: AnyKind, record: Item | undefined): (readonly [string, string])[] {
  if (record === undefined) return [];
  const entries = [...indexEntries(kind, record)];
  return [["", ""], ...entries.map(([name, { by = "" }]) => [name, by] as const)];
}

interface SqliteError {
  readonly code?: string;
  readonly errcode?: number;
}

/** Runs an operation; what SQLite throws becomes a `StorageError`, and nothing else does. */
function guard<T>(operation: () => T): T {
  try {
    return operation();
  } catch (error) {
    const { code, errcode = 0 }: SqliteError = Object(error);
    if (code !== "ERR_SQLITE_ERROR") throw error;
    // The low byte of the code is its class (sqlite.org/rescode.html): SQLITE_CORRUPT or
    // SQLITE_NOTADB.
    const isDamaged = [11, 26].includes(errcode & 0xff);
    throw new StorageError(isDamaged ? "damaged" : "unavailable", "SQLite failed", {
      cause: error,
    });
  }
}
