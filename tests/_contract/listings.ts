import { assertEquals, assertRejects } from "@std/assert";
import type { ListQuery, Position, Storage } from "../../adapters/storage.ts";
import type { ContractTests } from "./context.ts";
import { listKeys, put, putAll, remove } from "./calls.ts";
import { COUNTERS, emptySample, minute, type Sample, sample, SAMPLES } from "./kinds.ts";

/** Keys in the order of their bytes, which a language would sort in another one. */
const KEYS = ["!", "-", "0", "10", "9", "A", "B", "_", "a", "a!", "a-b", "aB", "ab", "b", "~"];

/** Records that differ in what indexes look at. */
const MIXED: readonly Sample[] = [
  sample("a", { title: "same", dueAt: minute(5), doneAt: minute(9), done: true }),
  sample("b", { title: "same", dueAt: minute(3), doneAt: minute(8), done: true }),
  sample("c", { title: "Same", dueAt: minute(5), doneAt: null, done: true }),
  sample("d", { title: "other", dueAt: minute(1), done: false, count: 7, note: "seven" }),
  sample("e", { title: "s", dueAt: minute(5), done: false, count: 7, note: null }),
  sample("f", { title: "zz", dueAt: minute(5), done: true, approved: true, size: null }),
  sample("g", { title: "z-", dueAt: minute(2), done: true, approved: true, size: null }),
];

/** What the indexes have in them when the records above are stored. */
const ORDERS: Readonly<Record<string, string>> = {
  byTitle: "cdeabgf",
  byDue: "dgbacef",
  open: "de",
  done: "fgba",
  approvedWithoutSize: "gf",
  seven: "d",
};

/** Lists all pages of `limit` records, each after the last record of the one before. */
async function listPages(storage: Storage, query: ListQuery): Promise<string> {
  const keys: string[] = [];
  const by = SAMPLES.indexes?.[query.index ?? ""]?.by;
  let page: readonly Sample[];
  let { after } = query;
  do {
    page = await storage.list(SAMPLES, { ...query, after });
    for (const { sampleId } of page) {
      // A listing that passes over `after` would be read for ever.
      if (keys.includes(sampleId)) throw new Error(`${sampleId} is listed again`);
      keys.push(sampleId);
    }
    const last = page.at(-1);
    if (last !== undefined) after = positionOf(last, by);
  } while (page.length === query.limit);
  return keys.join("");
}

function positionOf(record: Sample, by: keyof Sample | undefined): Position {
  const key = record.sampleId;
  return by === undefined ? { key } : { key, by: String(record[by]) };
}

function reversed(text: string): string {
  return [...text].reverse().join("");
}

export function testListings({ test }: ContractTests): void {
  test("records are listed by the bytes of their keys, either way", async ({ storage }) => {
    await putAll(storage, SAMPLES, KEYS.toReversed().map((key) => sample(key)));
    assertEquals(await listKeys(storage, SAMPLES), KEYS);
    assertEquals(await listKeys(storage, SAMPLES, { reverse: true }), KEYS.toReversed());
    const byTitle = { index: "byTitle" };
    assertEquals(await listKeys(storage, SAMPLES, byTitle), KEYS);
    assertEquals(
      await listKeys(storage, SAMPLES, { ...byTitle, reverse: true }),
      KEYS.toReversed(),
    );
  });

  test("a listing starts after a position, be there a record or not", async ({ storage }) => {
    await putAll(storage, COUNTERS, KEYS.map((counterId) => ({ counterId, value: 0 })));
    for (const key of ["", ...KEYS, "!!", "a0", "c", "~~", "x".repeat(1_000)]) {
      const after = { key };
      assertEquals(await listKeys(storage, COUNTERS, { after }), KEYS.filter((k) => k > key));
      assertEquals(
        await listKeys(storage, COUNTERS, { after, reverse: true }),
        KEYS.filter((k) => k < key).toReversed(),
      );
    }
  });

  for (const [index, keys] of Object.entries({ "": "abcdefg", ...ORDERS })) {
    test(`all pages make up the order ${index || "of keys"}`, async ({ storage }) => {
      await putAll(storage, SAMPLES, MIXED);
      for (const limit of [1, 2, 3, 1_000]) {
        const query = { index: index || undefined, limit };
        assertEquals(await listPages(storage, query), keys);
        assertEquals(await listPages(storage, { ...query, reverse: true }), reversed(keys));
      }
    });
  }

  test("a position in an index may be between records", async ({ storage }) => {
    await putAll(storage, SAMPLES, MIXED);
    const list = async (by: string, key: string, reverse: boolean) => {
      const query = { index: "byDue", after: { by, key }, reverse };
      return (await listKeys(storage, SAMPLES, query)).join("");
    };
    for (const reverse of [false, true]) {
      assertEquals(await list(minute(5), "b", reverse), reverse ? "abgd" : "cef");
      assertEquals(await list(minute(5), "", reverse), reverse ? "bgd" : "acef");
      assertEquals(await list(minute(4), "c", reverse), reverse ? "bgd" : "acef");
      assertEquals(await list("", "", reverse), reverse ? "" : "dgbacef");
      assertEquals(await list("~", "a", reverse), reverse ? "fecabgd" : "");
    }
  });

  test("an index has a record while it matches", async ({ storage }) => {
    const base = sample("x", { done: false });
    const check = async (record: Sample | undefined, expected: Record<string, boolean>) => {
      if (record === undefined) await remove(storage, SAMPLES, "x");
      else await put(storage, SAMPLES, record);
      for (const [index, isIn] of Object.entries(expected)) {
        assertEquals(await storage.list(SAMPLES, { index, limit: 9 }), isIn ? [record] : [], index);
      }
    };
    await check(base, { byTitle: true, byDue: true, open: true, done: false, seven: false });
    await check({ ...base, done: true }, { open: false, done: true });
    await check({ ...base, done: true, doneAt: null }, { open: false, done: false, byDue: true });
    await check({ ...base, count: 7 }, { open: true, seven: false });
    await check({ ...base, count: 7, note: "seven" }, { seven: true, approvedWithoutSize: false });
    await check({ ...base, approved: true, size: 0 }, { approvedWithoutSize: false, seven: false });
    await check({ ...base, approved: true, size: null }, { approvedWithoutSize: true });
    await check({ ...emptySample("x"), size: null }, { approvedWithoutSize: false, done: false });
    await check(undefined, { byTitle: false, byDue: false, open: false, done: false });
  });

  test("a page has 1,000 records where there are more", async ({ storage }) => {
    const keys = Array.from({ length: 1_003 }, (_, i) => `k${String(i).padStart(4, "0")}`);
    await putAll(storage, COUNTERS, keys.map((counterId, value) => ({ counterId, value })));
    assertEquals(await listKeys(storage, COUNTERS), keys.slice(0, 1_000));
    assertEquals(await listKeys(storage, COUNTERS, { after: { key: "k0999" } }), keys.slice(1_000));
  });

  for (const limit of [0, -1, 1.5, 1_001, NaN, Infinity]) {
    test(`a listing is refused when its limit is ${limit}`, async ({ storage }) => {
      await assertRejects(() => storage.list(COUNTERS, { limit }), RangeError);
    });
  }

  test("a listing is refused when the kind has no such index", async ({ storage }) => {
    for (const index of ["", "byAge", "constructor"]) {
      await assertRejects(() => storage.list(SAMPLES, { index, limit: 1 }), RangeError);
    }
  });

  test("a listing is refused when its position is none of the index", async ({ storage }) => {
    const wrong: ListQuery[] = [
      { after: { key: "a", by: "b" }, limit: 1 },
      { index: "open", after: { key: "a", by: "b" }, limit: 1 },
      { index: "byDue", after: { key: "a" }, limit: 1 },
    ];
    for (const query of wrong) await assertRejects(() => storage.list(SAMPLES, query), TypeError);
  });
}
