/** What a scrape of the metrics takes with many subscribers, and what it costs a server at full load. */
import { AUTHORIZATION } from "./_contenders.ts";
import { median } from "./_rounds.ts";
import { fill } from "./_fill.ts";
import { STORAGES } from "./_storages.ts";
import type { Subject } from "./_subject.ts";
import { figure, table } from "./_table.ts";
import { measure, putSubscriptions } from "./_wrk.ts";

const SCRAPE_MS = 1_000;
const SAMPLES = 50;

/** The rate with a scrape each second beside the rate without, and the time of a scrape when idle. */
export const scrape: Subject = {
  name: "scrape",
  async run({ subscribers, rounds, seconds }) {
    const rows: string[][] = [];
    for (const kind of STORAGES) {
      await using storage = await kind.create();
      await using server = await storage.contender.start();
      await fill(server.port, 0, subscribers);
      await scrapeOnce(server.port);
      const times: number[] = [];
      for (let i = 0; i < SAMPLES; i++) times.push(await scrapeOnce(server.port));
      const load = putSubscriptions(subscribers, Math.min(100_000, 2 * subscribers));
      const options = { connections: 32, seconds };
      await measure(server, load, options);
      const ratios: number[] = [];
      for (let round = 0; round < rounds; round++) {
        // In turn, as the second of two is the slower one while a machine warms up.
        const first = round % 2 === 0 ? await measure(server, load, options) : undefined;
        const timer = setInterval(() => void scrapeOnce(server.port), SCRAPE_MS);
        const scraped = await measure(server, load, options);
        clearInterval(timer);
        const { perSecond } = first ?? await measure(server, load, options);
        ratios.push(scraped.perSecond / perSecond);
      }
      rows.push([
        kind.name,
        figure(subscribers),
        median(times).toFixed(1),
        median(ratios).toFixed(3),
      ]);
    }
    return table(
      ["storage", "subscribers", "ms per scrape", "PUT rate with scrapes : without"],
      rows,
    );
  },
};

/** Scrapes; returns how long it took, in milliseconds. */
async function scrapeOnce(port: number): Promise<number> {
  const startedMs = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: AUTHORIZATION });
  const text = await response.text();
  if (!text.includes("boardcast_subscribers")) throw new Error(`Cannot scrape: ${text}`);
  return performance.now() - startedMs;
}
