import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Decide, Refs } from "../../adapters/storage.ts";
import type { ContractTests } from "./context.ts";
import { listKeys, put, putAll } from "./calls.ts";
import { COUNTERS, sample, SAMPLES, TOKENS } from "./kinds.ts";

const REFS = {
  first: { kind: COUNTERS, key: "a" },
  second: { kind: COUNTERS, key: "b" },
  token: { kind: TOKENS, key: "a" },
};
const [A, B] = [{ counterId: "a", value: 1 }, { counterId: "b", value: 2 }];
const TOKEN = { tokenId: "a", uses: 1, dueAt: "2026-11-21T10:00:00.000Z" };

/** Invalid decisions; each first stores a valid record. */
const REFUSED: Readonly<Record<string, object>> = {
  "stores a record that refs do not name": { put: { first: A, third: B } },
  "removes a record that refs do not name": { put: { first: A }, remove: ["third"] },
  "names what every object has": { put: { first: A }, remove: ["constructor"] },
  "stores a record under the key of another": { put: { first: A, second: A } },
  "stores a record of another kind": { put: { first: A, second: TOKEN } },
  "stores no record": { put: { first: A, second: "b" } },
  "stores and removes one record": { put: { first: A }, remove: ["first"] },
};

export function testTransactions({ test }: ContractTests): void {
  test("decide is given what was found, by the names of the refs", async ({ storage }) => {
    await put(storage, COUNTERS, B);
    await put(storage, TOKENS, TOKEN);
    const found = await storage.transact(REFS, (found) => ({ answer: { ...found } }));
    assertEquals(found, { first: undefined, second: B, token: TOKEN });
    assertEquals(await storage.transact({}, () => ({ answer: 7 })), 7);
  });

  test("the result is what decide returned, whatever it is", async ({ storage }) => {
    for (const result of [undefined, null, 0, "text", Symbol("a"), { a: [1] }, () => {}]) {
      for (const put of [{}, { first: A, second: undefined }]) {
        assert(await storage.transact(REFS, () => ({ answer: result, put })) === result);
      }
    }
  });

  test("all changes are made, in several kinds at once", async ({ storage }) => {
    await put(storage, COUNTERS, B);
    await put(storage, SAMPLES, sample("a"));
    const refs = {
      ...REFS,
      sample: { kind: SAMPLES, key: "a" },
      other: { kind: COUNTERS, key: "c" },
    };
    await storage.transact(refs, (found) => ({
      answer: undefined,
      put: { first: A, token: TOKEN, sample: found.sample },
      // A removed record need not exist, and may be named twice.
      remove: ["second", "other", "second"],
    }));
    assertEquals(await storage.list(COUNTERS, { limit: 9 }), [A]);
    assertEquals(await storage.list(TOKENS, { limit: 9 }), [TOKEN]);
    assertEquals(await storage.list(SAMPLES, { limit: 9 }), [sample("a")]);
  });

  test("nothing changes when decide throws, and what it threw is thrown", async ({ storage }) => {
    await put(storage, COUNTERS, B);
    for (const thrown of [new RangeError("No"), "a text", undefined]) {
      const made = storage.transact(REFS, () => {
        throw thrown;
      });
      const caught = await made.then(() => "resolved", (error: unknown) => ({ error }));
      assert(typeof caught === "object" && caught.error === thrown, `not ${String(thrown)}`);
    }
    assertEquals(await storage.list(COUNTERS, { limit: 9 }), [B]);
  });

  test("nothing changes when decide returns what it may not", async ({ storage }) => {
    await put(storage, COUNTERS, B);
    for (const [what, changes] of Object.entries(REFUSED)) {
      const decide: Decide<typeof REFS, unknown> = () => ({ answer: undefined, ...changes });
      await assertRejects(() => storage.transact(REFS, decide), TypeError, "", what);
      assertEquals(await storage.list(COUNTERS, { limit: 9 }), [B], what);
    }
  });

  test("two refs can't name one record, but one key in two kinds", async ({ storage }) => {
    const refs: Refs = { first: REFS.first, again: { kind: COUNTERS, key: "a" } };
    await assertRejects(() => storage.transact(refs, () => ({ answer: 1 })), TypeError);
    const two = { first: REFS.first, token: REFS.token };
    await storage.transact(two, () => ({ answer: 1, put: { first: A, token: TOKEN } }));
    await storage.transact(two, () => ({ answer: 1, remove: ["first"] }));
    assertEquals(await storage.get(COUNTERS, "a"), undefined);
    assertEquals(await storage.get(TOKENS, "a"), TOKEN);
  });

  test("a transaction may refer to 100 records, and to no more", async ({ storage }) => {
    const keys = Array.from({ length: 100 }, (_, i) => `k${String(i).padStart(2, "0")}`);
    const counters = keys.map((counterId, value) => ({ counterId, value }));
    await putAll(storage, COUNTERS, counters);
    const refs: Refs = Object.fromEntries(keys.map((key) => [key, { kind: COUNTERS, key }]));
    const found = await storage.transact(refs, (found) => ({
      answer: Object.values(found),
      remove: keys,
    }));
    assertEquals(found, counters);
    assertEquals(await listKeys(storage, COUNTERS), []);
    const tooMany = { ...refs, one: { kind: COUNTERS, key: "one" } };
    const put = { one: { counterId: "one", value: 1 } };
    const rejected = storage.transact(tooMany, () => ({ answer: 1, put }));
    await assertRejects(() => rejected, RangeError);
    assertEquals(await listKeys(storage, COUNTERS), []);
  });

  test("a transaction that fails leaves its neighbours alone", async ({ storage }) => {
    await putAll(storage, COUNTERS, [A, B]);
    const calls = Array.from(
      { length: 30 },
      (_, i) =>
        storage.transact({ counter: { kind: COUNTERS, key: `k${i}` }, ...REFS }, ({ first }) => {
          if (i % 3 === 1) throw new Error("No");
          const value = i % 3 === 2 ? 0.5 : first!.value;
          return { answer: i, put: { counter: { counterId: `k${i}`, value } } };
        }),
    );
    const outcomes = await Promise.allSettled(calls);
    assertEquals(
      outcomes.map((outcome) => outcome.status === "fulfilled" ? outcome.value : undefined),
      outcomes.map((_, i) => i % 3 === 0 ? i : undefined),
    );
    assertEquals((await listKeys(storage, COUNTERS)).length, 2 + 10);
  });
}
