import { type ConnectionLimits, listenWithTimeouts } from "../commands/_node_listener.ts";
import { createHandler, type Handler, openMemoryStorage } from "../mod.ts";
import type { RawConnection } from "./_raw.ts";
import { OPERATOR_KEY } from "./_service.ts";

/** A request that is answered with 200. */
export const LIVEZ = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n";
/** A request that a slow handler answers at once. */
export const FAST = LIVEZ.replace("/livez", "/fast");
/** The head of a request with a body of 40 bytes. */
export const PUT_HEAD = "PUT /api/v1/changelogs/subscribe HTTP/1.1\r\nHost: a\r\n" +
  `Authorization: Bearer ${OPERATOR_KEY}\r\nContent-Length: 40\r\n` +
  "Content-Type: application/x-www-form-urlencoded\r\n\r\n";

// With these nothing is closed but what is over the limit.
const PATIENT = { headMs: 60_000, requestMs: 60_000, idleMs: 60_000, maxConnections: 3 };

/** A request that is not answered before it is told to be. */
export interface SlowCall {
  /** Resolves when the handler is asked. */
  readonly asked: Promise<void>;
  answer(): void;
  /** Stops the listener. */
  stop(): Promise<void>;
}

/** Serves the API by `node:http`, with limits that close nothing unless they are named. */
export async function withListener(
  use: (port: number) => Promise<void>,
  { bodyTimeoutMs = 60_000, ...limits }: Partial<ConnectionLimits> & { bodyTimeoutMs?: number } =
    {},
): Promise<void> {
  const storage = openMemoryStorage();
  const handler = createHandler({ storage, operatorKey: OPERATOR_KEY, bodyTimeoutMs });
  await withHandler(handler, use, limits);
}

/** Serves a handler that answers all requests, but for fast ones, when it is told to. */
export async function withSlowHandler(
  use: (port: number, call: SlowCall) => Promise<void>,
  limits: Partial<ConnectionLimits> = {},
): Promise<void> {
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<Response>();
  const answer = () => answered.resolve(new Response());
  await withHandler(
    ({ url }) => {
      if (url.endsWith("/fast")) return Promise.resolve(new Response());
      asked.resolve();
      return answered.promise;
    },
    (port, stop) => use(port, { asked: asked.promise, answer, stop }),
    limits,
  );
}

/** Serves a handler. */
export async function withHandler(
  handler: Handler,
  use: (port: number, stop: () => Promise<void>) => Promise<void>,
  limits: Partial<ConnectionLimits> = {},
): Promise<void> {
  const address = { host: "127.0.0.1", port: 0 };
  const listener = await listenWithTimeouts(handler, address, { ...PATIENT, ...limits });
  try {
    await use(listener.address.port, listener.shutdown);
  } finally {
    await listener.shutdown();
  }
}

/** Asks on a connection, and returns the status of the answer. */
export async function statusOf(
  connection: RawConnection,
  request = LIVEZ,
): Promise<number | undefined> {
  await connection.send(request);
  return (await connection.read())?.status;
}
