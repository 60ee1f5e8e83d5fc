import type { Contender } from "./_contenders.ts";
import type { Samples } from "./_rounds.ts";
import type { ServerProcess } from "./_process.ts";
import { GET_BOARD, type Load, measure, putSubscriptions } from "./_wrk.ts";

/** An operation to measure. */
export interface Operation {
  readonly name: string;
  readonly load: Load;
  /** Prepares the server. Later operations run on the same server. */
  readonly prepare?: (server: ServerProcess) => Promise<void>;
}

/** The two documented operations. */
export const OPERATIONS: readonly Operation[] = [
  { name: "GET board", load: GET_BOARD },
  { name: "PUT subscribe", load: putSubscriptions() },
];

/** The numbers of connections for each measurement. */
export const CONNECTIONS = [1, 32, 256];

/**
 * Starts a contender, warms it up and measures operations one after the other. Names samples
 * `${contender}, ${operation}, ${connections}, rate`, `cpu` (in µs) and `p99` (in ms).
 */
export async function measureOperations(
  contender: Contender,
  samples: Samples,
  { seconds, operations = OPERATIONS }: {
    readonly seconds: number;
    readonly operations?: readonly Operation[];
  },
): Promise<void> {
  await using server = await contender.start();
  for (const { name, load, prepare } of operations) {
    await prepare?.(server);
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
