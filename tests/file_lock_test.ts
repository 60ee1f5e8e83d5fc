import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openFileStorage } from "../adapters/file.ts";
import type { Disk } from "../adapters/_file/disk.ts";
import { formatBeat } from "../adapters/_file/holder.ts";
import { StorageError } from "../adapters/storage.ts";
import { sampleChange } from "./_contract/samples.ts";
import { withFolder } from "./_folder.ts";
import { changeFiles, HELD, JOURNAL, LOCK } from "./_file/contents.ts";
import { createSimulatedDisk } from "./_file/simulated_disk.ts";
import { createSimulatedClock, openSimulated } from "./_file/simulation.ts";
import { turns } from "./_waiting.ts";

describe("the lock of file storage", () => {
  it("has heartbeats of one length, which cover each other, however often they come", () => {
    const holder = { holder: "a", pid: 1, host: null, since: "b" };
    const beats = [[1, 0], [20, 1], [300_000, 1e15]].map(([heartbeatMs, beats]) =>
      formatBeat({ ...holder, heartbeatMs }, beats)
    );
    assertEquals(new Set(beats.map(({ length }) => length)).size, 1);
  });

  it("refuses a second holder, naming the first, while that shows life", async () => {
    const disk = createSimulatedDisk();
    const first = createSimulatedClock();
    const storage = await openSimulated(disk, { clock: first });
    const clock = createSimulatedClock();
    const wait = (delayMs: number) => (first.fire(), clock.wait(delayMs));
    const error = await assertRejects(
      () => openSimulated(disk, { clock: { ...clock, wait } }),
      StorageError,
    );
    assertEquals([error.code, error.message], ["locked", HELD]);
    await storage.subscriptions.put(sampleChange("ann@x.io"));
    await storage.close();
  });

  it("is taken over after five heartbeats without one, and not before", async () => {
    const HEARTBEAT_MS = 100;
    const killed = createSimulatedDisk();
    await openSimulated(killed, { heartbeatMs: HEARTBEAT_MS });
    const clock = createSimulatedClock();
    const storage = await openSimulated(createSimulatedDisk({}, killed.files), { clock });
    const waitedMs = clock.elapsedMs();
    assert(waitedMs >= 5 * HEARTBEAT_MS && waitedMs < 7 * HEARTBEAT_MS, `${waitedMs} ms`);
    await storage.close();

    const disk = createSimulatedDisk();
    const first = createSimulatedClock();
    const held = await openSimulated(disk, { clock: first, heartbeatMs: HEARTBEAT_MS });
    const challenger = createSimulatedClock();
    async function wait(delayMs: number): Promise<void> {
      await challenger.wait(delayMs);
      if (challenger.elapsedMs() >= 4.5 * HEARTBEAT_MS) first.fire();
    }
    const open = () => openSimulated(disk, { clock: { ...challenger, wait } });
    assertEquals((await assertRejects(open, StorageError)).code, "locked");
    await held.close();
  });

  it("is taken over after twenty heartbeats without one while its holder opens the folder", async () => {
    const HEARTBEAT_MS = 100;
    const disk = createSimulatedDisk({ fault: "stop", faultAt: 4 });
    openSimulated(disk, { heartbeatMs: HEARTBEAT_MS });
    await disk.stopped;
    assert(disk.files.get(LOCK)!.length > 0);
    const clock = createSimulatedClock();
    const storage = await openSimulated(createSimulatedDisk({}, disk.files), { clock });
    const waitedMs = clock.elapsedMs();
    assert(waitedMs >= 20 * HEARTBEAT_MS && waitedMs < 22 * HEARTBEAT_MS, `${waitedMs} ms`);
    await storage.close();
  });

  it("is not taken from a holder that was paused together with who wants it", async () => {
    const disk = createSimulatedDisk();
    const first = createSimulatedClock();
    const storage = await openSimulated(disk, { clock: first });
    const challenger = createSimulatedClock();
    let looks = 0;
    async function wait(delayMs: number): Promise<void> {
      looks++;
      await challenger.wait(looks === 3 ? 60_000 : delayMs);
      // It takes a while to get going again.
      if (looks === 10) first.fire();
    }
    const open = () => openSimulated(disk, { clock: { ...challenger, wait } });
    assertEquals((await assertRejects(open, StorageError)).code, "locked");
    await storage.close();
  });

  it("is left to a holder that took long to write it for the first time", async () => {
    const disk = createSimulatedDisk({}, new Map([[LOCK, new Uint8Array()]]));
    const beat = (heartbeat: number) =>
      JSON.stringify({ holder: "x", pid: 1, since: "", heartbeatMs: 250, heartbeat });
    const clock = createSimulatedClock();
    const readNow = () =>
      clock.elapsedMs() < 1_200 ? "" : clock.elapsedMs() < 1_400 ? beat(0) : beat(1);
    const open = () => openSimulated({ ...disk, readNow }, { clock });
    assertEquals((await assertRejects(open, StorageError)).code, "locked");
    assertEquals(disk.files.get(LOCK)?.length, 0);
  });

  it("is looked at once for a change, as what is durable must not be refused", async () => {
    const disk = createSimulatedDisk();
    let looks = 0;
    const storage = await openSimulated({
      ...disk,
      identifyNow(path) {
        if (path === LOCK) looks++;
        return disk.identifyNow(path);
      },
    });
    looks = 0;
    await storage.subscriptions.put(sampleChange("ann@x.io"));
    assertEquals(looks, 1);
    await storage.close();
  });

  it("is left to another that took it over a moment later", async () => {
    const dead = new TextEncoder().encode(JSON.stringify({ holder: "dead" }));
    const disk = createSimulatedDisk({}, new Map([[LOCK, dead]]));
    const clock = createSimulatedClock();
    let isTaken = false;
    function wait(delayMs: number): Promise<void> {
      isTaken = disk.files.get(LOCK) !== dead;
      return clock.wait(delayMs);
    }
    const readNow = (path: string) =>
      isTaken ? JSON.stringify({ holder: "other" }) : disk.readNow(path);
    const open = () => openSimulated({ ...disk, readNow }, { clock: { ...clock, wait } });
    assertEquals((await assertRejects(open, StorageError)).code, "locked");
  });

  it("is rewritten with each heartbeat, until it is given back", async () => {
    const disk = createSimulatedDisk();
    const clock = createSimulatedClock();
    const warnings: string[] = [];
    const onWarning = (text: string) => warnings.push(text);
    const storage = await openSimulated(disk, { clock, onWarning });
    const seen = new Set([disk.readNow(LOCK)]);
    for (let beat = 1; beat <= 3; beat++) {
      clock.fire();
      await turns();
      seen.add(disk.readNow(LOCK));
      assertEquals(seen.size, 1 + beat);
    }
    assertEquals(new Set([...seen].map((text) => text.length)).size, 1);
    clock.fire();
    await storage.close();
    const { calls } = disk;
    clock.fire();
    await turns();
    assertEquals(disk.calls, calls);
    assertEquals(disk.openFiles, 0);
    assertEquals(warnings, []);
  });

  it("is given up when there is one that can't be read, such as a link to nowhere", async () => {
    const disk = createSimulatedDisk();
    const exists = Object.assign(new Error("simulated failure"), { code: "EEXIST" });
    const error = await assertRejects(() =>
      openSimulated({
        ...disk,
        open: (path, mode) => path === LOCK ? Promise.reject(exists) : disk.open(path, mode),
      }), StorageError);
    assertEquals(error.code, "locked");
    assertStringIncludes(error.message, '"/data": its lock can be neither made nor read');
  });

  it("is not left behind when it can't be written", async () => {
    const disk = createSimulatedDisk({ writeMaxBytes: 10 });
    const error = await assertRejects(() => openSimulated(disk), StorageError);
    assertEquals(error.code, "unavailable");
    assertEquals(
      error.message,
      'Cannot open the data folder "/data": short write of the lock',
    );
    assertEquals(disk.files.size, 0);
    assertEquals(disk.openFiles, 0);
  });

  it("refuses a second holder on the real disk as well", async () => {
    await withFolder(async (directory) => {
      const before = new Date().toISOString();
      const storage = await openFileStorage(directory, { heartbeatMs: 10, host: "box" });
      const error = await assertRejects(() => openFileStorage(directory), StorageError);
      assertEquals(error.code, "locked");
      const [holder, since] = error.message.split(" holds it since ");
      assertMatch(holder, / on box$/);
      assert(since >= before && since <= new Date().toISOString(), error.message);
      await storage.close();
      await (await openFileStorage(directory)).close();
    });
  });

  for (const [content, left] of [["of a killed process", undefined], ["empty", ""], ["x", "x"]]) {
    it(`does not block a start when a lock was left behind (${content})`, async () => {
      const killed = createSimulatedDisk();
      await (await openSimulated(killed)).subscriptions.put(sampleChange("ann@x.io"));
      const files = new Map(killed.files);
      if (left !== undefined) files.set(LOCK, new TextEncoder().encode(left));
      const warnings: string[] = [];
      const disk = createSimulatedDisk({}, files);
      const storage = await openSimulated(disk, { onWarning: (text) => warnings.push(text) });
      assert(await storage.subscriptions.get("ann@x.io"));
      assertEquals(warnings.length, 1);
      await storage.close();
      assertEquals([...disk.files.keys()], [JOURNAL]);
    });
  }

  it("is taken at once when its holder gives it back meanwhile", async () => {
    const disk = createSimulatedDisk();
    const storage = await openSimulated(disk);
    let closing: Promise<void> | undefined;
    const clock = createSimulatedClock();
    const next = await openSimulated({
      ...disk,
      readNow(path) {
        if (closing !== undefined) return disk.readNow(path);
        closing = storage.close();
        throw Object.assign(new Error("gone"), { code: "ENOENT" });
      },
    }, { clock });
    await closing;
    assert(clock.elapsedMs() <= 100, `it took ${clock.elapsedMs()} ms`);
    await next.close();
  });

  it("is refused with the reason of the platform when it can't be made or read", async () => {
    const denied = Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" });
    const killed = createSimulatedDisk();
    await openSimulated(killed);
    const disks: readonly Disk[] = [
      {
        ...killed,
        open: (path, mode) => mode === "create" ? Promise.reject(denied) : killed.open(path, mode),
      },
      {
        ...killed,
        readNow() {
          throw denied;
        },
      },
    ];
    for (const disk of disks) {
      const clock = createSimulatedClock();
      const error = await assertRejects(() => openSimulated(disk, { clock }), StorageError);
      assertEquals(error.code, "unavailable");
      assertEquals(error.message, `Cannot open the data folder "/data": ${denied.message}`);
      assertEquals(clock.elapsedMs(), 0);
    }
  });

  it("is given back after the heartbeat that is under way, and then never beats again", async () => {
    const disk = createSimulatedDisk();
    const clock = createSimulatedClock();
    const gate = Promise.withResolvers<void>();
    let isHeld = false;
    const warnings: string[] = [];
    const gated = changeFiles(disk, (path, file) => ({
      async write(bytes, position) {
        if (isHeld && path === LOCK) await gate.promise;
        return await file.write(bytes, position);
      },
    }));
    const storage = await openSimulated(gated, { clock, onWarning: (text) => warnings.push(text) });
    isHeld = true;
    clock.fire();
    let closed = false;
    const closing = storage.close().then(() => closed = true);
    await turns();
    assertEquals(closed, false);
    gate.resolve();
    await closing;
    const { calls } = disk;
    clock.fire();
    await turns();
    assertEquals(disk.calls, calls);
    assertEquals(warnings, []);
  });
});
