/**
 * Measures the file storage over HTTP as it grows: the rate of durable PUT at 1,000 and at
 * 1,000,000 subscribers, how long opening a million takes and how much memory it needs, and the
 * latency of PUT at rest and while a million are folded into a new snapshot. Needs wrk.
 *
 *     deno run -A bench/file_size.ts [rounds] [seconds]
 */
import { type BenchServer, eraseOne, medianOf, putWithWrk, startServer } from "./_file/load.ts";

const SMALL = 1_000;
const LARGE = 1_000_000;
const rounds = Number(Deno.args[0] ?? 3);
const seconds = Number(Deno.args[1] ?? 5);

async function measureRate(directory: string, count: number): Promise<number> {
  const server = await startServer("file", directory, count);
  await putWithWrk(server.url, { count, seconds: 2, connections: 32 });
  const { requestsPerSecond } = await putWithWrk(server.url, { count, seconds, connections: 32 });
  await server.stop();
  return requestsPerSecond;
}

async function hasTemporaryFile(directory: string): Promise<boolean> {
  for await (const { name } of Deno.readDir(directory)) {
    if (name.startsWith("snapshot.json.")) return true;
  }
  return false;
}

/** Latencies of PUT over a few connections, apart for rest and for the time of a fold. */
async function measureLatency(server: BenchServer, directory: string): Promise<void> {
  const rest = await putWithWrk(server.url, { count: LARGE, seconds, connections: 8 });
  console.log(`p99 of PUT at rest ${rest.p99Ms.toFixed(1)} ms`);
  await eraseOne(server.url, LARGE - 2);
  while (!await hasTemporaryFile(directory)) await new Promise((done) => setTimeout(done, 1));
  const startedMs = performance.now();
  const under = putWithWrk(server.url, { count: LARGE - 2, seconds: 2, connections: 8 });
  while (await hasTemporaryFile(directory)) await new Promise((done) => setTimeout(done, 5));
  const foldMs = performance.now() - startedMs;
  const { p99Ms } = await under;
  console.log(
    `p99 of PUT while folding ${p99Ms.toFixed(1)} ms, ${(p99Ms / rest.p99Ms).toFixed(1)} times ` +
      `that at rest; the snapshot took ${(foldMs / 1_000).toFixed(1)} s`,
  );
}

const small = await Deno.makeTempDir();
const large = await Deno.makeTempDir();
try {
  await (await startServer("file", large, LARGE)).stop();
  const rates = { small: [] as number[], large: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    rates.small.push(await measureRate(small, SMALL));
    rates.large.push(await measureRate(large, LARGE));
  }
  const [smallRate, largeRate] = [medianOf(rates.small), medianOf(rates.large)];
  console.log(
    `PUT at ${SMALL}: ${smallRate.toFixed(0)}/s, at ${LARGE}: ${largeRate.toFixed(0)}/s, ` +
      `ratio ${(largeRate / smallRate).toFixed(2)}`,
  );
  const server = await startServer("file", large, LARGE);
  console.log(`opening ${LARGE}: ${server.openMs} ms, then ${server.rssMb} MB resident`);
  await measureLatency(server, large);
  await server.stop();
} finally {
  await Deno.remove(small, { recursive: true });
  await Deno.remove(large, { recursive: true });
}
