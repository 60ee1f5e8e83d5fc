import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import fc from "fast-check";
import { createSortedKeys, type SortedKeys } from "../adapters/_sorted_keys.ts";

const BLOCK_SIZE = 512;

/** Adds or removes the key of a number. */
type Step = readonly [kind: "add" | "remove", index: number];

function steps(indices: number, length: number): fc.Arbitrary<Step[]> {
  const kind = fc.constantFrom("add" as const, "add", "add", "remove");
  return fc.array(fc.tuple(kind, fc.nat(indices)), { maxLength: length, size: "max" });
}

// A handful of keys, so that blocks become empty, and more keys than a block holds, so that it is split.
const STEPS = { "few keys": steps(5, 20), "many keys": steps(3_000, 2_500) };

function keyOf(index: number): string {
  return `user${String(index).padStart(5, "0")}`;
}

/** Checks both directions, from the ends and from `position`, against a sorted list. */
function assertListed(keys: SortedKeys, expected: readonly string[], position: string): void {
  assertEquals([...keys.ascending()], expected);
  assertEquals([...keys.descending()], expected.toReversed());
  assertEquals([...keys.ascending(position)], expected.filter((key) => key > position));
  assertEquals(
    [...keys.descending(position)],
    expected.filter((key) => key < position).toReversed(),
  );
}

describe("sorted keys", () => {
  for (const [amount, arbitrary] of Object.entries(STEPS)) {
    it(`list what a sorted list would when there are ${amount}`, () => {
      const start = fc.array(fc.nat(3_000), { maxLength: amount === "few keys" ? 3 : 1_500 });
      const property = fc.property(start, arbitrary, fc.nat(3_000), (start, steps, position) => {
        const set = new Set(start.map(keyOf));
        const keys = createSortedKeys(set);
        for (const [kind, index] of steps) {
          const key = keyOf(index);
          if (kind === "remove") keys.remove(key);
          else if (!set.has(key)) keys.add(key);
          if (kind === "remove") set.delete(key);
          else set.add(key);
        }
        const expected = [...set].sort();
        assertListed(keys, expected, keyOf(position));
        // At a key, too, and beyond all of them.
        assertListed(keys, expected, expected.at(position % expected.length) ?? "");
        assertListed(keys, expected, "~");
      });
      fc.assert(property, { numRuns: amount === "few keys" ? 300 : 20 });
    });
  }

  it("find the keys around when those between are all gone", () => {
    const all = Array.from({ length: 4 * BLOCK_SIZE }, (_, index) => keyOf(index));
    const keys = createSortedKeys(all);
    for (const key of all.slice(100, -100)) keys.remove(key);
    const expected = [...all.slice(0, 100), ...all.slice(-100)];
    for (const position of [all[99], all[100], all[BLOCK_SIZE], all[all.length - 100]]) {
      assertListed(keys, expected, position);
    }
  });
});
