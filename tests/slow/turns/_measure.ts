import { OPERATOR_KEY } from "../../_support/service.ts";
import type { Start, Started } from "./_server.ts";

const EVERY_MS = 20;

/** A server in a thread of its own. */
export interface Server extends Started, Disposable {}

/** A request and its name in the report. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Starts a server. */
export function start(asked: Start): Promise<Server> {
  const worker = new Worker(new URL("./_server.ts", import.meta.url), { type: "module" });
  return new Promise((resolve, reject) => {
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.onmessage = ({ data }: MessageEvent<Started>) =>
      resolve({ ...data, [Symbol.dispose]: () => worker.terminate() });
    worker.postMessage(asked);
  });
}

/** Requests `/livez` without end. The returned function stops this and returns the longest wait. */
export function watch({ url }: Server): () => Promise<number> {
  let isOver = false;
  let worstMs = 0;
  async function ask(): Promise<void> {
    while (!isOver) {
      const startedMs = performance.now();
      const response = await fetch(`${url}/livez`);
      await response.body?.cancel();
      worstMs = Math.max(worstMs, performance.now() - startedMs);
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  }
  const asking = ask();
  return async () => {
    isOver = true;
    await asking;
    return worstMs;
  };
}

/** Sends a request, reads all of the answer, and returns its status. */
export async function send(
  { url }: Server,
  { method, path, headers, body }: Asked,
): Promise<number> {
  const authorization = `Bearer ${OPERATOR_KEY}`;
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...headers, authorization },
    body,
    redirect: "manual",
  });
  for await (const _ of response.body ?? []) { /* All of it is read. */ }
  return response.status;
}
