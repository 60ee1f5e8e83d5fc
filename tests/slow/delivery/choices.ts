import { assert } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage, type Storage } from "../../../mod.ts";
import { simulateChoices, type SimulationOptions } from "../../_support/choices/simulation.ts";
import { cleaningUp } from "../../_support/folder.ts";
import { type PlaceKind, withPlace } from "./_scene.ts";

const SIZE = { seed: 55, people: 2_000, kills: 3, pauses: 1, processes: 2 };

async function simulate(name: string, open: () => Promise<Storage>, size: SimulationOptions) {
  const { kills, ...figures } = await simulateChoices(open, size);
  assert(kills >= 40, `${kills} kills`);
  console.log(name, { kills, ...figures });
}

/** Runs the simulation with processes that each open the storage. */
async function simulateIn(kind: PlaceKind): Promise<void> {
  await withPlace(kind, async (place) => {
    const opened: Storage[] = [];
    await cleaningUp(() =>
      simulate(kind, async () => {
        const isFile = kind === "file";
        // Only one process may have a folder open, so the next one takes over.
        if (isFile) await opened.pop()?.close();
        if (isFile || opened.length < 4) opened.push(await place.open());
        else opened.push(opened.shift()!);
        return opened.at(-1)!;
      }, { ...SIZE, ...kind === "file" && { processes: 1, pauses: 0 } }), async () => {
      for (const storage of opened) await storage.close();
    });
  });
}

describe("2,000 people who choose, leave and are erased while twelve entries are mailed in four weeks", () => {
  it("get what the model says when 40 processes end, on memory", async () => {
    const storage = openMemoryStorage();
    await simulate("memory", () => Promise.resolve(storage), SIZE);
  });

  for (const kind of ["file", "kv", "postgres"] as const) {
    it(`get what the model says when 40 processes end, on ${kind} storage`, () => simulateIn(kind));
  }
});
