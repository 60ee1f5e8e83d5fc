import type { Contender } from "./_contenders.ts";
import type { Samples } from "./_rounds.ts";
import { GET_BOARD, measure, putSubscriptions } from "./_wrk.ts";

/** The two documented operations. */
export const OPERATIONS = [
  { name: "GET board", load: GET_BOARD },
  { name: "PUT subscribe", load: putSubscriptions() },
];

/** Over how many connections each is measured. */
export const CONNECTIONS = [1, 32, 256];

/**
 * Starts a contender, warms it up and measures both operations. The samples are called
 * `${contender}, ${operation}, ${connections}, rate`, `cpu` (in µs) and `p99` (in ms).
 */
export async function measureOperations(
  contender: Contender,
  samples: Samples,
  { seconds }: { readonly seconds: number },
): Promise<void> {
  await using server = await contender.start();
  for (const { name, load } of OPERATIONS) {
    await measure(server, load, { connections: 32, seconds: 1 });
    for (const connections of CONNECTIONS) {
      const found = await measure(server, load, { connections, seconds });
      const key = `${contender.name}, ${name}, ${connections}`;
      samples.add(`${key}, rate`, found.perSecond);
      samples.add(`${key}, cpu`, found.cpuUs);
      samples.add(`${key}, p99`, found.p99Ms);
    }
  }
}
