import type { Sql } from "postgres";
import { setTimeout as delay } from "node:timers/promises";
import {
  isAnswer,
  isCrowded,
  isForbidden,
  isLostConnection,
  isReadOnly,
  isTransient,
  tooSlow,
} from "./errors.ts";
import { createPool, type Pool, type PoolOptions, readServers, type Server } from "./pool.ts";
import { type Parameter, type Statement, toStatement } from "./statement.ts";
import { readTarget } from "./target.ts";
import { type Row, toArray } from "./values.ts";
import { StorageError } from "../storage.ts";

/** The database, over whichever connections work. */
export interface Database {
  /**
   * Runs one statement, which takes effect by itself, and returns its rows. Rejects with what the
   * driver throws. Each of a few attempts ends within half a second after the time allowed, and none
   * is begun after it; callers that must not wait for all of them are bounded by {@linkcode Calls}.
   */
  query(statement: Statement, parameters?: readonly Parameter[]): Promise<readonly Row[]>;
  /** Runs `operation` with a client for transactions, which takes as long as it takes. */
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
const RETRY_DELAY_MS = 50;

// By name too: the number of a process means another one on another server, or after a restart. As
// the role that logged in: one that it takes on may neither see nor end the processes of that one.
// null stands for all processes.
const TERMINATE = toStatement(
  `with login as materialized (select set_config('role', 'none', true) = 'none' as is_on)
   select pg_terminate_backend(pid) from login, pg_stat_get_activity(nullif(is_on, true)::int)
   where application_name || ' ' || pid = any($1::text[])`,
);
const NOTHING = toStatement("select 1");

/** A server process that may still get, or run, a statement that was given up. */
interface Backend {
  readonly pool: Pool;
  readonly pid: number;
  /** Those that were asked to end it: what has two addresses is one and the same. */
  readonly asked: Set<Server>;
}

/** The errors of statements that were sent to no server, as none could be connected to. */
const unsent = new WeakSet<object>();

/** Opens a database; connects with the first statement. Throws `TypeError` on a bad URL. */
export function openDatabase(urlOrSql: string | Sql, options: DatabaseOptions): Database {
  return typeof urlOrSql === "string" ? openOwned(urlOrSql, options) : openLent(urlOrSql, options);
}

/** A client that the caller made and ends. */
function openLent(sql: Sql, { timeoutMs, now }: DatabaseOptions): Database {
  return {
    query: (statement, parameters = []) =>
      retry(() => runOn(sql, statement, parameters, { timeoutMs }), { timeoutMs, now }),
    withClient: (operation) => retry(() => operation(sql), { timeoutMs, now }),
    close: () => Promise.resolve(),
  };
}

function openOwned(text: string, options: DatabaseOptions): Database {
  const { timeoutMs, now } = options;
  const target = readTarget(text);
  const servers = readServers(target, timeoutMs);
  const patience: Patience = {
    timeoutMs,
    now,
    servers: servers.length,
    isPaused: () => now() < pausedUntilMs,
  };
  const ending = new Set<Promise<void>>();
  // The position of the server in use, counted on beyond the last.
  let at = 0;
  let pool = createPool(target, servers[at], options);
  let hasAnswered = false;
  let closed = false;
  let pausedUntilMs = 0;
  let keptUntilMs = 0;
  let failure: unknown;
  const abandoned = new Set<Backend>();
  let endingAbandoned: Promise<void> | undefined;

  // After a lost connection all others are suspect, and the driver keeps traces of the failed
  // one. A new pool starts clean; what the old one still runs may finish.
  function replace(failed: Pool, error: unknown): void {
    if (failed !== pool) return;
    if (isReadOnly(error)) {
      // A new connection may lead to the new primary. Where there is none, reads go on.
      if (now() < keptUntilMs) return;
      keptUntilMs = now() + READ_ONLY_MS;
      at++;
    } else {
      const isNext = unsent.has(error as object) && ++at % servers.length > 0;
      // Without the pause each call would try servers that are down.
      if (!hasAnswered && !isNext) pausedUntilMs = now() + PAUSE_MS;
    }
    failure = error;
    hasAnswered = false;
    pool = createPool(target, servers[at % servers.length], options);
    endingAbandoned = undefined;
    const end = failed.end(timeoutMs).then(() => void ending.delete(end));
    ending.add(end);
  }

  function unaskedOn({ server }: Pool): readonly Backend[] {
    return [...abandoned].filter(({ asked }) => !asked.has(server));
  }

  // What was given up must not take effect after what is asked for next.
  async function endAbandoned(used: Pool): Promise<void> {
    const backends = unaskedOn(used);
    const names = backends.map(({ pool, pid }) => `${pool.name} ${pid}`);
    try {
      await runOn(used.sql, TERMINATE, [toArray(names)], { timeoutMs, onAbandon() {} });
    } catch (error) {
      // A server that does not allow it is no reason to refuse all that comes.
      if (unsent.has(error as object) || !isForbidden(error)) throw error;
    }
    for (const backend of backends) {
      backend.asked.add(used.server);
      if (backend.pool.server === used.server) abandoned.delete(backend);
    }
  }

  async function on<T>(operation: (pool: Pool) => Promise<T>, deadlineMs: number): Promise<T> {
    if (closed) throw new StorageError("closed", "Cannot use storage that was closed");
    if (pausedUntilMs > 0) {
      if (now() < pausedUntilMs) throw failure;
      pausedUntilMs = 0;
    }
    const used = pool;
    try {
      while (abandoned.size > 0 && unaskedOn(used).length > 0) {
        await (endingAbandoned ??= endAbandoned(used).finally(() => endingAbandoned = undefined));
      }
      if (now() > deadlineMs) throw tooSlow();
      const result = await operation(used);
      if (used === pool) hasAnswered = true;
      return result;
    } catch (error) {
      if (!(error instanceof StorageError) && isLostConnection(error)) replace(used, error);
      throw error;
    }
  }

  return {
    query: (statement, parameters = []) =>
      retry(
        (deadlineMs) =>
          on((pool) =>
            runOn(pool.sql, statement, parameters, {
              timeoutMs,
              onAbandon: (pid) => abandoned.add({ pool, pid, asked: new Set() }),
            }), deadlineMs),
        patience,
      ),
    withClient: (operation) => retry(() => on(({ sql }) => operation(sql), Infinity), patience),
    async close() {
      closed = true;
      await Promise.all([pool.end(GRACE_MS), ...ending]);
    },
  };
}

/** How long, and on what, one statement is tried. */
interface Patience {
  readonly timeoutMs: number;
  readonly now: () => number;
  /** How many there are to go on to, where one can't be connected to. */
  readonly servers?: number;
  /** Whether none is to be tried for a moment, as all were in vain. */
  readonly isPaused?: () => boolean;
}

/**
 * Repeats what the server undid because of others, as it does to end a deadlock; what it refused
 * for lack of connections, after a growing pause; and on the next what one of several servers could
 * not be sent. An attempt begins nothing after the deadline that it is given, by the same clock.
 */
async function retry<T>(
  operation: (deadlineMs: number) => Promise<T>,
  { timeoutMs, now, servers = 1, isPaused }: Patience,
): Promise<T> {
  const deadlineMs = now() + timeoutMs;
  for (let attempt = 1;; attempt++) {
    try {
      return await operation(deadlineMs);
    } catch (error) {
      const isNext = servers > 1 && unsent.has(error as object);
      const mayGoOn = isNext || isCrowded(error) || isTransient(error);
      if (!mayGoOn || attempt === MAX_ATTEMPTS + servers - 1) throw error;
      if (isCrowded(error)) await delay(RETRY_DELAY_MS * 2 ** (attempt - 1));
      else if (isPaused?.()) await delay(PAUSE_MS);
    }
  }
}

/** How a statement is run. */
interface Run {
  readonly timeoutMs: number;
  /**
   * Called with the number of the server process that may still run the statement later. Absent for
   * a client whose server processes may not be ended: then the statement is cancelled.
   */
  readonly onAbandon?: (pid: number) => void;
}

/** The server stops a statement in time; where it is silent, this does. */
async function runOn(
  sql: Sql,
  statement: Statement,
  parameters: readonly Parameter[],
  { timeoutMs, onAbandon }: Run,
): Promise<readonly Row[]> {
  // The driver would give up the connection, with what others have sent on it.
  if (parameters.some((value) => value === undefined)) {
    throw new StorageError(
      "incompatible",
      "Cannot query the database: a field or key is undefined",
    );
  }
  const query = sql(statement, ...parameters).raw();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(Object.assign(new Error("No answer"), { code: "STATEMENT_TIMEOUT" }));
      if (!backendOf(query)) withdraw(query);
      else if (onAbandon === undefined) cancel(query);
    }, timeoutMs + GRACE_MS);
  });
  try {
    return await Promise.race([query, silence]);
  } catch (error) {
    const backend = backendOf(query);
    if (backend?.pid && !isAnswer(error)) onAbandon?.(backend.pid);
    if (!backend) unsent.add(error as object);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** The server process that the driver has sent a query to, if it has. */
function backendOf(query: object): { readonly pid: number | null } | null | undefined {
  return Reflect.get(query, "state");
}

/** Takes a query that was not sent out of the queue. */
function withdraw(query: { cancel(): void }): void {
  query.cancel();
  // A connection that is being made for it would never be used if it were not sent something.
  Object.assign(query, { cancelled: null, strings: NOTHING, args: [] });
}

/**
 * Asks the server, by a connection of its own, to cancel a query. The driver lets go of the promise
 * of that, which rejects where the server can't be reached, and would end the process. Nor may it
 * cancel a query that was sent behind another one: it would take its answer for that of the next.
 */
function cancel(query: { cancel(): void }): void {
  if (Reflect.get(query, "active") !== true) return;
  const canceller: unknown = Reflect.get(query, "canceller");
  if (typeof canceller === "function") {
    const settled = (own: unknown) => Promise.resolve(canceller(own)).catch(() => {});
    Reflect.set(query, "canceller", settled);
  }
  query.cancel();
}
