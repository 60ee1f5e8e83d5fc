import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { sampleChange } from "./_contract/samples.ts";
import {
  changeFiles,
  generationOf,
  JOURNAL,
  SNAPSHOT,
  temporariesOn,
  textOf,
} from "./_file/contents.ts";
import { createSimulatedDisk } from "./_file/simulated_disk.ts";
import { contentsOf, createSimulatedClock, openSimulated } from "./_file/simulation.ts";
import { turns, untilTurned } from "./_waiting.ts";

const ANN = "ann@x.io";

describe("file storage that can't fold its journal", () => {
  it("warns, tries again later and loses nothing when a snapshot can't be written", async () => {
    const simulated = createSimulatedDisk();
    let isFull = false;
    const disk = changeFiles(simulated, (path, file) => ({
      write: (bytes, position) =>
        isFull && path.startsWith(`${SNAPSHOT}.`)
          ? Promise.reject(new Error("no space left"))
          : file.write(bytes, position),
    }));
    const clock = createSimulatedClock();
    const warnings: string[] = [];
    const settings = {
      clock,
      journalBytes: 1_000,
      onWarning: (message: string) => void warnings.push(message),
    };
    const storage = await openSimulated(disk, settings);
    const first = generationOf(simulated);
    isFull = true;
    for (let user = 0; warnings.length === 0; user++) {
      assert(user < 1_000, "the journal was never folded");
      await storage.subscriptions.put(sampleChange(`user${user}@x.io`));
      await turns();
    }
    assertEquals(
      warnings[0],
      "Cannot fold the journal into a new snapshot, trying again later: no space left",
    );
    assertEquals(generationOf(simulated), first);
    assertEquals(temporariesOn(simulated), []);
    for (let user = 0; user < 10; user++) {
      await storage.subscriptions.put(sampleChange(`meanwhile${user}@x.io`));
      await turns();
    }
    assertEquals(warnings.length, 1);
    isFull = false;
    clock.fire();
    await untilTurned(() => generationOf(simulated) > first);
    const retried = generationOf(simulated);
    for (let user = 0; generationOf(simulated) === retried; user++) {
      assert(user < 1_000, "growth was never folded again");
      await storage.subscriptions.put(sampleChange(`later${user}@x.io`));
      await turns();
    }
    const contents = await contentsOf(storage);
    await storage.close();
    const again = await openSimulated(disk, settings);
    assertEquals(await contentsOf(again), contents);
    assertEquals(warnings.length, 1);
    await again.close();
  });

  it("takes changes all the time when few files are left to open, and folds once there are more", async () => {
    for (let left = 0, folded = false; !folded; left++) {
      let free = Infinity;
      const simulated = createSimulatedDisk({
        fails: (call) => call.startsWith("open ") && free-- <= 0,
      });
      const clock = createSimulatedClock();
      const warnings: string[] = [];
      const onWarning = (text: string) => void warnings.push(text);
      const storage = await openSimulated(simulated, { clock, onWarning });
      const first = generationOf(simulated);
      await storage.subscriptions.put(sampleChange(ANN));
      await storage.subscriptions.erase(ANN);
      free = left;
      clock.fire();
      await turns();
      folded = warnings.length === 0;
      for (const warning of warnings) assertStringIncludes(warning, "trying again later");
      free = Infinity;
      await storage.subscriptions.put(sampleChange(ANN));
      clock.fire();
      await untilTurned(() => generationOf(simulated) > first);
      await storage.close();
      assertEquals(simulated.openFiles, 0);
    }
  });

  const AGAIN = "trying again later";
  const LEFT = "leaving it to the next start";
  for (
    const [when, expected] of [
      ["later", [AGAIN]],
      ["once it is opened again", [LEFT]],
      ["once it is opened, closed meanwhile", [AGAIN, LEFT]],
    ] as const
  ) {
    const isClosed = when !== "later";
    it(`folds an erasure ${when} when the journal can't be moved, and leaves nothing behind`, async () => {
      const simulated = createSimulatedDisk();
      let isFailing = false;
      const disk = changeFiles(simulated, (path, file) => ({
        sync: () =>
          isFailing && path.startsWith(`${JOURNAL}.`)
            ? Promise.reject(new Error("no space left"))
            : file.sync(),
      }));
      const clock = createSimulatedClock();
      const warnings: string[] = [];
      const settings = { clock, onWarning: (text: string) => void warnings.push(text) };
      const storage = await openSimulated(disk, settings);
      await storage.subscriptions.put(sampleChange(ANN));
      await storage.subscriptions.erase(ANN);
      isFailing = true;
      if (when !== "once it is opened again") clock.fire();
      if (isClosed) await storage.close();
      await untilTurned(() => warnings.length > 0);
      await turns();
      const nexts = warnings.map((text) => /, (.*): no space left$/.exec(text)?.[1]);
      assertEquals(nexts, expected);
      assertEquals(temporariesOn(simulated), []);
      assertEquals(textOf(simulated, JOURNAL).includes(ANN), true);
      isFailing = false;
      if (isClosed) {
        assertEquals(simulated.openFiles, 0);
        const { calls } = simulated;
        clock.fire();
        await turns();
        assertEquals(simulated.calls, calls);
      }
      const next = isClosed ? await openSimulated(disk, settings) : storage;
      clock.fire();
      await untilTurned(() => !textOf(simulated, JOURNAL).includes(ANN));
      await next.close();
      assertEquals(simulated.openFiles, 0);
    });
  }
});
