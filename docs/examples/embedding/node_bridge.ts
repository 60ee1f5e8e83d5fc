import type { IncomingMessage, RequestListener } from "node:http";
import { pipeline } from "node:stream/promises";

/** Makes a listener of `node:http` out of a handler of web requests. */
export function createListener(
  handle: (request: Request) => Promise<Response>,
): RequestListener {
  return async (incoming, outgoing) => {
    // Tells the handler that the client has left.
    const leaving = new AbortController();
    outgoing.once("close", () => leaving.abort());
    let request: Request;
    try {
      request = toRequest(incoming, leaving.signal);
    } catch {
      // The method, path or host is one that no Request can have.
      outgoing.writeHead(400).end();
      return;
    }
    try {
      // The handler would take a body that a parser has read for an empty one.
      if (incoming.readableDidRead) throw new TypeError("Mount this ahead of body parsers");
      const response = await handle(request);
      outgoing.statusCode = response.status;
      outgoing.setHeaders(response.headers);
      if (response.body === null) outgoing.end();
      else await pipeline(response.body, outgoing);
    } catch (error) {
      if (leaving.signal.aborted) return;
      // A page of the app failed. An unhandled error would end the process.
      console.error(error);
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(500).end();
    }
    // Lets go of what is left of a body, which the next request on the connection waits behind.
    incoming.resume();
  };
}

function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = "GET", url = "/", rawHeaders } = incoming;
  const headers = new Headers();
  for (const [i, value] of rawHeaders.entries()) {
    if (i % 2 === 1) headers.append(rawHeaders[i - 1] ?? "", value);
  }
  const hasBody = method !== "GET" && method !== "HEAD";
  const body = hasBody ? toStream(incoming) : null;
  const init = { method, headers, body, signal, duplex: "half" as const };
  // A target in absolute form is a whole URL (RFC 9112, section 3.2.2).
  const host = headers.get("host") || "localhost";
  return new Request(url.startsWith("/") ? `http://${host}${url}` : url, init);
}

function toStream(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  // The connection outlives a body of which the rest is not wanted.
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
  }, { highWaterMark: 0 }); // Nothing is read before it is asked for.
}
