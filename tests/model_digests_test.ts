import { createHash } from "node:crypto";
import { crc32 as zlibCrc32 } from "node:zlib";
import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import fc from "fast-check";
import { crc32 } from "../model/crc32.ts";
import { sha256 } from "../model/sha256.ts";

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function expected(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

describe("sha256", () => {
  it("returns the digests of FIPS 180-4's examples", () => {
    const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assertEquals(hex(sha256("abc")), abc);
    const twoBlocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    const digest = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";
    assertEquals(hex(sha256(twoBlocks)), digest);
  });

  it("agrees with the platform at every length around the ends of blocks", () => {
    for (let length = 0; length <= 260; length++) {
      const text = "x".repeat(length);
      assertEquals(hex(sha256(text)), expected(text), `length ${length}`);
    }
  });

  it("agrees with the platform when text is arbitrary", () => {
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      assertEquals(hex(sha256(text)), expected(text));
    }));
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
