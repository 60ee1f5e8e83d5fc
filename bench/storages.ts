/** How fast each storage answers. */
import { alternate, createSamples } from "./_rounds.ts";
import { STORAGES } from "./_storages.ts";
import type { Subject } from "./_subject.ts";
import { figure, table } from "./_table.ts";
import { GET_BOARD, measure, putSubscriptions } from "./_wrk.ts";

const CONNECTIONS = [1, 32, 256];
const OPERATIONS = [
  { name: "GET board", load: GET_BOARD },
  { name: "PUT subscribe", load: putSubscriptions() },
];

/** The storages beside one another. */
export const storages: Subject = {
  name: "storages",
  async run({ rounds, seconds }) {
    const samples = createSamples();
    for (const kind of alternate(STORAGES, rounds)) {
      await using storage = await kind.create();
      await using server = await storage.contender.start();
      for (const { name, load } of OPERATIONS) {
        await measure(server, load, { connections: 32, seconds: 1 });
        for (const connections of CONNECTIONS) {
          const found = await measure(server, load, { connections, seconds });
          if (found.refused + found.failed > 0) throw new Error(`${kind.name}: ${name} fails`);
          samples.add(`${kind.name}, ${name}, ${connections}`, found.perSecond);
          samples.add(`${kind.name}, ${name}, ${connections}, p99`, found.p99Ms);
        }
      }
    }
    const tables = OPERATIONS.map(({ name: operation }) => {
      const rows = STORAGES.map(({ name }) => [
        name,
        ...CONNECTIONS.map((connections) =>
          figure(samples.median(`${name}, ${operation}, ${connections}`))
        ),
        ...CONNECTIONS.map((connections) =>
          figure(samples.median(`${name}, ${operation}, ${connections}, p99`), 1)
        ),
      ]);
      const columns = ["req/s at", "p99 ms at"].flatMap((unit) =>
        CONNECTIONS.map((connections) => `${unit} ${connections}`)
      );
      return table([operation, ...columns], rows);
    });
    return { text: tables.join("\n\n") };
  },
};
