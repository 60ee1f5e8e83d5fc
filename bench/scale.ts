/** What more subscribers, and more processes, make of a service on PostgreSQL. */
import { run as runProgram } from "../tests/_support/process.ts";
import { type PostgresCluster, startCluster } from "../tests/_support/postgres.ts";
import { startScriptedRelay } from "../tests/_support/scripted_relay.ts";
import { AUTHORIZATION, boardcast } from "./_contenders.ts";
import { figuresOf, type ServerProcess } from "./_process.ts";
import { median } from "./_rounds.ts";
import type { Subject } from "./_subject.ts";
import { figure, table } from "./_table.ts";
import { GET_BOARD, type Load, measure, type Measurement, putSubscriptions } from "./_wrk.ts";

const SIZES = [1_000, 10_000, 100_000, 1_000_000, 5_000_000];
const PROCESSES = [1, 2, 4];
const CONNECTIONS = 32;
const IMPORTED = 10_000;
const SAMPLES = 25;
const API = "/api/v1/changelogs";

/** Rates, processor time and waiting from 1,000 subscribers up, then with one, two and four processes. */
export const scale: Subject = {
  name: "scale",
  async run({ subscribers: most, seconds }) {
    await using relay = await startScriptedRelay();
    const cluster = await startCluster({ durable: true, settings: ["shared_buffers=2GB"] });
    try {
      const contender = boardcast("postgres", {
        storage: cluster.url,
        env: {
          BOARDCAST_MAIL: relay.url,
          BOARDCAST_MAIL_FROM: "news@acme.example",
          BOARDCAST_PUBLIC_URL: "https://updates.example",
        },
      });
      const bySize: string[][] = [];
      const byProcesses: string[][] = [];
      const sizes = SIZES.filter((size) => size <= most);
      let filled = 0;
      for (const size of sizes) {
        await using server = await contender.start();
        await fill(cluster, filled, size);
        filled = size;
        const load = putSubscriptions(size, Math.min(100_000, 2 * size));
        await measureAll(cluster, [server], load, { seconds: 1 });
        const put = await measureAll(cluster, [server], load, { seconds });
        const get = await measureAll(cluster, [server], GET_BOARD, { seconds });
        const importedMs = await importRows(server, size);
        const mails = relay.ledger.length;
        const mailedMs = await time(async () => {
          await publish(server, `entry${size}`);
          await relay.reached(mails + 1);
        });
        bySize.push([
          figure(size),
          figure(put.perSecond),
          figure(get.perSecond),
          (await timeOf(server, `${API}/subscribers?subscribed=true&limit=100`)).toFixed(1),
          (await timeOf(server, "/metrics")).toFixed(1),
          figure(IMPORTED / importedMs * 1_000),
          figure(mailedMs),
        ]);
        await cancel(server, `entry${size}`);
      }
      for (const count of PROCESSES) {
        await using stack = new AsyncDisposableStack();
        const servers: ServerProcess[] = [];
        while (servers.length < count) servers.push(stack.use(await contender.start()));
        const load = putSubscriptions(filled, Math.min(100_000, 2 * filled));
        await measureAll(cluster, servers, load, { seconds: 1 });
        const put = await measureAll(cluster, servers, load, { seconds });
        byProcesses.push([
          `${count}`,
          figure(put.perSecond),
          figure(put.cpuUs),
          figure(put.databaseUs),
          put.p99Ms.toFixed(1),
        ]);
      }
      byProcesses.push(["pgbench", figure(await upsert(cluster, filled, seconds)), "", "", ""]);
      const sizesTable = table([
        "subscribers",
        "PUT req/s at 32",
        "GET req/s at 32",
        "ms per page of 100",
        "ms per scrape",
        "imported rows/s",
        "ms to first mail",
      ], bySize);
      const processesTable = table([
        "processes",
        "PUT req/s at 32",
        "CPU µs/req of Boardcast",
        "CPU µs/req of PostgreSQL",
        "p99 ms",
      ], byProcesses);
      return `${sizesTable}\n\nWith ${figure(filled)} subscribers:\n\n${processesTable}`;
    } finally {
      await cluster.dispose();
    }
  },
};

/** Subscribes users by their numbers, as so many requests would. */
async function fill({ sql }: PostgresCluster, from: number, to: number): Promise<void> {
  await sql`
    insert into boardcast.subscriptions
      (user_email, user_name, subscriber_id, subscribed, source, history, created_at, updated_at)
    select 'user' || n || '@example.com', 'Ann', substr(md5(n::text), 1, 18), true, 'api',
      '[["2026-01-01T00:00:00.000Z",true,"api","operator"]]', now(), now()
    from generate_series(${from}::bigint, ${to - 1}::bigint) as n`;
  await sql`vacuum analyze boardcast.subscriptions`;
}

/** Loads several servers at once, over {@linkcode CONNECTIONS} connections in all. */
async function measureAll(
  { sql }: PostgresCluster,
  servers: readonly ServerProcess[],
  load: Load,
  { seconds }: { readonly seconds: number },
): Promise<Measurement & { readonly databaseUs: number }> {
  const connections = CONNECTIONS / servers.length;
  await measure(servers[0], GET_BOARD, { connections, seconds: 1 });
  const backends = await sql`select pid from pg_stat_activity where pid <> pg_backend_pid()`;
  const cpuMs = async () => {
    const times = backends.map(({ pid }) => figuresOf(pid).cpuMs().catch(() => 0));
    return (await Promise.all(times)).reduce((sum, ms) => sum + ms, 0);
  };
  const beforeMs = await cpuMs();
  const found = await Promise.all(
    servers.map((server) => measure(server, load, { connections, seconds })),
  );
  const databaseMs = await cpuMs() - beforeMs;
  const perSecond = found.reduce((sum, one) => sum + one.perSecond, 0);
  const cpuUs = found.reduce((sum, one) => sum + one.cpuUs * one.perSecond, 0) / perSecond;
  const databaseUs = databaseMs * 1e3 / (perSecond * seconds);
  return { perSecond, cpuUs, databaseUs, p99Ms: Math.max(...found.map(({ p99Ms }) => p99Ms)) };
}

/** Has pgbench make the same changes by one statement each; returns how many it made in a second. */
async function upsert({ url }: PostgresCluster, users: number, seconds: number): Promise<number> {
  const script = await Deno.makeTempFile({ suffix: ".sql" });
  await Deno.writeTextFile(
    script,
    `\\set n random(0, ${users - 1})
insert into boardcast.subscriptions as stored
  (user_email, user_name, subscriber_id, subscribed, source, history, created_at, updated_at)
  values ('user' || :n || '@example.com', 'Ann', '${"0".repeat(18)}', true, 'api', '', now(), now())
  on conflict (user_email) do update
    set subscribed = not stored.subscribed, updated_at = excluded.updated_at;
`,
  );
  const flags = ["-n", "-M", "prepared", "-c", `${CONNECTIONS}`, "-T", `${seconds}`, "-f", script];
  const { out } = await runProgram("pgbench", [...flags, url]);
  await Deno.remove(script);
  const [, perSecond] = /tps = ([\d.]+)/.exec(out) ?? [];
  if (perSecond === undefined) {
    throw new Error(`pgbench measured nothing: take more seconds\n${out}`);
  }
  return Number(perSecond);
}

/** Imports addresses that nobody has yet; returns how long it took, in milliseconds. */
function importRows(server: ServerProcess, size: number): Promise<number> {
  const rows = Array.from({ length: IMPORTED }, (_, i) => `new${size}.${i}@example.com,true\n`);
  return time(async () => {
    const text = await call(server, "POST", `${API}/subscribers/import`, {
      body: `userEmail,subscribed\n${rows.join("")}`,
      headers: { "Content-Type": "text/csv" },
    });
    if (JSON.parse(text).added !== IMPORTED) throw new Error(`Cannot import: ${text}`);
  });
}

async function publish(server: ServerProcess, entryId: string): Promise<void> {
  const body = new URLSearchParams({ entryId, title: "News", body: "News" });
  await call(server, "POST", `${API}/entries`, { body });
  const notify = new URLSearchParams({ notify: "true" });
  await call(server, "POST", `${API}/entries/${entryId}/publish`, { body: notify });
}

async function cancel(server: ServerProcess, entryId: string): Promise<void> {
  await call(server, "POST", `${API}/entries/${entryId}/delivery/cancel`, {});
}

/** Returns the median time of a GET, in milliseconds. */
async function timeOf(server: ServerProcess, path: string): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < SAMPLES; i++) times.push(await time(() => call(server, "GET", path, {})));
  return median(times);
}

async function time(action: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await action();
  return performance.now() - startedMs;
}

async function call(
  { port }: ServerProcess,
  method: string,
  path: string,
  { headers, body }: { readonly headers?: HeadersInit; readonly body?: BodyInit },
): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    body,
    headers: { ...AUTHORIZATION, ...headers },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text;
}
