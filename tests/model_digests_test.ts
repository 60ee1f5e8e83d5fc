import { crc32 as zlibCrc32 } from "node:zlib";
import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import fc from "fast-check";
import { crc32 } from "../model/crc32.ts";
import { sha256 } from "../model/sha256.ts";

describe("sha256", () => {
  it("returns the digest of FIPS 180-4's example in base64", async () => {
    assertEquals(await sha256("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
  });
});

describe("crc32", () => {
  it("returns the check value of the catalogue of CRC algorithms", () => {
    assertEquals(crc32("123456789"), 0xcbf43926);
  });

  it("agrees with the platform when text is arbitrary ASCII", () => {
    fc.assert(fc.property(fc.string({ unit: "binary-ascii", maxLength: 100 }), (text) => {
      assertEquals(crc32(text), zlibCrc32(text));
    }));
  });
});
