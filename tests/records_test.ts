import { assert, assertEquals, assertThrows } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import {
  checkQuery,
  checkRefs,
  copyRecord,
  indexEntries,
  isKey,
  runDecide,
} from "../adapters/records.ts";
import type { AnyKind, Item } from "../adapters/storage.ts";
import { API_KEYS, BOARDS, SUBSCRIPTIONS } from "../model/kinds.ts";
import { minute, sample, SAMPLES } from "./_contract/kinds.ts";
import { sampleBoard, sampleKey, sampleSubscription } from "./_samples.ts";

const A = sample("a");

describe("isKey", () => {
  for (const text of ["a", "!~", "x".repeat(512), "constructor"]) {
    it(`allows ${text.slice(0, 20)}`, () => assertEquals(isKey(text), true));
  }
  for (const text of ["", "a b", "a\n", "\u00E9", "\x7F", "x".repeat(513)]) {
    it(`refuses ${JSON.stringify(text.slice(0, 20))}`, () => assertEquals(isKey(text), false));
  }
});

describe("copyRecord", () => {
  it("keeps the records that Boardcast has", () => {
    const records: [AnyKind, object][] = [
      [BOARDS, sampleBoard("ideas")],
      [SUBSCRIPTIONS, sampleSubscription("ann@example.com")],
      [API_KEYS, sampleKey("key")],
    ];
    for (const [kind, record] of records) assertEquals({ ...copyRecord(kind, record) }, record);
  });

  it("returns a frozen copy with the fields in the order of the kind", () => {
    const given = Object.fromEntries(Object.entries(A).toReversed());
    const copy = copyRecord(SAMPLES, given);
    assertEquals(JSON.stringify(copy), JSON.stringify(A));
    assert(copy.tags !== given.tags && Object.isFrozen(copy.data) && Object.isFrozen(copy.tags));
  });

  // What all stores refuse is in the contract; here is what depends on no store.
  const wrong: Readonly<Record<string, unknown>> = {
    "nothing": undefined,
    "a list": [A],
    "a key that can't be one": { ...A, sampleId: "a b" },
    "a text to order by that keys can't have": { ...A, title: "\u00E9" },
    "no text to order by": { ...A, title: "" },
    "data with undefined": { ...A, data: { a: undefined } },
    "data with NaN": { ...A, data: { a: [NaN] } },
    "data with a date": { ...A, data: { a: new Date(0) } },
    "data with NUL": { ...A, extra: { "a\0": 1 } },
  };
  for (const [what, record] of Object.entries(wrong)) {
    it(`refuses ${what}`, () => {
      const error = assertThrows(() => copyRecord(SAMPLES, record), TypeError);
      assert(error.message.startsWith("Cannot store"), error.message);
    });
  }

  it("names the field, and not what is in it", () => {
    const record = { ...A, note: "ann@example.com\0" };
    const { message } = assertThrows(() => copyRecord(SAMPLES, record), TypeError);
    assertEquals(message, "Cannot store in contractSamples: note is no text?");
  });
});

describe("indexEntries", () => {
  it("are the positions in the indexes that have the record", () => {
    const record = { ...A, done: true, doneAt: minute(3), approved: true, size: null };
    assertEquals(Object.fromEntries(indexEntries(SAMPLES, record)), {
      byTitle: { key: "a", by: "title-a" },
      byDue: { key: "a", by: minute(0) },
      done: { key: "a", by: minute(3) },
      approvedWithoutSize: { key: "a", by: minute(0) },
    });
  });

  it("leave out an index whose order is by null, and one whose values differ", () => {
    const record = { ...A, done: true, doneAt: null };
    assertEquals([...indexEntries(SAMPLES, record).keys()], ["byTitle", "byDue"]);
  });

  it("are none when a kind has no index", () => {
    assertEquals(indexEntries(BOARDS, { ...sampleBoard("ideas") }).size, 0);
  });
});

describe("checkQuery", () => {
  it("returns the index, which is empty for the order of keys", () => {
    assertEquals(checkQuery(SAMPLES, { limit: 1, after: { key: "" } }), {});
    const after = { key: "", by: "" };
    assertEquals(checkQuery(SAMPLES, { index: "byDue", limit: 1_000, after }), { by: "dueAt" });
  });
});

describe("runDecide", () => {
  const refs = { first: { kind: SAMPLES, key: "a" }, second: { kind: SAMPLES, key: "b" } };
  const read = ({ key }: { readonly key: string }): Item | undefined =>
    key === "a" ? { ...A } : undefined;

  it("returns what is to be stored and removed, as frozen copies", () => {
    const second = sample("b");
    const { answer, changes } = runDecide(
      refs,
      ({ first }) => ({ answer: first?.note, put: { second }, remove: ["first"] }),
      read,
    );
    assertEquals(answer, "A note");
    assertEquals(changes.map(({ key, next }) => [key, next]), [
      ["b", { ...second }],
      ["a", undefined],
    ]);
    assert(changes[0].next !== Object(second) && Object.isFrozen(changes[0].next));
  });

  it("leaves out what changes nothing", () => {
    const { changes } = runDecide(
      refs,
      ({ first }) => ({ answer: 1, put: { first }, remove: ["second", "second"] }),
      read,
    );
    assertEquals(changes, []);
  });
});

describe("checkRefs", () => {
  it("takes no two refs to one record", () => {
    const ref = { kind: SAMPLES, key: "a" };
    checkRefs({ a: ref, b: { kind: BOARDS, key: "a" }, c: { kind: SAMPLES, key: "b" } });
    assertThrows(() => checkRefs({ a: ref, b: { ...ref } }), TypeError, "Two refs");
  });
});
