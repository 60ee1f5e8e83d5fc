import { assert, assertEquals, assertRejects } from "@std/assert";
import { beforeEach, describe, it } from "@std/testing/bdd";
import { HEARTBEAT_MS } from "../../adapters/_file/lock_owner.ts";
import type { FileStorage } from "../../adapters/file.ts";
import { type Storage, StorageError } from "../../adapters/storage.ts";
import { COUNTERS, PEOPLE } from "../_contract/kinds.ts";
import { createSimulatedDisk, type SimulatedDisk } from "../_support/file/simulated_disk.ts";
import {
  contentsOf,
  count,
  createSimulatedTimers,
  erasePerson,
  expectedContents,
  openSimulated,
  putPerson,
  runWorkload,
  type SimulatedTimers,
  withoutLock,
} from "../_support/file/simulation.ts";
import { turns } from "../_support/waiting.ts";

describe("file storage on a failing disk", () => {
  it("loses and invents nothing when power is cut at any call, whatever was kept", async () => {
    const calls = (await listCalls()).length;
    let images = 0;
    for (let cutAt = 1; cutAt <= calls; cutAt++) {
      const disk = createSimulatedDisk();
      const possible = await runUntil(cutAt, disk);
      images += await checkImages(disk, possible, `a cut at call ${cutAt}`);
    }
    assert(images > 1_000, `there were only ${images} images`);
  });

  it("loses and invents nothing when power is cut in the start after a kill", async () => {
    // The name of a file may not be durable yet when a start reads the file and writes others that
    // rely on it.
    const calls = await listCalls();
    const renaming = calls.findIndex((call) => /^rename .*snapshot/.test(call));
    const killAt = calls.indexOf("sync /data", renaming) + 1;
    for (let cutAt = 1, isOpen = false; !isOpen; cutAt++) {
      const disk = createSimulatedDisk();
      const possible = await runUntil(killAt, disk);
      const cut = disk.stopAt(disk.calls + cutAt).then(() => false);
      isOpen = await Promise.race([openSimulated(disk).then(() => true), cut]);
      await checkImages(disk, possible, `a cut at call ${cutAt} of the start`);
    }
  });

  it("makes files that were put back durable before it relies on them", async () => {
    const before = createSimulatedDisk();
    await runWorkload(before);
    const disk = createSimulatedDisk();
    for (const [path, content] of withoutLock(before.files)) {
      await (await disk.open(path, "append")).write(content);
    }
    const storage = await openSimulated(disk);
    await putPerson("out@x.io")(storage);
    await checkImages(disk, [await contentsOf(storage)], "a restore");
  });

  it("goes on or ends everything when any call fails, and leaves no file open", async () => {
    const expected = await expectedContents();
    const calls = (await listCalls()).length;
    const ends = { opening: 0, "everything ended": 0, "went on": 0 };
    for (let failsAt = 1; failsAt <= calls; failsAt++) {
      let call = 0;
      const disk = createSimulatedDisk({ fails: () => ++call === failsAt });
      const progress = { asked: 0, acknowledged: 0 };
      const storage = await runWorkload(disk, progress);
      const where = `a failure of call ${failsAt}`;
      if (storage === undefined) ends.opening++;
      else if (await hasEnded(storage)) ends["everything ended"]++;
      else {
        ends["went on"]++;
        assertEquals(await contentsOf(storage), expected.at(-1), where);
      }
      await storage?.close();
      await turns();
      assertEquals(disk.openFiles, 0, `files left open after ${where}`);
      await checkImages(disk, expected.slice(progress.acknowledged, progress.asked + 1), where);
    }
    assert(Math.min(...Object.values(ends)) > 10, JSON.stringify(ends));
  });

  it("continues short writes", async () => {
    const disk = createSimulatedDisk({ writeMaxBytes: 150 });
    await (await runWorkload(disk))?.close();
    await checkRecovery(disk, (await expectedContents()).slice(-1), "short writes");
  });
});

/** Returns the disk calls of the workload. */
async function listCalls(): Promise<readonly string[]> {
  const calls: string[] = [];
  const disk = createSimulatedDisk({ fails: (call) => calls.push(call) < 0 });
  await (await runWorkload(disk))?.close();
  assert(calls.some((call) => call.endsWith(" to /data/snapshot-2.json")));
  return calls;
}

/** Runs the workload until power is cut, and returns the possible contents. */
async function runUntil(cutAt: number, disk: SimulatedDisk): Promise<readonly string[]> {
  const progress = { asked: 0, acknowledged: 0 };
  await Promise.race([disk.stopAt(cutAt), runWorkload(disk, progress)]);
  return (await expectedContents()).slice(progress.acknowledged, progress.asked + 1);
}

/** Tells whether every call rejects. */
async function hasEnded(storage: Storage): Promise<boolean> {
  if (await contentsOf(storage).then(() => true, () => false)) return false;
  for (const call of [() => storage.ping(), () => putPerson("a@x.io")(storage)]) {
    assertEquals((await assertRejects(call, StorageError)).code, "unavailable");
  }
  return true;
}

async function checkImages(
  disk: SimulatedDisk,
  possible: readonly string[],
  where: string,
): Promise<number> {
  const images = [...disk.images()];
  for (const image of images) await checkRecovery(image, possible, where);
  return images.length;
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
  assertEquals(await contentsOf(await openSimulated(disk)), later, `opened again after ${where}`);
}

/** Checks that none of these promises has resolved or rejected by now. */
async function assertPending(...promises: readonly Promise<unknown>[]): Promise<void> {
  const first = Promise.race(promises).catch(() => {}).then(() => "over");
  assertEquals(await Promise.race([first, turns().then(() => "pending")]), "pending");
}

describe("file storage whose journal is being synced", () => {
  let disk: SimulatedDisk;
  let timers: SimulatedTimers;
  let storage: FileStorage;
  let syncs: number;
  let gate: PromiseWithResolvers<void> | undefined;
  let told: readonly string[];

  beforeEach(async () => {
    timers = createSimulatedTimers();
    gate = undefined;
    told = [];
    disk = createSimulatedDisk({
      async fails(call) {
        if (!call.startsWith("sync")) return;
        if (call.includes("journal")) syncs++;
        await gate?.promise;
      },
    });
    storage = await openSimulated(disk, {
      timers,
      onWarning: (message) => told = [...told, message],
      onLost: (message) => told = [...told, message, "lost"],
    });
    await putPerson("ann@x.io", "Ann")(storage);
    syncs = 0;
  });

  it("acknowledges and shows nothing before it is durable, and syncs waiting changes together", async () => {
    gate = Promise.withResolvers();
    const calls = [
      putPerson("ann@x.io", "Anna")(storage),
      storage.get(PEOPLE, "ann@x.io"),
      storage.list(PEOPLE, { limit: 9 }),
      // This call changes nothing if the earlier one was stored.
      putPerson("ann@x.io", "Anna")(storage),
      erasePerson("nobody@x.io")(storage),
    ];
    await assertPending(...calls);
    // Until then, reads return only durable records.
    assertEquals(await storage.get(COUNTERS, "a"), undefined);
    const others = Array.from({ length: 50 }, (_, i) => count(`c${i}`, "ann@x.io")(storage));
    gate.resolve();
    const anna = { email: "ann@x.io", name: "Anna", active: true };
    assertEquals(await Promise.all(calls), [true, anna, [anna], false, false]);
    await Promise.all(others);
    assertEquals(syncs, 2);
  });

  it("rejects at the deadline if the disk does not answer, and goes on once it does", async () => {
    gate = Promise.withResolvers();
    const waiting = [putPerson("slow@x.io")(storage), storage.ping(), storage.get(PEOPLE, "a")];
    await turns();
    timers.advance(9_000);
    const queued = putPerson("queued@x.io")(storage);
    await assertPending(...waiting, queued);
    timers.advance(1_000);
    for (const call of waiting) {
      const { code, message } = await assertRejects(() => call, StorageError);
      assertEquals([code, message], ["unavailable", "The disk has not answered for 10 s"]);
    }
    await assertPending(queued);
    gate.resolve();
    await queued;
    assertEquals((await storage.get(PEOPLE, "slow@x.io"))?.email, "slow@x.io");
    await storage.ping();
  });

  it("ends everything when a sync fails, and has lost nothing acknowledged", async () => {
    const before = await contentsOf(storage);
    gate = Promise.withResolvers();
    const early = [putPerson("bob@x.io")(storage), storage.get(PEOPLE, "bob@x.io")];
    await turns();
    early.push(putPerson("queued@x.io")(storage));
    gate.reject(new Error("the disk is broken"));
    const message = "The data folder can't be written any more: the disk is broken";
    const calls = [
      ...early.map((promise) => () => promise),
      () => storage.list(PEOPLE, { limit: 9 }),
      () => storage.announce("http://127.0.0.1:8000/"),
    ];
    for (const call of calls) {
      const error = await assertRejects(call, StorageError);
      assertEquals([error.code, error.message], ["unavailable", message]);
    }
    assertEquals(told, [`${message}; mend the cause and restart`, "lost"]);
    gate = undefined;
    await storage.close();
    assertEquals(disk.openFiles, 0);
    const again = await openSimulated(disk);
    // The failed change is stored as a whole or not at all; later changes are not stored.
    await erasePerson("bob@x.io")(again);
    assertEquals(await contentsOf(again), before);
  });
});

describe("file storage on a slow disk", () => {
  it("compacts without an alarm, though heartbeats come while it replaces its mark", async () => {
    const warnings: string[] = [];
    const timers = createSimulatedTimers();
    const disk = createSimulatedDisk({
      async fails(call) {
        if (call.startsWith("sync")) {
          timers.advance(HEARTBEAT_MS);
          await turns();
        }
        return false;
      },
    });
    const onWarning = (message: string) => void warnings.push(message);
    const storage = await openSimulated(disk, { timers, journalBytes: 0, onWarning });
    for (let changes = 0; !disk.files.has("/data/snapshot-3.json"); changes++) {
      assert(changes < 500);
      await count("a")(storage);
    }
    await storage.close();
    assertEquals(warnings, []);
  });

  it("closes without an alarm, though heartbeats come while it writes its last line", async () => {
    const warnings: string[] = [];
    const timers = createSimulatedTimers();
    let isClosing = false;
    const disk = createSimulatedDisk({
      async fails(call) {
        if (isClosing && call.startsWith("sync")) {
          timers.advance(HEARTBEAT_MS);
          await turns();
        }
        return false;
      },
    });
    const onWarning = (message: string) => void warnings.push(message);
    const storage = await openSimulated(disk, { timers, onWarning });
    await count("a")(storage);
    isClosing = true;
    await storage.close();
    assertEquals(warnings, []);
    assertEquals(
      await contentsOf(await openSimulated(disk)),
      await expectedContents([count("a")]).then((all) => all.at(-1)),
    );
  });
});
