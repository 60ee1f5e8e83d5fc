/** How fast each storage answers. */
import { CONNECTIONS, measureOperations, OPERATIONS } from "./_operations.ts";
import { alternate, createSamples } from "./_rounds.ts";
import { STORAGES } from "./_storages.ts";
import type { Subject } from "./_subject.ts";
import { figure, table } from "./_table.ts";

/** The storages beside one another. */
export const storages: Subject = {
  name: "storages",
  async run({ rounds, seconds }) {
    const samples = createSamples();
    for (const kind of alternate(STORAGES, rounds)) {
      await using storage = await kind.create();
      await measureOperations(storage.contender, samples, { seconds });
    }
    const tables = OPERATIONS.map(({ name: operation }) => {
      const rows = STORAGES.map(({ name }) => {
        const found = (connections: number, what: string) =>
          samples.median(`${name}, ${operation}, ${connections}, ${what}`);
        return [
          name,
          ...CONNECTIONS.map((connections) => figure(found(connections, "rate"))),
          figure(found(32, "p99"), 1),
        ];
      });
      const rates = CONNECTIONS.map((connections) => `req/s at ${connections}`);
      return table([operation, ...rates, "p99 ms at 32"], rows);
    });
    return tables.join("\n\n");
  },
};
