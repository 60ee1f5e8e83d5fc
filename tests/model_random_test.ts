import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { BASE62, randomText } from "../model/random.ts";

describe("randomText", () => {
  it("draws each character as often as every other when each byte comes as often", () => {
    const { getRandomValues } = crypto;
    let next = 0;
    crypto.getRandomValues = (bytes) => {
      if (bytes instanceof Uint8Array) bytes.forEach((_, i) => bytes[i] = next++ % 256);
      return bytes;
    };
    const counts = new Map<string, number>();
    try {
      for (const character of randomText(62 * 8)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    } finally {
      crypto.getRandomValues = getRandomValues;
    }
    assertEquals([...counts.keys()].sort().join(""), BASE62);
    assertEquals([...new Set(counts.values())], [8]);
  });
});
