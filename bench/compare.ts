/** Compares the speed of Boardcast with that of other servers under the same rules. */
import { bare, boardcast, hono, installNode } from "./_contenders.ts";
import { CONNECTIONS, measureOperations, OPERATIONS } from "./_operations.ts";
import { alternate, createSamples, type Samples } from "./_rounds.ts";
import type { Subject } from "./_subject.ts";
import { figure, table } from "./_table.ts";

/** Boardcast on memory beside a bare server, Hono, Fastify and Express. */
export const compare: Subject = {
  name: "compare",
  async run({ rounds, seconds }) {
    await using node = await installNode();
    const contenders = [bare(), boardcast(), hono(), ...node.contenders];
    const samples = createSamples();
    for (const contender of alternate(contenders, rounds)) {
      await measureOperations(contender, samples, { seconds });
    }
    return report(contenders.map(({ name }) => name), samples);
  },
};

function report(names: readonly string[], samples: Samples): string {
  const limit = names[0];
  const rateName = (name: string, operation: string, connections: number) =>
    `${name}, ${operation}, ${connections}, rate`;
  const rate = (name: string, operation: string, connections: number) =>
    samples.median(rateName(name, operation, connections));
  const tables = OPERATIONS.map(({ name: operation }) => {
    const rows = names.map((name) => [
      name,
      ...CONNECTIONS.map((connections) => figure(rate(name, operation, connections))),
      figure(samples.ratio(rateName(name, operation, 32), rateName(limit, operation, 32)), 2),
      figure(samples.median(`${name}, ${operation}, 32, cpu`), 1),
      figure(samples.median(`${name}, ${operation}, 32, p99`), 2),
    ]);
    const headings = [
      operation,
      ...CONNECTIONS.map((connections) => `req/s at ${connections}`),
      "of the limit at 32",
      "CPU µs/req at 32",
      "p99 ms at 32",
    ];
    return table(headings, rows);
  });
  return tables.join("\n\n");
}
