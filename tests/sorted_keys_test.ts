import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import fc from "fast-check";
import { createSortedKeys, type SortedKeys } from "../adapters/_sorted_keys.ts";

/** An ordered set, and the same keys and marks in a plain map. */
interface Pair {
  readonly keys: SortedKeys;
  readonly marks: Map<string, boolean>;
}

type Step = readonly [kind: "put" | "remove", index: number, marked: boolean];

function steps(indices: number, length: number): fc.Arbitrary<Step[]> {
  const kind = fc.constantFrom("put" as const, "put", "put", "remove");
  const step = fc.tuple(kind, fc.nat(indices), fc.boolean());
  return fc.array(step, { maxLength: length, size: "max" });
}

// A handful of keys, so that marks come and go and blocks become empty, and more keys than a
// block holds, so that it is split.
const STEPS = { "few keys": steps(5, 20), "many keys": steps(3_000, 2_500) };

function createPair(): Pair {
  const marks = new Map<string, boolean>();
  return { keys: createSortedKeys((key) => marks.get(key)!), marks };
}

function carryOut({ keys, marks }: Pair, [kind, index, marked]: Step): void {
  const key = `user${index}`;
  const before = marks.get(key);
  if (kind === "remove") {
    keys.remove(key);
    marks.delete(key);
    return;
  }
  marks.set(key, marked);
  if (before === undefined) keys.add(key);
  else if (before !== marked) keys.updateMark(key);
}

function expected({ marks }: Pair, after: string | undefined, marked?: boolean): string[] {
  return [...marks]
    .filter(([key, mark]) => (after === undefined || key > after) && mark === (marked ?? mark))
    .map(([key]) => key)
    .sort();
}

describe("sorted keys", () => {
  for (const [amount, arbitrary] of Object.entries(STEPS)) {
    for (const marked of [undefined, true, false]) {
      it(`list what a sorted list would when there are ${amount} and marked is ${marked}`, () => {
        const property = fc.property(arbitrary, fc.option(fc.nat(10)), (steps, index) => {
          const pair = createPair();
          for (const step of steps) carryOut(pair, step);
          const after = index === null ? undefined : `user${index}`;
          assertEquals([...pair.keys.from(after, marked)], expected(pair, after, marked));
          assertEquals([...pair.keys.from()].length, pair.marks.size);
        });
        fc.assert(property, { numRuns: amount === "few keys" ? 1_000 : 30 });
      });
    }
  }

  it("list what was added in order when blocks are full", () => {
    const pair = createPair();
    for (let index = 0; index < 3_000; index++) carryOut(pair, ["put", index, index % 2_000 === 0]);
    assertEquals([...pair.keys.from(undefined, true)], ["user0", "user2000"]);
  });

  it("stay in order when a key comes late and all blocks are full", () => {
    const pair = createPair();
    for (let index = 0; index < 2 * 512; index++) {
      const key = `user${index}`.padStart(9, "0");
      pair.marks.set(key, true);
      pair.keys.add(key);
    }
    pair.marks.set("0", true);
    pair.keys.add("0");
    assertEquals([...pair.keys.from()], expected(pair, undefined));
  });

  it("find the keys around when those between are all gone", () => {
    const pair = createPair();
    const key = (index: number) => `user${index}`.padStart(9, "0");
    for (let index = 1_000; index < 3_000; index++) {
      pair.marks.set(key(index), true);
      pair.keys.add(key(index));
    }
    for (let index = 1_100; index < 3_000; index++) pair.keys.remove(key(index));
    pair.keys.remove(key(1_000));
    assertEquals([...pair.keys.from()], [...pair.marks.keys()].slice(1, 100));
  });

  it("ignore the removal of a key when it is not there", () => {
    const { keys, marks } = createPair();
    keys.remove("user1");
    marks.set("user2", true);
    keys.add("user2");
    keys.remove("user1");
    keys.remove("user3");
    assertEquals([...keys.from()], ["user2"]);
  });
});
