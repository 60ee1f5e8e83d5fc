import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Decide, Refs } from "../../adapters/storage.ts";
import type { ContractTests } from "./context.ts";
import { listKeys, put, putAll } from "./calls.ts";
import { COUNTERS, PEOPLE, sample, SAMPLES, TOKENS } from "./kinds.ts";

const REFS = {
  first: { kind: COUNTERS, key: "a" },
  second: { kind: COUNTERS, key: "b" },
  token: { kind: TOKENS, key: "a" },
};
const [A, B] = [{ counterId: "a", value: 1 }, { counterId: "b", value: 2 }];
const TOKEN = { tokenId: "a", uses: 1, dueAt: "2026-11-21T10:00:00.000Z" };

type Refused = Decide<typeof REFS, unknown>;
/** Decisions that no store may carry out, by what they do; all store a record that is in order first. */
const REFUSED: Readonly<Record<string, Refused>> = {
  "stores a record that refs do not name": () => decision({ put: { first: A, third: B } }),
  "removes a record that refs do not name": () =>
    decision({ put: { first: A }, remove: ["third"] }),
  "names what every object has": () => decision({ put: { first: A }, remove: ["constructor"] }),
  "stores a record under the key of another": () => decision({ put: { first: A, second: A } }),
  "stores a record of another kind": () => decision({ put: { first: A, second: TOKEN } }),
  "stores no record": () => decision({ put: { first: A, second: "b" } }),
  "stores and removes one record": () => decision({ put: { first: A }, remove: ["first"] }),
};

/** Returns a decision that types don't allow. */
function decision(changes: object): ReturnType<Refused> {
  return { answer: undefined, ...changes };
}

export function testTransactions({ test }: ContractTests): void {
  test("decide is given what was found, by the names of the refs", async ({ storage }) => {
    await put(storage, COUNTERS, B);
    await put(storage, TOKENS, TOKEN);
    const found = await storage.transact(REFS, (found) => ({ answer: { ...found } }));
    assertEquals(found, { first: undefined, second: B, token: TOKEN });
  });

  test("the answer is what decide returned, whatever it is", async ({ storage }) => {
    for (const answer of [undefined, null, 0, "text", Symbol("a"), { a: [1] }, () => {}]) {
      assert(await storage.transact(REFS, () => ({ answer })) === answer);
      const changed = await storage.transact(REFS, () => ({ answer, put: { first: A } }));
      assert(changed === answer);
    }
  });

  test("all changes are made, in several kinds at once", async ({ storage }) => {
    await put(storage, COUNTERS, B);
    await put(storage, SAMPLES, sample("a"));
    const refs = { ...REFS, sample: { kind: SAMPLES, key: "a" } };
    await storage.transact(refs, () => ({
      answer: undefined,
      put: { first: A, token: TOKEN, sample: undefined },
      remove: ["second"],
    }));
    assertEquals(await storage.list(COUNTERS, { limit: 9 }), [A]);
    assertEquals(await storage.list(TOKENS, { limit: 9 }), [TOKEN]);
    assertEquals(await storage.list(SAMPLES, { limit: 9 }), [sample("a")]);
  });

  test("a record can be stored as it was found", async ({ storage }) => {
    await put(storage, COUNTERS, A);
    await storage.transact(REFS, ({ first }) => ({ answer: undefined, put: { first } }));
    assertEquals(await storage.list(COUNTERS, { limit: 9 }), [A]);
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

  for (const [what, decide] of Object.entries(REFUSED)) {
    test(`nothing changes when decide ${what}`, async ({ storage }) => {
      await put(storage, COUNTERS, B);
      await assertRejects(() => storage.transact(REFS, decide), TypeError);
      assertEquals(await storage.list(COUNTERS, { limit: 9 }), [B]);
    });
  }

  test("two refs can't name one record, but one key in two kinds", async ({ storage }) => {
    const refs: Refs = { first: REFS.first, again: { kind: COUNTERS, key: "a" } };
    await assertRejects(() => storage.transact(refs, () => ({ answer: 1 })), TypeError);
    const two = { first: REFS.first, token: REFS.token };
    await storage.transact(two, () => ({ answer: 1, put: { first: A, token: TOKEN } }));
    await storage.transact(two, () => ({ answer: 1, remove: ["first"] }));
    assertEquals(await storage.get(COUNTERS, "a"), undefined);
    assertEquals(await storage.get(TOKENS, "a"), TOKEN);
  });

  test("what is removed need not exist, and may be named twice", async ({ storage }) => {
    await put(storage, COUNTERS, A);
    await storage.transact(REFS, () => ({
      answer: undefined,
      remove: ["first", "second", "first", "token"],
    }));
    assertEquals(await storage.list(COUNTERS, { limit: 9 }), []);
  });

  test("a transaction may refer to no record", async ({ storage }) => {
    assertEquals(await storage.transact({}, () => ({ answer: 7 })), 7);
  });

  test("a transaction may refer to 100 records", async ({ storage }) => {
    const keys = Array.from({ length: 50 }, (_, i) => `k${i}`);
    const refs: Refs = Object.fromEntries(keys.flatMap((key) => [
      [`counter ${key}`, { kind: COUNTERS, key }],
      [`person ${key}`, { kind: PEOPLE, key }],
    ]));
    const records = Object.fromEntries(keys.flatMap((key, value) => [
      [`counter ${key}`, { counterId: key, value }],
      [`person ${key}`, { email: key, name: null, active: value % 2 === 0 }],
    ]));
    await storage.transact(refs, () => ({ answer: undefined, put: records }));
    assertEquals(await storage.transact(refs, (found) => ({ answer: { ...found } })), records);
    await storage.transact(refs, () => ({ answer: undefined, remove: Object.keys(refs) }));
    assertEquals(await listKeys(storage, COUNTERS), []);
    assertEquals(await listKeys(storage, PEOPLE), []);
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
