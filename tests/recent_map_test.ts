import { assert, assertEquals } from "@std/assert";
import { it } from "@std/testing/bdd";
import fc from "fast-check";
import { createRecentMap } from "../routes/_recent_map.ts";

const CAPACITY = 4;
const USES = fc.array(fc.record({ key: fc.nat(20), isSet: fc.boolean() }), { maxLength: 200 });

it("a map of recent keys keeps those used last, and never more than twice as many", () => {
  fc.assert(fc.property(USES, (uses) => {
    const map = createRecentMap<number>(CAPACITY);
    const values = new Map<string, number>();
    for (const [index, { key, isSet }] of uses.entries()) {
      const name = `key${key}`;
      const found = map.get(name);
      assert(found === undefined || found === values.get(name), "a value of another");
      if (isSet || found === undefined) {
        map.set(name, index);
        values.set(name, index);
      }
      const recent = new Set(uses.slice(0, index + 1).map(({ key }) => `key${key}`).reverse());
      const kept = [...recent].slice(0, CAPACITY);
      // Reading a key makes it a recent one, so the map is asked about the oldest first.
      for (const name of kept.reverse()) assertEquals(map.get(name), values.get(name));
      assert(map.size <= 2 * CAPACITY, `${map.size} entries`);
    }
  }));
  const map = createRecentMap<number>(2);
  for (const key of ["a", "b", "c"]) map.set(key, 1);
  assertEquals(map.get("a"), 1);
  for (const key of ["d", "e"]) map.set(key, 1);
  assertEquals([map.get("a"), map.get("b")], [1, undefined]);
});
