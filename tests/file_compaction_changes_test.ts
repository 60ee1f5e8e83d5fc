import { assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { sampleChange } from "./_contract/samples.ts";
import { changeFiles, generationOf, JOURNAL, SNAPSHOT, textOf } from "./_file/contents.ts";
import { createSimulatedDisk } from "./_file/simulated_disk.ts";
import { createSimulatedClock, openSimulated } from "./_file/simulation.ts";
import { turns, untilTurned } from "./_waiting.ts";

const ANN = "ann@x.io";

describe("file storage that takes changes while it folds its journal", () => {
  it("publishes no snapshot with a change in it that is not durable yet", async () => {
    const simulated = createSimulatedDisk();
    const gate = Promise.withResolvers<void>();
    let isHeld = false;
    const disk = changeFiles(simulated, (path, file) => ({
      async sync() {
        if (isHeld && path.startsWith(JOURNAL)) await gate.promise;
        await file.sync();
      },
    }));
    const clock = createSimulatedClock();
    const storage = await openSimulated(disk, { clock, journalBytes: 1 << 20 });
    await storage.subscriptions.put(sampleChange("zoe@x.io"));
    await storage.subscriptions.erase("zoe@x.io");
    isHeld = true;
    const put = storage.subscriptions.put(sampleChange(ANN));
    await turns();
    clock.fire();
    await turns();
    assertEquals(textOf(simulated, SNAPSHOT).includes(ANN), false);
    gate.resolve();
    await put;
    await untilTurned(() => textOf(simulated, SNAPSHOT).includes(ANN));
    await storage.close();
  });

  it("takes the records of one moment, whatever changes while they are written", async () => {
    const simulated = createSimulatedDisk();
    const held = Promise.withResolvers<void>();
    let late: Promise<unknown> | undefined;
    const disk = changeFiles(simulated, (path, file) => ({
      write(bytes, position) {
        if (path.startsWith(`${SNAPSHOT}.`)) {
          late ??= storage.subscriptions.put(sampleChange("user1999@x.io", { subscribe: false }));
        }
        return file.write(bytes, position);
      },
      async sync() {
        if (late !== undefined && path.startsWith(JOURNAL)) await held.promise;
        await file.sync();
      },
    }));
    const clock = createSimulatedClock();
    const storage = await openSimulated(disk, { clock, journalBytes: 1 << 24 });
    const users = Array.from({ length: 2_000 }, (_, i) => `user${`${i}`.padStart(4, "0")}@x.io`);
    await Promise.all(users.map((user) => storage.subscriptions.put(sampleChange(user))));
    await storage.subscriptions.erase("user0000@x.io");
    clock.fire();
    await untilTurned(() => generationOf(simulated) > 0, 1_000_000);
    assertMatch(
      textOf(simulated, SNAPSHOT),
      /"userEmail":"user1999@x\.io",[^}]*"subscribed":true/,
    );
    held.resolve();
    await late;
    await storage.close();
  });

  it("carries over all that came in meanwhile, however much, and leaves no file open", async () => {
    const simulated = createSimulatedDisk();
    let handles = 0;
    let late: Promise<unknown> | undefined;
    const name = "x".repeat(200);
    const disk = changeFiles(simulated, (path, file) => {
      handles++;
      return {
        async write(bytes, position) {
          // A megabyte of changes, while the snapshot waits.
          if (path.startsWith(`${SNAPSHOT}.`)) {
            late ??= Promise.all(
              Array.from(
                { length: 3_000 },
                (_, i) =>
                  storage.subscriptions.put(sampleChange(`late${i}@x.io`, { userName: name })),
              ),
            );
            await late;
          }
          return await file.write(bytes, position);
        },
        async close() {
          handles--;
          await file.close();
        },
      };
    });
    const clock = createSimulatedClock();
    const warnings: string[] = [];
    const storage = await openSimulated(disk, {
      clock,
      journalBytes: 1 << 30,
      onWarning: (message) => void warnings.push(message),
    });
    await storage.subscriptions.put(sampleChange(ANN));
    await storage.subscriptions.erase(ANN);
    clock.fire();
    await untilTurned(() => generationOf(simulated) > 0, 1_000_000);
    await storage.subscriptions.put(sampleChange("last@x.io"));
    await storage.close();
    assertEquals([handles, warnings], [0, []]);
    const lines = textOf(simulated, JOURNAL).trimEnd().split("\n");
    const [header, ...records] = lines.map((line) => JSON.parse(line));
    assertEquals(records.map(({ seq }) => seq - header.after), [
      ...records.slice(0, -1).map((_, i) => i + 1),
      records.length - 1,
    ]);
    const again = await openSimulated(simulated, { journalBytes: 1 << 30 });
    const kept = await again.subscriptions.list({ limit: 9_999 });
    assertEquals([kept.length, kept[0].userEmail], [3_001, "last@x.io"]);
    await again.close();
  });
});
