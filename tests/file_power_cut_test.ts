import { assert, assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { StorageError } from "../adapters/storage.ts";
import { sampleChange } from "./_contract/samples.ts";
import { JOURNAL, SNAPSHOT, withTornJournal } from "./_file/contents.ts";
import { createSimulatedDisk, type SimulatedDisk } from "./_file/simulated_disk.ts";
import {
  contentsOf,
  createProgress,
  expectedContents,
  openSimulated,
  runWorkload,
} from "./_file/simulation.ts";

describe("file storage on a failing disk", () => {
  it("loses and invents nothing when power is cut at any call, whatever was kept", async () => {
    const expected = await expectedContents();
    const calls = await countCalls();
    let images = 0;
    for (let faultAt = 1; faultAt <= calls; faultAt++) {
      const disk = createSimulatedDisk({ faultAt, fault: "stop" });
      const progress = createProgress();
      await Promise.race([runWorkload(disk, progress), disk.stopped]);
      const { asked, acknowledged } = progress;
      for (const image of disk.images()) {
        images++;
        await checkRecovery(image, expected.slice(acknowledged, asked + 1), `call ${faultAt}`);
      }
    }
    assert(images > 2_000, `there were only ${images} images`);
  });

  it("loses and invents nothing when power is cut in the start after a kill", async () => {
    const expected = await expectedContents();
    const names: string[] = [];
    await runWorkload(createSimulatedDisk({ fails: (name) => names.push(name) < 0 }));
    // A snapshot whose name is not durable yet: the start reads it, and writes what relies on it.
    const kills = names.flatMap((name, i) => name.startsWith(`rename ${SNAPSHOT}.`) ? [i + 2] : []);
    let images = 0;
    for (const faultAt of kills) {
      for (let cutAt = 1, isOpen = false; !isOpen; cutAt++) {
        const killed = createSimulatedDisk({ faultAt, fault: "stop" });
        const progress = createProgress();
        await Promise.race([runWorkload(killed, progress), killed.stopped]);
        const disk = killed.restart(cutAt);
        isOpen = await Promise.race([
          openSimulated(disk).then(() => true),
          disk.stopped.then(() => false),
        ]);
        const possible = expected.slice(progress.acknowledged, progress.asked + 1);
        for (const image of disk.images()) {
          images++;
          await checkRecovery(image, possible, `a kill at ${faultAt}, and call ${cutAt}`);
        }
      }
    }
    assert(images > 500, `there were only ${images} images`);
  });

  it("makes files that were put back durable before it relies on them", async () => {
    const disk = createSimulatedDisk();
    for (const [path, content] of await foldedFiles()) {
      const file = await disk.open(path, "create");
      await file.write(content, 0);
      await file.close();
    }
    const storage = await openSimulated(disk);
    await storage.subscriptions.put(sampleChange("out@x.io", { subscribe: false }));
    const contents = await contentsOf(storage);
    for (const image of disk.images()) await checkRecovery(image, [contents], "a restore");
  });

  it("tells only what is durable when any call fails, and goes on only after a write", async () => {
    const expected = await expectedContents();
    const calls = await countCalls();
    let refusals = 0;
    for (let faultAt = 1; faultAt <= calls; faultAt++) {
      const where = `a failure of call ${faultAt}`;
      let failed = "";
      let calls = 0;
      const disk = createSimulatedDisk({
        fails(call) {
          if (++calls === faultAt) failed = call;
          return calls === faultAt;
        },
      });
      const progress = createProgress();
      const storage = await runWorkload(disk, progress);
      const { asked, acknowledged, done } = progress;
      let possible = expected.slice(acknowledged, asked + 1);
      if (storage !== undefined && done.length < asked) {
        refusals++;
        const contents = (await expectedContents(done)).at(-1)!;
        assertEquals(await contentsOf(storage), contents, where);
        if (failed === `write ${JOURNAL}`) {
          await storage.ping();
          // What was refused is not there, whatever becomes of the disk.
          possible = [contents];
        } else {
          for (const call of [storage.ping(), storage.subscriptions.put(sampleChange("a@x.io"))]) {
            assertEquals((await assertRejects(() => call, StorageError)).code, "unavailable");
          }
        }
      }
      await storage?.close();
      assertEquals(disk.openFiles, 0, `files left open after ${where}`);
      for (const image of disk.images()) await checkRecovery(image, possible, where);
    }
    assert(refusals > 20, `there were only ${refusals} refusals`);
  });

  it("leaves no file open when any call of opening a torn journal fails", async () => {
    const files = await tornFiles();
    let failures = 0;
    for (let faultAt = 1;; faultAt++) {
      const disk = createSimulatedDisk({ faultAt, fault: "fail" }, files);
      const warnings: string[] = [];
      const settings = { onWarning: (text: string) => void warnings.push(text) };
      const storage = await openSimulated(disk, settings).catch(() => undefined);
      if (storage === undefined) {
        failures++;
        assertEquals(disk.openFiles, 0, `after a failure of call ${faultAt}`);
        continue;
      }
      await storage.close();
      assertEquals(disk.openFiles, 0);
      if (warnings.length > 0 && disk.calls < faultAt) break;
    }
    assert(failures > 20, `there were only ${failures} failures`);
  });

  it("continues short writes", async () => {
    const expected = await expectedContents();
    const disk = createSimulatedDisk({ writeMaxBytes: 150 });
    const progress = createProgress();
    const storage = await runWorkload(disk, progress);
    await storage?.close();
    assertEquals(progress.acknowledged, progress.asked);
    await checkRecovery(disk, expected.slice(-1), "short writes");
  });
});

async function countCalls(): Promise<number> {
  const disk = createSimulatedDisk();
  const storage = await runWorkload(disk);
  await storage?.close();
  return disk.calls;
}

/** The files of a killed process that has folded its journal. */
async function foldedFiles(): Promise<ReadonlyMap<string, Uint8Array>> {
  const disk = createSimulatedDisk();
  await runWorkload(disk);
  assert(disk.files.has(SNAPSHOT));
  return disk.files;
}

/** The same, cut short in a record. */
async function tornFiles(): Promise<ReadonlyMap<string, Uint8Array>> {
  return withTornJournal(await foldedFiles(), '{"seq":99,"put":{');
}

async function checkRecovery(
  disk: SimulatedDisk,
  possible: readonly string[],
  where: string,
): Promise<void> {
  const storage = await openSimulated(disk);
  const contents = await contentsOf(storage);
  assert(possible.includes(contents), `after ${where}: ${contents}`);
  await storage.subscriptions.put(sampleChange("later@x.io"));
  const later = await contentsOf(storage);
  await storage.close();
  const again = await openSimulated(disk);
  assertEquals(await contentsOf(again), later, `reopened after ${where}`);
  await again.close();
}
