import { assertEquals, assertRejects } from "@std/assert";
import { beforeEach, describe, it } from "@std/testing/bdd";
import type { FileStorage } from "../adapters/file.ts";
import { StorageError } from "../adapters/storage.ts";
import { COUNTERS, PEOPLE } from "./_contract/kinds.ts";
import { createSimulatedDisk, type SimulatedDisk } from "./_file/simulated_disk.ts";
import {
  changeFiles,
  contentsOf,
  count,
  createSimulatedClock,
  erasePerson,
  openSimulated,
  putPerson,
  type SimulatedClock,
} from "./_file/simulation.ts";
import { turns } from "./_waiting.ts";

const JOURNAL = "/data/journal-0.jsonl";

/** Tells which promises are settled by now. */
async function settledOf(promises: readonly Promise<unknown>[]): Promise<readonly boolean[]> {
  const settled = promises.map(() => false);
  promises.forEach((promise, i) => promise.catch(() => {}).then(() => settled[i] = true));
  await turns();
  return settled;
}

describe("file storage whose journal is being synced", () => {
  let simulated: SimulatedDisk;
  let clock: SimulatedClock;
  let storage: FileStorage;
  let syncs: number;
  let gate: PromiseWithResolvers<void> | undefined;
  let lost: readonly string[];

  beforeEach(async () => {
    simulated = createSimulatedDisk();
    clock = createSimulatedClock();
    gate = undefined;
    lost = [];
    const disk = changeFiles(simulated, (path, file) => ({
      async sync() {
        if (path.includes("journal")) syncs++;
        await gate?.promise;
        await file.sync();
      },
    }));
    storage = await openSimulated(disk, {
      clock,
      onWarning: (message) => lost = [...lost, message],
      onLost: () => lost = [...lost, "lost"],
    });
    await putPerson("ann@x.io", "Ann")(storage);
    syncs = 0;
  });

  it("acknowledges and shows nothing before it is durable", async () => {
    gate = Promise.withResolvers();
    const calls = [
      putPerson("ann@x.io", "Anna")(storage),
      storage.get(PEOPLE, "ann@x.io"),
      storage.list(PEOPLE, { limit: 9 }),
      // Which finds nothing to change, as the change before it was made.
      putPerson("ann@x.io", "Anna")(storage),
      erasePerson("nobody@x.io")(storage),
    ];
    assertEquals(await settledOf(calls), [false, false, false, false, false]);
    // What is durable can be read meanwhile.
    assertEquals(await storage.get(COUNTERS, "a"), undefined);
    gate.resolve();
    const anna = { email: "ann@x.io", name: "Anna", active: true };
    assertEquals(await Promise.all(calls), [true, anna, [anna], false, false]);
    await storage.close();
  });

  it("writes together what comes meanwhile", async () => {
    gate = Promise.withResolvers();
    const first = putPerson("first@x.io")(storage);
    await turns();
    const others = Array.from({ length: 50 }, (_, i) => count(`c${i}`, "ann@x.io")(storage));
    gate.resolve();
    await Promise.all([first, ...others]);
    assertEquals(syncs, 2);
    await storage.close();
  });

  it("shows no change of a later batch before that is durable", async () => {
    const first = gate = Promise.withResolvers();
    const changes = [putPerson("first@x.io")(storage)];
    await turns();
    changes.push(putPerson("second@x.io")(storage));
    gate = Promise.withResolvers();
    first.resolve();
    await changes[0];
    const read = storage.get(PEOPLE, "second@x.io");
    assertEquals(await settledOf([changes[1], read]), [false, false]);
    gate.resolve();
    assertEquals((await read)?.email, "second@x.io");
    await storage.close();
  });

  it("finishes what is under way when it is closed", async () => {
    gate = Promise.withResolvers();
    const change = putPerson("bob@x.io")(storage);
    const closing = storage.close();
    assertEquals(await settledOf([change, closing]), [false, false]);
    const late = await assertRejects(() => storage.get(PEOPLE, "bob@x.io"), StorageError);
    assertEquals(late.code, "closed");
    gate.resolve();
    await Promise.all([change, closing]);
    assertEquals(simulated.openFiles, 0);
    const again = await openSimulated(simulated);
    assertEquals((await again.get(PEOPLE, "bob@x.io"))?.active, true);
    await again.close();
  });

  it("rejects at the deadline what the disk does not answer, and goes on once it does", async () => {
    gate = Promise.withResolvers();
    const waiting = [putPerson("slow@x.io")(storage), storage.ping(), storage.get(PEOPLE, "a")];
    await turns();
    clock.advance(9_000);
    const queued = putPerson("queued@x.io")(storage);
    assertEquals(await settledOf([...waiting, queued]), [false, false, false, false]);
    clock.advance(1_000);
    for (const call of waiting) {
      const { code, message } = await assertRejects(() => call, StorageError);
      assertEquals([code, message], ["unavailable", "The disk has not answered for 10 s"]);
    }
    assertEquals(await settledOf([queued]), [false]);
    gate.resolve();
    await queued;
    assertEquals((await storage.get(PEOPLE, "slow@x.io"))?.email, "slow@x.io");
    await storage.ping();
    await storage.close();
  });

  it("ends everything when a sync fails, and has lost nothing acknowledged", async () => {
    const before = await contentsOf(storage);
    gate = Promise.withResolvers();
    const calls = [
      () => putPerson("bob@x.io")(storage),
      () => storage.get(PEOPLE, "bob@x.io"),
      () => storage.list(PEOPLE, { limit: 9 }),
      () => storage.ping(),
      () => storage.announce("http://127.0.0.1:8000/"),
    ];
    const early = calls.slice(0, 3).map((call) => call());
    await turns();
    early.push(putPerson("queued@x.io")(storage));
    gate.reject(new Error("the disk is broken"));
    const message = "The data folder can't be written any more: the disk is broken";
    for (const call of [...early.map((promise) => () => promise), ...calls]) {
      const error = await assertRejects(call, StorageError);
      assertEquals([error.code, error.message], ["unavailable", message]);
    }
    assertEquals(lost, [`${message}; mend the cause and restart`, "lost"]);
    gate = undefined;
    await storage.close();
    assertEquals(simulated.openFiles, 0);
    const again = await openSimulated(simulated);
    // What was refused may be there, as a whole: what comes after the failure is not.
    await erasePerson("bob@x.io")(again);
    assertEquals(await contentsOf(again), before);
    await again.close();
  });

  it("changes nothing when a decision throws, or is none", async () => {
    const journal = simulated.files.get(JOURNAL);
    const refs = { person: { kind: PEOPLE, key: "ann@x.io" } };
    await assertRejects(() =>
      storage.transact(refs, () => {
        throw new RangeError("no");
      }), RangeError);
    await assertRejects(
      () =>
        storage.transact(
          refs,
          () => ({ answer: 1, put: { person: { email: "ann@x.io" } as never } }),
        ),
      TypeError,
    );
    assertEquals(simulated.files.get(JOURNAL), journal);
    await storage.close();
  });
});
