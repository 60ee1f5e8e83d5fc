import { assert, assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { type Storage, StorageError } from "../adapters/storage.ts";
import { createSimulatedDisk, type SimulatedDisk } from "./_file/simulated_disk.ts";
import {
  contentsOf,
  expectedContents,
  FOLDER,
  openSimulated,
  putPerson,
  runWorkload,
} from "./_file/simulation.ts";
import { turns } from "./_waiting.ts";

describe("file storage on a failing disk", () => {
  it("loses and invents nothing when power is cut at any call, whatever was kept", async () => {
    const expected = await expectedContents();
    const calls = (await listCalls()).length;
    let images = 0;
    for (let faultAt = 1; faultAt <= calls; faultAt++) {
      const disk = createSimulatedDisk({ faultAt, fault: "stop" });
      const progress = { asked: 0, acknowledged: 0 };
      await Promise.race([runWorkload(disk, progress), disk.stopped]);
      const possible = expected.slice(progress.acknowledged, progress.asked + 1);
      for (const image of disk.images()) {
        images++;
        await checkRecovery(image, possible, `a cut at call ${faultAt}`);
      }
    }
    assert(images > 2_000, `there were only ${images} images`);
  });

  it("loses and invents nothing when power is cut in the start after a kill", async () => {
    const expected = await expectedContents();
    // A file may have its name in memory only: the start reads it, and writes what relies on it.
    const kills = (await listCalls()).flatMap((call, at) =>
      /^rename .*snapshot/.test(call) ? [at + 2] : []
    );
    let images = 0;
    for (const faultAt of kills) {
      for (let cutAt = 1, isOpen = false; !isOpen; cutAt++) {
        const killed = createSimulatedDisk({ faultAt, fault: "stop" });
        const progress = { asked: 0, acknowledged: 0 };
        await Promise.race([runWorkload(killed, progress), killed.stopped]);
        const disk = killed.restart(cutAt);
        isOpen = await Promise.race([
          openSimulated(disk).then(() => true),
          disk.stopped.then(() => false),
        ]);
        const possible = expected.slice(progress.acknowledged, progress.asked + 1);
        for (const image of disk.images()) {
          images++;
          await checkRecovery(image, possible, `a kill at call ${faultAt} and a cut at ${cutAt}`);
        }
      }
    }
    assert(images > 500, `there were only ${images} images`);
  });

  it("makes files that were put back durable before it relies on them", async () => {
    const before = createSimulatedDisk();
    await runWorkload(before);
    const disk = createSimulatedDisk();
    for (const [path, content] of before.files) {
      if (path.endsWith("lock")) continue;
      const file = await disk.open(path, "append");
      await file.write(content);
      await file.close();
    }
    const storage = await openSimulated(disk);
    await putPerson("out@x.io")(storage);
    const contents = await contentsOf(storage);
    for (const image of disk.images()) await checkRecovery(image, [contents], "a restore");
  });

  it("goes on or ends everything when any call fails, and leaves no file open", async () => {
    const expected = await expectedContents();
    const calls = (await listCalls()).length;
    const ends = { opening: 0, "everything ended": 0, "went on": 0 };
    for (let faultAt = 1; faultAt <= calls; faultAt++) {
      const disk = createSimulatedDisk({ faultAt, fault: "fail" });
      const progress = { asked: 0, acknowledged: 0 };
      const storage = await runWorkload(disk, progress);
      const where = `a failure of call ${faultAt}`;
      const possible = expected.slice(progress.acknowledged, progress.asked + 1);
      if (storage === undefined) ends.opening++;
      else if (await hasEnded(storage)) ends["everything ended"]++;
      else {
        ends["went on"]++;
        assertEquals(await contentsOf(storage), expected.at(-1), where);
      }
      await storage?.close();
      await turns();
      assertEquals(disk.openFiles, 0, `files left open after ${where}`);
      for (const image of disk.images()) await checkRecovery(image, possible, where);
    }
    assert(Math.min(...Object.values(ends)) > 20, JSON.stringify(ends));
  });

  it("continues short writes", async () => {
    const disk = createSimulatedDisk({ writeMaxBytes: 150 });
    const storage = await runWorkload(disk);
    await storage?.close();
    await checkRecovery(disk, (await expectedContents()).slice(-1), "short writes");
  });
});

/** Returns the calls that the workload makes. */
async function listCalls(): Promise<readonly string[]> {
  const calls: string[] = [];
  const disk = createSimulatedDisk({ fails: (call) => calls.push(call) < 0 });
  await (await runWorkload(disk))?.close();
  assert(calls.some((call) => call.endsWith(` to ${FOLDER}/snapshot-2.json`)));
  return calls;
}

/** Tells whether every call rejects. */
async function hasEnded(storage: Storage): Promise<boolean> {
  if (await contentsOf(storage).then(() => true, () => false)) return false;
  for (const call of [() => storage.ping(), () => putPerson("a@x.io")(storage)]) {
    assertEquals((await assertRejects(call, StorageError)).code, "unavailable");
  }
  return true;
}

async function checkRecovery(
  disk: SimulatedDisk,
  possible: readonly string[],
  where: string,
): Promise<void> {
  const storage = await openSimulated(disk);
  const contents = await contentsOf(storage);
  assert(possible.includes(contents), `after ${where}: ${contents}`);
  await putPerson("later@x.io")(storage);
  const later = await contentsOf(storage);
  await storage.close();
  const again = await openSimulated(disk);
  assertEquals(await contentsOf(again), later, `opened again after ${where}`);
  await again.close();
}
