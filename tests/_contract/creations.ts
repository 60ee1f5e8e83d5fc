import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  MAX_CREATED,
  MAX_CREATED_BYTES,
  type NewRecord,
  type Storage,
} from "../../adapters/storage.ts";
import type { AnyKind, Item, Kind } from "../../model/kind.ts";
import { listKeys, put } from "./calls.ts";
import type { ContractTests } from "./context.ts";
import { COUNTERS, minute, PEOPLE, sample, SAMPLES, TOKENS } from "./kinds.ts";

const REFS = { counter: { kind: COUNTERS, key: "a" } };
const A = { counterId: "a", value: 1 };
const RACES = { "one ref": REFS, "two refs": { ...REFS, token: { kind: TOKENS, key: "none" } } };
const CALLS = 40;

/** Invalid creations; each decision first creates a valid record. */
const REFUSED: Readonly<Record<string, NewRecord>> = {
  "a record that a ref names": created(COUNTERS, A),
  "one record twice": created(COUNTERS, { counterId: "new", value: 2 }),
  "a record that its kind does not allow": created(COUNTERS, { counterId: "b", value: 0.5 }),
  "a record under what can't be a key": created(COUNTERS, { counterId: "a b", value: 1 }),
  "a record of another kind": { kind: TOKENS, record: { counterId: "b", value: 1 } },
};

export function testCreations({ test, testReopened, testShared }: ContractTests): void {
  test("a decision creates records of several kinds that no ref names", async ({ storage }) => {
    await put(storage, COUNTERS, A);
    const ann = { email: "ann@example.com", name: "Ann", active: true };
    const token = { tokenId: "t", uses: 1, dueAt: minute(3) };
    // Reads the absent record first, so that a storage with a cache knows of its absence.
    assertEquals(await storage.get(TOKENS, "t"), undefined);
    const create = [
      created(SAMPLES, sample("s")),
      created(PEOPLE, ann),
      created(TOKENS, token),
      created(COUNTERS, { counterId: "b", value: 7 }),
    ];
    const result = await storage.transact(REFS, ({ counter }) => {
      return { answer: counter?.value, put: { counter: { counterId: "a", value: 2 } }, create };
    });
    assertEquals(result, 1);
    assertEquals(await storage.get(SAMPLES, "s"), sample("s"));
    assertEquals(await storage.get(TOKENS, "t"), token);
    assertEquals(await storage.list(SAMPLES, { index: "byDue", limit: 9 }), [sample("s")]);
    assertEquals(await storage.list(PEOPLE, { index: "active", limit: 9 }), [ann]);
    const counters = [{ counterId: "a", value: 2 }, { counterId: "b", value: 7 }];
    assertEquals(await storage.list(COUNTERS, { limit: 9 }), counters);
  });

  test("a decision without refs, or without other changes, creates records", async ({ storage }) => {
    const create = [created(COUNTERS, { counterId: "b", value: 1 })];
    assertEquals(await storage.transact({}, () => ({ answer: 1, create })), 1);
    const more = [created(SAMPLES, sample("s"))];
    assertEquals(await storage.transact(REFS, () => ({ answer: 2, create: more })), 2);
    assertEquals(await storage.transact({}, () => ({ answer: 3, create: [] })), 3);
    assertEquals(await listKeys(storage, COUNTERS), ["b"]);
    assertEquals(await listKeys(storage, SAMPLES), ["s"]);
  });

  testReopened("what a decision created is there after a restart", async ({ storage, reopen }) => {
    await storage.transact({}, () => ({ answer: 1, create: [created(SAMPLES, sample("s"))] }));
    assertEquals(await (await reopen()).list(SAMPLES, { limit: 9 }), [sample("s")]);
  });

  test("a created record can be changed and removed like any other", async ({ storage }) => {
    const refs = { sample: { kind: SAMPLES, key: "s" } };
    await storage.transact({}, () => ({ answer: 1, create: [created(SAMPLES, sample("s"))] }));
    await put(storage, SAMPLES, sample("s", { dueAt: minute(5) }));
    assertEquals(await listKeys(storage, SAMPLES, { index: "byDue" }), ["s"]);
    await storage.transact(refs, () => ({ answer: 1, remove: ["sample"] }));
    assertEquals(await listKeys(storage, SAMPLES, { index: "byDue" }), []);
  });

  test("nothing changes when decide creates what it may not", async ({ storage }) => {
    for (const [what, refused] of Object.entries(REFUSED)) {
      const create = [created(COUNTERS, { counterId: "new", value: 1 }), refused];
      const rejected = storage.transact(REFS, () => ({ answer: 1, put: { counter: A }, create }));
      await assertRejects(() => rejected, TypeError, "", what);
      assertEquals(await listKeys(storage, COUNTERS), [], what);
    }
  });

  test("a decision creates up to 100 records, and no more", async ({ storage }) => {
    const create = Array.from(
      { length: MAX_CREATED + 1 },
      (_, i) => created(SAMPLES, sample(`s${String(i).padStart(3, "0")}`)),
    );
    const change = { answer: 1, put: { counter: A } };
    const rejected = storage.transact(REFS, () => ({ ...change, create }));
    await assertRejects(() => rejected, RangeError);
    assertEquals(await listKeys(storage, COUNTERS), []);
    await storage.transact(REFS, () => ({ ...change, create: create.slice(1) }));
    assertEquals((await listKeys(storage, SAMPLES, { index: "byDue" })).length, MAX_CREATED);
  });

  test("a decision creates up to 700 KiB, and no more", async ({ storage }) => {
    const create = ["a", "b", "c"].map((key) => {
      return created(SAMPLES, sample(key, { note: randomText(230_000) }));
    });
    const left = MAX_CREATED_BYTES - sizeOf(create) - sizeOf([created(SAMPLES, sample("d"))]);
    const rest = (bytes: number) => {
      return created(SAMPLES, sample("d", { note: "A note".padEnd(left + bytes, "é") }));
    };
    const tooMuch = [...create, rest(0)];
    await assertRejects(
      () => storage.transact({}, () => ({ answer: 1, create: tooMuch })),
      RangeError,
    );
    assertEquals(await listKeys(storage, SAMPLES), []);
    const most = [...create, created(SAMPLES, sample("d", { note: "A note".padEnd(left + 6) }))];
    assert(sizeOf(most) === MAX_CREATED_BYTES);
    await storage.transact({}, () => ({ answer: 1, create: most }));
    assertEquals(await listKeys(storage, SAMPLES), ["a", "b", "c", "d"]);
  });

  test("a transaction that may not create leaves its neighbours alone", async ({ storage }) => {
    const calls = Array.from({ length: 30 }, (_, i) => {
      const refs = { counter: { kind: COUNTERS, key: `k${i}` } };
      const value = i % 3 === 1 ? 0.5 : i;
      return storage.transact(refs, () => ({
        answer: i,
        put: { counter: { counterId: `k${i}`, value: i } },
        create: [created(COUNTERS, { counterId: `new${i}`, value })],
      }));
    });
    const outcomes = await Promise.allSettled(calls);
    const isMade = outcomes.map(({ status }) => status === "fulfilled");
    assertEquals(isMade, outcomes.map((_, i) => i % 3 !== 1));
    assertEquals((await listKeys(storage, COUNTERS)).length, 2 * 20);
  });

  for (const name of ["one ref", "two refs"] as const) {
    test(`a decision that runs again creates its records once, with ${name}`, ({ storage }) =>
      countUp(storage, storage, RACES[name]));
    testShared(
      `a decision that runs again creates its records once through two instances, with ${name}`,
      async ({ storage, another }) => countUp(storage, await another(), RACES[name]),
    );
  }
}

/** Counts up through both instances concurrently; each call creates a record with its number. */
async function countUp(one: Storage, two: Storage, refs: typeof REFS): Promise<void> {
  const calls = Array.from(
    { length: CALLS },
    (_, i) =>
      (i % 2 === 0 ? one : two).transact(refs, ({ counter }) => {
        const value = (counter?.value ?? 0) + 1;
        const record = sample(`s${i}`, { count: value, dueAt: minute(value) });
        return {
          answer: value,
          put: { counter: { counterId: "a", value } },
          create: [created(SAMPLES, record)],
        };
      }),
  );
  const values = await Promise.all(calls);
  const numbers = Array.from({ length: CALLS }, (_, i) => i + 1);
  assertEquals(values.toSorted((a, b) => a - b), numbers);
  const samples = await two.list(SAMPLES, { index: "byDue", limit: 100 });
  assertEquals(samples.map(({ count }) => count), numbers);
}

function created<T>(kind: Kind<T>, record: T): NewRecord {
  return { kind: kind as AnyKind, record: record as Item };
}

function sizeOf(create: readonly NewRecord[]): number {
  const texts = create.map(({ record }) => JSON.stringify(record));
  return texts.reduce((bytes, text) => bytes + new TextEncoder().encode(text).length, 0);
}

/** Returns a text that compresses badly. */
function randomText(length: number): string {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 65_536) {
    crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  }
  // From "0" to "o".
  return Array.from(bytes, (byte) => String.fromCharCode(48 + (byte & 63))).join("");
}
