import type { Sql } from "postgres";
import { tooSlow } from "../_shared/deadlines.ts";
import { StorageError } from "../storage.ts";
import { isLost } from "./errors.ts";
import { createServers, type Servers } from "./servers.ts";
import { BEGIN, type Parameter, ROLLBACK, type Row, type Statement, toStatement } from "./sql.ts";

/**
 * Creates a driver client with one connection, which opens with the first statement. The client
 * tries the hosts in turn, starting with number `first`.
 */
export type Connect = (hooks: ConnectHooks, first: number) => Sql;

/** The functions that a driver client calls. */
export interface ConnectHooks {
  /** Resolves when the client may connect; rejects if it is no longer needed. */
  readonly beforeConnect: () => Promise<void>;
  /** Called when a connection closes. */
  readonly onClose: () => void;
}

/** Sends a statement or, without parameters, several, without waiting for earlier ones. */
export type Send = (
  statement: Statement,
  ...parameters: readonly Parameter[]
) => Promise<readonly Row[]>;

/** One connection, which is replaced when it is lost or does not answer. */
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
// Codes of a host that is silent or starting.
const NOT_YET = ["CONNECT_TIMEOUT", "57P03"];
const NOTHING = toStatement("select 1");
const TIMELINE = toStatement(
  `select case when pg_is_in_recovery() then 0
     else ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int
   end as timeline`,
);

/**
 * Creates a client. It leaves a server with an old timeline: a former primary that does not know
 * that a standby was promoted.
 */
export function createClient(connect: Connect, servers: Servers = createServers()): Client {
  let current: Connection | undefined;
  let first = 0;
  const ending = new Set<Promise<void>>();

  function open(): Connection {
    const sql = connect({ beforeConnect, onClose }, first);
    const connection: Connection = { sql, hasAnswered: false, timeline: 0, isLost: false };
    async function beforeConnect(): Promise<void> {
      await servers.admit(() => !connection.isLost);
      // The driver would connect even after its end.
      requireConnection(connection);
    }
    // If the driver can't connect, it tries the next host by itself.
    function onClose(): void {
      if (connection.hasAnswered) discard(connection);
    }
    return connection;
  }

  // The driver would continue a transaction on a new connection, and might match replies there to
  // statements that it sent on the old one.
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
 * Connects, and tells whether the server may be used. If a host does not answer, or
 * `target_session_attrs` excludes it, the driver tries the next host only for the next statement.
 */
async function establish(connection: Connection, servers: Servers): Promise<boolean> {
  const { sql } = connection;
  const hosts = sql.options.host.length;
  for (let left = hosts; !connection.hasAnswered; left--) {
    try {
      const rows = await sql<Row[]>(hosts > 1 ? TIMELINE : NOTHING).simple();
      if (rows.length === 0) continue;
      connection.timeline = Number(rows[0].timeline ?? 0);
      // A standby reports timeline 0.
      if (hosts > 1 && connection.timeline < Math.max(1, servers.timeline)) return false;
      servers.timeline = connection.timeline;
      servers.answered();
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

/**
 * Runs an operation in a transaction. The operation has to commit; if it fails, the transaction is
 * rolled back.
 */
export async function inTransaction<T>(send: Send, operation: () => Promise<T>): Promise<T> {
  try {
    const [, result] = await Promise.all([send(BEGIN), operation()]);
    return result;
  } catch (error) {
    await send(ROLLBACK).catch(() => {});
    throw error;
  }
}
