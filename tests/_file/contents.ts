import process from "node:process";
import type { Disk, DiskFile } from "../../adapters/_file/disk.ts";
import { minute } from "../_contract/samples.ts";
import type { SimulatedDisk } from "./simulated_disk.ts";

export const LOCK = "/data/lock";
export const SNAPSHOT = "/data/snapshot.json";
export const JOURNAL = "/data/journal.jsonl";
/** What is said of a folder that another storage of the tests holds. */
export const HELD =
  `Cannot use the data folder "/data": process ${process.pid} on test holds it since ${minute(0)}`;

/** A disk on which the files of some paths are other than usual. */
export function changeFiles(
  disk: Disk,
  change: (path: string, file: DiskFile) => Partial<DiskFile>,
): Disk {
  return {
    ...disk,
    async open(path, mode) {
      const file = await disk.open(path, mode);
      return { ...file, ...change(path, file) };
    },
  };
}

/** The files of a process that was killed while it wrote a record. */
export function withTornJournal(
  files: ReadonlyMap<string, Uint8Array>,
  tail: string,
): Map<string, Uint8Array> {
  const torn = [...files.get(JOURNAL)!, ...new TextEncoder().encode(tail)];
  return new Map(files).set(JOURNAL, new Uint8Array(torn));
}

/** The text of a file; empty where there is none. */
export function textOf(disk: SimulatedDisk, path: string): string {
  return new TextDecoder().decode(disk.files.get(path));
}

/** The generation of the snapshot; 0 where there is none yet. */
export function generationOf(disk: SimulatedDisk): number {
  const text = textOf(disk, SNAPSHOT);
  return text === "" ? 0 : JSON.parse(text).generation;
}

/** The paths of the files that hold a text. */
export function filesWith(disk: SimulatedDisk, text: string): readonly string[] {
  return [...disk.files.keys()].filter((path) => textOf(disk, path).includes(text));
}

/** The paths of the files that were being written. */
export function temporariesOn(disk: SimulatedDisk): readonly string[] {
  return [...disk.files.keys()].filter((path) => path.endsWith(".tmp"));
}
