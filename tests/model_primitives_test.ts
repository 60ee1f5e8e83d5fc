import { assertEquals } from "@std/assert";
import { it } from "@std/testing/bdd";
import { hash64 } from "../model/hash64.ts";
import { BASE62, randomText } from "../model/random.ts";

it("a hash of 64 bits differs where one character does, and can stand in a tag", () => {
  const texts = Array.from({ length: 50_000 }, (_, i) => `{"name":"${i}"}`);
  for (let i = 0; i < 300; i++) {
    for (const unit of ["y", "\u0178", "\u1e8f"]) {
      texts.push("x".repeat(i) + unit + "x".repeat(299 - i));
    }
  }
  const hashes = new Set(texts.map(hash64));
  assertEquals(hashes.size, texts.length);
  assertEquals([...hashes].filter((hash) => !/^[0-9a-z]{14}$/.test(hash)), []);
});

it("random text has each character as often as others when each byte comes as often", () => {
  const { getRandomValues } = crypto;
  let next = 0;
  crypto.getRandomValues = (bytes) => {
    if (bytes instanceof Uint8Array) bytes.forEach((_, i) => bytes[i] = next++ % 256);
    return bytes;
  };
  try {
    assertEquals([...randomText(62 * 8)].sort().join(""), BASE62.replace(/./g, "$&".repeat(8)));
  } finally {
    crypto.getRandomValues = getRandomValues;
  }
});
