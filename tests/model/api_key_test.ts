import { assert, assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { crc32 } from "node:zlib";
import {
  equalSecrets,
  generateSecret,
  isSecret,
  parseOperatorKey,
} from "../../model/crypto/key_secret.ts";
import { BASE62, randomText } from "../../model/crypto/random.ts";
import { Refusal } from "../../model/values/refusal.ts";
import { forEachRow } from "../_support/rows.ts";

describe("a secret", () => {
  it("is bc_, 30 random base62 characters and their CRC-32, most significant digit first", () => {
    for (let i = 0; i < 20; i++) {
      const secret = generateSecret();
      assertMatch(secret, /^bc_[0-9A-Za-z]{36}$/);
      let digits = "";
      for (let rest = crc32(secret.slice(0, 33)); digits.length < 6; rest = Math.floor(rest / 62)) {
        digits = BASE62[rest % 62] + digits;
      }
      assertEquals([secret.slice(33), isSecret(secret)], [digits, true]);
      for (const other of ["", `${secret}\n`, secret.slice(1), secret.replace(/.$/, "_")]) {
        assertEquals(isSecret(other), false);
      }
    }
  });

  it("has each character as often as others when each byte comes as often", () => {
    const { getRandomValues } = crypto;
    let next = 0;
    crypto.getRandomValues = <T extends ArrayBufferView | null>(bytes: T): T => {
      if (bytes instanceof Uint8Array) bytes.forEach((_, i) => bytes[i] = next++ % 256);
      return bytes;
    };
    try {
      assertEquals([...randomText(62 * 8)].sort().join(""), BASE62.replace(/./g, "$&".repeat(8)));
    } finally {
      crypto.getRandomValues = getRandomValues;
    }
  });

  it("is equal to no text but itself", async () => {
    assert(await equalSecrets("secret", "secret"));
    const others = ["", "s", "secre", "Secret", "secreT", "secret ", "secretsecret", "sécret"];
    await forEachRow(others, async (other) => assert(!await equalSecrets(other, "secret")));
  });
});

describe("an operator's key", () => {
  it("has 24 characters of token68, and looks like no issued key with a wrong checksum", async () => {
    const taken = ["0123456789-._~+/abcdefgh==", "BC_4567890123456789012345", generateSecret()];
    await forEachRow([
      ...taken.map((text) => [text, text] as const),
      ["x".repeat(23), "invalid_value"],
      [`bc_${"x".repeat(36)}`, "invalid_value"],
      [`${"x".repeat(24)} `, "unsupported_characters"],
      ["é".repeat(24), "unsupported_characters"],
      [`=${"x".repeat(24)}`, "unsupported_characters"],
    ], ([text, expected]) => {
      const outcome = parseOperatorKey(text);
      assertEquals(outcome instanceof Refusal ? outcome.code : outcome, expected);
    });
  });
});
