import { assert, assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { Buffer } from "node:buffer";
import { createBatcher } from "../adapters/_postgres/batch.ts";
import { type Call, createCalls } from "../adapters/_postgres/calls.ts";
import { createOrder, type OrderKind } from "../adapters/_postgres/order.ts";
import type { Database } from "../adapters/_postgres/database.ts";
import type { Row } from "../adapters/_postgres/values.ts";
import { createPutAll } from "../adapters/_postgres/put.ts";
import { StorageError } from "../adapters/storage.ts";
import { sampleChange } from "./_contract/samples.ts";
import { turns, until } from "./_waiting.ts";

const CALL: Call = { expired: false };
const EXPIRED: Call = { expired: true };
const TIMEOUT_MS = 60;

describe("batches of calls", () => {
  /** A batcher that answers with the tenfold, once it is let. */
  function createTenfold({ maxSize = 10, refused = [] as readonly number[] } = {}) {
    const batches: (readonly number[])[] = [];
    const waiting: (() => void)[] = [];
    const batcher = createBatcher(async (inputs: readonly number[]) => {
      batches.push(inputs);
      await new Promise<void>((resolve) => waiting.push(resolve));
      if (inputs.some((input) => refused.includes(input))) throw new Error("refused");
      return inputs.map((input) => input * 10);
    }, { maxSize, isRefusal: (error) => (error as Error).message === "refused" });
    async function finish(): Promise<void> {
      for (let next; (next = waiting.shift()) !== undefined;) {
        next();
        await turns();
      }
    }
    return { add: (input: number, call = CALL) => batcher.add(call, input), batches, finish };
  }

  it("are made of calls that come at once, and then of those that came meanwhile", async () => {
    const { add, batches, finish } = createTenfold();
    const first = [add(1), add(2)];
    assertEquals(batches, []);
    await turns();
    const later = [add(3), add(4)];
    await turns();
    assertEquals(batches, [[1, 2]]);
    await finish();
    assertEquals(batches, [[1, 2], [3, 4]]);
    assertEquals(await Promise.all([...first, ...later]), [10, 20, 30, 40]);
  });

  it("are under way one at a time, and none is larger than it may be", async () => {
    const { add, batches, finish } = createTenfold({ maxSize: 2 });
    const answers = [1, 2, 3, 4, 5].map((input) => add(input));
    await turns();
    assertEquals(batches, [[1, 2]]);
    await finish();
    assertEquals(batches, [[1, 2], [3, 4], [5]]);
    assertEquals(await Promise.all(answers), [10, 20, 30, 40, 50]);
  });

  it("fail for the call alone that was refused, and keep the order of the others", async () => {
    const { add, batches, finish } = createTenfold({ refused: [3] });
    const settled = Promise.allSettled([1, 2, 3, 4, 5].map((input) => add(input)));
    await turns();
    await finish();
    assertEquals(batches, [[1, 2, 3, 4, 5], [1, 2], [3, 4, 5], [3], [4, 5]]);
    const values = (await settled).map((s) =>
      s.status === "fulfilled" ? s.value : s.reason.message
    );
    assertEquals(values, [10, 20, "refused", 40, 50]);
  });

  it("fail for all of their calls when it was no refusal, and are not sent again", async () => {
    let sent = 0;
    const batcher = createBatcher((_inputs: readonly number[]) => {
      sent++;
      return Promise.reject(new Error("gone"));
    }, { maxSize: 9, isRefusal: () => false });
    const settled = await Promise.allSettled([1, 2].map((input) => batcher.add(CALL, input)));
    assertEquals(settled.map(({ status }) => status), ["rejected", "rejected"]);
    assertEquals(sent, 1);
  });

  it("leave out calls that have expired, which settle all the same", async () => {
    const { add, batches, finish } = createTenfold();
    const all = Promise.allSettled([add(1), add(2, EXPIRED), add(3)]);
    await turns();
    await finish();
    assertEquals((await all).map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
    await assertRejects(() => add(4, EXPIRED));
    assertEquals(batches, [[1, 3]]);
    const last = add(5);
    await turns();
    await finish();
    assertEquals(await last, 50);
  });
});

describe("the order of operations on a record", () => {
  function createStarts() {
    const order = createOrder();
    const started: string[] = [];
    const ends = new Map<string, () => void>();
    function run(name: string, kind: OrderKind, { key = "key", call = CALL } = {}) {
      return order.run(key, kind, call, () => {
        started.push(name);
        return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
      });
    }
    async function end(...names: readonly string[]): Promise<void> {
      for (const name of names) ends.get(name)!();
      await turns();
    }
    return { run, started, end };
  }

  it("lets those of one kind be under way together, but for writes", async () => {
    const { run, started, end } = createStarts();
    for (const kind of ["read", "put", "write"] as const) {
      void run(`${kind} 1`, kind, { key: kind });
      void run(`${kind} 2`, kind, { key: kind });
    }
    assertEquals(started, ["read 1", "read 2", "put 1", "put 2", "write 1"]);
    await end("write 1");
    assertEquals(started.at(-1), "write 2");
  });

  it("lets each kind wait for those before it, and lets nobody overtake", async () => {
    const { run, started, end } = createStarts();
    const groups = [
      ["read 1"],
      ["put 2", "put 3"],
      ["write 4"],
      ["read 5", "read 6"],
      ["put 7"],
      ["read 8"],
    ];
    const names = groups.flat();
    const all = names.map((name) => run(name, name.split(" ")[0] as OrderKind));
    const expected: string[] = [];
    for (const group of groups) {
      expected.push(...group);
      for (const name of group) {
        assertEquals(started, expected);
        await end(name);
      }
    }
    assertEquals(await Promise.all(all), names);
  });

  it("lets nobody join one of another kind that has had to wait", async () => {
    const { run, started, end } = createStarts();
    const all = [run("read 1", "read"), run("write 2", "write")];
    await end("read 1");
    all.push(run("read 3", "read"), run("put 4", "put"));
    assertEquals(started, ["read 1", "write 2"]);
    await end("write 2");
    assertEquals(started, ["read 1", "write 2", "read 3"]);
    all.push(run("put 5", "put"));
    await end("read 3");
    assertEquals(started.slice(3), ["put 4", "put 5"]);
    await end("put 4", "put 5");
    await Promise.all(all);
  });

  it("goes on after one that failed, and skips what has expired meanwhile", async () => {
    const order = createOrder();
    const call = { expired: false };
    const failed = order.run("key", "write", CALL, () => Promise.reject(new Error("failed")));
    let skipped = true;
    const expired = order.run("key", "write", call, () => {
      skipped = false;
      return Promise.resolve();
    });
    const last = order.run("key", "read", CALL, () => Promise.resolve("done"));
    call.expired = true;
    await assertRejects(() => failed, Error, "failed");
    await assertRejects(() => expired);
    assertEquals([await last, skipped], ["done", true]);
  });
});

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
  const toError = (error: unknown) => new StorageError("conflict", `made of ${error}`);

  it("hands on what came of a call, with the error made for it", async () => {
    const calls = createCalls(TIMEOUT_MS, toError);
    assertEquals(await calls.run(() => Promise.resolve("value")), "value");
    const error = await assertRejects(() => calls.run(() => Promise.reject("this")), StorageError);
    assertEquals([error.code, error.message], ["conflict", "made of this"]);
    await calls.close();
  });

  it("rejects a call in time that has not settled, and tells it so", async () => {
    const calls = createCalls(TIMEOUT_MS, toError);
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
    const calls = createCalls(TIMEOUT_MS, toError);
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
      const calls = createCalls(TIMEOUT_MS, toError);
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
