import { assertEquals } from "@std/assert";
import type { Storage } from "../../adapters/storage.ts";
import type { ContractTests } from "./context.ts";
import { listKeys, put, putAll, remove } from "./calls.ts";
import { COUNTERS, minute, sample, SAMPLES, TOKENS } from "./kinds.ts";

const CALLS = 40;

export function testRaces({ test, testShared }: ContractTests): void {
  /** Registers a test for calls through one instance, and through two instances of one store. */
  function race(name: string, run: (one: Storage, two: Storage) => Promise<void>): void {
    test(`${name} through one instance`, ({ storage }) => run(storage, storage));
    testShared(
      `${name} through two instances`,
      async ({ storage, another }) => run(storage, await another()),
    );
  }

  /** Makes concurrent calls, every other one through the second instance. */
  function callAll<T>(
    instances: readonly [Storage, Storage],
    call: (storage: Storage, i: number) => Promise<T>,
  ): Promise<T[]> {
    return Promise.all(Array.from({ length: CALLS }, (_, i) => call(instances[i % 2], i)));
  }

  race("no change is lost", async (one, two) => {
    const refs = { counter: { kind: COUNTERS, key: "a" }, token: { kind: TOKENS, key: "a" } };
    const values = await callAll(
      [one, two],
      (storage) =>
        storage.transact(refs, ({ counter, token }) => {
          const result = (counter?.value ?? 0) + 1;
          const uses = (token?.uses ?? 0) + 1;
          assertEquals(uses, result);
          const put = {
            counter: { counterId: "a", value: result },
            token: { tokenId: "a", uses, dueAt: minute(uses) },
          };
          return { answer: result, put };
        }),
    );
    assertEquals(values.sort((a, b) => a - b), values.map((_, i) => i + 1));
  });

  race("what a decision read has not changed when it is stored", async (one, two) => {
    // Each call empties its own counter if the other one is full: both must never be empty.
    for (let round = 0; round < 10; round++) {
      const keys = [`a${round}`, `b${round}`];
      await putAll(one, COUNTERS, keys.map((counterId) => ({ counterId, value: 1 })));
      await Promise.all([one, two].map((storage, i) => {
        const [own, other] = [keys[i], keys[1 - i]].map((key) => ({ kind: COUNTERS, key }));
        return storage.transact({ own, other }, ({ own, other }) => ({
          answer: undefined,
          put: { own: other!.value === 1 ? { ...own!, value: 0 } : undefined },
        }));
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
          const result = (counter === undefined) === (other === undefined);
          if (i % 3 === 0) return { answer: result };
          if (counter !== undefined) return { answer: result, remove: ["counter", "sample"] };
          return {
            answer: result,
            put: { counter: { counterId: "a", value: i }, sample: sample("a") },
          };
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
}
