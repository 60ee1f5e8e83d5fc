import { hasUpkeep, runUpkeep } from "../services/upkeep.ts";
import { type Channel, type Loop, type LoopOptions, startLoop } from "./loop.ts";

/** Options of {@linkcode startUpkeep}. */
export interface UpkeepLoopOptions extends LoopOptions {
  /**
   * The time to keep voters' addresses after their post was closed; `false` keeps them for ever.
   */
  readonly voteRetentionMs: number | false;
}

const UPKEEP_MS = 3_600_000;

/** Does the regular work of a storage, at once and then each hour, until it is closed. */
export function startUpkeep(options: UpkeepLoopOptions): Loop {
  return startLoop(createUpkeepChannel(options), options);
}

/** Creates the channel of the regular work. */
export function createUpkeepChannel(
  { storage, clock, voteRetentionMs: retentionMs, onError }: Omit<
    UpkeepLoopOptions,
    "leaseMs" | "pollMs"
  >,
): Channel {
  let ranMs = -Infinity;
  // A failure is logged once, until its job succeeds.
  let logged: ReadonlySet<string> = new Set();
  const now = () => new Date(clock.now()).toISOString();

  return {
    name: "upkeep",
    async isDue() {
      if (clock.elapsed() - ranMs < UPKEEP_MS) return false;
      if (await hasUpkeep(storage, { retentionMs, now: now() })) return true;
      ranMs = clock.elapsed();
      return false;
    },
    async run({ transact, isOn }) {
      const isStopped = () => !isOn();
      const failures = await runUpkeep(storage, { retentionMs, now: now(), transact, isStopped });
      ranMs = clock.elapsed();
      for (const { job, error } of failures) {
        if (!logged.has(job)) onError(new Error(`Cannot ${job}`, { cause: error }));
      }
      logged = new Set(failures.map(({ job }) => job));
    },
  };
}
