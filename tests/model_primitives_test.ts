import { assertEquals, assertThrows } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { hash64 } from "../model/hash64.ts";
import { nearest } from "../model/nearest.ts";
import { checkOptionNames } from "../model/option_names.ts";
import { BASE62, randomText } from "../model/random.ts";
import { forEachRow } from "./_rows.ts";

describe("a hash of 64 bits", () => {
  it("differs for texts that differ in one character, and can stand in a tag", () => {
    const texts = Array.from({ length: 200_000 }, (_, i) => `{"name":"${i}"}`);
    for (let i = 0; i < 300; i++) {
      texts.push("x".repeat(i));
      for (const unit of ["y", "\u0178", "\u1e8f"]) {
        texts.push("x".repeat(i) + unit + "x".repeat(299 - i));
      }
    }
    const hashes = new Set(texts.map(hash64));
    assertEquals(hashes.size, texts.length);
    assertEquals([...hashes].filter((hash) => !/^[0-9a-z]{14}$/.test(hash)), []);
  });
});

describe("random text", () => {
  it("has each character as often as every other when each byte comes as often", () => {
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
});

describe("the nearest name", () => {
  it("is the one with the fewest steps, if they are at most a third of it", async () => {
    const known = ["name", "scopes", "expiresAt", "expiresIn", "url", "boardId"];
    await forEachRow([
      ...["name", "Name", "nmae", "nam", "naame", "nxme"].map((given) => [given, "name"] as const),
      ["expires_at", "expiresAt"],
      ["expiresOn", "expiresIn"],
      ["ulr", "url"],
      ["board_id", "boardId"],
      ...["nxxe", "u", "", "x".repeat(65)].map((given) => [given, undefined] as const),
    ], ([given, expected]) => assertEquals(nearest(given, known), expected));
  });

  it("is told of an option that is not known", () => {
    checkOptionNames({ port: 1 }, ["port", "host"]);
    assertThrows(() => checkOptionNames({ prot: 1 }, ["port"]), TypeError, "did you mean port?");
    const refuse = () => checkOptionNames({ x: undefined }, ["port", "host"]);
    assertThrows(refuse, TypeError, 'the option "x": there is none; the options are port, host');
  });
});
