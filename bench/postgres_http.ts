// Compares PUT and GET over HTTP with pgbench and with one query per request, on one server, in
// one run, with the same number of connections. `wrk` and `pgbench` run on the same machine.
// deno run --allow-all bench/postgres_http.ts [connections] [seconds] [rounds]
import { startCluster } from "../tests/_postgres.ts";
import {
  GET_STATEMENT,
  getScript,
  prepareDatabase,
  putScript,
  putStatement,
  runPgbench,
  runWrk,
  startServer,
} from "./_postgres_load.ts";

const [connections = 64, seconds = 2, rounds = 7] = Deno.args.map(Number);
const ADDRESSES = 100_000;
const OPERATOR_KEY = "an-operators-key-for-measuring";

const rates = new Map<string, number[]>();

async function note(name: string, measure: () => Promise<number>): Promise<void> {
  rates.set(name, [...rates.get(name) ?? [], await measure()]);
}

async function runBoth(urls: readonly string[], script: string): Promise<number> {
  const half = { connections: connections / 2, seconds, script };
  const both = await Promise.all(urls.map((url) => runWrk(url, half)));
  return both[0] + both[1];
}

const cluster = await startCluster({ durable: true });
try {
  const key = await prepareDatabase(cluster.url);
  const pool = `${connections}`;
  const batched = await startServer([cluster.url, "batched", pool]);
  const second = await startServer([cluster.url, "batched", pool]);
  const plain = await startServer([cluster.url, "plain", pool, OPERATOR_KEY]);
  const load = (script: string) => ({ connections, seconds, script });
  const both = [batched.url, second.url];
  const put = putScript(key, ADDRESSES);
  const get = getScript(key);
  for (let round = 0; round < rounds; round++) {
    await note("PUT pgbench", () => runPgbench(cluster.url, load(putStatement(ADDRESSES))));
    await note("PUT batched", () => runWrk(batched.url, load(put)));
    await note("PUT plain", () => runWrk(plain.url, load(putScript(OPERATOR_KEY, ADDRESSES))));
    await note("PUT two processes", () => runBoth(both, put));
    await note("GET pgbench", () => runPgbench(cluster.url, load(GET_STATEMENT)));
    await note("GET batched", () => runWrk(batched.url, load(get)));
    await note("GET plain", () => runWrk(plain.url, load(getScript(OPERATOR_KEY))));
    await note("GET two processes", () => runBoth(both, get));
  }
  for (const server of [batched, second, plain]) await server.stop();
} finally {
  await cluster.dispose();
}

// The best of the rounds is the one that others on the machine disturbed least.
const rate = (name: string) => Math.max(...rates.get(name)!);
for (const method of ["PUT", "GET"]) {
  const own = rate(`${method} batched`);
  for (const other of ["pgbench", "plain", "two processes"]) {
    const theirs = rate(`${method} ${other}`);
    const ratio = other === "two processes" ? theirs / own : own / theirs;
    console.log(
      `${method} ${Math.round(own)}/s, ${other} ${Math.round(theirs)}/s: ${ratio.toFixed(2)}`,
    );
  }
}
