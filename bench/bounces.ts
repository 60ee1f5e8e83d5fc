/** How much a flood of bounces disturbs other calls. */
import { AUTHORIZATION } from "./_contenders.ts";
import type { ServerProcess } from "./_process.ts";
import { createSamples } from "./_rounds.ts";
import { STORAGES } from "./_storages.ts";
import type { Subject } from "./_subject.ts";
import { figure, table } from "./_table.ts";
import { measure, putSubscriptions } from "./_wrk.ts";

const EVENTS_PER_MINUTE = 10_000;
const CONNECTIONS = 8;
const KINDS = STORAGES.filter(({ name }) => name === "file" || name === "postgres");
const JSON_HEADERS = { "Content-Type": "application/json" };

/** The calls that change a subscription, with and without a flood of events. */
export const bounces: Subject = {
  name: "bounces",
  async run({ rounds, seconds }) {
    const samples = createSamples();
    for (let round = 0; round < rounds; round++) {
      for (const { name, create } of KINDS) {
        await using storage = await create();
        await using server = await storage.contender.start();
        const load = { connections: CONNECTIONS, seconds };
        {
          await using _warmUp = await startFlood(server);
          await measure(server, putSubscriptions(), load);
        }
        const quiet = await measure(server, putSubscriptions(), load);
        await using flood = await startFlood(server);
        const flooded = await measure(server, putSubscriptions(), load);
        samples.add(`${name}, quiet`, quiet.p99Ms);
        samples.add(`${name}, flood`, flooded.p99Ms);
        samples.add(`${name}, events`, flood.perMinute());
      }
    }
    const rows = KINDS.map(({ name }) => [
      name,
      figure(samples.median(`${name}, quiet`), 1),
      figure(samples.median(`${name}, flood`), 1),
      figure(samples.ratio(`${name}, flood`, `${name}, quiet`), 2),
      figure(samples.median(`${name}, events`)),
    ]);
    const columns = ["p99 ms alone", "in a flood", "times", "events a minute"];
    return table([`PUT subscribe at ${CONNECTIONS}`, ...columns], rows);
  },
};

/** Posts events one by one, half of them about people who are here, until the end of the scope. */
async function startFlood({ port }: ServerProcess) {
  const url = `http://127.0.0.1:${port}`;
  const address = await fetch(`${url}/api/v1/changelogs/bounces`, { headers: AUTHORIZATION });
  const { path }: { path: string } = await address.json();
  const startMs = performance.now();
  let posted = 0;
  let answered = 0;

  async function post(): Promise<void> {
    const number = posted++;
    const Email = `user${number % 2_000}@example.com`;
    const event = { RecordType: "Bounce", Type: "SoftBounce", Email, Details: `${number}` };
    const body = JSON.stringify(event);
    const response = await fetch(url + path, { method: "POST", headers: JSON_HEADERS, body });
    await response.body?.cancel();
    if (response.ok) answered++;
  }

  const timer = setInterval(() => {
    const due = (performance.now() - startMs) / 60_000 * EVENTS_PER_MINUTE;
    while (posted < due) post().catch(() => {});
  }, 20);
  return {
    perMinute: () => answered / (performance.now() - startMs) * 60_000,
    // deno-lint-ignore require-await
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
    },
  };
}
