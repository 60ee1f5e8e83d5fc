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

const BODY_GRACE_MS = 1_000;
// For the last answer, which is given to Deno before it is written.
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
  let underWay = 0;
  let onIdle: (() => void) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopping = false;
  let server = serve(port);
  const address = server.addr;

  function serve(port: number): Deno.HttpServer<Deno.NetAddr> {
    const settings = { hostname: host, port, onListen() {}, onError: refuseHost };
    const opened = Deno.serve(settings, async (request) => {
      underWay++;
      const response = await handler(request);
      if (COMPRESSES && response.headers.has("etag")) forbidCompression(response);
      if (response.status === TOO_LARGE) discardBody(request);
      if (--underWay === 0) onIdle?.();
      return response;
    });
    opened.finished.catch(reopenLater);
    return opened;
  }

  function idle(): Promise<void> {
    return new Promise((resolve) => onIdle = resolve);
  }

  // The handler throws nothing, but where telemetry is collected, Deno parses the URL of a request
  // before, and would write all of it to standard error where a client sent a `Host` that is none.
  function refuseHost(): Promise<Response> {
    return handler(new Request("http://localhost/", { headers: { Host: "/" } }));
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
      // Deno 2.9.6 cuts off the bodies that are still arriving when a server shuts down. Honest
      // ones need no longer than this, and until then new connections are still taken.
      if (underWay > 0) await within(BODY_GRACE_MS, idle());
      await server.shutdown().catch(() => {});
      // A server that ended by itself has left connections, with requests under way on them.
      if (underWay > 0) {
        await idle();
        await new Promise((resolve) => setTimeout(resolve, WRITE_GRACE_MS));
      }
    },
  };
}

/** Warns of an outage, but at most once a minute: its cause may come back many times a second. */
export function createOutageWarning({ onWarning }: ListenOptions): (cause: Error) => void {
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
 * Reads a body that was refused for the length that it announced, unless it is far too long. Deno
 * closes a connection on which unread bytes are left, and to make another one costs twice as much as
 * to read them.
 */
function discardBody(request: Request): void {
  const { headers } = request;
  const length = headers.get("content-length");
  const isWhole = length !== null && headers.get("transfer-encoding") === null;
  if (isWhole && Number(length) <= MAX_DISCARDED_BYTES) request.arrayBuffer().catch(() => {});
}
