import type { Handler } from "../mod.ts";
import { within } from "./_deadline.ts";

/** Where to listen, and whom to tell of trouble. */
export interface ListenOptions {
  /** A host name or an IP address. */
  readonly host: string;
  /** The port; 0 for any free one. */
  readonly port: number;
  /** Called with what an operator should know. */
  readonly onWarning?: (message: string) => void;
}

/** An HTTP server that runs. */
export interface Listener {
  /** The address it really listens on. */
  readonly address: Deno.NetAddr;
  /** Takes no new connection and resolves when the requests under way are answered. */
  shutdown(): Promise<void>;
}

// For requests that clients had sent on open connections before they learn that these close.
const CLOSE_GRACE_MS = 100;
const BODY_GRACE_MS = 1_000;
// For the last response, which is given to Deno before it is written.
const WRITE_GRACE_MS = 50;
const REOPEN_DELAY_MS = 100;
const OUTAGE_WARNING_MS = 60_000;
const TOO_LARGE = 413;
const MAX_DISCARDED_BYTES = 64 * 1024;
// Before 2.9, Deno compresses by itself, which weakens the ETag, so that no If-Match matches.
const COMPRESSES = /^2\.[0-8]\./.test(Deno.version.deno);

/** Serves a handler on a TCP address; throws if that can't be had. */
export function listen(handler: Handler, options: ListenOptions): Listener {
  const { host, port } = options;
  const warnOfOutage = createOutageWarning(options);
  let inFlight = 0;
  let onIdle: (() => void) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopping = false;
  let server = serve(port);
  const address = server.addr;

  function serve(port: number): Deno.HttpServer<Deno.NetAddr> {
    const opened = Deno.serve({ hostname: host, port, onListen() {} }, async (request) => {
      inFlight++;
      const response = await handler(request);
      if (isStopping) response.headers.set("Connection", "close");
      if (COMPRESSES && response.headers.has("etag")) forbidCompression(response);
      if (response.status === TOO_LARGE) discardBody(request);
      if (--inFlight === 0) onIdle?.();
      return response;
    });
    opened.finished.catch(reopenLater);
    return opened;
  }

  function idle(): Promise<void> {
    return new Promise((resolve) => onIdle = resolve);
  }

  // `Deno.serve` ends when it can't take a connection, as when too many files are open. Without this,
  // clients that open very many connections would stop the service for good.
  function reopenLater(cause: Error): void {
    if (isStopping) return;
    warnOfOutage(cause);
    timer = setTimeout(() => {
      try {
        server = serve(address.port);
      } catch (error) {
        reopenLater(error as Error);
      }
    }, REOPEN_DELAY_MS);
  }

  return {
    address,
    async shutdown() {
      isStopping = true;
      clearTimeout(timer);
      await delay(CLOSE_GRACE_MS);
      // Deno 2.9.6 cuts off the bodies that are still arriving when a server shuts down. Honest
      // ones need no longer than this, and until then new connections are still taken.
      if (inFlight > 0) await within(BODY_GRACE_MS, idle());
      await server.shutdown().catch(() => {});
      // A server that ended by itself has left connections, with requests in flight on them.
      if (inFlight > 0) await idle();
      await delay(WRITE_GRACE_MS);
    },
  };
}

function delay(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}

/** Warns of an outage, but at most once a minute: its cause may come back many times a second. */
function createOutageWarning({ onWarning }: ListenOptions): (cause: Error) => void {
  let lastMs = -Infinity;
  return ({ message }) => {
    const nowMs = performance.now();
    if (nowMs - lastMs < OUTAGE_WARNING_MS) return;
    lastMs = nowMs;
    onWarning?.(`Cannot take new connections, trying again: ${message}`);
  };
}

function forbidCompression({ headers }: Response): void {
  headers.set("Cache-Control", `${headers.get("cache-control")}, no-transform`);
}

/**
 * Reads a body that was refused for the length that it announced, unless it is far too long: Deno
 * closes a connection on which unread bytes are left.
 */
function discardBody(request: Request): void {
  const { headers } = request;
  const length = headers.get("content-length");
  const isWhole = length !== null && headers.get("transfer-encoding") === null;
  if (isWhole && Number(length) <= MAX_DISCARDED_BYTES) request.arrayBuffer().catch(() => {});
}
