import { assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Disk } from "../adapters/_file/disk.ts";
import { type Storage, StorageError } from "../adapters/storage.ts";
import { minute, sampleBoard, sampleChange } from "./_contract/samples.ts";
import {
  changeFiles,
  HELD,
  JOURNAL,
  LOCK,
  SNAPSHOT,
  temporariesOn,
  textOf,
  withTornJournal,
} from "./_file/contents.ts";
import { createSimulatedDisk } from "./_file/simulated_disk.ts";
import { contentsOf, createSimulatedClock, openSimulated } from "./_file/simulation.ts";
import { turns } from "./_waiting.ts";

const OPT_OUT = sampleChange("ann@x.io", { subscribe: false });

/**
 * Has one fold, for an erasure or for a journal that is long, whose lock was taken over since, and who
 * has not found out. Returns the names of all files before and after.
 */
async function foldTooLate(reason: "erasure" | "length") {
  const fresh = createSimulatedDisk();
  await (await openSimulated(fresh)).close();
  const disk = createSimulatedDisk({}, withTornJournal(fresh.files, '{"seq":9,"put":{'));
  let fold = () => {};
  let isFull = true;
  const late = await openSimulated({
    ...disk,
    open: (path, mode) =>
      isFull && path.startsWith(`${SNAPSHOT}.`)
        ? Promise.reject(new Error("no space left"))
        : disk.open(path, mode),
  }, {
    journalBytes: reason === "length" ? 1 : 1 << 20,
    clock: {
      ...createSimulatedClock(),
      // No heartbeat finds out.
      schedule(delayMs, run) {
        if (delayMs >= 500) fold = run;
        return () => {};
      },
    },
  });
  await late.subscriptions.put(sampleChange("bob@x.io"));
  if (reason === "erasure") await late.subscriptions.erase("bob@x.io");
  await turns();
  isFull = false;
  const successor = await openSimulated(disk, { journalBytes: 1 << 20 });
  await successor.subscriptions.put(sampleChange("ann@x.io"));
  const before = [...disk.files.keys()];
  fold();
  await turns();
  const after = [...disk.files.keys()];
  await late.close();
  await successor.close();
  return { before, after };
}

describe("a lock that is taken over", () => {
  it("leaves nothing of a new one behind when it can't be taken over", async () => {
    const killed = createSimulatedDisk();
    await openSimulated(killed);
    const disk = createSimulatedDisk({ writeMaxBytes: 10 }, killed.files);
    const error = await assertRejects(() => openSimulated(disk), StorageError);
    assertEquals(error.code, "unavailable");
    assertEquals([...disk.files.keys()], [...killed.files.keys()]);
    assertEquals(disk.openFiles, 0);
  });

  it("is given to one of several that take it over at once", async () => {
    const killed = createSimulatedDisk();
    await openSimulated(killed);
    const disk = createSimulatedDisk({}, killed.files);
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => openSimulated(disk)));
    const opened = outcomes.flatMap((o) => o.status === "fulfilled" ? [o.value] : []);
    assertEquals(opened.length, 1);
    await opened[0].subscriptions.put(sampleChange("ann@x.io"));
    await opened[0].close();
    assertEquals([...disk.files.keys()], [JOURNAL]);
    assertEquals(disk.openFiles, 0);
  });

  it("goes to the last of two that take it over, and the first one finds out", async () => {
    const killed = createSimulatedDisk();
    await openSimulated(killed);
    const disk = createSimulatedDisk({}, killed.files);
    const [firstMoved, lastMoved] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const clock = createSimulatedClock();
    const first = openSimulated({
      ...disk,
      async rename(from, to) {
        await disk.rename(from, to);
        firstMoved.resolve();
      },
    }, {
      clock: {
        ...clock,
        // While it waits once more, the other one moves its lock into place.
        wait: (delayMs) => disk.openFiles === 0 ? clock.wait(delayMs) : lastMoved.promise,
      },
    });
    const last = openSimulated({
      ...disk,
      // Has looked at the lock before.
      async rename(from, to) {
        await firstMoved.promise;
        await disk.rename(from, to);
        lastMoved.resolve();
      },
    });
    assertEquals((await assertRejects(() => first, StorageError)).code, "locked");
    await (await last).close();
    assertEquals([...disk.files.keys()], [JOURNAL]);
    assertEquals(disk.openFiles, 0);
  });

  for (const step of ["before making ready", "after making ready", "when about"]) {
    it(`is not for one who comes too late, just ${step} to take it`, async () => {
      const killed = createSimulatedDisk();
      await openSimulated(killed);
      const disk = createSimulatedDisk({}, killed.files);
      let winner: Storage | undefined;
      const late = openSimulated({
        ...disk,
        async open(path, mode) {
          const isReady = path.startsWith(`${LOCK}.`);
          if (isReady && step === "before making ready") winner = await openSimulated(disk);
          const file = await disk.open(path, mode);
          if (isReady && step === "after making ready") winner = await openSimulated(disk);
          return file;
        },
        async rename(from, to) {
          winner ??= await openSimulated(disk);
          await disk.rename(from, to);
        },
      });
      const { code, message } = await assertRejects(() => late, StorageError);
      assertEquals([code, message], ["locked", HELD]);
      await winner!.subscriptions.put(sampleChange("ann@x.io"));
      await winner!.close();
      assertEquals([...disk.files.keys()], [JOURNAL]);
      assertEquals(disk.openFiles, 0);
    });
  }

  it("keeps the copy of a torn tail from one who folds too late", async () => {
    const { before, after } = await foldTooLate("erasure");
    const copies = before.filter((name) => name.endsWith(".broken"));
    assertEquals(copies.length, 1);
    assertEquals(after.filter((name) => name.endsWith(".broken")), copies);
  });

  it("has no snapshot moved into place by one who folds too late", async () => {
    const { before, after } = await foldTooLate("length");
    assertEquals([before.includes(SNAPSHOT), after.includes(SNAPSHOT)], [false, false]);
  });

  const unchanging: readonly (readonly [string, (storage: Storage) => Promise<unknown>])[] = [
    ["opting out", ({ subscriptions }) => subscriptions.put(OPT_OUT)],
    ["erasing", ({ subscriptions }) => subscriptions.erase("bob@x.io")],
    ["creating a board", ({ boards }) => boards.create(sampleBoard("ideas"))],
    ["revoking", ({ apiKeys }) => apiKeys.revoke("none", minute(1))],
  ];
  for (const [what, change] of unchanging) {
    it(`shuts out a paused holder, which doesn't say that ${what} had nothing to change`, async () => {
      const disk = createSimulatedDisk();
      const paused = await openSimulated(disk);
      await paused.subscriptions.put(OPT_OUT);
      await paused.boards.create(sampleBoard("ideas"));
      const successor = await openSimulated(disk);
      await successor.subscriptions.put({ ...OPT_OUT, subscribe: true });
      const error = await assertRejects(() => change(paused), StorageError);
      assertEquals(error.code, "unavailable");
      await paused.close();
      await successor.close();
    });
  }

  it("shuts out a paused holder, which acknowledges nothing more", async () => {
    const disk = createSimulatedDisk();
    const paused = await openSimulated(disk);
    await paused.subscriptions.put(sampleChange("ann@x.io"));
    const successor = await openSimulated(disk);
    assertEquals((await assertRejects(() => paused.ping(), StorageError)).code, "unavailable");
    const late = paused.subscriptions.put(sampleChange("late@x.io"));
    assertEquals((await assertRejects(() => late, StorageError)).code, "unavailable");
    assertEquals((await assertRejects(() => paused.ping(), StorageError)).code, "unavailable");
    await successor.subscriptions.put(sampleChange("bob@x.io"));
    await paused.close();
    // The lock of the other one is still there.
    await successor.subscriptions.put(sampleChange("cat@x.io"));
    const contents = await contentsOf(successor);
    await successor.close();
    const again = await openSimulated(disk);
    assertEquals(await contentsOf(again), contents);
    await again.close();
  });

  for (
    const [name, lose, reason] of [
      ["removed", (disk: Disk) => disk.remove(LOCK), "the lock file is gone"],
      [
        "made by another that has not signed it yet",
        async (disk: Disk) => {
          await disk.remove(LOCK);
          await (await disk.open(LOCK, "create")).close();
        },
        "another process holds it",
      ],
    ] as const
  ) {
    it(`is told of as it is when it was ${name}`, async () => {
      const disk = createSimulatedDisk();
      const storage = await openSimulated(disk);
      await lose(disk);
      const change = storage.subscriptions.put(sampleChange("ann@x.io"));
      const { message } = await assertRejects(() => change, StorageError);
      assertEquals(
        message,
        `Cannot write the journal: Cannot use the data folder "/data": ${reason}`,
      );
      await storage.close();
    });
  }

  it("keeps a paused holder from putting its files in place", async () => {
    const disk = createSimulatedDisk();
    const warnings: string[] = [];
    const paused = await openSimulated(disk, { onWarning: (text) => warnings.push(text) });
    await paused.subscriptions.put(sampleChange("ann@x.io"));
    // Has the journal folded no later than when the storage is closed.
    await paused.subscriptions.erase("ann@x.io");
    const successor = await openSimulated(disk);
    const before = disk.files.get(JOURNAL);
    await paused.close();
    assertEquals(disk.files.get(SNAPSHOT), undefined);
    assertEquals(disk.files.get(JOURNAL), before);
    assertEquals(warnings, [`${HELD}; restart to use it again`]);
    await successor.close();
  });

  it("keeps one that was paused while it opened the folder from the copy of a torn tail", async () => {
    const killed = createSimulatedDisk();
    await (await openSimulated(killed)).subscriptions.put(sampleChange("ann@x.io"));
    // More than the successor writes: its journal ends too soon for who looks for this.
    const torn = '{"seq":2,' + "x".repeat(999);
    const disk = createSimulatedDisk({}, withTornJournal(killed.files, torn));
    let successor: Storage | undefined;
    const paused = openSimulated(changeFiles(disk, (path, file) => ({
      async close() {
        await file.close();
        // It has just read the journal.
        if (path === JOURNAL) successor ??= await openSimulated(disk);
      },
    })));
    const { code, message } = await assertRejects(() => paused, StorageError);
    assertEquals([code, message], ["locked", HELD]);
    assertEquals(textOf(disk, `${JOURNAL}.2.broken`), torn);
    assertEquals(temporariesOn(disk), []);
    await successor!.subscriptions.put(sampleChange("bob@x.io"));
    await successor!.close();
    assertEquals(disk.openFiles, 0);
  });
});
