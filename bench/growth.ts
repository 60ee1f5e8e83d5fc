/** Whether more subscribers make the service slower, and what each of them takes in memory. */
import { fill } from "./_fill.ts";
import { STORAGES } from "./_storages.ts";
import type { Subject } from "./_subject.ts";
import { figure, table } from "./_table.ts";
import { GET_BOARD, measure, putSubscriptions } from "./_wrk.ts";

const SMALLEST = 1_000;
const FACTOR = 10;

/** The figures of one storage at one size. */
interface Point {
  readonly storage: string;
  readonly subscribers: number;
  readonly getRate: number;
  readonly putRate: number;
  readonly memoryMib: number;
}

/** Rate and memory from 1,000 subscribers up. */
export const growth: Subject = {
  name: "growth",
  async run({ subscribers: most, seconds }) {
    const points: Point[] = [];
    for (const kind of STORAGES) {
      await using storage = await kind.create();
      await using server = await storage.contender.start();
      let filled = 0;
      for (let subscribers = SMALLEST; subscribers <= most; subscribers *= FACTOR) {
        await fill(server.port, filled, subscribers);
        filled = subscribers;
        const options = { connections: 32, seconds };
        const put = putSubscriptions(subscribers, Math.min(100_000, 2 * subscribers));
        await measure(server, put, { ...options, seconds: 1 });
        points.push({
          storage: kind.name,
          subscribers,
          getRate: (await measure(server, GET_BOARD, options)).perSecond,
          putRate: (await measure(server, put, options)).perSecond,
          memoryMib: await server.memoryMib(),
        });
      }
    }
    return report(points);
  },
};

function report(points: readonly Point[]): string {
  const rows = points.map((point) => [
    `${point.storage}, ${figure(point.subscribers)}`,
    figure(point.getRate),
    figure(point.putRate),
    figure(point.memoryMib),
  ]);
  return table(["subscribers", "GET req/s at 32", "PUT req/s at 32", "MiB"], rows);
}
