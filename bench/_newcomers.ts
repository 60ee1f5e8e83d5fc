import { setTimeout as delay } from "node:timers/promises";
import type { Front } from "./_fronts.ts";

/** How it went for clients that each came for one answer. */
export interface Newcomers {
  readonly came: number;
  readonly served: number;
  /** The longest time for which nobody was served, in milliseconds. */
  readonly longestMs: number;
}

const EVERY_MS = 100;
const PATIENCE_MS = 2_000;
const REQUEST = new TextEncoder().encode(
  "GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
);

/** Has a client come ten times a second, each over a connection of its own, for as long as asked. */
export async function sendNewcomers(front: Front, durationMs: number): Promise<Newcomers> {
  const started = performance.now();
  const visits: Promise<number | undefined>[] = [];
  while (performance.now() - started < durationMs) {
    visits.push(visit(front));
    await delay(EVERY_MS);
  }
  const served = (await Promise.all(visits)).filter((time) => time !== undefined);
  const times = [started, ...served.toSorted((a, b) => a - b), started + durationMs];
  const gaps = times.slice(1).map((time, i) => time - times[i]);
  return { came: visits.length, served: served.length, longestMs: Math.max(...gaps) };
}

/** Returns the time at which the answer came; `undefined` where none came in time. */
async function visit(
  { port, host = "127.0.0.1", certificate }: Front,
): Promise<number | undefined> {
  let connection: Deno.Conn | undefined;
  let isOpen = false;
  function close(): void {
    if (isOpen) connection?.close();
    isOpen = false;
  }
  const timer = setTimeout(close, PATIENCE_MS);
  try {
    connection = await Deno.connect({ hostname: host.replace(/[[\]]/g, ""), port });
    isOpen = true;
    if (certificate !== undefined) {
      const options = { hostname: "localhost", caCerts: [certificate] };
      connection = await Deno.startTls(connection as Deno.TcpConn, options);
    }
    await connection.write(REQUEST);
    const answer = new Uint8Array(512);
    const length = await connection.read(answer) ?? 0;
    const isServed = new TextDecoder().decode(answer.subarray(0, length)).includes(" 200 OK");
    return isServed ? performance.now() : undefined;
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
    close();
  }
}
