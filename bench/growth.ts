/** Measures how rates, waiting times and memory grow with the number of subscribers. */
import { run as runProgram } from "../tests/_support/process.ts";
import { AUTHORIZATION } from "./_contenders.ts";
import { measurePosts, POST_COLUMNS } from "./_posts.ts";
import type { ServerProcess } from "./_process.ts";
import { median } from "./_rounds.ts";
import { type FreshStorage, STORAGES } from "./_storages.ts";
import type { Effort, Subject } from "./_subject.ts";
import { figure, table } from "./_table.ts";
import { GET_BOARD, measure, putSubscriptions } from "./_wrk.ts";

const SMALLEST = 1_000;
const FACTOR = 10;
const SAMPLES = 25;
const SUBSCRIBERS = "/api/v1/changelogs/subscribers";

/** Measures each storage, or the named ones, at each size. */
export const growth: Subject = {
  name: "growth",
  async run(effort) {
    const rows: string[][] = [];
    const postRows: (readonly string[])[] = [];
    for (const { name, create } of STORAGES) {
      if (effort.storages.length > 0 && !effort.storages.includes(name)) continue;
      await using storage = await create();
      rows.push(...await measureSizes(name, storage, effort));
      await using server = await storage.contender.start();
      const measured = {
        name,
        size: effort.subscribers,
        timeOf: (path: string) => timeOf(server, path),
      };
      postRows.push(await measurePosts(server, measured, effort));
    }
    const at = `at ${effort.connections}`;
    const people = table([
      "subscribers",
      `GET req/s ${at}`,
      `PUT req/s ${at}`,
      "CPU µs/PUT",
      `p99 ms ${at}`,
      "imported rows/s",
      "ms per page of 100",
      "ms per scrape",
      "MiB",
      "handles",
    ], rows);
    return `${people}\n\n${table(POST_COLUMNS, postRows)}`;
  },
};

async function measureSizes(
  name: string,
  { contender, url }: FreshStorage,
  { subscribers: most, connections, seconds }: Effort,
): Promise<string[][]> {
  const rows: string[][] = [];
  await using server = await contender.start();
  let filled = 0;
  for (let size = SMALLEST; size <= most; size *= FACTOR) {
    console.error(`${name}: ${figure(size)} subscribers`);
    const imported = size - filled;
    const importedMs = await time(() => importUsers(server, filled, size));
    filled = size;
    const load = putSubscriptions(size, Math.min(100_000, 2 * size));
    await measure(server, load, { connections, seconds: 1 });
    const put = await measure(server, load, { connections, seconds });
    const get = await measure(server, GET_BOARD, { connections, seconds });
    rows.push([
      `${name}, ${figure(size)}`,
      figure(get.perSecond),
      figure(put.perSecond),
      figure(put.cpuUs),
      put.p99Ms.toFixed(1),
      figure(imported / importedMs * 1_000),
      (await timeOf(server, `${SUBSCRIBERS}?subscribed=true&limit=100`)).toFixed(1),
      (await timeOf(server, "/metrics")).toFixed(1),
      figure(await server.memoryMib()),
      figure(await server.handles()),
    ]);
  }
  if (url === undefined) return rows;
  const perSecond = figure(await upsert(url, { users: filled, connections, seconds }));
  return [...rows, ["pgbench", "", perSecond, "", "", "", "", "", "", ""]];
}

/** Subscribes users with consecutive numbers. */
async function importUsers(server: ServerProcess, from: number, to: number): Promise<void> {
  const rows = Array.from(
    { length: to - from },
    (_, i) => `user${from + i}@example.com,Ann,true\n`,
  );
  const text = await call(server, `${SUBSCRIBERS}/import`, {
    method: "POST",
    body: `userEmail,userName,subscribed\n${rows.join("")}`,
    headers: { "Content-Type": "text/csv" },
  });
  if (JSON.parse(text).added !== rows.length) throw new Error(`Cannot import: ${text}`);
}

/** Runs the same changes with pgbench, one prepared statement each; returns the rate per second. */
async function upsert(
  url: string,
  { users, connections, seconds }: Pick<Effort, "connections" | "seconds"> & { users: number },
): Promise<number> {
  const script = await Deno.makeTempFile({ suffix: ".sql" });
  await Deno.writeTextFile(
    script,
    `\\set n random(0, ${users - 1})
insert into boardcast.subscriptions as stored
  (user_email, user_name, subscriber_id, subscribed, source, pace, pace_changes, history, created_at,
    updated_at)
  values ('user' || :n || '@example.com', 'Ann', '${
      "0".repeat(18)
    }', true, 'api', 'each', '[]', '', now(),
    now())
  on conflict (user_email) do update
    set subscribed = not stored.subscribed, updated_at = excluded.updated_at;
`,
  );
  const flags = ["-n", "-M", "prepared", "-c", `${connections}`, "-T", `${seconds}`, "-f", script];
  const { out } = await runProgram("pgbench", [...flags, url]);
  await Deno.remove(script);
  const [, perSecond] = /tps = ([\d.]+)/.exec(out) ?? [];
  if (perSecond !== undefined) return Number(perSecond);
  throw new Error(`pgbench measured nothing: take more seconds\n${out}`);
}

/** Returns the median time of a GET, in milliseconds. */
async function timeOf(server: ServerProcess, path: string): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < SAMPLES; i++) times.push(await time(() => call(server, path)));
  return median(times);
}

async function time(action: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await action();
  return performance.now() - startedMs;
}

async function call(
  { port }: ServerProcess,
  path: string,
  init: RequestInit = {},
): Promise<string> {
  const headers = { ...AUTHORIZATION, ...init.headers };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`${init.method ?? "GET"} ${path}: ${response.status} ${text}`);
  return text;
}
