/**
 * Keeps a server of each storage under mixed load and looks for what grows, fails or is lost.
 *
 *     deno task soak [STORAGE]… [--minutes N]
 */
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { choose } from "./_choice.ts";
import { AUTHORIZATION, BOARD_ID } from "./_contenders.ts";
import type { ServerProcess } from "./_process.ts";
import { type StorageKind, STORAGES } from "./_storages.ts";
import { figure, table } from "./_table.ts";

const WORKERS = 16;
const ADDRESSES_PER_WORKER = 50;
const SAMPLES = 20;
const MAX_GROWTH_MIB = 32;
const MAX_NEW_HANDLES = 8;

/** What a worker did and saw. */
interface Tally {
  requests: number;
  aborted: number;
  readonly failures: string[];
  /** The states that an address may be in: one, or both after an aborted request. */
  readonly states: Map<string, ReadonlySet<boolean>>;
}

interface Sample {
  readonly memoryMib: number;
  readonly handles: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: "string", default: "10" } },
});
const kinds = choose(STORAGES, positionals);
const results = [];
for (const kind of kinds) results.push(await soak(kind, Number(values.minutes) * 60_000));
console.log(table(
  ["storage", "requests", "aborted", "failed", "lost", "MiB warm", "MiB end", "handles +"],
  results.map((result) => result.row),
));
const problems = results.flatMap(({ problems }) => problems);
for (const problem of problems) console.error(problem);
if (problems.length > 0) Deno.exit(1);

async function soak(kind: StorageKind, durationMs: number) {
  await using storage = await kind.create();
  const server = await storage.contender.start();
  const until = performance.now() + durationMs;
  const working = Promise.all(
    Array.from({ length: WORKERS }, (_, worker) => work(server.port, worker, until)),
  );
  const samples = await sample(server, durationMs);
  const tallies = await working;
  const lost = await countLost(server.port, tallies);
  await server.stop();

  // After a fifth of the time, the server is warm: what it takes later is growth.
  const warm = samples[Math.floor(SAMPLES / 5)];
  const end = samples[samples.length - 1];
  const failures = tallies.flatMap((tally) => tally.failures);
  const newHandles = end.handles - warm.handles;
  const growthMib = end.memoryMib - warm.memoryMib;
  const problems = failures.slice(0, 10).map((failure) => `${kind.name}: ${failure}`);
  if (lost > 0) problems.push(`${kind.name}: ${lost} addresses are not as acknowledged`);
  if (growthMib > MAX_GROWTH_MIB) {
    problems.push(`${kind.name}: grew by ${growthMib.toFixed(0)} MiB`);
  }
  if (newHandles > MAX_NEW_HANDLES) problems.push(`${kind.name}: ${newHandles} handles more`);
  const sum = (count: (tally: Tally) => number) =>
    tallies.reduce((total, tally) => total + count(tally), 0);
  const row = [
    kind.name,
    figure(sum((tally) => tally.requests)),
    figure(sum((tally) => tally.aborted)),
    figure(failures.length),
    figure(lost),
    figure(warm.memoryMib),
    figure(end.memoryMib),
    `${newHandles}`,
  ];
  return { row, problems };
}

async function sample(server: ServerProcess, durationMs: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (let i = 0; i < SAMPLES; i++) {
    await delay(durationMs / SAMPLES);
    samples.push({ memoryMib: await server.memoryMib(), handles: await server.handles() });
  }
  return samples;
}

/** Sends one request after the other, over its own connections and about its own addresses. */
async function work(port: number, worker: number, until: number): Promise<Tally> {
  const tally: Tally = { requests: 0, aborted: 0, failures: [], states: new Map() };
  const api = `http://127.0.0.1:${port}/api/v1`;
  let client = Deno.createHttpClient({});

  async function expect(status: number, path: string, init: RequestInit = {}): Promise<void> {
    tally.requests++;
    try {
      const response = await fetch(api + path, { headers: AUTHORIZATION, ...init, client });
      await response.text();
      if (response.status === status) return;
      tally.failures.push(`${init.method ?? "GET"} ${path}: ${response.status}, not ${status}`);
    } catch (error) {
      tally.failures.push(`${init.method ?? "GET"} ${path}: ${(error as Error).message}`);
    }
  }

  function put(userEmail: string, subscribe: boolean): RequestInit {
    const body = new URLSearchParams({ userEmail, subscribe: `${subscribe}`, userName: "Ann" });
    return { method: "PUT", body };
  }

  async function abort(userEmail: string, subscribe: boolean): Promise<void> {
    const aborter = new AbortController();
    const init = { headers: AUTHORIZATION, ...put(userEmail, subscribe), client };
    const request = fetch(`${api}/changelogs/subscribe`, { ...init, signal: aborter.signal })
      .then((response) => response.text(), () => {});
    await delay(Math.random() * 2);
    aborter.abort();
    await request.catch(() => {});
    tally.aborted++;
    tally.states.set(userEmail, new Set([...tally.states.get(userEmail) ?? [], subscribe]));
  }

  for (let step = 0; performance.now() < until; step++) {
    const number = Math.floor(Math.random() * ADDRESSES_PER_WORKER);
    const userEmail = `user${worker}-${number}@example.com`;
    const subscribe = Math.random() < 0.5;
    const isKnown = tally.states.has(userEmail);
    switch (step % 8) {
      case 0:
      case 1:
        await expect(200, `/boards/${BOARD_ID}`);
        break;
      case 2:
        await expect(404, "/boards/none");
        break;
      case 3:
        await expect(401, `/boards/${BOARD_ID}`, { headers: { Authorization: "Bearer wrong" } });
        break;
      case 4:
        await expect(422, "/changelogs/subscribe", put("no address", true));
        break;
      case 5:
        if (isKnown && step % 64 === 5) await abort(userEmail, subscribe);
        break;
      default:
        await expect(200, "/changelogs/subscribe", put(userEmail, subscribe));
        tally.states.set(userEmail, new Set([subscribe]));
    }
    if (step % 500 === 499) {
      client.close();
      client = Deno.createHttpClient({});
    }
  }
  client.close();
  return tally;
}

/** Counts the addresses in a state in which they may not be. */
async function countLost(port: number, tallies: readonly Tally[]): Promise<number> {
  let lost = 0;
  for (const { states } of tallies) {
    for (const [userEmail, possible] of states) {
      const url = `http://127.0.0.1:${port}/api/v1/changelogs/subscribers/${userEmail}`;
      const response = await fetch(url, { headers: AUTHORIZATION });
      const { subscribed } = await response.json();
      if (!possible.has(subscribed)) lost++;
    }
  }
  return lost;
}
