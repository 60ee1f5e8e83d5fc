import { assert, assertEquals } from "@std/assert";
import type { Storage } from "../../adapters/storage.ts";
import type { ContractTests } from "./context.ts";
import { createRandom, listKeys, put, putAll, remove } from "./calls.ts";
import { COUNTERS, minute, sample, SAMPLES, TOKENS } from "./kinds.ts";

const CALLS = 40;
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
    for (let round = 0; round < 10; round++) {
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

  race("records that stay are listed once while others come, go and move", async (one, two) => {
    const names = Array.from({ length: 12 }, (_, i) => `k${String(i).padStart(2, "0")}`);
    const staying = names.filter((_, i) => i % 2 === 0);
    await putAll(one, SAMPLES, staying.map((key) => sample(key)));
    await callAll([one, two], async (storage, i) => {
      const key = names[1 + 2 * (i % 6)];
      if (i % 5 === 0) await remove(storage, SAMPLES, key);
      else if (i % 5 < 3) await put(storage, SAMPLES, sample(key, { dueAt: minute(i % 3 - 1) }));
      const query = i % 2 ? { index: "byDue" } : { reverse: i % 4 > 1 };
      const listed = await listKeys(storage, SAMPLES, query);
      assertEquals(listed.length, new Set(listed).size, "no record is listed twice");
      assertEquals(listed.filter((key) => staying.includes(key)).sort(), staying);
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
