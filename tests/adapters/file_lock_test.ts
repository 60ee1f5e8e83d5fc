import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { beforeEach, describe, it } from "@std/testing/bdd";
import { Server } from "node:net";
import process from "node:process";
import { HEARTBEAT_MS } from "../../adapters/_file/lock_owner.ts";
import { type FileStorage, findLockOwner, openFileStorage } from "../../adapters/file.ts";
import { StorageError } from "../../adapters/storage.ts";
import { PEOPLE } from "../_contract/kinds.ts";
import { createSimulatedDisk, type SimulatedDisk } from "../_support/file/simulated_disk.ts";
import {
  contentsOf,
  count,
  createSilentSockets,
  createSimulatedTimers,
  erasePerson,
  LOCK,
  namesOn,
  openSimulated,
  putPerson,
  type SimulatedTimers,
} from "../_support/file/simulation.ts";
import { namesIn, withFolder } from "../_support/folder.ts";
import { turns, untilTurned } from "../_support/waiting.ts";

const CANNOT = 'Cannot use the data folder "/data": ';
const HELD = `${CANNOT}process ${process.pid} on test holds it since 2026-11-21T10:00:00.000Z`;
const LOST = "The data folder can't be written any more: ";

/** The disk of a process that was killed. */
async function createKilledDisk(settings = {}): Promise<SimulatedDisk> {
  const killed = createSimulatedDisk();
  await putPerson("ann@x.io")(await openSimulated(killed, settings));
  return createSimulatedDisk({}, killed.files);
}

async function assertFails(
  call: () => Promise<unknown>,
  code: string,
  message: string,
): Promise<void> {
  const error = await assertRejects(call, StorageError);
  assertEquals([error.code, error.message], [code, message]);
}

/** Kills a process unless it has ended. */
function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

/**
 * Starts a process that opens a folder and then runs a script. Calls `use` once the folder is open,
 * and kills the process afterwards.
 */
async function runOwner(
  directory: string,
  script: string,
  use: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const adapter = import.meta.resolve("../../adapters/file.ts");
  const code = `const { openFileStorage } = await import(${JSON.stringify(adapter)});
    await openFileStorage(${JSON.stringify(directory)}, { host: "test" });
    console.log("open");
    ${script}`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-check", code],
    stdin: "null",
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  try {
    await use();
  } finally {
    await reader.cancel();
    kill(child);
    await child.status;
  }
}

describe("the lock of file storage", () => {
  let timers: SimulatedTimers;
  let startMs: number;
  beforeEach(() => {
    timers = createSimulatedTimers();
    startMs = timers.now();
  });

  it("is taken over at once, with a warning, if nobody on this machine listens", async () => {
    const disk = await createKilledDisk();
    const warnings: string[] = [];
    const onWarning = (message: string) => void warnings.push(message);
    const sockets = createSilentSockets({ isLocal: false });
    const storage = await openSimulated(disk, { timers, sockets, onWarning });
    assertEquals(timers.now() - startMs, 0);
    assertEquals(warnings, ['"/data" was held by a process that has ended or stopped']);
    assertEquals((await storage.get(PEOPLE, "ann@x.io"))?.active, true);
    await storage.close();
    assertEquals(namesOn(disk), ["high-water-mark.json", "journal-0.jsonl"]);
  });

  const unknown: Readonly<Record<string, Parameters<typeof openSimulated>[1]>> = {
    "the kernel can't tell": {
      sockets: { ...createSilentSockets(), find: () => Promise.resolve("unknown") },
    },
    "it is another machine's": { host: "other", sockets: createSilentSockets({ isLocal: false }) },
    "this machine has no name": { host: null, sockets: createSilentSockets({ isLocal: false }) },
  };
  for (const [why, settings] of Object.entries(unknown)) {
    it(`is taken over after 40 heartbeats, and not before, if ${why}`, async () => {
      const disk = await createKilledDisk({ host: settings?.host === null ? null : "test" });
      const storage = await openSimulated(disk, { timers, ...settings });
      const waitedMs = timers.now() - startMs;
      assert(waitedMs >= 40 * HEARTBEAT_MS && waitedMs <= 40 * HEARTBEAT_MS + 20, `${waitedMs} ms`);
      await storage.close();

      const owner = createSimulatedTimers();
      await openSimulated(disk, { timers: owner });
      const challenger = createSimulatedTimers();
      async function wait(delayMs: number): Promise<void> {
        await challenger.wait(delayMs);
        if (challenger.now() - startMs === 9_980) owner.advance(HEARTBEAT_MS);
      }
      const open = () => openSimulated(disk, { ...settings, timers: { ...challenger, wait } });
      await assertFails(open, "locked", HELD);
    });
  }

  it("does not keep a start waiting where it is a pipe, which nobody writes to", async () => {
    await withFolder(async (folder) => {
      const { success } = await new Deno.Command("mkfifo", { args: [`${folder}/lock`] }).output();
      assertEquals(success, true);
      const open = () => openFileStorage(folder);
      await assertRejects(open, StorageError, "lock is not a file");
    });
  });

  it("goes to one of several that start at once after kill -9, each time", () =>
    withFolder(async (directory) => {
      await runOwner(directory, "process.kill(process.pid, 'SIGKILL');");
      for (let round = 0; round < 5; round++) {
        const starts = Array.from(
          { length: 4 },
          () => openFileStorage(directory, { host: "test" }),
        );
        const outcomes = await Promise.allSettled(starts);
        const opened = outcomes.flatMap((o) => o.status === "fulfilled" ? [o.value] : []);
        const refused = outcomes.flatMap((o) => o.status === "rejected" ? [o.reason.code] : []);
        assertEquals([opened.length, refused], [1, ["locked", "locked", "locked"]]);
        await opened[0].ping();
        await opened[0].close();
      }
      assertEquals(await namesIn(directory), ["high-water-mark.json", "journal-0.jsonl"]);
    }));

  it("leaves no socket of a process that was killed before its socket had its name", () =>
    withFolder(async (directory) => {
      const path = `${directory}/socket`;
      const listener = Deno.listen({ transport: "unix", path });
      // A closed listener removes the file that has its name.
      await Deno.rename(path, `${directory}/lock-abc.sock.tmp`);
      listener.close();
      await (await openFileStorage(directory)).close();
      const names = (await Array.fromAsync(Deno.readDir(directory))).map(({ name }) => name);
      assertEquals(names.sort(), ["high-water-mark.json", "journal-0.jsonl"]);
    }));

  it("is given up although the runtime never tells that its socket is closed", () =>
    withFolder(async (directory) => {
      const { close } = Server.prototype;
      Server.prototype.close = function (this: Server) {
        return close.call(this);
      };
      try {
        await (await openFileStorage(directory)).close();
      } finally {
        Server.prototype.close = close;
      }
      assertEquals(await namesIn(directory), ["high-water-mark.json", "journal-0.jsonl"]);
    }));

  // The second path is too long for a socket.
  for (const name of ["data", `${"long/".repeat(25)}data`]) {
    it(`is not taken over while its owner has no turn, in ${name.length} characters`, () =>
      withFolder(async (root) => {
        const directory = `${root}/${name}`;
        await runOwner(directory, "for (;;);", async () => {
          const error = await assertRejects(() => openFileStorage(directory), StorageError);
          assertStringIncludes(error.message, "process ");
          assertEquals(error.code, "locked");
          assert(await findLockOwner(directory) !== undefined);
        });
        const storage = await openFileStorage(directory);
        await storage.close();
        assertEquals(await namesIn(directory), ["high-water-mark.json", "journal-0.jsonl"]);
      }));
  }

  it("names its owner and the URL of that, on the real disk", () =>
    withFolder(async (directory) => {
      const storage = await openFileStorage(directory, { host: "box" });
      const owner = await findLockOwner(directory, { host: "box" });
      const { pid, since } = owner!;
      assertEquals(owner, { pid: process.pid, host: "box", since, url: null });
      const error = await assertRejects(() => openFileStorage(directory), StorageError);
      assertEquals(error.code, "locked");
      assertStringIncludes(error.message, `process ${pid} on box holds it since ${since}`);
      await assertRejects(() => storage.announce("nowhere"), TypeError);
      await storage.announce("http://localhost:8000");
      assertEquals((await findLockOwner(directory))?.url, "http://localhost:8000/");
      await storage.close();
      assertEquals(await findLockOwner(directory), undefined);
      assertEquals(await findLockOwner(`${directory}/none`), undefined);
    }));
});

describe("an owner of file storage that was paused", () => {
  let disk: SimulatedDisk;
  let timers: SimulatedTimers;
  let paused: FileStorage;
  let told: string[];

  beforeEach(async () => {
    disk = createSimulatedDisk();
    timers = createSimulatedTimers();
    told = [];
    paused = await openSimulated(disk, {
      timers,
      onWarning: (message) => told.push(message),
      onLost: (message) => told.push(message, "lost"),
    });
    await putPerson("ann@x.io", "Ann")(paused);
  });

  const calls: Readonly<Record<string, (storage: FileStorage) => Promise<unknown>>> = {
    "a change": putPerson("late@x.io"),
    // An erasure would compact the journal, now and at the close.
    "an erasure": erasePerson("ann@x.io"),
    "that there was nothing to change": putPerson("ann@x.io", "Ann"),
    ping: (storage) => storage.ping(),
    "anything after its next heartbeat": (storage) => storage.get(PEOPLE, "ann@x.io"),
  };
  for (const [what, call] of Object.entries(calls)) {
    it(`does not acknowledge ${what} once its lock was taken over, nor change a file`, async () => {
      const successor = await openSimulated(disk);
      await putPerson("ann@x.io", "Anna")(successor);
      const files = disk.files;
      if (what.includes("heartbeat")) timers.advance(HEARTBEAT_MS);
      await assertFails(() => call(paused), "unavailable", LOST + HELD);
      await assertFails(() => paused.list(PEOPLE, { limit: 9 }), "unavailable", LOST + HELD);
      assertEquals(told, [`${LOST}${HELD}; mend the cause and restart`, "lost"]);
      timers.advance(500);
      await turns();
      await paused.close();
      assertEquals(disk.files, files);
    });
  }

  it("puts no file in place after its successor has begun", async () => {
    const gate = Promise.withResolvers<void>();
    let isPaused = false;
    const disk = createSimulatedDisk();
    async function rename(from: string, to: string): Promise<void> {
      if (to === "/data/snapshot-1.json") {
        isPaused = true;
        await gate.promise;
      }
      await disk.rename(from, to);
    }
    const settings = { timers, journalBytes: 1 << 20 };
    const paused = await openSimulated({ ...disk, rename }, settings);
    await putPerson("ann@x.io")(paused);
    await erasePerson("ann@x.io")(paused);
    timers.advance(500);
    await untilTurned(() => isPaused);
    const successor = await openSimulated(disk, settings);
    await count("a")(successor);
    const names = namesOn(disk);
    gate.resolve();
    await turns();
    await paused.close();
    assertEquals(namesOn(disk), names);
    const contents = await contentsOf(successor);
    await successor.close();
    assertEquals(await contentsOf(await openSimulated(disk)), contents);
  });

  it("fails with the reason when its lock file is gone or was replaced by a copy", async () => {
    for (const reason of ["its lock file is gone", "a copy has taken its place"]) {
      const disk = createSimulatedDisk();
      const storage = await openSimulated(disk);
      const bytes = disk.files.get(LOCK)!;
      await disk.remove(LOCK);
      const isCopied = reason.includes("copy");
      if (isCopied) await (await disk.open(LOCK, "create")).write(bytes);
      await assertFails(() => putPerson("b@x.io")(storage), "unavailable", LOST + CANNOT + reason);
      await storage.close();
      assertEquals(disk.files.has(LOCK), isCopied);
    }
  });
});
