import type { Disk } from "../../adapters/_file/disk.ts";
import { changeFiles } from "./contents.ts";
import { createSimulatedDisk } from "./simulated_disk.ts";

/** A simulated disk that holds syncs back on demand, and counts them. */
export interface GatedDisk extends Disk {
  /** How many syncs of a file were asked for. */
  readonly syncs: number;
  /** Holds syncs back from now on. */
  hold(): void;
  /** Lets them be done, or fail. */
  release(options?: { readonly failing: boolean }): void;
}

export function createGatedDisk(): GatedDisk {
  const disk = changeFiles(createSimulatedDisk(), (_path, file) => ({
    async sync() {
      syncs++;
      await gate;
      await file.sync();
    },
  }));
  let syncs = 0;
  let gate: Promise<void> | undefined;
  let open = (_failing: boolean) => {};

  return {
    ...disk,
    get syncs() {
      return syncs;
    },
    hold() {
      gate = new Promise((resolve, reject) => {
        open = (failing) => failing ? reject(new Error("simulated failure")) : resolve();
      });
    },
    release({ failing } = { failing: false }) {
      open(failing);
      gate = undefined;
    },
  };
}
