/**
 * Sends damaged requests over raw sockets to a server and looks for failures, hangs and growth.
 *
 *     deno task abuse [--requests N] [--seed N]
 */
import { parseArgs } from "node:util";
import { AUTHORIZATION, BOARD_ID, boardcast } from "./_contenders.ts";
import { figure, table } from "./_table.ts";

const SOCKETS = 16;
const REQUESTS_PER_SOCKET = 3;
const ANSWER_DEADLINE_MS = 15_000;
const PROBE_EVERY = 5_000;
const MAX_GROWTH_MIB = 128;
const utf8 = new TextEncoder();
const latin1 = new TextDecoder("latin1");

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "1000000" },
    seed: { type: "string", default: `${Date.now() % 1_000_000}` },
  },
});
const total = Number(values.requests);
const random = createRandom(Number(values.seed));
const statuses = new Map<string, number>();
const problems: string[] = [];

const server = await boardcast("abuse").start();
const templates = createTemplates();
const before = await server.memoryMib();
let sent = 0;
await Promise.all(Array.from({ length: SOCKETS }, work));
const after = await server.memoryMib();
await server.stop();

console.log(`${total} requests, seed ${values.seed}\n`);
const counts = [...statuses].sort(([a], [b]) => a.localeCompare(b));
console.log(table(["answer", "times"], counts.map(([status, count]) => [status, figure(count)])));
console.log(`\nMemory: ${figure(before)} MiB before, ${figure(after)} MiB after`);
if (after - before > MAX_GROWTH_MIB) problems.push(`grew by ${figure(after - before)} MiB`);
for (const problem of problems.slice(0, 20)) console.error(problem);
if (problems.length > 0) Deno.exit(1);

function createTemplates(): readonly Uint8Array[] {
  const key = `Authorization: ${AUTHORIZATION.Authorization}\r\n`;
  const form = "userEmail=ann%2Bnews%40example.com&subscribe=true&userName=Ann";
  const json = '{"userEmail":"ann@example.com","subscribe":false}';
  const put = (type: string, body: string) =>
    `PUT /api/v1/changelogs/subscribe HTTP/1.1\r\nHost: a\r\n${key}Content-Type: ${type}\r\n` +
    `Content-Length: ${body.length}\r\n\r\n${body}`;
  return [
    `GET /api/v1/boards/${BOARD_ID} HTTP/1.1\r\nHost: a\r\n${key}If-None-Match: "x", W/"y"\r\n\r\n`,
    `GET /api/v1/boards?limit=2&cursor=YQ HTTP/1.1\r\nHost: a\r\n${key}\r\n`,
    `PATCH /api/v1/boards/${BOARD_ID} HTTP/1.1\r\nHost: a\r\n${key}If-Match: "x"\r\n` +
    `Content-Type: application/json\r\nContent-Length: 15\r\n\r\n{"name":"Next"}`,
    `POST /api/v1/keys HTTP/1.1\r\nHost: a\r\n${key}Content-Type: application/json\r\n` +
    `Transfer-Encoding: chunked\r\n\r\n8\r\n{"name":\r\n6\r\n"a%20"\r\n1\r\n}\r\n0\r\n\r\n`,
    put("application/x-www-form-urlencoded; charset=utf-8", form),
    put("application/json", json),
    `DELETE /api/v1/changelogs/subscribers/ann%40example.com HTTP/1.1\r\nHost: a\r\n${key}\r\n`,
    "OPTIONS /docs HTTP/1.1\r\nHost: a\r\nOrigin: https://a.example\r\n\r\n",
  ].map((text) => utf8.encode(text));
}

/** Sends requests over one socket after the other, up to three on each. */
async function work(): Promise<void> {
  while (sent < total) {
    const count = Math.min(1 + pick(REQUESTS_PER_SOCKET), total - sent);
    sent += count;
    if (Math.floor(sent / PROBE_EVERY) !== Math.floor((sent - count) / PROBE_EVERY)) await probe();
    const requests = Array.from({ length: count }, () => damage(templates[pick(templates.length)]));
    await exchange(requests);
  }
}

/** Sends the requests at once, then closes its side, and reads what comes back. */
async function exchange(requests: readonly Uint8Array[]): Promise<void> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
  let isHanging = false;
  const timer = setTimeout(() => {
    isHanging = true;
    connection.close();
  }, ANSWER_DEADLINE_MS);
  let text = "";
  try {
    for (const request of requests) {
      for (let at = 0; at < request.length;) at += await connection.write(request.subarray(at));
    }
    await connection.closeWrite();
    const buffer = new Uint8Array(65_536);
    for (let n; (n = await connection.read(buffer)) !== null;) {
      text += latin1.decode(buffer.subarray(0, n));
    }
  } catch {
    // A server may cut off a client that sends nonsense.
  }
  clearTimeout(timer);
  if (isHanging) {
    problems.push(`no end of ${JSON.stringify(requests.map((r) => latin1.decode(r)))}`);
  } else connection.close();
  for (const [, status] of text.matchAll(/^HTTP\/1\.[01] (\d{3})/gm)) {
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status.startsWith("5")) {
      problems.push(`${status}: ${JSON.stringify(requests.map((r) => latin1.decode(r)))}`);
    }
  }
}

async function probe(): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${server.port}/readyz`);
  await response.body?.cancel();
  if (response.status !== 200) problems.push(`/readyz answers ${response.status}`);
}

/** Changes a request in up to three places, or not at all. */
function damage(request: Uint8Array): Uint8Array {
  let bytes = [...request];
  for (let changes = pick(4); changes > 0; changes--) {
    const at = pick(bytes.length);
    const length = 1 + pick(8);
    switch (pick(6)) {
      case 0:
        bytes[at] ^= 1 << pick(8);
        break;
      case 1:
        bytes[at] = pick(256);
        break;
      case 2:
        bytes.splice(at, 0, ...Array.from({ length }, () => pick(256)));
        break;
      case 3:
        bytes.splice(at, length);
        break;
      case 4:
        bytes.splice(at, 0, ...bytes.slice(at, at + length * 8));
        break;
      default:
        bytes = bytes.slice(0, at + 1);
    }
  }
  return Uint8Array.from(bytes);
}

function pick(count: number): number {
  return Math.floor(random() * count);
}

/** A linear congruential generator (Numerical Recipes), so that each sequence can be repeated. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
