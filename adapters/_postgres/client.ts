import type { Sql } from "postgres";
import { tooSlow } from "../_deadlines.ts";
import { isLost } from "./errors.ts";
import { BEGIN, type Parameter, ROLLBACK, type Row, type Statement, toStatement } from "./sql.ts";

/**
 * Creates a client of the driver for one connection, which it opens with the first statement. `onClose`
 * is called when a connection is closed.
 */
export type Connect = (onClose: () => void) => Sql;

/** Sends a statement or, without parameters, several; doesn't wait for those that were sent before. */
export type Send = (
  statement: Statement,
  ...parameters: readonly Parameter[]
) => Promise<readonly Row[]>;

/** One connection, which is replaced when it is lost or hangs. */
export interface Client {
  /**
   * Runs an operation on the connection. Rejects with the driver's errors, and with `unavailable` if it
   * takes longer than `timeoutMs`.
   */
  use<T>(operation: (send: Send) => Promise<T>, timeoutMs: number): Promise<T>;
  close(): Promise<void>;
}

interface Connection {
  readonly sql: Sql;
  hasAnswered: boolean;
  isLost: boolean;
}

const CLOSE_S = 1;
const NOTHING = toStatement("select 1");

export function createClient(connect: Connect): Client {
  let current: Connection | undefined;
  const ending = new Set<Promise<void>>();

  function open(): Connection {
    const connection: Connection = { sql: connect(onClose), hasAnswered: false, isLost: false };
    // Where the driver can't connect, it pauses and tries its next host.
    function onClose(): void {
      if (connection.hasAnswered) discard(connection);
    }
    return connection;
  }

  // The driver would continue a transaction on a new connection, and might take answers there for those
  // to statements that it sent on the old one.
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
      const timeout = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          discard(connection);
          reject(tooSlow());
        }, timeoutMs);
      });
      try {
        const result = await Promise.race([
          establish(connection).then(() => operation(send)),
          timeout,
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

/** Connects. The driver tries the host after a silent one only for the next statement. */
async function establish(connection: Connection): Promise<void> {
  const { sql } = connection;
  for (let left = sql.options.host.length; !connection.hasAnswered; left--) {
    try {
      await sql(NOTHING).simple();
      connection.hasAnswered = true;
    } catch (error) {
      if (left <= 1 || (error as { code?: unknown }).code !== "CONNECT_TIMEOUT") throw error;
    }
  }
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
