import { assertEquals } from "@std/assert";
import { it } from "@std/testing/bdd";
import { createLruCache } from "../../model/lru_cache.ts";

it("an LRU cache keeps the keys used last, and never more than twice as many", () => {
  const cache = createLruCache<string>(2);
  for (const key of ["a", "b", "c"]) cache.set(key, key);
  // Reading a key makes it a recent one.
  assertEquals([cache.get("a"), cache.size], ["a", 3]);
  for (const key of ["d", "e"]) cache.set(key, key);
  assertEquals(["a", "b", "d", "e"].map((key) => cache.get(key)), ["a", undefined, "d", "e"]);
  for (let i = 0; i < 100; i++) cache.set(`${i}`, "x");
  assertEquals([cache.size <= 4, cache.get("99"), cache.get("98")], [true, "x", "x"]);
});

it("a cache of weights forgets by weight, not by number", () => {
  const cache = createLruCache<string>(10, (text) => text.length);
  for (let i = 0; i < 100; i++) cache.set(`small ${i}`, "x");
  assertEquals(cache.size, 20);
  cache.set("same", "x".repeat(10));
  cache.set("same", "x");
  cache.set("large", "x".repeat(1_000));
  cache.set("next", "x");
  assertEquals([cache.size, cache.get("same"), cache.get("small 99")], [3, "x", undefined]);
});
