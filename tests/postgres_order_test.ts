import { assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createBatcher } from "../adapters/_postgres/batch.ts";
import type { Call } from "../adapters/_postgres/calls.ts";
import { createOrder, type OrderKind } from "../adapters/_postgres/order.ts";
import { turns } from "./_waiting.ts";

const CALL: Call = { expired: false };
const EXPIRED: Call = { expired: true };

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

  it("leave out calls that expire while others of their batch are refused", async () => {
    const { add, batches, finish } = createTenfold({ refused: [1] });
    const patient = { expired: false };
    const calls = [add(1), add(2), add(3, patient), add(4)];
    await turns();
    patient.expired = true;
    await finish();
    assertEquals(batches, [[1, 2, 3, 4], [1, 2], [1], [2], [4]]);
    const outcomes = await Promise.allSettled(calls);
    assertEquals(outcomes.map(({ status }) => status), [
      ...["rejected", "fulfilled", "rejected", "fulfilled"],
    ]);
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
