import { assert, assertEquals, assertRejects } from "@std/assert";
import type { ContractTests } from "./context.ts";
import { listKeys, put, putAll, putAny, remove } from "./calls.ts";
import { COUNTERS, emptySample, type Sample, sample, SAMPLES } from "./kinds.ts";

/** Values that a store easily loses. */
const VALUES: readonly Partial<Sample>[] = [
  { count: Number.MAX_SAFE_INTEGER, size: Number.MIN_SAFE_INTEGER },
  { count: 0, size: 0, done: false, approved: true },
  { dueAt: "1901-01-01T00:00:00.001Z", doneAt: "9999-12-31T23:59:59.999Z" },
  // This time is in the hour that occurs twice when clocks are set back.
  { dueAt: "2026-10-25T00:59:59.999Z", doneAt: null },
  { tags: [], order: [], data: {}, extra: {} },
  { tags: ["", ",", "a,b", '"', "\\", "{}", "NULL", " "], order: [""] },
  { data: { a: [{ b: [[], {}, null, 0.1, -1e21, false, ""] }], constructor: 1 } },
  // 256 KiB.
  { note: "\u5B57".repeat(80_000), data: { name: "a".repeat(20_000) } },
];

/** Texts that a store easily changes or confuses. */
const TEXTS = [
  'O\'Neil "x" \\ \\u0000 %00 $1 ; -- ${y} =1+1 <a>&amp; \t\r\n',
  ...["", " ", " a ", "7", "007", "1e3", "2026-11-21", "true", "null", "undefined", "{}", '""'],
  ...["Andre", "andre", "andr\u00E9", "andre\u0301", "\u00A0", "\uFEFFa", "\u2028", "\uFFFF"],
  ...["\u{1F468}\u200D\u{1F469}", "\u{1F600}", "\u{1F601}", "\u{10FFFF}", "\x01\x1F\x7F\x80"],
];

/** Values that no store may accept as a record. */
const WRONG: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "null where none may be": { title: null },
  "undefined": { note: undefined },
  "a field that its kind lacks": { more: 1 },
  "a number as a text": { title: 1 },
  "a text as a number": { count: "1" },
  "a number as a boolean": { done: 1 },
  "a fraction": { count: 0.5 },
  "an integer that is not safe": { count: 2 ** 53 },
  "a time without milliseconds": { dueAt: "2026-11-21T10:00:00Z" },
  "a time of another zone": { dueAt: "2026-11-21T10:00:00.000+01:00" },
  "a text with NUL": { note: "a\0b" },
  "a text with half a character": { note: "a\uD83D" },
  "a list with NUL": { tags: ["a", "\0"] },
  "a list of numbers": { tags: [1] },
  "a text to order by that keys can't have": { title: "\u00E9" },
  "no text to order by": { title: "" },
  "data with undefined": { data: { a: undefined } },
  "data with NaN": { data: { a: [NaN] } },
  "data with a date": { data: { a: new Date(0) } },
  "data with NUL": { extra: { "a\0": 1 } },
};

export function testRecords({ test }: ContractTests): void {
  test("a record is found under its kind and key alone", async ({ storage }) => {
    const counter = { counterId: "a", value: 1 };
    await put(storage, COUNTERS, counter);
    assertEquals(await storage.get(COUNTERS, "a"), counter);
    assertEquals(await storage.get(COUNTERS, "b"), undefined);
    assertEquals(await storage.get(SAMPLES, "a"), undefined);
    await put(storage, SAMPLES, sample("a"));
    assertEquals(await remove(storage, SAMPLES, "a"), true);
    assertEquals(await storage.get(COUNTERS, "a"), counter);
  });

  test("a record is replaced as a whole, is gone once removed, and can come back", async (context) => {
    const { storage } = context;
    const A = sample("a");
    assertEquals(await remove(storage, SAMPLES, "a"), false);
    for (let round = 0; round < 2; round++) {
      const turned = Object.fromEntries(Object.entries(sample("a")).toReversed()) as typeof A;
      for (const record of [A, emptySample("a"), turned, sample("a", { title: "next" })]) {
        await put(storage, SAMPLES, record);
        const found = await storage.get(SAMPLES, "a");
        assertEquals(found, record);
        assertEquals(Object.keys(found!), Object.keys(SAMPLES.fields));
        assertEquals(await storage.list(SAMPLES, { limit: 2 }), [record]);
      }
      assertEquals(await remove(storage, SAMPLES, "a"), true);
      assertEquals(await storage.get(SAMPLES, "a"), undefined);
      assertEquals(await storage.list(SAMPLES, { limit: 1 }), []);
    }
  });

  test("a record comes back with every value, and every text in every place", async (context) => {
    const { storage } = context;
    const records = [
      ...VALUES.map((values, i) => sample(`v${i}`, values)),
      ...TEXTS.map((text, i) =>
        sample(`t${i}`, { note: text, tags: [text], order: [text, text], data: { [text]: text } })
      ),
    ];
    await putAll(storage, SAMPLES, records);
    for (const record of records) {
      assertEquals(await storage.get(SAMPLES, record.sampleId), record);
    }
    const byKey = records.toSorted((a, b) => a.sampleId < b.sampleId ? -1 : 1);
    assertEquals(await storage.list(SAMPLES, { limit: 1_000 }), byKey);
  });

  test("a text that can't be a key names no record", async ({ storage }) => {
    await put(storage, SAMPLES, sample("a"));
    for (const key of ["", " ", "a ", "a b", "\u00E9", "a\0", "\uD83D", "a".repeat(10_000)]) {
      assertEquals(await storage.get(SAMPLES, key), undefined);
      const refs = { record: { kind: SAMPLES, key } };
      assertEquals(await storage.transact(refs, ({ record }) => ({ answer: record })), undefined);
      await assertRejects(() => put(storage, SAMPLES, sample(key)), TypeError);
    }
    assertEquals(await listKeys(storage, SAMPLES), ["a"]);
  });

  test("a record is frozen plain data wherever it comes from", async ({ storage }) => {
    await put(storage, SAMPLES, sample("a"));
    const refs = { record: { kind: SAMPLES, key: "a" } };
    const records = [
      await storage.get(SAMPLES, "a"),
      ...await storage.list(SAMPLES, { limit: 1 }),
      ...await storage.list(SAMPLES, { limit: 1, index: "byDue" }),
      await storage.transact(refs, ({ record }) => ({ answer: record })),
    ];
    assertEquals(records.length, 4);
    for (const record of records) assertFrozen(record);
  });

  test("what becomes of an object that was stored changes nothing", async ({ storage }) => {
    const list = [1, 2];
    const given = { ...sample("a"), tags: ["one"], data: { list } };
    const expected = structuredClone(given);
    await storage.transact({ record: { kind: SAMPLES, key: "a" } }, () => {
      queueMicrotask(() => {
        given.note = "Changed by the caller";
        given.tags.push("two");
        list.length = 0;
      });
      return { answer: undefined, put: { record: given } };
    });
    assertEquals(await storage.get(SAMPLES, "a"), expected);
    assertEquals(await storage.list(SAMPLES, { limit: 1 }), [expected]);
  });

  test("a record is refused when its fields are not those of its kind", async ({ storage }) => {
    await put(storage, SAMPLES, sample("a"));
    const { note: _note, ...lacking } = sample("b");
    await assertRejects(() => putAny(storage, SAMPLES, lacking), TypeError);
    for (const [what, values] of Object.entries(WRONG)) {
      for (const key of ["a", "b"]) {
        const record = { ...sample(key), ...values };
        await assertRejects(() => putAny(storage, SAMPLES, record), TypeError, "", what);
      }
    }
    assertEquals(await storage.list(SAMPLES, { limit: 2 }), [sample("a")]);
  });
}

/** Checks that a value is deeply frozen, and an instance of no class. */
function assertFrozen(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  const prototype = Array.isArray(value) ? Array.prototype : Object.prototype;
  assert(Object.getPrototypeOf(value) === prototype, "A record is plain data");
  assert(Object.isFrozen(value), "A record is frozen, and what is in it");
  for (const part of Object.values(value)) assertFrozen(part);
}
