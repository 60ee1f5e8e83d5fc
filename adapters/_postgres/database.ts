import type { Sql } from "postgres";
import { setTimeout as delay } from "node:timers/promises";
import {
  isAnswer,
  isCrowded,
  isLostConnection,
  isReadOnly,
  isTransient,
  isUnreached,
} from "./errors.ts";
import { createPool, type Pool, type PoolOptions } from "./pool.ts";
import { createRoute, readTarget } from "./target.ts";
import { type Parameter, type Statement, toStatement } from "./statement.ts";
import { type Row, toArray } from "./values.ts";

/** The database, over whichever connections work. */
export interface Database {
  /**
   * Runs one statement, which takes effect by itself, and returns its rows. Rejects with what the
   * driver throws. Each of a few attempts ends within half a second after the time allowed; callers
   * that must not wait for all of them are bounded by {@linkcode Calls}.
   */
  query(statement: Statement, parameters?: readonly Parameter[]): Promise<readonly Row[]>;
  /** Runs `operation` with a client for transactions. */
  withClient<T>(operation: (sql: Sql) => Promise<T>): Promise<T>;
  /** Lets go of all connections. */
  close(): Promise<void>;
}

/** What a database is opened with. */
export interface DatabaseOptions extends PoolOptions {
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
}

const MAX_ATTEMPTS = 5;
const GRACE_MS = 500;
const PAUSE_MS = 100;
const READ_ONLY_MS = 1_000;
const CROWDED_DELAY_MS = 50;

const TERMINATE = toStatement("select pg_terminate_backend(pid) from unnest($1::int[]) as pid");

/** Opens a database; connects with the first statement. Throws `TypeError` on a bad URL. */
export function openDatabase(urlOrSql: string | Sql, options: DatabaseOptions): Database {
  return typeof urlOrSql === "string"
    ? openOwned(urlOrSql, options)
    : openLent(urlOrSql, options.timeoutMs);
}

/** A client that the caller made and ends. */
function openLent(sql: Sql, timeoutMs: number): Database {
  return {
    query: (statement, parameters = []) =>
      retry(() => runOn(sql, statement, parameters, { timeoutMs })),
    withClient: (operation) => operation(sql),
    close: () => Promise.resolve(),
  };
}

function openOwned(text: string, options: DatabaseOptions): Database {
  const { timeoutMs, now } = options;
  const target = readTarget(text);
  const route = createRoute(target);
  const ending = new Set<Promise<void>>();
  let pool: Pool = createPool(target, options, route);
  let hasAnswered = false;
  let pausedUntilMs = 0;
  let keptUntilMs = 0;
  let failure: unknown;
  // The server processes that may still get, or run, a statement that was given up.
  const abandoned = new Set<number>();
  let endingAbandoned: Promise<void> | undefined;

  // After a lost connection all others are suspect, and the driver keeps traces of the failed
  // one. A new pool starts clean; what the old one still runs may finish.
  function replace(failed: Pool, error: unknown): void {
    if (failed !== pool) return;
    if (isReadOnly(error)) {
      // A new connection may lead to the new primary. Where there is none, reads go on.
      if (now() < keptUntilMs) return;
      keptUntilMs = now() + READ_ONLY_MS;
      route.at++;
    } else if (!hasAnswered) {
      // Without the pause each call would try a server that is down.
      pausedUntilMs = now() + PAUSE_MS;
    }
    failure = error;
    hasAnswered = false;
    pool = createPool(target, options, route);
    endingAbandoned = undefined;
    const end = failed.end(timeoutMs).then(() => void ending.delete(end));
    ending.add(end);
  }

  // What was given up must not take effect after what is asked for next.
  async function endAbandoned({ sql }: Pool): Promise<void> {
    const pids = [...abandoned];
    try {
      await runOn(sql, TERMINATE, [toArray(pids)], { timeoutMs });
    } catch (error) {
      if (isLostConnection(error)) throw error;
      // A server that does not allow it is no reason to refuse all that comes.
    }
    for (const pid of pids) abandoned.delete(pid);
    endingAbandoned = undefined;
  }

  async function on<T>(operation: (sql: Sql) => Promise<T>): Promise<T> {
    if (pausedUntilMs > 0) {
      if (now() < pausedUntilMs) throw failure;
      pausedUntilMs = 0;
    }
    const used = pool;
    try {
      if (abandoned.size > 0) await (endingAbandoned ??= endAbandoned(used));
      const result = await operation(used.sql);
      if (used === pool) hasAnswered = true;
      return result;
    } catch (error) {
      if (isLostConnection(error)) replace(used, error);
      throw error;
    }
  }

  return {
    query: (statement, parameters = []) =>
      retry(
        () =>
          on((sql) =>
            runOn(sql, statement, parameters, { timeoutMs, onAbandon: (pid) => abandoned.add(pid) })
          ),
        route,
      ),
    withClient: (operation) => retry(() => on(operation), route),
    async close() {
      await Promise.all([pool.end(GRACE_MS), ...ending]);
    },
  };
}

/**
 * Repeats what the server undid because of others, as it does to end a deadlock; what it had no
 * connection for, as soon one of those that work is free; and what found the first of several hosts
 * silent.
 */
async function retry<T>(operation: () => Promise<T>, { hosts } = { hosts: 1 }): Promise<T> {
  for (let attempt = 1;; attempt++) {
    try {
      return await operation();
    } catch (error) {
      const wasRefused = isCrowded(error) || (hosts > 1 && isUnreached(error));
      if (attempt === MAX_ATTEMPTS || !(wasRefused || isTransient(error))) throw error;
      if (wasRefused) await delay(CROWDED_DELAY_MS * 2 ** (attempt - 1));
    }
  }
}

/** How a statement is run. */
interface Run {
  readonly timeoutMs: number;
  /** Called with the number of the server process that may still run the statement later. */
  readonly onAbandon?: (pid: number) => void;
}

/** The server stops a statement in time; where it is silent, this does. */
async function runOn(
  sql: Sql,
  statement: Statement,
  parameters: readonly Parameter[],
  { timeoutMs, onAbandon }: Run,
): Promise<readonly Row[]> {
  const query = sql(statement, ...parameters).raw();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(Object.assign(new Error("No answer"), { code: "STATEMENT_TIMEOUT" }));
      cancel(query);
    }, timeoutMs + GRACE_MS);
  });
  try {
    return await Promise.race([query, silence]);
  } catch (error) {
    const pid = backendOf(query)?.pid;
    if (pid && !isAnswer(error)) onAbandon?.(pid);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** The server process that the driver has sent a query to, if it has. */
function backendOf(query: object): { readonly pid: number | null } | null | undefined {
  return Reflect.get(query, "state");
}

/**
 * Cancels a query: takes it out of the queue, or asks the server by a connection of its own. The
 * driver lets go of the promise of that, which rejects where the server can't be reached, and would
 * end the process. Nor may it cancel a query that was sent behind another one: it would take its
 * answer for that of the next.
 */
function cancel(query: { cancel(): void }): void {
  if (backendOf(query) && Reflect.get(query, "active") !== true) return;
  const canceller: unknown = Reflect.get(query, "canceller");
  if (typeof canceller === "function") {
    const settled = (own: unknown) => Promise.resolve(canceller(own)).catch(() => {});
    Reflect.set(query, "canceller", settled);
  }
  query.cancel();
}
