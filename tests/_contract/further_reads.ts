import { assert, assertEquals, assertRejects } from "@std/assert";
import { MAX_READS, MAX_REFS, type Ref, type Refs, type Storage } from "../../adapters/storage.ts";
import { macrotask, put, putAll } from "./calls.ts";
import type { ContractTests } from "./context.ts";
import { type Counter, COUNTERS, minute, sample, SAMPLES, TOKENS } from "./kinds.ts";

type Counters = { readonly [name: string]: Ref<typeof COUNTERS> };

const CALLS = 40;

/** Invalid reads, after a first one of `first`. */
const REFUSED: Readonly<Record<string, Refs>> = {
  "no record": {},
  "a record that has a name": { again: refTo("a") },
  "another record under a name": { first: refTo("b") },
  "one record twice": { one: refTo("b"), two: refTo("b") },
};

export function testFurtherReads({ test, testShared }: ContractTests): void {
  test("a decision follows records that name each other, and changes them", async ({ storage }) => {
    await put(storage, SAMPLES, sample("s", { note: "t" }));
    await put(storage, TOKENS, { tokenId: "t", uses: 2, dueAt: minute(1) });
    type Chain = {
      readonly sample: Ref<typeof SAMPLES>;
      readonly token?: Ref<typeof TOKENS>;
      readonly counter?: Ref<typeof COUNTERS>;
    };
    const first: Chain = { sample: { kind: SAMPLES, key: "s" } };
    const uses = await storage.transact<Chain, number>(first, (found) => {
      const { token, counter } = found;
      if (!("token" in found)) {
        return { read: { token: { kind: TOKENS, key: String(found.sample?.note) } } };
      }
      if (!("counter" in found)) return { read: { counter: refTo("none") } };
      assertEquals(counter, undefined);
      return {
        answer: token!.uses,
        put: { counter: { counterId: "none", value: token!.uses } },
        remove: ["token"],
      };
    });
    assertEquals(uses, 2);
    assertEquals(await storage.get(COUNTERS, "none"), { counterId: "none", value: 2 });
    assertEquals(await storage.get(TOKENS, "t"), undefined);
  });

  test("a decision without refs reads, creates records and throws", async ({ storage }) => {
    await put(storage, COUNTERS, { counterId: "a", value: 1 });
    const decide = (found: { readonly [name: string]: Counter | undefined }) => {
      if (!("a" in found)) return { read: { a: refTo("a") } };
      if (found.a!.value === 0) throw new RangeError("No");
      const record = { counterId: `new${found.a!.value}`, value: 7 };
      return {
        answer: found.a!.value,
        put: { a: { counterId: "a", value: found.a!.value - 1 } },
        create: [{ kind: COUNTERS, record }],
      };
    };
    assertEquals(await storage.transact<Counters, number>({}, decide), 1);
    await assertRejects(() => storage.transact<Counters, number>({}, decide), RangeError, "No");
    assertEquals(await storage.list(COUNTERS, { limit: 9 }), [
      { counterId: "a", value: 0 },
      { counterId: "new1", value: 7 },
    ]);
  });

  test("nothing changes when decide asks for what it may not", async ({ storage }) => {
    for (const [what, read] of Object.entries(REFUSED)) {
      const rejected = storage.transact<Refs, unknown>({ first: refTo("a") }, () => ({ read }));
      await assertRejects(() => rejected, TypeError, "", what);
    }
    const many = Object.fromEntries(
      Array.from({ length: MAX_REFS }, (_, i) => [`k${i}`, refTo(`k${i}`)]),
    );
    const rejected = storage.transact<Refs, unknown>({ a: refTo("a") }, () => ({ read: many }));
    await assertRejects(() => rejected, RangeError);
  });

  test("a decision asks ten times for more, and no more", async ({ storage }) => {
    await putAll(storage, COUNTERS, Array.from({ length: 12 }, (_, i) => counter(i, i)));
    const starts: readonly Counters[] = [{}, { k0: refTo("k0") }];
    for (const first of starts) {
      const follow = (end: number) =>
        storage.transact<Counters, string[]>(first, (found) => {
          const at = Object.keys(found).length;
          if (at < end) return { read: { [`k${at}`]: refTo(`k${at}`) } };
          return { answer: Object.keys(found) };
        });
      const most = Object.keys(first).length + MAX_READS;
      assertEquals((await follow(most)).length, most);
      const error = await follow(most + 1).catch((error) => error);
      assertEquals([error.name, error.code], ["StorageError", "unavailable"]);
    }
  });

  test("a transaction that asks for too much leaves its neighbours alone", async ({ storage }) => {
    const calls = Array.from(
      { length: 30 },
      (_, i) =>
        storage.transact<Counters, number>({ own: refTo(`k${i}`) }, (found) => {
          if (!("other" in found)) return { read: { other: refTo(`k${(i + 1) % 30}`) } };
          if (i % 3 === 1) return { read: {} };
          return { answer: i, put: { own: counter(i, 1) } };
        }),
    );
    const outcomes = await Promise.allSettled(calls);
    assertEquals(
      outcomes.map((outcome) => outcome.status === "fulfilled" ? outcome.value : undefined),
      outcomes.map((_, i) => i % 3 === 1 ? undefined : i),
    );
    assertEquals((await storage.list(COUNTERS, { limit: 99 })).length, 20);
  });

  const race = async (one: Storage, two: Storage) => {
    await put(one, SAMPLES, sample("s", { note: "k0" }));
    const moves = Array.from({ length: CALLS }, async (_, i) => {
      const storage = i % 2 === 0 ? one : two;
      await macrotask(i % 5);
      return await storage.transact<Refs, number>(
        { sample: { kind: SAMPLES, key: "s" } },
        (found) => {
          const target = String(found.sample?.note);
          if (!(target in found)) return { read: { [target]: refTo(target) } };
          // The pointer moves on, and the record that it named before goes: nobody sees it dangle.
          const value = Number(found[target]?.value ?? 0) + 1;
          const next = `k${(Number(target.slice(1)) + 1) % 3}`;
          if (!(next in found)) return { read: { [next]: refTo(next) } };
          return {
            answer: value,
            put: {
              sample: { ...found.sample, note: next },
              [next]: { counterId: next, value },
            },
            remove: [target],
          };
        },
      );
    });
    const values = await Promise.all(moves);
    assertEquals(values.toSorted((a, b) => a - b), Array.from({ length: CALLS }, (_, i) => i + 1));
    const left = await two.list(COUNTERS, { limit: 9 });
    assertEquals(left.map(({ value }) => value), [CALLS]);
    assert((await two.get(SAMPLES, "s"))?.note === left[0].counterId);
  };
  test("no change is lost where records are found on the way", ({ storage }) =>
    race(storage, storage));
  testShared(
    "no change is lost where records are found on the way, through two instances",
    async ({ storage, another }) => race(storage, await another()),
  );

  const raceOfAbsent = async (one: Storage, two: Storage) => {
    for (let round = 0; round < 10; round++) {
      // Each creates its own counter if the other one is absent: both must never be there.
      const keys = [`a${round}`, `b${round}`];
      const made = await Promise.all(
        [one, two].map((storage, i) =>
          storage.transact<Counters, boolean>({ own: refTo(keys[i]) }, (found) => {
            if (!("other" in found)) return { read: { other: refTo(keys[1 - i]) } };
            if (found.other !== undefined) return { answer: false };
            return { answer: true, put: { own: { counterId: keys[i], value: 1 } } };
          })
        ),
      );
      assertEquals(made.toSorted(), [false, true]);
    }
  };
  test("a decision may rely on a record being absent", ({ storage }) =>
    raceOfAbsent(storage, storage));
  testShared(
    "a decision may rely on a record being absent through two instances",
    async ({ storage, another }) => raceOfAbsent(storage, await another()),
  );
}

function refTo(key: string): Ref<typeof COUNTERS> {
  return { kind: COUNTERS, key };
}

function counter(i: number, value: number): Counter {
  return { counterId: `k${i}`, value };
}
