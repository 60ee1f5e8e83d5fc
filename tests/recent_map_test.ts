import { assertEquals } from "@std/assert";
import { it } from "@std/testing/bdd";
import { createRecentMap } from "../routes/_recent_map.ts";

it("a map of recent keys keeps those used last, and never more than twice as many", () => {
  const map = createRecentMap<string>(2);
  for (const key of ["a", "b", "c"]) map.set(key, key);
  // Reading a key makes it a recent one.
  assertEquals([map.get("a"), map.size], ["a", 3]);
  for (const key of ["d", "e"]) map.set(key, key);
  assertEquals(["a", "b", "d", "e"].map((key) => map.get(key)), ["a", undefined, "d", "e"]);
  for (let i = 0; i < 100; i++) map.set(`${i}`, "x");
  assertEquals([map.size <= 4, map.get("99"), map.get("98")], [true, "x", "x"]);
});
