import type { Sql } from "postgres";
import { isConnectTimeout, isLost, tooSlow } from "./errors.ts";
import { BEGIN, type Parameter, ROLLBACK, type Row, type Statement } from "./statements.ts";
import { toStatement } from "./statements.ts";

/**
 * Makes a client of the driver with one connection, which it makes when there is something to send;
 * `onClose` is called when a connection is closed.
 */
export type Connect = (onClose: () => void) => Sql;

/**
 * Sends a statement, without waiting for those that were sent before; one without parameters may be
 * several, separated by semicolons.
 */
export type Send = (
  statement: Statement,
  ...parameters: readonly Parameter[]
) => Promise<readonly Row[]>;

/** One connection, and a fresh one in place of one that is lost or hangs. */
export interface Client {
  /**
   * Runs an operation on the connection. Rejects with what the driver throws, and with `unavailable`
   * if it takes longer than `timeoutMs`.
   */
  use<T>(operation: (send: Send) => Promise<T>, timeoutMs: number): Promise<T>;
  /** Ends all connections. */
  close(): Promise<void>;
}

interface Connection {
  readonly sql: Sql;
  hasAnswered: boolean;
  isLost: boolean;
}

const CLOSE_S = 1;
const NOTHING = toStatement("select 1");

/** Creates a client, which connects with its first statement. */
export function createClient(connect: Connect): Client {
  let current: Connection | undefined;
  const ending = new Set<Promise<void>>();

  function open(): Connection {
    const connection: Connection = { sql: connect(onClose), hasAnswered: false, isLost: false };
    // Where it could not even connect, the driver pauses, and goes on to its next host.
    function onClose(): void {
      if (connection.hasAnswered) discard(connection);
    }
    return connection;
  }

  // The driver would go on with another connection: in the middle of a transaction, and with answers
  // that it takes for those of statements that were sent on the old one.
  function discard(connection: Connection, timeout = 0): void {
    if (connection.isLost) return;
    connection.isLost = true;
    if (current === connection) current = undefined;
    const end = connection.sql.end({ timeout }).catch(() => {}).then(() => void ending.delete(end));
    ending.add(end);
  }

  return {
    async use(operation, timeoutMs) {
      const connection = current ??= open();
      const send: Send = async (statement, ...parameters) => {
        requireConnection(connection);
        const query = connection.sql<Row[]>(statement, ...parameters);
        return await (parameters.length === 0 ? query.simple() : query);
      };
      let timer: ReturnType<typeof setTimeout> | undefined;
      const silence = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          discard(connection);
          reject(tooSlow());
        }, timeoutMs);
      });
      try {
        const result = await Promise.race([
          establish(connection).then(() => operation(send)),
          silence,
        ]);
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
 * Connects. Where a host is silent, the driver goes on to its next one, but only for a statement that
 * comes later.
 */
async function establish(connection: Connection): Promise<void> {
  const { sql } = connection;
  for (let left = sql.options.host.length; !connection.hasAnswered; left--) {
    try {
      await sql(NOTHING).simple();
      connection.hasAnswered = true;
    } catch (error) {
      if (left <= 1 || !isConnectTimeout(error)) throw error;
    }
  }
}

function requireConnection({ isLost }: Connection): void {
  if (isLost) {
    throw Object.assign(new Error("The connection was lost"), { code: "CONNECTION_LOST" });
  }
}

/** Begins a transaction, which the operation has to commit; rolls it back if that fails. */
export async function inTransaction<T>(send: Send, operation: () => Promise<T>): Promise<T> {
  try {
    const [, result] = await Promise.all([send(BEGIN), operation()]);
    return result;
  } catch (error) {
    await send(ROLLBACK).catch(() => {});
    throw error;
  }
}
