import { assertEquals } from "@std/assert";
import { it } from "@std/testing/bdd";
import fc from "fast-check";
import { createSortedKeys, type SortedKeys } from "../adapters/_sorted_keys.ts";

/** Adds or removes the key of a number. */
type Step = readonly [kind: "add" | "remove", index: number];

const KIND = fc.constantFrom("add" as const, "add", "add", "remove");

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

// A handful of keys, so that blocks become empty, and more keys than a block holds, so that it is split.
for (
  const [amount, count, length, numRuns] of [["few", 5, 20, 300], [
    "many",
    3_000,
    2_500,
    20,
  ]] as const
) {
  it(`sorted keys list what a sorted list would when there are ${amount}`, () => {
    const start = fc.array(fc.nat(count), { maxLength: count >> 1 });
    const steps: fc.Arbitrary<Step[]> = fc.array(fc.tuple(KIND, fc.nat(count)), {
      maxLength: length,
      size: "max",
    });
    const property = fc.property(start, steps, fc.nat(count), (start, steps, position) => {
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
      // Anywhere, at a key, and beyond all of them.
      for (const at of [keyOf(position), expected.at(position % expected.length) ?? "", "~"]) {
        assertListed(keys, expected, at);
      }
    });
    fc.assert(property, { numRuns });
  });
}
