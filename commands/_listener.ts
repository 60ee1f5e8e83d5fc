import type { Handler } from "../mod.ts";
import { within } from "./_deadline.ts";

/** Where to listen. */
export interface ListenAddress {
  /** A host name or an IP address. */
  readonly host: string;
  /** The port; 0 for any free one. */
  readonly port: number;
}

/** An HTTP server that runs. */
export interface Listener {
  /** The address it really listens on. */
  readonly address: Deno.NetAddr;
  /** Takes no new connection and resolves when the requests under way are answered. */
  shutdown(): Promise<void>;
}

const BODY_GRACE_MS = 1_000;
const REOPEN_DELAY_MS = 100;
const TOO_LARGE = 413;
const MAX_DISCARDED_BYTES = 64 * 1024;
// Before 2.9, Deno compresses by itself, which weakens the ETag, so that no If-Match matches.
const COMPRESSES = /^2\.[0-8]\./.test(Deno.version.deno);

/** Serves a handler on a TCP address; throws if that can't be had. */
export function listen(handler: Handler, { host, port }: ListenAddress): Listener {
  let underWay = 0;
  let onIdle: (() => void) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopping = false;
  let server = serve(port);
  const address = server.addr;

  function serve(port: number): Deno.HttpServer<Deno.NetAddr> {
    const options = { hostname: host, port, onListen() {}, onError: refuseHost };
    const opened = Deno.serve(options, async (request) => {
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

  // The handler throws nothing, but where telemetry is collected, Deno parses the URL of a request
  // before, and would write all of it to standard error where a client sent a `Host` that is none.
  function refuseHost(): Promise<Response> {
    return handler(new Request("http://localhost/", { headers: { Host: "/" } }));
  }

  // `Deno.serve` ends when it can't take a connection, as when too many files are open. Without this,
  // clients that open very many connections would stop the service for good.
  function reopenLater(): void {
    if (isStopping) return;
    timer = setTimeout(() => {
      try {
        server = serve(address.port);
      } catch {
        reopenLater();
      }
    }, REOPEN_DELAY_MS);
  }

  return {
    address,
    async shutdown() {
      isStopping = true;
      clearTimeout(timer);
      // Deno 2.9 cuts off the bodies that are still arriving when a server shuts down. Honest
      // ones need no longer than this, and until then new connections are still taken.
      if (underWay > 0) {
        await within(BODY_GRACE_MS, new Promise<void>((resolve) => onIdle = resolve));
      }
      // A server that has ended by itself has nothing left to finish.
      await server.shutdown().catch(() => {});
    },
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
