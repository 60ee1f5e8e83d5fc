/** Measures the speed of each storage. */
import { CONNECTIONS, measureOperations, type Operation, OPERATIONS } from "./_operations.ts";
import { createWebhook, startReceiver } from "./_receiver.ts";
import { alternate, createSamples } from "./_rounds.ts";
import { STORAGES } from "./_storages.ts";
import type { Subject } from "./_subject.ts";
import { figure, table } from "./_table.ts";
import { putSubscriptions } from "./_wrk.ts";

/** Compares the storages with each other. */
export const storages: Subject = {
  name: "storages",
  async run({ rounds, seconds }) {
    const samples = createSamples();
    await using receiver = startReceiver();
    const withWebhook: Operation = {
      name: "PUT subscribe with a webhook",
      load: putSubscriptions(),
      prepare: (server) => createWebhook(server, receiver),
    };
    const operations = [...OPERATIONS, withWebhook];
    for (const kind of alternate(STORAGES, rounds)) {
      const env = { BOARDCAST_WEBHOOK_ALLOW: receiver.address };
      await using storage = await kind.create({ env });
      await measureOperations(storage.contender, samples, { seconds, operations });
    }
    const tables = operations.map(({ name: operation }) => {
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
