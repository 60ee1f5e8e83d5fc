import type { Sql } from "postgres";
import { tooSlow } from "../_shared/deadlines.ts";
import { StorageError } from "../storage.ts";
import { isLost } from "./errors.ts";
import { BEGIN, type Parameter, ROLLBACK, type Row, type Statement, toStatement } from "./sql.ts";

/**
 * Creates a client of the driver for one connection, which it opens with the first statement,
 * trying the hosts in turn from `first` on. `onClose` is called when a connection is closed.
 */
export type Connect = (onClose: () => void, first: number) => Sql;

/** The state that all clients of one storage share about its servers. */
export interface Servers {
  /**
   * The greatest timeline of a connection so far: each promotion of a standby begins the next one.
   */
  timeline: number;
}

/**
 * Sends a statement or, without parameters, several; doesn't wait for those that were sent before.
 */
export type Send = (
  statement: Statement,
  ...parameters: readonly Parameter[]
) => Promise<readonly Row[]>;

/** One connection, which is replaced when it is lost or hangs. */
export interface Client {
  /**
   * Runs an operation on the connection. Rejects with the driver's errors, and with `unavailable`
   * if it takes longer than `timeoutMs`.
   */
  use<T>(operation: (send: Send) => Promise<T>, timeoutMs: number): Promise<T>;
  close(): Promise<void>;
}

interface Connection {
  readonly sql: Sql;
  hasAnswered: boolean;
  timeline: number;
  isLost: boolean;
}

const CLOSE_S = 1;
// A host is silent, or is starting.
const NOT_YET = ["CONNECT_TIMEOUT", "57P03"];
const NOTHING = toStatement("select 1");
const TIMELINE = toStatement(
  `select case when pg_is_in_recovery() then 0
     else ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int
   end as timeline`,
);

/**
 * Creates a client. It leaves a server whose timeline is over: one that was the primary until a
 * standby took its place, and doesn't know.
 */
export function createClient(connect: Connect, servers: Servers = { timeline: 0 }): Client {
  let current: Connection | undefined;
  let first = 0;
  const ending = new Set<Promise<void>>();

  function open(): Connection {
    const sql = connect(onClose, first);
    const connection: Connection = { sql, hasAnswered: false, timeline: 0, isLost: false };
    // Where the driver can't connect, it pauses and tries its next host.
    function onClose(): void {
      if (connection.hasAnswered) discard(connection);
    }
    return connection;
  }

  // The driver would continue a transaction on a new connection, and might take answers there for
  // those to statements that it sent on the old one.
  function discard(connection: Connection, timeout = 0): void {
    if (connection.isLost) return;
    connection.isLost = true;
    if (current === connection) current = undefined;
    const end = connection.sql.end({ timeout }).catch(() => {}).then(() => void ending.delete(end));
    ending.add(end);
  }

  return {
    async use(operation, timeoutMs) {
      if (current?.hasAnswered && current.timeline < servers.timeline) discard(current);
      let connection = current ??= open();
      const send: Send = async (statement, ...parameters) => {
        requireConnection(connection);
        const query = connection.sql<Row[]>(statement, ...parameters);
        return await (parameters.length === 0 ? query.simple() : query);
      };
      const run = async () => {
        for (let left = connection.sql.options.host.length; left > 0; left--) {
          if (await establish(connection, servers)) return await operation(send);
          discard(connection);
          first++;
          connection = current ??= open();
        }
        throw new StorageError("unavailable", "Cannot reach the primary");
      };
      let timer: ReturnType<typeof setTimeout> | undefined;
      const timeout = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          discard(connection);
          first++;
          reject(tooSlow());
        }, timeoutMs);
      });
      try {
        const result = await Promise.race([run(), timeout]);
        requireConnection(connection);
        return result;
      } catch (error) {
        if (connection.hasAnswered && isLost(error)) discard(connection);
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
    async close() {
      if (current !== undefined) discard(current, CLOSE_S);
      await Promise.all(ending);
    },
  };
}

/**
 * Connects; tells whether to a server that may be used. The driver tries the host after one that
 * doesn't answer, or that `target_session_attrs` excludes, only for the next statement.
 */
async function establish(connection: Connection, servers: Servers): Promise<boolean> {
  const { sql } = connection;
  const hosts = sql.options.host.length;
  for (let left = hosts; !connection.hasAnswered; left--) {
    try {
      const rows = await sql<Row[]>(hosts > 1 ? TIMELINE : NOTHING).simple();
      if (rows.length === 0) continue;
      connection.timeline = Number(rows[0].timeline ?? 0);
      // A standby has none.
      if (hosts > 1 && connection.timeline < Math.max(1, servers.timeline)) return false;
      servers.timeline = connection.timeline;
      connection.hasAnswered = true;
    } catch (error) {
      if (left <= 1 || !NOT_YET.includes(String((error as { code?: unknown }).code))) throw error;
    }
  }
  return true;
}

function requireConnection({ isLost }: Connection): void {
  if (isLost) {
    throw Object.assign(new Error("The connection was lost"), { code: "CONNECTION_LOST" });
  }
}

/** Begins a transaction, which `operation` has to commit; rolls it back if that fails. */
export async function inTransaction<T>(send: Send, operation: () => Promise<T>): Promise<T> {
  try {
    const [, result] = await Promise.all([send(BEGIN), operation()]);
    return result;
  } catch (error) {
    await send(ROLLBACK).catch(() => {});
    throw error;
  }
}
