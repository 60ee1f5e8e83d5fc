import { assert, assertEquals, assertThrows } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { copyRecord, indexEntries, isKey, runDecide } from "../adapters/records.ts";
import type { Item } from "../adapters/storage.ts";
import { BOARDS } from "../model/kinds.ts";
import { minute, sample, SAMPLES } from "./_contract/kinds.ts";
import { forEachRow } from "./_rows.ts";
import { sampleBoard } from "./_samples.ts";

const A = sample("a");

it("isKey allows 1 to 512 printable ASCII characters without spaces", () => {
  for (const text of ["a", "!~", "x".repeat(512), "constructor"]) assert(isKey(text), text);
  for (const text of ["", "a b", "a\n", "\u00E9", "\x7F", "x".repeat(513)]) {
    assert(!isKey(text), text);
  }
});

describe("copyRecord", () => {
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
  it("refuses what no store takes", () =>
    forEachRow(Object.entries(wrong), ([, record]) => {
      const error = assertThrows(() => copyRecord(SAMPLES, record), TypeError);
      assert(error.message.startsWith("Cannot store"), error.message);
    }));

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
