import type { Clock } from "../../adapters/_file/clock.ts";
import type { Disk } from "../../adapters/_file/disk.ts";
import { type FileStorageSettings, openFileStorageOn } from "../../adapters/_file/file_storage.ts";
import { openMemoryStorage } from "../../adapters/memory.ts";
import type { Storage } from "../../adapters/storage.ts";
import { minute, sampleBoard, sampleChange, sampleKey } from "../_contract/samples.ts";
import type { SimulatedDisk } from "./simulated_disk.ts";

/** A clock that stands still but for waiting, which takes no time. */
export interface SimulatedClock extends Clock {
  /** Runs what is scheduled. */
  fire(): void;
}

export function createSimulatedClock(): SimulatedClock {
  let elapsedMs = 0;
  let scheduled: (() => void)[] = [];
  return {
    now: () => minute(0),
    elapsedMs: () => elapsedMs,
    wait(delayMs) {
      elapsedMs += delayMs;
      return Promise.resolve();
    },
    schedule(_delayMs, run) {
      scheduled.push(run);
      return () => scheduled = scheduled.filter((other) => other !== run);
    },
    fire() {
      const due = scheduled;
      scheduled = [];
      for (const run of due) run();
    },
  };
}

/** Opens file storage on a simulated disk, with a journal that is folded often. */
export function openSimulated(
  disk: Disk,
  settings: Partial<FileStorageSettings> = {},
): Promise<Storage> {
  return openFileStorageOn("/data", {
    disk,
    clock: createSimulatedClock(),
    host: "test",
    heartbeatMs: 100,
    journalBytes: 2_000,
    onWarning: () => {},
    onLost: () => {},
    ...settings,
  });
}

/** One change of a workload. */
export type Step = (storage: Storage) => Promise<unknown>;

const OLD = sampleKey("old");
const NEW = sampleKey("new");
const IDEAS = sampleBoard("ideas");

/** Changes of every kind, in groups that are made at the same time. */
export const WORKLOAD: readonly (readonly Step[])[] = [
  [({ apiKeys }) => apiKeys.create(OLD)],
  [
    ({ boards }) => boards.create(IDEAS),
    ({ subscriptions }) => subscriptions.put(sampleChange("ann@x.io", { userName: "Ann" })),
    ({ subscriptions }) => subscriptions.put(sampleChange("bob@x.io")),
  ],
  [({ boards }) => boards.replace(IDEAS, { ...IDEAS, name: "Thoughts" })],
  [
    ({ subscriptions }) => subscriptions.put(sampleChange("ann@x.io", { subscribe: false })),
    ({ subscriptions }) => subscriptions.put(sampleChange("ann@x.io", { subscribe: false })),
    ({ subscriptions }) => subscriptions.erase("bob@x.io"),
  ],
  [({ apiKeys }) =>
    apiKeys.rotate({ keyId: "old", at: minute(1), until: minute(1), successor: NEW })],
  ...Array.from({ length: 6 }, (_, i): Step[] => [
    ({ subscriptions }) => subscriptions.put(sampleChange(`user${i}@x.io`)),
    ({ subscriptions }) => subscriptions.put(sampleChange("ann@x.io", { subscribe: i % 2 === 0 })),
  ]),
  [
    ({ boards }) => boards.delete({ ...IDEAS, name: "Thoughts" }),
    ({ apiKeys }) => apiKeys.revoke("new", minute(2)),
  ],
  [({ subscriptions }) => subscriptions.put(sampleChange("zoe@x.io"))],
];

/** All that a storage holds, as text that can be compared. */
export async function contentsOf(storage: Storage): Promise<string> {
  return JSON.stringify([
    await storage.boards.list({ limit: 9_999 }),
    await storage.apiKeys.list({ limit: 9_999 }),
    await storage.subscriptions.list({ limit: 9_999 }),
  ]);
}

/** What storage holds after each step, by the reference. */
export async function expectedContents(
  steps: readonly Step[] = WORKLOAD.flat(),
): Promise<readonly string[]> {
  const reference = openMemoryStorage();
  const contents = [await contentsOf(reference)];
  for (const step of steps) {
    await step(reference);
    contents.push(await contentsOf(reference));
  }
  return contents;
}

/** How far a run of the workload came. */
export interface Progress {
  /** How many steps were begun. */
  asked: number;
  /** The number of the last step that was acknowledged. */
  acknowledged: number;
  /** The steps that were acknowledged, in their order. */
  readonly done: Step[];
}

/** The progress of a run that has not begun. */
export function createProgress(): Progress {
  return { asked: 0, acknowledged: 0, done: [] };
}

/** Runs the workload, with a restart in its middle, as far as the disk lets it. */
export async function runWorkload(
  disk: SimulatedDisk,
  progress: Progress = createProgress(),
): Promise<Storage | undefined> {
  const clock = createSimulatedClock();
  let storage = await openSimulated(disk, { clock }).catch(() => undefined);
  for (const [i, group] of WORKLOAD.entries()) {
    if (storage === undefined) return undefined;
    if (i === WORKLOAD.length - 3 && progress.acknowledged === progress.asked) {
      await storage.close();
      storage = await openSimulated(disk, { clock }).catch(() => undefined);
      if (storage === undefined) return undefined;
    }
    const target = storage;
    await Promise.all(group.map(async (step) => {
      const number = ++progress.asked;
      try {
        await step(target);
        progress.acknowledged = Math.max(progress.acknowledged, number);
        progress.done.push(step);
      } catch {
        // Not acknowledged.
      }
    }));
    clock.fire();
  }
  return storage;
}
