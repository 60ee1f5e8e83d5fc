/**
 * Compares durable PUT over HTTP, with 32 connections and 1,000 subscribers, between the memory
 * storage, the file storage, and a plain handler on node:sqlite (WAL, synchronous=FULL, one
 * transaction a request). Needs wrk. Runs them in turn, several times, and prints medians.
 *
 *     deno run -A bench/file_put.ts [rounds] [seconds]
 */
import { medianOf, putWithWrk, startServer } from "./_file/load.ts";

const KINDS = ["memory", "file", "sqlite"] as const;
const rounds = Number(Deno.args[0] ?? 3);
const seconds = Number(Deno.args[1] ?? 5);
const rates = { memory: [] as number[], file: [] as number[], sqlite: [] as number[] };
const p99s = { memory: [] as number[], file: [] as number[], sqlite: [] as number[] };

for (let round = 0; round < rounds; round++) {
  for (const kind of KINDS) {
    const directory = await Deno.makeTempDir();
    const server = await startServer(kind, directory, 1_000);
    await putWithWrk(server.url, { count: 1_000, seconds: 2, connections: 32 });
    const rate = await putWithWrk(server.url, { count: 1_000, seconds, connections: 32 });
    rates[kind].push(rate.requestsPerSecond);
    p99s[kind].push(rate.p99Ms);
    await server.stop();
    await Deno.remove(directory, { recursive: true });
  }
}
for (const kind of KINDS) {
  const rate = medianOf(rates[kind]);
  console.log(
    `${kind.padEnd(6)} ${rate.toFixed(0)} requests/s, p99 ${medianOf(p99s[kind]).toFixed(1)} ms, ` +
      `${(rate / medianOf(rates.memory)).toFixed(2)} of memory`,
  );
}
console.log(`file is ${(medianOf(rates.file) / medianOf(rates.sqlite)).toFixed(2)} of sqlite`);
