import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { crc32 as crc32OfZlib } from "node:zlib";
import { crc32 } from "../../model/crypto/crc32.ts";
import { hash64 } from "../../model/crypto/hash64.ts";
import { forEachRow } from "../_support/rows.ts";

const utf8 = new TextEncoder();

describe("a CRC-32", () => {
  it("equals that of zlib, for bytes as a whole and in two parts", async () => {
    const bytes = Uint8Array.from({ length: 100 }, (_, at) => at * at);
    await forEachRow([0, 1, 7, 8, 9, 63, 100], (length) => {
      const part = bytes.subarray(0, length);
      assertEquals(crc32(part), crc32OfZlib(part));
      assertEquals(crc32(bytes.subarray(length), crc32(part)), crc32OfZlib(bytes));
    });
  });
});

describe("a hash of 64 bits", () => {
  it("is FNV-1a of bytes, or of a text in UTF-8", async () => {
    await forEachRow([
      ["", "cbf29ce484222325"],
      ["a", "af63dc4c8601ec8c"],
      ["foobar", "85944171f73967e8"],
    ], ([text, hash]) => assertEquals(hash64(text), hash));
    assertEquals(hash64("Ännchen"), hash64(utf8.encode("Ännchen")));
  });
});
