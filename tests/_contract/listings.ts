import { assert, assertEquals, assertRejects } from "@std/assert";
import type { ListQuery, Storage } from "../../adapters/storage.ts";
import type { ContractTests } from "./context.ts";
import { listKeys, put, putAll, remove } from "./calls.ts";
import { COUNTERS, emptySample, minute, type Sample, sample, SAMPLES } from "./kinds.ts";

/** Keys in byte order, which differs from their order in any language. */
const KEYS = [
  ...["!", "%", "-", "0", "00", "1.0", "10", "9", "A", "B", "_", "__proto__", "a", "a!", "a%"],
  ...["a-b", "aB", "a_", "ab", "b", "constructor", "x".repeat(511), "x".repeat(512), "~"],
];

/** Records that differ in the fields of indexes. */
const MIXED: readonly Sample[] = [
  sample("a", { title: "same", dueAt: minute(5), doneAt: minute(9), done: true }),
  sample("b", { title: "same", dueAt: minute(3), doneAt: minute(8), done: true }),
  sample("c", { title: "Same", dueAt: minute(5), doneAt: null, done: true }),
  sample("d", { title: "other", dueAt: minute(1), done: false, count: 7, note: "seven" }),
  sample("e", { title: "s", dueAt: minute(5), done: false, count: 7, note: null }),
  sample("f", { title: "zz", dueAt: minute(5), done: true, approved: true, size: null }),
  sample("g", { title: "z-", dueAt: minute(2), done: true, approved: true, size: null }),
];

/** The content of each index after the records above are stored. */
const ORDERS: Readonly<Record<string, string>> = {
  "": "abcdefg",
  byTitle: "cdeabgf",
  byDue: "dgbacef",
  open: "de",
  done: "fgba",
  approvedWithoutSize: "gf",
  seven: "d",
};

/** Lists all pages of `limit` records, each after the last record of the one before. */
async function listPages(storage: Storage, query: ListQuery): Promise<string> {
  const by = SAMPLES.indexes?.[query.index ?? ""]?.by;
  let keys = "";
  let page: readonly Sample[];
  let { after } = query;
  do {
    page = await storage.list(SAMPLES, { ...query, after });
    for (const record of page) {
      const key = record.sampleId;
      // A listing that ignores `after` would never end.
      assert(!keys.includes(key), `${key} is listed again`);
      keys += key;
      after = by === undefined ? { key } : { key, by: String(record[by]) };
    }
  } while (page.length === query.limit);
  return keys;
}

export function testListings({ test }: ContractTests): void {
  test("an index is counted, where that can be asked, as it is listed", async ({ storage }) => {
    if (storage.count === undefined) return;
    await putAll(storage, SAMPLES, MIXED);
    for (const [index, keys] of Object.entries(ORDERS)) {
      if (index !== "") assertEquals(await storage.count(SAMPLES, index), keys.length, index);
    }
    await remove(storage, SAMPLES, "d");
    await put(storage, SAMPLES, sample("e", { title: "s", dueAt: minute(5), done: true }));
    assertEquals(await storage.count(SAMPLES, "open"), 0);
    assertEquals(await storage.count(SAMPLES, "done"), 5);
    await assertRejects(() => storage.count!(SAMPLES, "none"), RangeError);
  });

  test("each key names another record, and their bytes are the order, either way", async ({ storage }) => {
    await putAll(storage, SAMPLES, KEYS.toReversed().map((key) => sample(key)));
    for (const key of KEYS) assertEquals(await storage.get(SAMPLES, key), sample(key));
    for (const index of [undefined, "byTitle"]) {
      assertEquals(await listKeys(storage, SAMPLES, { index }), KEYS);
      assertEquals(await listKeys(storage, SAMPLES, { index, reverse: true }), KEYS.toReversed());
    }
  });

  test("a listing starts after a position, be there a record or not", async ({ storage }) => {
    await putAll(storage, COUNTERS, KEYS.map((counterId) => ({ counterId, value: 0 })));
    for (const key of ["", ...KEYS, "!!", "a0", "c", "~~", "x".repeat(1_000)]) {
      const after = { key };
      assertEquals(await listKeys(storage, COUNTERS, { after }), KEYS.filter((k) => k > key));
      const before = await listKeys(storage, COUNTERS, { after, reverse: true });
      assertEquals(before, KEYS.filter((k) => k < key).toReversed());
    }
  });

  test("all pages make up the order of each index", async ({ storage }) => {
    await putAll(storage, SAMPLES, MIXED);
    for (const [index, keys] of Object.entries(ORDERS)) {
      for (const limit of [1, 2, 3, 1_000]) {
        const query = { index: index || undefined, limit };
        assertEquals(await listPages(storage, query), keys, index);
        const reversed = [...keys].reverse().join("");
        assertEquals(await listPages(storage, { ...query, reverse: true }), reversed, index);
      }
    }
  });

  test("a listing is within a prefix, from either end and after any position", async ({ storage }) => {
    await putAll(storage, SAMPLES, KEYS.map((key) => sample(key, { title: key })));
    for (const within of ["", "a", "a_", "x", "~", "!", "9", "none", "x".repeat(512)]) {
      const own = KEYS.filter((key) => key.startsWith(within));
      for (const index of [undefined, "byTitle"]) {
        const list = (query: Partial<ListQuery>) =>
          listKeys(storage, SAMPLES, { index, within, ...query });
        assertEquals(await list({}), own, within);
        assertEquals(await list({ reverse: true }), own.toReversed(), within);
        assertEquals(await list({ limit: 1 }), own.slice(0, 1));
        assertEquals(await list({ limit: 1, reverse: true }), own.slice(-1));
        for (const key of ["", "!", "a", "a%", "aB", "b", "~", "~~"]) {
          const after = index === undefined ? { key } : { by: key, key };
          assertEquals(await list({ after }), own.filter((one) => one > key));
          const below = own.filter((one) => one < key).toReversed();
          assertEquals(await list({ after, reverse: true }), below);
        }
      }
    }
    const query = { index: "byDue", within: "2026", limit: 1 };
    await assertRejects(() => storage.list(SAMPLES, query), TypeError);
  });

  test("a position in an index may be between records", async ({ storage }) => {
    await putAll(storage, SAMPLES, MIXED);
    const rows = [
      [minute(5), "b", "cef", "abgd"],
      [minute(5), "", "acef", "bgd"],
      [minute(4), "c", "acef", "bgd"],
      ["", "", "dgbacef", ""],
      ["~", "a", "", "fecabgd"],
    ];
    for (const [by, key, ascending, descending] of rows) {
      const query = { index: "byDue", after: { by, key } };
      assertEquals((await listKeys(storage, SAMPLES, query)).join(""), ascending);
      const reversed = await listKeys(storage, SAMPLES, { ...query, reverse: true });
      assertEquals(reversed.join(""), descending);
    }
  });

  test("an index has a record while it matches", async ({ storage }) => {
    const open = sample("x", { done: false });
    const steps: readonly (readonly [Sample, string])[] = [
      [open, "byTitle byDue open"],
      [{ ...open, done: true }, "byTitle byDue done"],
      [{ ...open, count: 7, note: "seven" }, "byTitle byDue open seven"],
      [{ ...open, approved: true, size: null }, "byTitle byDue open approvedWithoutSize"],
      [emptySample("x"), "byTitle byDue"],
    ];
    const check = async (record: Sample | undefined, expected: string) => {
      for (const index in SAMPLES.indexes) {
        const listed = await storage.list(SAMPLES, { index, limit: 9 });
        assertEquals<unknown>(listed, expected.split(" ").includes(index) ? [record] : [], index);
      }
    };
    for (const [record, expected] of steps) {
      await put(storage, SAMPLES, record);
      await check(record, expected);
    }
    await remove(storage, SAMPLES, "x");
    await check(undefined, "");
  });

  test("a page has 1,000 records where there are more, until most are removed", async (context) => {
    const { storage } = context;
    const keys = Array.from({ length: 2_003 }, (_, i) => `k${String(i).padStart(4, "0")}`);
    // Stores the records in an order that leaves gaps and fills them later.
    const counters = keys.map((_, i) => ({ counterId: keys[7 * i % keys.length], value: i }));
    // A store that builds an order on its first use must maintain it from here on.
    assertEquals(await listKeys(storage, COUNTERS), []);
    await putAll(storage, COUNTERS, counters);
    assertEquals(await listKeys(storage, COUNTERS), keys.slice(0, 1_000));
    const next = await listKeys(storage, COUNTERS, { after: { key: "k0999" } });
    assertEquals(next, keys.slice(1_000, 2_000));
    const reversed = await listKeys(storage, COUNTERS, { reverse: true });
    assertEquals(reversed, keys.slice(1_003).toReversed());
    for (let at = 1; at < 2_001; at += 100) {
      const removed = keys.slice(at, at + 100);
      const refs = Object.fromEntries(removed.map((key) => [key, { kind: COUNTERS, key }]));
      await storage.transact(refs, () => ({ answer: undefined, remove: removed }));
    }
    const left = ["k0000", "k2001", "k2002"];
    assertEquals(await listKeys(storage, COUNTERS), left);
    for (const key of ["k0000", "k0300", "k0512", "k1000", "k1500"]) {
      assertEquals(await listKeys(storage, COUNTERS, { after: { key } }), left.slice(1));
    }
    const before = await listKeys(storage, COUNTERS, { after: { key: "k2001" }, reverse: true });
    assertEquals(before, ["k0000"]);
    await remove(storage, COUNTERS, "k0000");
    assertEquals(await listKeys(storage, COUNTERS), left.slice(1));
  });

  test("a listing is refused when its limit, index or position can't be", async ({ storage }) => {
    for (const limit of [0, -1, 1.5, 1_001, NaN, Infinity]) {
      await assertRejects(() => storage.list(COUNTERS, { limit }), RangeError);
    }
    for (const index of ["", "byAge", "constructor"]) {
      await assertRejects(() => storage.list(SAMPLES, { index, limit: 1 }), RangeError);
    }
    const positions: Partial<ListQuery>[] = [
      { after: { key: "a", by: "b" } },
      { index: "open", after: { key: "a", by: "b" } },
      { index: "byDue", after: { key: "a" } },
    ];
    for (const query of positions) {
      await assertRejects(() => storage.list(SAMPLES, { ...query, limit: 1 }), TypeError);
    }
  });
}
