import { assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { refuseAfterStandstill } from "../commands/_standstill.ts";
import { openMemoryStorage, type Storage, StorageError } from "../mod.ts";
import type { ChangeName } from "./_changes.ts";
import { minute, sampleBoard, sampleChange, sampleKey } from "./_contract/samples.ts";
import { until } from "./_waiting.ts";

const BOARD = sampleBoard("ideas");
const ROTATION = { keyId: "old", at: minute(1), until: minute(1), successor: sampleKey("new") };
const CHANGES: Readonly<
  Record<Exclude<ChangeName, "apiKeys.touch">, (storage: Storage) => Promise<unknown>>
> = {
  "boards.create": ({ boards }) => boards.create(BOARD),
  "boards.replace": ({ boards }) => boards.replace(BOARD, BOARD),
  "boards.delete": ({ boards }) => boards.delete(BOARD),
  "subscriptions.put": ({ subscriptions }) => subscriptions.put(sampleChange("ann@x.io")),
  "subscriptions.erase": ({ subscriptions }) => subscriptions.erase("ann@x.io"),
  "apiKeys.create": ({ apiKeys }) => apiKeys.create(sampleKey("old")),
  "apiKeys.rotate": ({ apiKeys }) => apiKeys.rotate(ROTATION),
  "apiKeys.revoke": ({ apiKeys }) => apiKeys.revoke("new", minute(2)),
};

describe("the storage of a server", () => {
  for (const [name, change] of Object.entries(CHANGES)) {
    it(`refuses ${name} for a second after a standstill`, async () => {
      let nowMs = 0;
      // The time of day is set back meanwhile.
      const clocks = { elapsedMs: () => nowMs, timeMs: () => -nowMs };
      const storage = refuseAfterStandstill(openMemoryStorage(), clocks);
      await change(storage);
      nowMs += 3_000;
      await change(storage).catch(({ code }) => assertEquals(code, "conflict"));
      nowMs += 3_001;
      for (const passedMs of [0, 999]) {
        nowMs += passedMs;
        const error = await assertRejects(() => change(storage), StorageError);
        assertEquals(error.code, "unavailable");
      }
      nowMs += 1;
      await change(storage).catch(({ code }) => assertEquals(code, "conflict"));
      await storage.close();
    });
  }

  it("refuses changes, too, when only the time of day went on, but not when it was set back", async () => {
    let [nowMs, timeMs] = [0, 1e12];
    const clocks = { elapsedMs: () => nowMs, timeMs: () => timeMs };
    const storage = refuseAfterStandstill(openMemoryStorage(), clocks);
    await storage.boards.create(BOARD);
    timeMs -= 3_600_000;
    await storage.boards.delete(BOARD);
    timeMs += 3_001;
    await assertRejects(() => storage.boards.create(BOARD), StorageError);
    [nowMs, timeMs] = [nowMs + 1_000, timeMs + 1_000];
    assertEquals(await storage.boards.create(BOARD), true);
    await storage.close();
  });

  it("takes a quiet time for no standstill", async () => {
    let nowMs = 0;
    let looks = 0;
    const storage = refuseAfterStandstill(openMemoryStorage(), {
      elapsedMs() {
        looks++;
        return nowMs;
      },
    });
    await storage.boards.create(BOARD);
    nowMs += 2_000;
    await until(() => looks > 1);
    nowMs += 2_000;
    await storage.boards.delete(BOARD);
    await storage.close();
  });

  it("is read all the time, and closed with what it is over", async () => {
    let nowMs = 0;
    const memory = openMemoryStorage();
    const storage = refuseAfterStandstill(memory, { elapsedMs: () => nowMs });
    nowMs += 10_000;
    assertEquals(await storage.boards.list({ limit: 1 }), []);
    await storage.close();
    await assertRejects(() => memory.ping(), StorageError);
  });
});
