import { isIP, Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import postgres, { type Options, type Sql } from "postgres";
import { randomText } from "../../model/random.ts";
import type { Address } from "./addresses.ts";
import { ConnectionFault } from "./errors.ts";
import { type ConnectionTarget, unreadableUrl } from "./target.ts";

/** How connections are made. */
export interface PoolOptions {
  /** The most connections; otherwise what the URL says as `max`, or 10. */
  readonly size?: number;
  /** How long connecting, and one statement, may take. */
  readonly timeoutMs: number;
  /** After how long an unused connection is closed. */
  readonly idleTimeoutMs: number;
}

/** One of the servers that a connection URL names. */
export interface Server extends Address {
  /** How long connecting may take. */
  readonly timeoutMs: number;
}

/** Connections to one server. */
export interface Pool {
  readonly server: Server;
  /** What the server calls its processes of this pool, and of no other. */
  readonly name: string;
  /** The client that queries go through. */
  readonly sql: Sql;
  /** Ends the pool; statements under way are given `graceMs` to finish. Never rejects. */
  end(graceMs: number): Promise<void>;
}

const MAX_LIFETIME_S = 1_800;
const RETRY_DELAY_S = 0.1;
// PostgreSQL cuts a longer name short.
const MAX_NAME_LENGTH = 63;
const NAME_ID_LENGTH = 16;
// PostgreSQL, "SSL Session Encryption": the answer to an SSLRequest, instead of S.
const NO_TLS = "N".charCodeAt(0);

/** Returns the servers that a connection URL or variables name. Throws `TypeError` on a bad URL. */
export function readServers(
  { url, ssl, addresses }: ConnectionTarget,
  timeoutMs: number,
): readonly Server[] {
  const { options } = createClient(url, { max: 1, ...(ssl && { ssl }) });
  requireNames(options.ssl, addresses);
  // A call that meets one that is silent has time for another one.
  return addresses.map((address) => ({ ...address, timeoutMs: timeoutMs / addresses.length }));
}

/**
 * Creates a pool, which connects when there is something to send. The driver is told of one server
 * only: where there are more, it keeps quiet about a connection that is lost with its first
 * statement, and later gives that one the answer of another.
 */
export function createPool(target: ConnectionTarget, server: Server, options: PoolOptions): Pool {
  const { url, ssl, database } = target;
  const { host, port, path } = server;
  const { size = target.size, timeoutMs, idleTimeoutMs } = options;
  const sockets = new Set<Socket>();
  let lastMadeMs = -Infinity;
  let ended = false;

  // Sockets of our own can be destroyed; the driver would wait for a server that is silent.
  async function connect(): Promise<Socket> {
    let isLost = false;
    for (const socket of sockets) if (socket.destroyed) isLost = sockets.delete(socket);
    // Over TLS the driver takes the listener below away, and would try again at once.
    const isRecent = performance.now() - lastMadeMs < server.timeoutMs;
    if (isLost && isRecent && sql.options.ssl) await delay(RETRY_DELAY_S * 1_000);
    if (ended) throw new Error("The pool has ended");
    lastMadeMs = performance.now();
    const socket = new Socket();
    sockets.add(socket);
    // Where a server hangs up, as a proxy without one behind it does, the driver would try again at
    // once, hundreds of times a second.
    socket.once("end", () => socket.destroy(new ConnectionFault("the server hung up")));
    if (sql.options.ssl && sql.options.ssl !== "prefer") socket.once("data", requireTls);
    // The driver listens too, but takes all of its listeners away when it is done.
    socket.on("error", () => {});
    // The driver checks the server's certificate against this name.
    Object.assign(socket, { host, port });
    return path === undefined ? socket.connect(port, host) : socket.connect(path);

    // Where a server says that it has no TLS, the driver would start it all the same.
    function requireTls([answer]: Uint8Array): void {
      if (answer !== NO_TLS) return;
      // Once it starts it, it has taken its listeners away: Deno 2.6 would end the process.
      socket.emit("error", new ConnectionFault("the server offers no TLS"));
      socket.destroy();
    }
  }

  const settings = {
    host,
    port,
    max: size,
    connect_timeout: server.timeoutMs / 1_000,
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
    // There is no TLS over a Unix socket.
    ...(path === undefined ? ssl && { ssl } : { ssl: false }),
    ...(database !== undefined && { database }),
  };
  const sql = createClient(url, settings);
  const { connection } = sql.options;
  const name = createName(connection.application_name);
  Object.assign(connection, { application_name: name });

  return {
    server,
    name,
    sql,
    async end(graceMs) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const patience = new Promise<void>((resolve) => timer = setTimeout(resolve, graceMs));
      // The driver itself would wait for ever for the answer to what a lost connection was asked.
      sql.end().catch(() => {});
      const closed = [...sockets].filter((socket) => !socket.destroyed)
        .map((socket) => new Promise((resolve) => socket.once("close", resolve)));
      await Promise.race([Promise.all(closed), patience]);
      clearTimeout(timer);
      ended = true;
      for (const socket of sockets) reset(socket);
    },
  };
}

/** Makes a name that no other pool has, of one that may also come with the URL. */
function createName(common = ""): string {
  // The server writes what is not printable ASCII in another way.
  const printable = common.replace(/[^ -~]/g, "?").slice(0, MAX_NAME_LENGTH - NAME_ID_LENGTH - 1);
  return `${printable} ${randomText(NAME_ID_LENGTH)}`;
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
    const { name } = error as Error;
    // Deno says which variable may not be read; others quote the URL, password included.
    if (name === "NotCapable") throw error;
    if (name === "InvalidData") {
      throw new TypeError("PGUSER, PGPASSWORD or PGDATABASE is not valid UTF-8");
    }
    throw unreadableUrl();
  }
}

// The driver would check the certificate of an address against the name "localhost".
function requireNames(ssl: Sql["options"]["ssl"], addresses: readonly Address[]): void {
  const isChecked = ssl === "verify-full" || typeof ssl === "object";
  const address = addresses.find(({ host }) => isIP(host) !== 0);
  if (!isChecked || address === undefined) return;
  throw new TypeError(
    `Cannot check the server's certificate against the address ${address.host}: name the host ` +
      "instead",
  );
}
