import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Handler } from "../mod.ts";
import { keepAccepting } from "./_accepting.ts";
import { within } from "./_deadline.ts";
import type { Listener, ListenOptions } from "./_listener.ts";

const MAX_PIPELINED = 16;
const DISCARD_MS = 1_000;

/** What connections are held to. Times are in milliseconds. */
export interface ConnectionLimits {
  /**
   * The most connections at a time. Where one more comes, the one whose client has kept the server
   * waiting for longest is closed; the new one if all others wait for answers.
   */
  readonly maxConnections: number;
  /** For the head of a request, counted from the opening of the connection or from its first byte. */
  readonly headMs: number;
  /** For a whole request; longer than the time that the handler itself gives a body. */
  readonly requestMs: number;
  /** Between two requests; longer than proxies keep a connection open, which is 60 s for many. */
  readonly idleMs: number;
}

/** The limits unless others are chosen, but for the number of connections. */
export const CONNECTION_TIMEOUTS: Omit<ConnectionLimits, "maxConnections"> = {
  headMs: 10_000,
  requestMs: 15_000,
  idleMs: 75_000,
};

/**
 * Serves a handler on a TCP address by `node:http`, which closes connections that are silent, slow
 * or idle for too long, and keeps no more than a number of them.
 */
export async function listenWithTimeouts(
  handler: Handler,
  options: ListenOptions,
  limits: ConnectionLimits,
): Promise<Listener> {
  const server = createServer({
    headersTimeout: limits.headMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: Math.min(1_000, limits.headMs / 4),
  });
  const { note, closeWaiting } = boundConnections(server, limits.maxConnections);
  const take = inTurn((incoming, outgoing) => {
    note(incoming, outgoing);
    // A client that is gone neither gets an answer nor is a reason to stop.
    answer(handler, incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.on("request", take);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  // Deno has none to tell where it was made to open a socket of another kind.
  const { address: hostname, port } = server.address() as AddressInfo ?? { address: "", port: 0 };
  const stopLooking = keepAccepting(server, { ...options, port });
  return {
    address: { transport: "tcp", hostname, port },
    shutdown: () =>
      new Promise((resolve) => {
        stopLooking();
        server.close(() => resolve());
        // Deno's closeIdleConnections leaves those open on which nothing has come yet.
        closeWaiting();
      }),
  };
}

/** The connections that are open. */
interface Connections {
  /** Must be called with each request when its answer is begun. */
  note(incoming: IncomingMessage, outgoing: ServerResponse): void;
  /** Closes those on which no request is under way. */
  closeWaiting(): void;
}

// `server.maxConnections` refuses the newest instead: as many silent clients as it admits would keep
// everybody else out until their time is up, and again when they come back.
function boundConnections(server: Server, maxConnections: number): Connections {
  // Each open connection and the answer that is due on it, if any; first in the order is the one whose
  // last request or answer is the longest ago.
  const open = new Map<Socket, ServerResponse | undefined>();
  server.on("connection", (socket: Socket) => {
    open.set(socket, undefined);
    socket.once("close", () => open.delete(socket));
    if (open.size > maxConnections) closeLongestWaiting();
  });

  function note({ socket }: IncomingMessage, outgoing: ServerResponse): void {
    replace(socket, outgoing);
    outgoing.once("close", () => {
      // The answer to the next request may have been begun already.
      if (open.get(socket) === outgoing) replace(socket, undefined);
    });
  }

  function closeWaiting(): void {
    for (const [socket, outgoing] of open) if (outgoing === undefined) socket.destroy();
  }

  function replace(socket: Socket, outgoing: ServerResponse | undefined): void {
    // A connection that was closed meanwhile must not come back.
    if (open.delete(socket)) open.set(socket, outgoing);
  }

  function closeLongestWaiting(): void {
    for (const [socket, outgoing] of open) {
      // The client has sent what it had to, and there is no answer yet that it could read.
      if (outgoing?.req.complete && !outgoing.writableEnded) continue;
      open.delete(socket);
      return void socket.destroy();
    }
  }

  return { note, closeWaiting };
}

// Deno's `node:http` hands out at once whatever a client pipelines, and keeps all of the answers in
// memory for as long as the client does not read them.
function inTurn(listener: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, (() => void)[]>();
  return (incoming, outgoing) => {
    const { socket } = incoming;
    function start(): void {
      outgoing.once("close", () => {
        const next = socket.writable ? waiting.get(socket)?.shift() : undefined;
        if (next === undefined) waiting.delete(socket);
        else next();
      });
      listener(incoming, outgoing);
    }
    const queue = waiting.get(socket);
    if (queue === undefined) {
      waiting.set(socket, []);
      start();
    } else if (queue.push(start) > MAX_PIPELINED) socket.destroy();
  };
}

async function answer(
  handler: Handler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const response = await handler(toRequest(incoming));
  const content = new Uint8Array(await response.arrayBuffer());
  outgoing.statusCode = response.status;
  for (const [name, value] of response.headers) outgoing.setHeader(name, value);
  if (content.length > 0) outgoing.setHeader("Content-Length", content.length);
  if (incoming.complete) return void outgoing.end(content);
  // The next request on the connection would wait behind what is left of a body that nobody reads.
  outgoing.setHeader("Connection", "close");
  outgoing.flushHeaders();
  outgoing.write(content);
  await discardRest(incoming);
  outgoing.end();
}

/**
 * Reads and drops what is left of a body, for a while: a client that is still sending it when the
 * connection is closed finds that reset, and no answer.
 */
function discardRest(incoming: IncomingMessage): Promise<void> {
  const isOver = new Promise((resolve) => {
    for (const event of ["end", "close", "error"]) incoming.once(event, resolve);
  });
  incoming.resume();
  return within(DISCARD_MS, isOver);
}

function toRequest(incoming: IncomingMessage): Request {
  const { method = "GET", url = "/", rawHeaders } = incoming;
  const headers = new Headers();
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i], rawHeaders[i + 1]);
  const hasBody = headers.has("content-length") || headers.has("transfer-encoding");
  const body = hasBody ? toStream(incoming) : null;
  const host = headers.get("host") ?? "localhost";
  const sent = url.startsWith("/") ? `http://${host}${url}` : url;
  const init = { method: body === null ? "GET" : "POST", body };
  // Given to the constructor, the URL would be repaired, or refused for a bad host, some methods would
  // be refused, and headers would take Deno a time that grows with the square of their number.
  return Object.defineProperties(new Request("http://localhost/", init), {
    url: { value: sent },
    method: { value: method },
    headers: { value: headers },
  });
}

// `Readable.toWeb` ends the process where data comes that had been on its way when the stream was
// cancelled.
function toStream(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks = incoming.iterator({ destroyOnReturn: false });
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return?.();
    },
  }, { highWaterMark: 0 });
}
