import type { Handler } from "../../mod.ts";

/** The address that a server listens on. */
export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Called with warnings for the operator. */
  readonly onWarning?: (message: string) => void;
}

/** A server that takes connections. */
export interface Listener {
  /** The address; its port is the actual one if port 0 was requested. */
  readonly address: Deno.NetAddr;
  /** Takes no new connection and resolves when the requests in flight are answered. */
  shutdown(): Promise<void>;
}

// For requests that clients send before they receive `Connection: close`.
const CLOSE_GRACE_MS = 100;
const BODY_GRACE_MS = 1_000;
// The handler returns the last response before Deno writes it.
const WRITE_GRACE_MS = 50;
const REOPEN_DELAY_MS = 100;
const OUTAGE_WARNING_MS = 60_000;
const TOO_LARGE = 413;
const MAX_DISCARDED_BYTES = 64 * 1024;
// Before 2.9, Deno compresses responses, which makes their ETag weak, so that no If-Match matches
// it.
const COMPRESSES = /^2\.[0-8]\./.test(Deno.version.deno);

/** Serves a handler on a TCP address; throws if the address can't be used. */
export function listen(handler: Handler, { host, port, onWarning }: ListenOptions): Listener {
  let inFlight = 0;
  let warnedMs = -Infinity;
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

  // `Deno.serve` ends if it can't accept a connection, such as when too many files are open. A
  // flood of connections must not stop the service for good.
  function reopenLater({ message }: Error): void {
    if (isStopping) return;
    if (performance.now() - warnedMs >= OUTAGE_WARNING_MS) {
      warnedMs = performance.now();
      onWarning?.(`Cannot take new connections, trying again: ${message}`);
    }
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
      // Deno 2.9.6 cuts off bodies that are still arriving when a server shuts down.
      if (inFlight > 0) await within(BODY_GRACE_MS, idle());
      await server.shutdown().catch(() => {});
      // If Deno ended the server itself, open connections may still have requests in flight.
      if (inFlight > 0) await idle();
      await delay(WRITE_GRACE_MS);
    },
  };
}

function delay(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}

function forbidCompression({ headers }: Response): void {
  headers.set("Cache-Control", `${headers.get("cache-control")}, no-transform`);
}

/**
 * Reads the body of a request that was refused for its `Content-Length`, unless that is huge,
 * because Deno closes a connection with unread bytes.
 */
function discardBody(request: Request): void {
  const { headers } = request;
  const length = headers.get("content-length");
  const isWhole = length !== null && headers.get("transfer-encoding") === null;
  if (isWhole && Number(length) <= MAX_DISCARDED_BYTES) request.arrayBuffer().catch(() => {});
}

/** Waits for a promise, but not longer than a time. */
export async function within(timeoutMs: number, promise: Promise<unknown>): Promise<void> {
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, timeoutMs);
  try {
    await Promise.race([promise, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Returns the origin under which this machine reaches a server; for a server on all addresses, that
 * is the loopback address.
 */
export function reachableOrigin(host: string, port: number): string {
  return `http://${formatAuthority(/^(?:0\.0\.0\.0|::)$/.test(host) ? "127.0.0.1" : host, port)}`;
}

/** Formats host and port for a URL; an IPv6 address is in brackets. */
export function formatAuthority(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
