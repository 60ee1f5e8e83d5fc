/**
 * Measures an honest client while others send wrong keys as fast as they can, and looks for memory
 * that grows. Needs Linux and wrk.
 *
 *     deno task flood [--rounds N] [--seconds N]
 */
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { generateKeyText } from "../model/api_key.ts";
import { AUTHORIZATION, boardcast } from "./_contenders.ts";
import { describeMachine } from "./_machine.ts";
import type { ServerProcess } from "./_process.ts";
import { createSamples } from "./_rounds.ts";
import { figure, table } from "./_table.ts";
import { GET_BOARD, type Load, measure } from "./_wrk.ts";

const KEYS = 100_000;
const HONEST = { connections: 32 };
const FLOOD = { connections: 64 };
const MAX_GROWTH_MIB = 32;
const RAMP_SECONDS = 1;
const MALFORMED = ["Bearer", "Bearer a b", 'Bearer "', "Bearer =", "Bearer \u007f"];

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "6" },
  },
});
const seconds = Number(values.seconds);
const samples = createSamples();
const problems: string[] = [];
const floods: readonly { readonly name: string; readonly authorizations: readonly string[] }[] = [
  { name: "the right key, for comparison", authorizations: [AUTHORIZATION.Authorization] },
  { name: "unknown keys, well formed", authorizations: makeKeys((text) => `Bearer ${text}`) },
  { name: "mistyped keys", authorizations: makeKeys((text) => `Bearer ${mistype(text)}`) },
  {
    name: "malformed credentials",
    authorizations: makeKeys((text, i) => `${MALFORMED[i % MALFORMED.length]} ${text}`),
  },
];
console.log(`${await describeMachine()}\n`);
for (let round = 0; round < Number(values.rounds); round++) {
  await using server = await boardcast().start();
  await measure(server, GET_BOARD, { ...HONEST, seconds: 1 });
  // What grows once, as the runtime needs it to refuse, is no growth.
  await flood(server, floods[1].authorizations);
  const alone = await measure(server, GET_BOARD, { ...HONEST, seconds });
  samples.add("alone, rate", alone.perSecond);
  samples.add("alone, p99", alone.p99Ms);
  for (const { name, authorizations } of floods) await underFlood(server, name, authorizations);
}
printTable();
for (const problem of problems) console.error(problem);
if (problems.length > 0) Deno.exit(1);

async function underFlood(
  server: ServerProcess,
  name: string,
  authorizations: readonly string[],
): Promise<void> {
  const beforeMib = await server.memoryMib();
  const flooding = flood(server, authorizations);
  await delay(RAMP_SECONDS * 1_000);
  const honest = await measure(server, GET_BOARD, { ...HONEST, seconds });
  const { perSecond, refused, failed } = await flooding;
  const afterMib = await server.memoryMib();
  samples.add(`${name}, rate`, honest.perSecond);
  samples.add(`${name}, p99`, honest.p99Ms);
  samples.add(`${name}, flood`, perSecond);
  samples.add(`${name}, MiB before`, beforeMib);
  samples.add(`${name}, MiB after`, afterMib);
  if (honest.refused + honest.failed > 0) problems.push(`${name}: honest requests failed`);
  if (failed > 0) problems.push(`${name}: ${failed} wrong requests had no answer`);
  if (authorizations.length > 1 && refused === 0) problems.push(`${name}: were not refused`);
  const growthMib = afterMib - beforeMib;
  if (growthMib > MAX_GROWTH_MIB) problems.push(`${name}: grew by ${figure(growthMib)} MiB`);
}

function flood(server: ServerProcess, authorizations: readonly string[]) {
  const load: Load = { ...GET_BOARD, authorizations };
  return measure(server, load, { ...FLOOD, seconds: seconds + 2 * RAMP_SECONDS });
}

function printTable(): void {
  const rate = samples.median("alone, rate");
  const p99 = samples.median("alone, p99");
  const rows = floods.map(({ name }) => {
    const found = (what: string) => samples.median(`${name}, ${what}`);
    return [
      name,
      figure(found("flood")),
      `${figure(found("rate"))} (${figure(found("rate") / rate, 2)})`,
      `${figure(found("p99"), 1)} (${figure(found("p99") / p99, 2)})`,
      figure(found("MiB before")),
      figure(found("MiB after")),
    ];
  });
  rows.unshift(["none", "–", figure(rate), figure(p99, 1), "–", "–"]);
  const headings = ["flood/s", "honest req/s (of alone)", "p99 ms (of alone)"];
  console.log(table(["flood of", ...headings, "MiB before", "MiB after"], rows));
}

function makeKeys(make: (text: string, index: number) => string): string[] {
  return Array.from({ length: KEYS }, (_, i) => make(generateKeyText(), i));
}

/** Swaps the last character for another one. */
function mistype(text: string): string {
  return text.slice(0, -1) + (text.endsWith("a") ? "b" : "a");
}
