import { assert, assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import fc from "fast-check";
import {
  equalSecrets,
  generateSecret,
  isSecret,
  parseOperatorKey,
  parseScopes,
  SCOPES,
} from "../model/api_key.ts";
import { BASE62 } from "../model/random.ts";
import { Refusal } from "../model/refusal.ts";
import { forEachRow } from "./_rows.ts";

describe("a secret", () => {
  it("is bc_, 30 random base62 characters and their CRC-32, most significant digit first", () => {
    for (let i = 0; i < 200; i++) {
      const secret = generateSecret();
      assertMatch(secret, /^bc_[0-9A-Za-z]{36}$/);
      assert(isSecret(secret));
    }
    // Computed bit by bit, apart from the code under test.
    const body = `bc_${"0".repeat(30)}`;
    let crc = 0xffffffff;
    for (const byte of new TextEncoder().encode(body)) {
      crc ^= byte;
      for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    }
    const digits: string[] = [];
    for (let rest = (crc ^ 0xffffffff) >>> 0; digits.length < 6; rest = Math.floor(rest / 62)) {
      digits.unshift(BASE62[rest % 62]);
    }
    assert(isSecret(body + digits.join("")));
  });

  it("is told from any that is mistyped in one place", () => {
    const secret = generateSecret();
    const others = new Set(["", "bc_", `${secret}\n`, ` ${secret}`]);
    for (let i = 0; i < secret.length; i++) {
      const [start, end] = [secret.slice(0, i), secret.slice(i + 1)];
      for (const character of `${BASE62}_-`) others.add(start + character + end);
      others.add(start + end);
      others.add(start + end.slice(0, 1) + secret[i] + end.slice(1));
    }
    others.delete(secret);
    assertEquals([...others].filter(isSecret), []);
  });

  it("is equal to no text but itself", () => {
    fc.assert(fc.property(fc.string(), fc.string({ minLength: 1 }), (given, secret) => {
      assertEquals(equalSecrets(given, secret), given === secret);
      assert(equalSecrets(secret, secret) && !equalSecrets(secret + secret, secret));
      assert(!equalSecrets(secret.slice(1), secret));
    }));
  });
});

describe("an operator's key", () => {
  it("has 24 characters of token68, and looks like no issued key with a wrong checksum", async () => {
    const taken = ["x".repeat(24), "0123456789-._~+/abcdefgh==", "BC_4567890123456789012345"];
    await forEachRow([...taken, generateSecret()], (text) => {
      assertEquals(parseOperatorKey(text), text);
    });
    await forEachRow([
      ["x".repeat(23), "invalid_value"],
      [`bc_${"x".repeat(36)}`, "invalid_value"],
      [`${"x".repeat(24)} `, "unsupported_characters"],
      ["é".repeat(24), "unsupported_characters"],
      [`=${"x".repeat(24)}`, "unsupported_characters"],
    ], ([text, code]) => {
      const refusal = parseOperatorKey(text);
      assertEquals(refusal instanceof Refusal && refusal.code, code);
    });
  });
});

describe("scopes", () => {
  it("are words of the list in any order and number, and given back in one order", async () => {
    assertEquals(parseScopes(` ${SCOPES.toReversed().join("  ")} * `), SCOPES);
    await forEachRow(["", "  ", "Boards:read", "boards:read,*", "boards:read\t*"], (text) => {
      const refusal = parseScopes(text);
      assertEquals(refusal instanceof Refusal && refusal.code, "invalid_value");
    });
  });
});
