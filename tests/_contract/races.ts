import { assert, assertEquals } from "@std/assert";
import type { Storage } from "../../adapters/storage.ts";
import type { ContractTests } from "../storage_contract.ts";
import { createRandom, put, putAll, remove } from "./calls.ts";
import { COUNTERS, minute, sample, SAMPLES, TOKENS } from "./kinds.ts";

const CALLS = 60;
const ACCOUNTS = 5;

export function testRaces({ test, testShared }: ContractTests): void {
  /** Registers a test for calls through one instance, and through two instances of one store. */
  function race(name: string, run: (one: Storage, two: Storage) => Promise<void>): void {
    test(`${name} through one instance`, ({ storage }) => run(storage, storage));
    testShared(
      `${name} through two instances`,
      async ({ storage, another }) => run(storage, await another()),
    );
  }

  /** Makes calls without waiting between, every other one through the second instance. */
  function callAll<T>(
    instances: readonly [Storage, Storage],
    call: (storage: Storage, i: number) => Promise<T>,
  ): Promise<T[]> {
    return Promise.all(Array.from({ length: CALLS }, (_, i) => call(instances[i % 2], i)));
  }

  for (const kind of [COUNTERS, TOKENS]) {
    race(`no change of ${kind.name} is lost`, async (one, two) => {
      const values = await callAll([one, two], (storage) => increase(storage, kind === TOKENS));
      assertEquals(values.sort((a, b) => a - b), values.map((_, i) => i + 1));
    });
  }

  race("a record is created by one of many", async (one, two) => {
    for (let round = 0; round < 5; round++) {
      const key = `round${round}`;
      const created = await callAll(
        [one, two],
        (storage, value) =>
          storage.transact(
            { counter: { kind: COUNTERS, key } },
            ({ counter }) =>
              counter === undefined
                ? { answer: value, put: { counter: { counterId: key, value } } }
                : { answer: undefined },
          ),
      );
      const winners = created.filter((value) => value !== undefined);
      assertEquals(winners, [(await one.get(COUNTERS, key))?.value]);
    }
  });

  race("nothing is lost or added by transfers, nor seen on the way", async (one, two) => {
    const keys = Array.from({ length: ACCOUNTS }, (_, i) => `k${i}`);
    await putAll(one, COUNTERS, keys.map((counterId) => ({ counterId, value: 100 })));
    const refs = Object.fromEntries(keys.map((key) => [key, { kind: COUNTERS, key }]));
    const random = createRandom(1);
    const totals = await callAll([one, two], (storage, i) => {
      const from = Math.floor(random() * ACCOUNTS);
      const to = (from + 1 + Math.floor(random() * (ACCOUNTS - 1))) % ACCOUNTS;
      if (i % 3 > 0) return transfer(storage, keys[from], keys[to]).then(() => 500);
      return storage.transact(refs, (found) => ({
        answer: keys.reduce((sum, key) => sum + found[key]!.value, 0),
      }));
    });
    assertEquals(totals, totals.map(() => 500));
    const counters = await two.list(COUNTERS, { limit: 9 });
    assertEquals(counters.reduce((sum, { value }) => sum + value, 0), 500);
  });

  race("what a decision read has not changed when it is stored", async (one, two) => {
    // Each call empties its own counter if the other one is full: both must never be empty.
    for (let round = 0; round < 20; round++) {
      const keys = [`a${round}`, `b${round}`];
      await putAll(one, COUNTERS, keys.map((counterId) => ({ counterId, value: 1 })));
      await Promise.all([one, two].map((storage, i) => {
        const refs = {
          own: { kind: COUNTERS, key: keys[i] },
          other: { kind: COUNTERS, key: keys[1 - i] },
        };
        return storage.transact(
          refs,
          ({ own, other }) =>
            other!.value === 1
              ? { answer: undefined, put: { own: { ...own!, value: 0 } } }
              : { answer: undefined },
        );
      }));
      const values = await Promise.all(keys.map((key) => two.get(COUNTERS, key)));
      assertEquals(values.map((counter) => counter!.value).sort(), [0, 1]);
    }
  });

  race("records of two kinds come and go together", async (one, two) => {
    const refs = { counter: { kind: COUNTERS, key: "a" }, sample: { kind: SAMPLES, key: "a" } };
    const turned = { sample: refs.sample, counter: refs.counter };
    const together = await callAll(
      [one, two],
      (storage, i) =>
        storage.transact(i % 4 < 2 ? refs : turned, ({ counter, sample: other }) => {
          const answer = (counter === undefined) === (other === undefined);
          if (i % 3 === 0) return { answer };
          if (counter !== undefined) return { answer, remove: ["counter", "sample"] };
          return { answer, put: { counter: { counterId: "a", value: i }, sample: sample("a") } };
        }),
    );
    assertEquals(together, together.map(() => true));
  });

  race("a record that comes and goes is whole whenever it is read", async (one, two) => {
    const records = [7, 8].map((count) =>
      sample("a", { count, size: count, dueAt: minute(count) })
    );
    await callAll([one, two], async (storage, i) => {
      if (i % 4 === 0) await remove(storage, SAMPLES, "a");
      else if (i % 4 < 3) await put(storage, SAMPLES, records[i % 2]);
      const [found, [listed]] = await Promise.all([
        storage.get(SAMPLES, "a"),
        storage.list(SAMPLES, { limit: 1, index: i % 3 ? "byDue" : undefined }),
      ]);
      for (const record of [found, listed]) {
        if (record !== undefined) assertEquals(record, records[record.count - 7]);
      }
    });
  });

  race("what resolved is seen by every call that starts later", async (one, two) => {
    await callAll([one, two], async (storage, i) => {
      const counter = { counterId: `k${String(i).padStart(3, "0")}`, value: i };
      await put(storage, COUNTERS, counter);
      for (const reader of [one, two]) {
        const after = { key: counter.counterId.slice(0, -1) };
        const [found, listed] = await Promise.all([
          reader.get(COUNTERS, counter.counterId),
          reader.list(COUNTERS, { after, limit: 1_000 }),
        ]);
        assertEquals(found, counter);
        assert(listed.some(({ value }) => value === i), `${counter.counterId} is not listed`);
      }
    });
  });
}

/** Adds one to a record, which need not be there; resolves to what it then is. */
function increase(storage: Storage, isToken: boolean): Promise<number> {
  if (isToken) {
    return storage.transact({ token: { kind: TOKENS, key: "a" } }, ({ token }) => {
      const answer = (token?.uses ?? 0) + 1;
      return { answer, put: { token: { tokenId: "a", uses: answer, dueAt: minute(answer) } } };
    });
  }
  return storage.transact({ counter: { kind: COUNTERS, key: "a" } }, ({ counter }) => {
    const answer = (counter?.value ?? 0) + 1;
    return { answer, put: { counter: { counterId: "a", value: answer } } };
  });
}

function transfer(storage: Storage, from: string, to: string): Promise<void> {
  const refs = { from: { kind: COUNTERS, key: from }, to: { kind: COUNTERS, key: to } };
  return storage.transact(refs, ({ from, to }) => ({
    answer: undefined,
    put: { from: { ...from!, value: from!.value - 1 }, to: { ...to!, value: to!.value + 1 } },
  }));
}
