import { crc32 as zlibCrc32 } from "node:zlib";
import { assertEquals, assertThrows } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import fc from "fast-check";
import { generateSecret } from "../model/api_key.ts";
import { crc32 } from "../model/crc32.ts";
import { hash64 } from "../model/hash64.ts";
import { nearest } from "../model/nearest.ts";
import { checkOptionNames } from "../model/option_names.ts";
import { BASE62, randomText } from "../model/random.ts";
import { sha256 } from "../model/sha256.ts";
import { quote } from "../model/text.ts";
import { forEachRow } from "./_rows.ts";

describe("digests", () => {
  it("are those of the standards", async () => {
    assertEquals(await sha256("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    assertEquals(crc32("123456789"), 0xcbf43926);
    fc.assert(fc.property(fc.string({ unit: "binary-ascii", maxLength: 100 }), (text) => {
      assertEquals(crc32(text), zlibCrc32(text));
    }));
  });

  it("of 64 bits tell texts apart, and can stand in a tag", () => {
    const hashes = new Set<string>();
    // Texts that differ in their length or in one character alone, and more than 32 bits would tell apart.
    const texts: string[] = [];
    for (let i = 0; i < 300; i++) {
      texts.push("x".repeat(i));
      for (const unit of ["y", "\u0178", "\u1e8f"]) {
        texts.push("x".repeat(i) + unit + "x".repeat(299 - i));
      }
    }
    for (let i = 0; i < 200_000; i++) texts.push(`{"name":"${i}"}`);
    for (const text of texts) hashes.add(hash64(text));
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

describe("the nearest name", () => {
  it("is the one with the fewest steps, if they are at most a third of it", async () => {
    const known = ["name", "scopes", "expiresAt", "expiresIn", "url", "boardId"];
    await forEachRow([
      ["name", "name"],
      ["Name", "name"],
      ["nmae", "name"],
      ["nam", "name"],
      ["naame", "name"],
      ["nxme", "name"],
      ["nxxe", undefined],
      ["scope", "scopes"],
      ["expires_at", "expiresAt"],
      ["expiresat", "expiresAt"],
      ["expiresOn", "expiresIn"],
      ["ulr", "url"],
      ["u", undefined],
      ["board_id", "boardId"],
      ["", undefined],
      ["x".repeat(65), undefined],
    ], ([given, expected]) => assertEquals(nearest(given, known), expected));
    assertEquals(nearest("name", []), undefined);
  });

  it("is told of an option that is not known", () => {
    checkOptionNames({ port: 1 }, ["port", "host"]);
    assertThrows(() => checkOptionNames({ prot: 1 }, ["port"]), TypeError, "did you mean port?");
    const refuse = () => checkOptionNames({ x: undefined }, ["port", "host"]);
    assertThrows(refuse, TypeError, 'the option "x": there is none; the options are port, host');
  });
});

describe("a quotation", () => {
  it("has at most 40 characters, is well-formed, and hides secrets", async () => {
    const secret = generateSecret();
    await forEachRow([
      ["a b", '"a b"'],
      ["x".repeat(40), `"${"x".repeat(40)}"`],
      ["x".repeat(41), `"${"x".repeat(40)}…"`],
      [`${"x".repeat(39)}😀😀`, `"${"x".repeat(39)}😀…"`],
      ["\ud800", '"\ufffd"'],
      [secret, `"${secret.slice(0, 7)}…"`],
      [`a ${secret} b`, `"a ${secret.slice(0, 7)}… b"`],
      [`a,${secret},b`, `"a,${secret.slice(0, 7)}…"`],
      ["whsec_AAAABBBB", '"whsec_AAAA…"'],
      ["bc_", '"bc_"'],
    ], ([text, expected]) => assertEquals(quote(text), expected));
  });
});
