/**
 * Measures what honest clients get while others hold thousands of slow and silent connections, or
 * try keys. Needs Linux, wrk, slowhttptest and leave to open 12,000 files.
 *
 *     deno task slow [--sockets N] [--seconds N]
 */
import { parseArgs } from "node:util";
import { generateKeyText } from "../model/api_key.ts";
import { boardcast } from "./_contenders.ts";
import { delay, type ServerProcess } from "./_process.ts";
import { figure, table } from "./_table.ts";
import { AUTHORIZATION, GET_BOARD, measure } from "./_wrk.ts";

/** Something hostile; ends when it is disposed of. */
interface Attack {
  readonly name: string;
  start(server: ServerProcess): AsyncDisposable;
}

const { values } = parseArgs({
  options: {
    sockets: { type: "string", default: "5000" },
    seconds: { type: "string", default: "5" },
  },
});
const sockets = Number(values.sockets);
const seconds = Number(values.seconds);
const utf8 = new TextEncoder();

const SLOW_BODY = "PUT /api/v1/changelogs/subscribe HTTP/1.1\r\nHost: a\r\n" +
  `Authorization: ${AUTHORIZATION.Authorization}\r\nContent-Length: 99\r\n` +
  "Content-Type: application/x-www-form-urlencoded\r\n\r\nuserEmail=";
// More than the handler remembers.
const TOKENS = 5_000;
const ATTACKS: readonly Attack[] = [
  { name: "none", start: () => ({ [Symbol.asyncDispose]: async () => {} }) },
  { name: "silent sockets", start: ({ port }) => holdSockets(port, "") },
  { name: "heads that never end", start: ({ port }) => slowHttpTest(port) },
  { name: "bodies that never end", start: ({ port }) => holdSockets(port, SLOW_BODY) },
  { name: "flood of unknown keys", start: (server) => flood(server, generateKeyText) },
  { name: "flood of mistyped keys", start: (server) => flood(server, mistypedKey) },
];
const LISTENERS = [
  boardcast("deno"),
  boardcast("node", { args: ["--listener", "node"] }),
];

const rows: string[][] = [];
for (const listener of LISTENERS) {
  for (const attack of ATTACKS) {
    const server = await listener.start();
    await measure(server, GET_BOARD, { connections: 32, seconds: 1 });
    const alone = await measure(server, GET_BOARD, { connections: 32, seconds });
    const before = await server.memoryMib();
    let held: number;
    let found;
    let during: number;
    {
      await using _attack = attack.start(server);
      await delay(4_000);
      held = await server.handles();
      found = await measure(server, GET_BOARD, { connections: 32, seconds });
      during = await server.memoryMib();
    }
    await delay(1_000);
    const after = await measure(server, GET_BOARD, { connections: 32, seconds: 1 });
    await server.stop();
    const row = [
      `${listener.name}: ${attack.name}`,
      figure(held),
      figure(found.perSecond / alone.perSecond, 2),
      figure(alone.p99Ms, 1),
      figure(found.p99Ms, 1),
      figure(found.failed + found.refused),
      figure(after.failed + after.refused),
      figure(during - before),
    ];
    console.error(row.join(" · "));
    rows.push(row);
  }
}
console.log(table(
  ["listener: attack", "handles", "rate", "p99 before", "p99 during", "failed", "after", "MiB +"],
  rows,
));

function mistypedKey(): string {
  return generateKeyText().slice(0, -1) + "-";
}

/** Holds open sockets that have sent some text; opens each again that is closed. */
function holdSockets(port: number, text: string): AsyncDisposable {
  const open = new Set<Deno.Conn>();
  let isOver = false;

  async function hold(): Promise<void> {
    while (!isOver) {
      try {
        const connection = await Deno.connect({ hostname: "127.0.0.1", port });
        open.add(connection);
        await connection.write(utf8.encode(text));
        const buffer = new Uint8Array(4_096);
        while (await connection.read(buffer) !== null);
        open.delete(connection);
        connection.close();
      } catch {
        // It was closed under way.
      }
      if (!isOver) await delay(1_000);
    }
  }

  const all = Promise.all(Array.from({ length: sockets }, hold));
  return {
    async [Symbol.asyncDispose]() {
      isOver = true;
      for (const connection of open) connection.close();
      await all;
    },
  };
}

/** Sends the heads of requests by a header every 5 s. */
function slowHttpTest(port: number): AsyncDisposable {
  const child = new Deno.Command("slowhttptest", {
    args: [
      ...["-H", "-c", `${sockets}`, "-r", `${Math.ceil(sockets / 2)}`, "-i", "5", "-l", "120"],
      ...["-u", `http://127.0.0.1:${port}/livez`],
    ],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  return {
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.status;
    },
  };
}

/** Sends requests with wrong keys as fast as they are answered. */
function flood(server: ServerProcess, createToken: () => string): AsyncDisposable {
  const tokens = Array.from({ length: TOKENS }, createToken);
  const load = { ...GET_BOARD, headers: {}, tokens };
  const ended = measure(server, load, { connections: 64, seconds: seconds + 6 });
  return {
    async [Symbol.asyncDispose]() {
      await ended;
    },
  };
}
