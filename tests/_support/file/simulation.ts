import type { Sockets } from "../../../adapters/_file/sockets.ts";
import type { Timers } from "../../../adapters/_file/timers.ts";
import type { Disk } from "../../../adapters/_file/disk.ts";
import {
  type FileStorage,
  type FileStorageSettings,
  openFileStorageOn,
} from "../../../adapters/_file/file_storage.ts";
import { openMemoryStorage } from "../../../adapters/memory.ts";
import type { AnyKind, Storage } from "../../../adapters/storage.ts";
import { COUNTERS, PEOPLE } from "../../_contract/kinds.ts";
import type { SimulatedDisk } from "./simulated_disk.ts";

/** The folder of the simulated disks. */
const FOLDER = "/data";
/** The path of the lock. */
export const LOCK = `${FOLDER}/lock`;

/** Timers that wait without taking time; otherwise, time stands still. */
export interface SimulatedTimers extends Timers {
  /** Moves the time forward, and runs the timers that are due. */
  advance(ms: number): void;
}

export function createSimulatedTimers(): SimulatedTimers {
  let nowMs = Date.UTC(2026, 10, 21, 10);
  let scheduled: { readonly dueMs: number; readonly run: () => void }[] = [];
  return {
    now: () => nowMs,
    wait(delayMs) {
      nowMs += delayMs;
      return Promise.resolve();
    },
    schedule(delayMs, run) {
      const entry = { dueMs: nowMs + delayMs, run };
      scheduled.push(entry);
      return () => scheduled = scheduled.filter((other) => other !== entry);
    },
    advance(ms) {
      nowMs += ms;
      const due = scheduled.filter(({ dueMs }) => dueMs <= nowMs);
      scheduled = scheduled.filter(({ dueMs }) => dueMs > nowMs);
      for (const { run } of due) run();
    },
  };
}

/** Creates sockets that nobody listens on, for a local disk or a disk that machines share. */
export function createSilentSockets({ isLocal = true } = {}): Sockets {
  return {
    listen: () => Promise.resolve(undefined),
    find: () => Promise.resolve("silent"),
    isLocal: () => isLocal,
  };
}

/** Opens file storage on a simulated disk, with frequent compaction. */
export function openSimulated(
  disk: Disk,
  settings: Partial<FileStorageSettings> = {},
): Promise<FileStorage> {
  return openFileStorageOn(FOLDER, {
    disk,
    timers: createSimulatedTimers(),
    host: "test",
    sockets: createSilentSockets(),
    journalBytes: 1_500,
    onWarning: () => {},
    onLost: () => {},
    ...settings,
  });
}

/** One change of a workload. */
export type Step = (storage: Storage) => Promise<unknown>;

/** Stores a person. */
export function putPerson(email: string, name: string | null = null, active = true): Step {
  return (storage) =>
    storage.transact({ person: { kind: PEOPLE, key: email } }, ({ person }) => {
      const isSame = person?.name === name && person.active === active;
      return { answer: !isSame, put: { person: isSame ? person : { email, name, active } } };
    });
}

/** Removes a person without a trace. */
export function erasePerson(email: string): Step {
  return (storage) =>
    storage.transact({ person: { kind: PEOPLE, key: email } }, ({ person }) => ({
      answer: person !== undefined,
      remove: ["person"],
    }));
}

/** Increments a counter and renames a person in one transaction. */
export function count(counterId: string, email?: string): Step {
  const refs = {
    counter: { kind: COUNTERS, key: counterId },
    person: { kind: PEOPLE, key: email ?? "nobody@x.io" },
  };
  return (storage) =>
    storage.transact(refs, ({ counter, person }) => {
      const value = (counter?.value ?? 0) + 1;
      const put = { counter: { counterId, value } };
      return {
        answer: value,
        put: person === undefined ? put : { ...put, person: { ...person, name: `Nº ${value}` } },
      };
    });
}

/** Changes of every kind. Those of a group are made at the same time. */
const WORKLOAD: readonly (readonly Step[])[] = [
  [count("a")],
  [count("a"), putPerson("ann@x.io", "Ann"), putPerson("bob@x.io")],
  [count("a", "ann@x.io")],
  [
    putPerson("ann@x.io", "Änn", false),
    putPerson("ann@x.io", "Änn", false),
    erasePerson("bob@x.io"),
  ],
  ...Array.from({ length: 6 }, (_, i) => [
    putPerson(`user${i}@x.io`),
    count(`c${i % 2}`, "ann@x.io"),
  ]),
  [erasePerson("user1@x.io"), count("a", "user2@x.io")],
  [putPerson("zoe@x.io")],
];

/** Returns the contents of a storage as text. */
export async function contentsOf(storage: Storage): Promise<string> {
  const lists = [PEOPLE, COUNTERS].map((kind) => storage.list(kind as AnyKind, { limit: 1_000 }));
  return JSON.stringify(await Promise.all(lists));
}

/** Returns the expected contents before and after each step. */
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

/**
 * Runs the workload until the disk fails, with a restart halfway. `progress` has the number of
 * started steps, and the number of the last acknowledged step.
 */
export async function runWorkload(
  disk: SimulatedDisk,
  progress = { asked: 0, acknowledged: 0 },
): Promise<FileStorage | undefined> {
  const timers = createSimulatedTimers();
  let storage = await openSimulated(disk, { timers }).catch(() => undefined);
  for (const [i, group] of WORKLOAD.entries()) {
    if (storage === undefined) return undefined;
    if (i === WORKLOAD.length - 3 && progress.acknowledged === progress.asked) {
      await storage.close();
      storage = await openSimulated(disk, { timers }).catch(() => undefined);
      if (storage === undefined) return undefined;
    }
    const opened = storage;
    await Promise.all(group.map(async (step) => {
      const number = ++progress.asked;
      await step(opened).then(() => {
        progress.acknowledged = Math.max(progress.acknowledged, number);
      }, () => {});
    }));
    // Time passes for heartbeats and for compactions after removals.
    timers.advance(600);
  }
  return storage;
}

/** Returns the names of the files on a disk, in order. */
export function namesOn(disk: SimulatedDisk): readonly string[] {
  return [...disk.files.keys()].map((path) => path.slice(FOLDER.length + 1)).sort();
}

/**
 * Returns the files of a killed process without its lock, so that another process can open them at
 * once.
 */
export function withoutLock(files: SimulatedDisk["files"]): SimulatedDisk["files"] {
  return new Map([...files].filter(([path]) => path !== LOCK));
}

/** Returns the names of the files that hold a text. */
export function filesWith(disk: SimulatedDisk, text: string): readonly string[] {
  return namesOn(disk).filter((name) => disk.readNow(`${FOLDER}/${name}`)!.includes(text));
}
