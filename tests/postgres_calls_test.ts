import { assert, assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { Buffer } from "node:buffer";
import { type Call, createCalls } from "../adapters/_postgres/calls.ts";
import type { Database } from "../adapters/_postgres/database.ts";
import { createPutAll } from "../adapters/_postgres/put.ts";
import type { Row } from "../adapters/_postgres/values.ts";
import { StorageError } from "../adapters/storage.ts";
import { sampleChange } from "./_contract/samples.ts";
import { turns, until } from "./_waiting.ts";

const TIMEOUT_MS = 60;

describe("changes of subscriptions", () => {
  const unwritten: Row = ["1", "f", "f", null, null, null, null].map((value) =>
    value === null ? null : Buffer.from(value)
  );
  const written: Row = unwritten.map((value, i) => i === 2 ? Buffer.from("t") : value);

  /** A database in which others write an address at the very moment, so many times. */
  function createContended(times: number) {
    let sent = 0;
    const database: Database = {
      query: () => Promise.resolve([sent++ < times ? unwritten : written]),
      withClient: () => Promise.reject(new Error("not used")),
      close: () => Promise.resolve(),
    };
    return { putAll: createPutAll(database, '"schema"'), sent: () => sent };
  }

  it("have another round while others write the same addresses", async () => {
    const { putAll, sent } = createContended(3);
    const [{ subscription, changed }] = await putAll([sampleChange("ann@x.io")]);
    assertEquals([subscription.userEmail, changed, sent()], ["ann@x.io", true, 4]);
  });

  it("are given up when others never cease to write the same addresses", async () => {
    const { putAll, sent } = createContended(Infinity);
    const error = await assertRejects(() => putAll([sampleChange("ann@x.io")]), StorageError);
    assertEquals(error.code, "unavailable");
    assert(sent() > 5 && sent() < 100, `${sent()} rounds`);
  });
});

describe("calls under way", () => {
  const never = () => new Promise<never>(() => {});

  it("hands on what came of a call, with an error of storage made of the driver's", async () => {
    const calls = createCalls(TIMEOUT_MS);
    assertEquals(await calls.run(() => Promise.resolve("value")), "value");
    const thrown = Object.assign(new Error("undone"), { code: "40001" });
    const error = await assertRejects(() => calls.run(() => Promise.reject(thrown)), StorageError);
    assertEquals(error.message, "The database cannot answer (SQLSTATE 40001)");
    await calls.close();
  });

  it("tells a call that its time is over before any timer does, as after a standstill", async () => {
    const calls = createCalls(TIMEOUT_MS);
    let seen: Call | undefined;
    const call = calls.run((call) => {
      seen = call;
      return Promise.resolve("value");
    });
    const endMs = performance.now() + TIMEOUT_MS;
    while (performance.now() <= endMs);
    assertEquals(seen?.expired, true);
    assertEquals(await call, "value");
    await calls.close();
  });

  it("rejects a call in time that has not settled, and tells it so", async () => {
    const calls = createCalls(TIMEOUT_MS);
    const started = performance.now();
    let seen: Call | undefined;
    const late = Promise.withResolvers<string>();
    const call = calls.run((call) => {
      seen = call;
      return late.promise;
    });
    assertEquals(seen?.expired, false);
    const error = await assertRejects(() => call, StorageError);
    assertEquals(error.code, "unavailable");
    assert(performance.now() - started >= 0.9 * TIMEOUT_MS, "it was given up too soon");
    assertEquals(seen?.expired, true);
    late.resolve("too late");
    await turns();
    // What comes late is counted once.
    const next = calls.run(never).catch(() => "given up");
    let closed = false;
    const closing = calls.close().then(() => closed = true);
    await turns();
    assertEquals(closed, false);
    assertEquals(await next, "given up");
    await closing;
  });

  it("takes no call after it was closed, which waits for those under way", async () => {
    const calls = createCalls(TIMEOUT_MS);
    const slow = Promise.withResolvers<string>();
    const others = [calls.run(() => slow.promise), calls.run(() => slow.promise)];
    let closed = false;
    const closing = calls.close().then(() => closed = true);
    const error = await assertRejects(() => calls.run(() => Promise.resolve()), StorageError);
    assertEquals(error.code, "closed");
    await turns();
    assertEquals(closed, false);
    slow.resolve("done");
    assertEquals(await Promise.all(others), ["done", "done"]);
    await closing;
    await calls.close();
  });

  it("runs one timer while there are calls, and none when there are no more", async () => {
    const { setInterval, clearInterval } = globalThis;
    const running = new Set<unknown>();
    let [started, most] = [0, 0];
    globalThis.setInterval = ((...args: Parameters<typeof setInterval>) => {
      const timer = setInterval(...args);
      running.add(timer);
      started++;
      most = Math.max(most, running.size);
      return timer;
    }) as typeof setInterval;
    globalThis.clearInterval = (timer) => {
      running.delete(timer);
      clearInterval(timer);
    };
    try {
      const calls = createCalls(TIMEOUT_MS);
      const slow = Promise.withResolvers<void>();
      const all = Array.from({ length: 10 }, () => calls.run(() => slow.promise));
      assertEquals([started, most], [1, 1]);
      slow.resolve();
      await Promise.all(all);
      await until(() => running.size === 0);
      // A call that comes later has its time in full.
      const before = performance.now();
      await assertRejects(() => calls.run(never), StorageError);
      assert(performance.now() - before >= 0.9 * TIMEOUT_MS);
      assertEquals([started, most], [2, 1]);
      await calls.close();
      assertEquals(running.size, 0);
    } finally {
      Object.assign(globalThis, { setInterval, clearInterval });
    }
  });
});
