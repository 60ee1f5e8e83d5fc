import { isIP, Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import postgres, { type Options, type Sql } from "postgres";
import type { ConnectionTarget, Route } from "./target.ts";

/** How connections are made. */
export interface PoolOptions {
  /** The most connections; otherwise what the URL says as `max`, or {@linkcode DEFAULT_SIZE}. */
  readonly size?: number;
  /** How long connecting, and one statement, may take. */
  readonly timeoutMs: number;
  /** After how long an unused connection is closed. */
  readonly idleTimeoutMs: number;
}

/** Connections to one server. */
export interface Pool {
  /** The client that queries go through. */
  readonly sql: Sql;
  /** Ends the pool; statements under way are given `graceMs` to finish. Never rejects. */
  end(graceMs: number): Promise<void>;
}

/** Where the driver is to connect to. */
interface Address {
  readonly host: readonly string[];
  readonly port: readonly number[];
  /** The path of a Unix socket. */
  readonly path: string | false;
}

const MAX_LIFETIME_S = 1_800;
const RETRY_DELAY_S = 0.1;

/**
 * Creates a pool, which connects when there is something to send: to the host that the route says,
 * and to the next one after a connection that ends before it can have been of use.
 */
export function createPool(target: ConnectionTarget, options: PoolOptions, route: Route): Pool {
  const { url, ssl } = target;
  const { size = target.size, timeoutMs, idleTimeoutMs } = options;
  const sockets = new Set<Socket>();
  // How many connections were closed before the server had said a word, since the last pause.
  let hangUps = 0;
  let isEnding = false;
  let ended = false;

  // Sockets of our own can be destroyed; the driver would wait for a server that is silent.
  async function connect(parsed: Address): Promise<Socket> {
    // A server that hangs up, as a proxy without one behind it does, the driver would try again
    // at once, hundreds of times a second.
    if (hangUps >= parsed.host.length) {
      await delay(RETRY_DELAY_S * 1_000);
      hangUps = 0;
    }
    if (ended) throw new Error("The pool has ended");
    const { at } = route;
    const index = at % parsed.host.length;
    const { host = parsed.host[index], port = parsed.port[index] } = target;
    const startedMs = performance.now();
    const socket = new Socket();
    sockets.add(socket);
    socket.on("close", () => {
      sockets.delete(socket);
      const isMute = socket.bytesRead === 0;
      if (isMute) hangUps++;
      const isShort = performance.now() - startedMs <= timeoutMs;
      if (isShort && (isMute || !isEnding) && route.at === at) route.at++;
    });
    // The driver listens too, but takes all of its listeners away when it is done.
    socket.on("error", () => {});
    // The driver checks the server's certificate against this name.
    Object.assign(socket, { host, port });
    return parsed.path ? socket.connect(parsed.path) : socket.connect(port, host);
  }

  const settings = {
    max: size,
    // A call that meets a host that is silent has time for another one.
    connect_timeout: timeoutMs / 1_000 / route.hosts,
    idle_timeout: idleTimeoutMs / 1_000,
    backoff: () => RETRY_DELAY_S,
    keep_alive: 60,
    max_lifetime: MAX_LIFETIME_S,
    max_pipeline: 100,
    debug: false,
    fetch_types: false,
    onnotice: () => {},
    connection: {
      application_name: "boardcast",
      statement_timeout: Math.round(timeoutMs),
      // At a stricter level, which a role may have, statements are undone when others write beside.
      default_transaction_isolation: "read committed" as const,
      // Lists are sent as the text of arrays, in which a role may have null be a word like others.
      array_nulls: "on",
    },
    socket: connect,
    ...(ssl === undefined ? {} : { ssl }),
  };
  const sql = createClient(url, settings);
  requireNames(sql, target);

  return {
    sql,
    async end(graceMs) {
      isEnding = true;
      await sql.end({ timeout: graceMs / 1_000 }).catch(() => {});
      ended = true;
      for (const socket of sockets) reset(socket);
    },
  };
}

/** Closes a socket at once: else the system goes on sending what the other side has not taken yet. */
function reset(socket: Socket): void {
  // Deno has it from 2.8 on.
  if (typeof socket.resetAndDestroy === "function") socket.resetAndDestroy();
  else socket.destroy();
}

function createClient(url: string, settings: Options<Record<string, never>>): Sql {
  try {
    return postgres(url, settings);
  } catch (error) {
    // Deno says which variable may not be read; others quote the URL, password included.
    if (error instanceof Error && error.name === "NotCapable") throw error;
    throw new TypeError(
      "Cannot parse the connection URL: write postgres://USER:PASSWORD@HOST:PORT/DATABASE",
    );
  }
}

// The driver would check the certificate of an address against the name "localhost".
function requireNames({ options }: Sql, { host }: ConnectionTarget): void {
  const isChecked = options.ssl === "verify-full" || typeof options.ssl === "object";
  const address = host ?? options.host.find((name) => isIP(name) !== 0);
  if (!isChecked || address === undefined) return;
  throw new TypeError(
    `Cannot check the server's certificate against the address ${address}: name the host instead`,
  );
}
