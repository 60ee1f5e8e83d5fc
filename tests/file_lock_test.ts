import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { beforeEach, describe, it } from "@std/testing/bdd";
import process from "node:process";
import { findOwner } from "../adapters/_file/lock.ts";
import { findLockOwner, openFileStorage } from "../adapters/file.ts";
import { StorageError } from "../adapters/storage.ts";
import { PEOPLE } from "./_contract/kinds.ts";
import { createSimulatedDisk, type SimulatedDisk } from "./_file/simulated_disk.ts";
import {
  changeFiles,
  createSimulatedClock,
  FOLDER,
  LOCK,
  namesOn,
  openSimulated,
  putPerson,
  type SimulatedClock,
} from "./_file/simulation.ts";
import { withFolder } from "./_folder.ts";
import { turns } from "./_waiting.ts";

const HEARTBEAT_MS = 100;
const HELD = `Cannot use the data folder "/data": process ${process.pid} on test holds it since ` +
  "2026-11-21T10:00:00.000Z";

/** The disk of a process that was killed. */
async function createKilledDisk(settings = {}): Promise<SimulatedDisk> {
  const killed = createSimulatedDisk();
  await putPerson("ann@x.io")(await openSimulated(killed, settings));
  return createSimulatedDisk({}, killed.files);
}

describe("the lock of file storage", () => {
  let clock: SimulatedClock;
  let startMs: number;
  beforeEach(() => {
    clock = createSimulatedClock();
    startMs = clock.now();
  });

  it("is taken over at once if its process is gone from this machine", async () => {
    const disk = await createKilledDisk();
    const warnings: string[] = [];
    const asked: number[] = [];
    const storage = await openSimulated(disk, {
      clock,
      isGone: (pid) => asked.push(pid) > 0,
      onWarning: (message) => warnings.push(message),
    });
    assertEquals([asked, clock.now() - startMs], [[process.pid], 100]);
    assertEquals(warnings, ['"/data" was held by a process that has ended or stopped']);
    assertEquals((await storage.get(PEOPLE, "ann@x.io"))?.active, true);
    await storage.close();
    assertEquals(namesOn(disk), ["journal-0.jsonl"]);
  });

  const unknown: Readonly<Record<string, Parameters<typeof openSimulated>[1]>> = {
    "its process may live": { isGone: () => false },
    "it is another machine's": { host: "other" },
    "this machine has no name": { host: null },
  };
  for (const [why, settings] of Object.entries(unknown)) {
    it(`is taken over after five heartbeats, and not before, if ${why}`, async () => {
      const disk = await createKilledDisk({ host: settings?.host === null ? null : "test" });
      const storage = await openSimulated(disk, { clock, ...settings });
      const waitedMs = clock.now() - startMs;
      assert(waitedMs >= 5 * HEARTBEAT_MS && waitedMs <= 5 * HEARTBEAT_MS + 120, `${waitedMs} ms`);
      await storage.close();

      const holder = createSimulatedClock();
      const held = await openSimulated(disk, { clock: holder });
      const challenger = createSimulatedClock();
      async function wait(delayMs: number): Promise<void> {
        await challenger.wait(delayMs);
        if (challenger.now() - startMs === 480) holder.advance(HEARTBEAT_MS);
      }
      const open = () => openSimulated(disk, { ...settings, clock: { ...challenger, wait } });
      const { code, message } = await assertRejects(open, StorageError);
      assertEquals([code, message], ["locked", HELD]);
      await held.close();
    });
  }

  it("is not taken from a holder that was paused together with who wants it", async () => {
    const disk = createSimulatedDisk();
    const storage = await openSimulated(disk, { clock });
    const challenger = createSimulatedClock();
    let looks = 0;
    async function wait(delayMs: number): Promise<void> {
      looks++;
      await challenger.wait(looks === 3 ? 60_000 : delayMs);
      // It takes a while to get going again.
      if (looks === 10) clock.advance(HEARTBEAT_MS);
    }
    const settings = { isGone: () => false, clock: { ...challenger, wait } };
    const error = await assertRejects(() => openSimulated(disk, settings), StorageError);
    assertEquals(error.code, "locked");
    await storage.close();
  });

  it("is taken at once when its holder gives it back meanwhile", async () => {
    const disk = createSimulatedDisk();
    const storage = await openSimulated(disk);
    const wait = async (delayMs: number) => {
      await storage.close();
      await clock.wait(delayMs);
    };
    const settings = { isGone: () => false, clock: { ...clock, wait } };
    await (await openSimulated(disk, settings)).close();
    assertEquals(clock.now() - startMs, 20);
  });

  it("goes to one of several that take it over at once", async () => {
    const disk = await createKilledDisk();
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => openSimulated(disk)));
    const opened = outcomes.flatMap((o) => o.status === "fulfilled" ? [o.value] : []);
    assertEquals(opened.length, 1);
    await putPerson("bob@x.io")(opened[0]);
    await opened[0].close();
    assertEquals([namesOn(disk), disk.openFiles], [["journal-0.jsonl"], 0]);
  });

  it("goes to the last of two that take it over at the same time", async () => {
    const disk = await createKilledDisk();
    const dead = disk.readNow(LOCK);
    const taken = Promise.withResolvers<void>();
    const first = openSimulated(disk, { clock: { ...clock, wait: () => taken.promise } });
    await turns();
    let looks = 0;
    // It looked at the lock before, and removes it now.
    const readNow = (path: string) => looks++ < 2 ? dead : disk.readNow(path);
    const last = await openSimulated({ ...disk, readNow });
    taken.resolve();
    const { code, message } = await assertRejects(() => first, StorageError);
    assertEquals([code, message], ["locked", HELD]);
    await putPerson("bob@x.io")(last);
    await last.close();
    assertEquals([namesOn(disk), disk.openFiles], [["journal-0.jsonl"], 0]);
  });

  it("is refused with the reason when it can be neither created nor read", async () => {
    const failures = { EEXIST: "locked", EACCES: "unavailable" };
    for (const [code, expected] of Object.entries(failures)) {
      const disk = createSimulatedDisk();
      const failure = Object.assign(new Error(`${code}: simulated`), { code });
      const error = await assertRejects(() =>
        openSimulated({
          ...disk,
          open: (path, mode) => path === LOCK ? Promise.reject(failure) : disk.open(path, mode),
        }), StorageError);
      assertEquals(error.code, expected);
      assertStringIncludes(error.message, code === "EACCES" ? "EACCES: simulated" : LOCK);
    }
  });

  it("is rewritten in the same length with each heartbeat, until it is given back", async () => {
    const disk = createSimulatedDisk();
    const storage = await openSimulated(disk, { clock });
    const seen = new Set([disk.readNow(LOCK)!]);
    for (let beat = 1; beat <= 3; beat++) {
      clock.advance(HEARTBEAT_MS);
      await turns();
      if (beat === 2) await storage.announce("http://127.0.0.1:8000");
      seen.add(disk.readNow(LOCK)!);
    }
    assertEquals([seen.size, new Set([...seen].map(({ length }) => length)).size], [4, 1]);
    clock.advance(HEARTBEAT_MS);
    await storage.close();
    const { calls } = disk;
    clock.advance(HEARTBEAT_MS);
    await turns();
    assertEquals([disk.calls, disk.openFiles, disk.files.has(LOCK)], [calls, 0, false]);
  });

  it("is given back after the heartbeat that is under way, and then never beats again", async () => {
    const disk = createSimulatedDisk();
    const gate = Promise.withResolvers<void>();
    let isHeld = false;
    const held = changeFiles(disk, (path, file) => ({
      async write(bytes) {
        if (isHeld && path === LOCK) await gate.promise;
        return await file.write(bytes);
      },
    }));
    const storage = await openSimulated(held, { clock });
    isHeld = true;
    clock.advance(HEARTBEAT_MS);
    await turns();
    let isClosed = false;
    const closing = storage.close().then(() => isClosed = true);
    await turns();
    assertEquals(isClosed, false);
    const { length } = clock.delaysMs;
    gate.resolve();
    await closing;
    await turns();
    assertEquals([clock.delaysMs.length, disk.openFiles], [length, 0]);
  });

  it("is looked at once for a change, without opening a file", async () => {
    const disk = createSimulatedDisk();
    const looks: string[] = [];
    const storage = await openSimulated({
      ...disk,
      statNow: (path) => (looks.push(path), disk.statNow(path)),
      readNow: (path) => (looks.push(`open ${path}`), disk.readNow(path)),
    });
    looks.length = 0;
    await putPerson("ann@x.io")(storage);
    assertEquals(looks, [LOCK, "/data/journal-0.jsonl"]);
    await storage.close();
  });
});

describe("the holder of a folder", () => {
  it("is found with its URL while it lives", async () => {
    const disk = createSimulatedDisk();
    const clock = createSimulatedClock();
    const storage = await openSimulated(disk, { clock });
    await storage.announce("http://127.0.0.1:8000/feedback");
    const challenger = createSimulatedClock();
    const wait = (delayMs: number) => (clock.advance(50), challenger.wait(delayMs));
    const watch = { clock: { ...challenger, wait }, host: "test", isGone: () => false };
    const holder = await findOwner(disk, FOLDER, watch);
    assertEquals([holder?.pid, holder?.url], [process.pid, "http://127.0.0.1:8000/feedback"]);
    // It stops without giving the lock back.
    const none = await findOwner(disk, FOLDER, { ...watch, clock: challenger });
    assertEquals(none, undefined);
    const gone = { ...watch, isGone: () => true };
    assertEquals(await findOwner(disk, FOLDER, gone), undefined);
    await storage.close();
    assertEquals(await findOwner(disk, FOLDER, watch), undefined);
  });

  it("is found on the real disk, and named to whoever wants the folder", async () => {
    await withFolder(async (directory) => {
      const storage = await openFileStorage(directory, { heartbeatMs: 10, host: "box" });
      const holder = await findLockOwner(directory, { host: "box" });
      const { pid, since } = holder!;
      assertEquals(holder, { pid: process.pid, host: "box", since, url: null });
      const error = await assertRejects(() => openFileStorage(directory), StorageError);
      assertEquals(error.code, "locked");
      assertStringIncludes(error.message, `process ${pid} on box holds it since ${since}`);
      await assertRejects(() => storage.announce("nowhere"), TypeError);
      await storage.announce("http://localhost:8000");
      assertEquals((await findLockOwner(directory))?.url, "http://localhost:8000/");
      await storage.close();
      assertEquals(await findLockOwner(directory), undefined);
      assertEquals(await findLockOwner(`${directory}/none`), undefined);
    });
  });
});
