import { assert, assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import fc from "fast-check";
import {
  type ApiKey,
  DEFAULT_SCOPES,
  equalSecrets,
  generateKeyText,
  grantsScope,
  hashKeyText,
  isKeyText,
  isLiveKey,
  parseOperatorKey,
  parseScopes,
  type Scope,
  SCOPES,
} from "../model/api_key.ts";
import { issueKey, issueSuccessor, parseOverlap } from "../model/issue_key.ts";
import { BASE62 } from "../model/random.ts";
import { Refusal } from "../model/refusal.ts";
import { addMs } from "../model/time.ts";

const AT = "2026-11-21T10:00:00.000Z";
const REQUEST = { name: "Key", scopes: DEFAULT_SCOPES, expiresAt: null };

describe("key text", () => {
  it("a generated key is bc_ and 36 base62 characters with the right checksum", () => {
    for (let i = 0; i < 200; i++) {
      const text = generateKeyText();
      assertMatch(text, /^bc_[0-9A-Za-z]{36}$/);
      assert(isKeyText(text));
    }
  });

  it("the checksum is CRC-32 in base62, most significant digit first", () => {
    // Computed bit by bit, apart from the code under test.
    const body = `bc_${"0".repeat(30)}`;
    let crc = 0xffffffff;
    for (const byte of new TextEncoder().encode(body)) {
      crc ^= byte;
      for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    }
    let rest = (crc ^ 0xffffffff) >>> 0;
    const digits: string[] = [];
    for (let i = 0; i < 6; i++) {
      digits.unshift(BASE62[rest % 62]);
      rest = Math.floor(rest / 62);
    }
    assert(isKeyText(body + digits.join("")));
  });

  it("the checksum catches every change of a single character", () => {
    const text = generateKeyText();
    for (let i = 0; i < text.length; i++) {
      for (const character of `${BASE62}_-`) {
        if (character === text[i]) continue;
        assert(!isKeyText(text.slice(0, i) + character + text.slice(i + 1)));
      }
    }
  });

  it("the checksum catches neighbours that changed places, and lost or added characters", () => {
    const text = generateKeyText();
    for (let i = 0; i < text.length - 1; i++) {
      const swapped = text.slice(0, i) + text[i + 1] + text[i] + text.slice(i + 2);
      assert(swapped === text || !isKeyText(swapped));
      assert(!isKeyText(text.slice(0, i) + text.slice(i + 1)));
      assert(!isKeyText(`${text.slice(0, i)}x${text.slice(i)}`));
    }
  });

  it("no other text has the form of a key", () => {
    fc.assert(fc.property(fc.string(), (text) => !isKeyText(text)), {
      examples: [[""], ["bc_"], [`${generateKeyText()}\n`], [` ${generateKeyText()}`]],
    });
  });

  it("secrets are equal when their texts are", () => {
    fc.assert(fc.property(fc.string(), fc.string({ minLength: 1 }), (given, secret) => {
      assertEquals(equalSecrets(given, secret), given === secret);
      assert(equalSecrets(secret, secret));
      assert(!equalSecrets(secret + secret, secret));
      assert(!equalSecrets(secret.slice(1), secret));
    }));
  });

  it("the hash is SHA-256 in base64url", async () => {
    assertEquals(await hashKeyText("abc"), "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0");
  });
});

describe("operator's key", () => {
  for (const text of ["x".repeat(24), "0123456789-._~+/abcdefgh==", "BC_4567890123456789012345"]) {
    it(`an operator's key is taken when it is ${text}`, () => {
      assertEquals(parseOperatorKey(text), text);
    });
  }

  for (
    const text of [
      "",
      "x".repeat(23),
      `${"x".repeat(24)} `,
      "é".repeat(24),
      `=${"x".repeat(24)}`,
      `bc_${"x".repeat(36)}`,
    ]
  ) {
    it(`an operator's key is refused when it is "${text}"`, () => {
      assert(parseOperatorKey(text) instanceof Refusal);
    });
  }
});

describe("scopes", () => {
  it("scopes are taken in any order and number, and given back in one order", () => {
    fc.assert(fc.property(fc.array(fc.constantFrom(...SCOPES), { minLength: 1 }), (named) => {
      assertEquals(parseScopes(named.join(" ")), SCOPES.filter((scope) => named.includes(scope)));
    }));
  });

  for (
    const text of [
      "",
      "  ",
      "boards",
      "Boards:read",
      "boards:read,keys:write",
      "**",
      "boards:read\tkeys:write",
    ]
  ) {
    it(`scopes are refused when they are "${text}"`, () => {
      const refusal = parseScopes(text);
      assert(refusal instanceof Refusal && refusal.code === "invalid_value");
    });
  }

  it("a refusal is well-formed text when it quotes a scope that is not, or is cut", () => {
    for (const text of ["\ud800", `${"x".repeat(39)}😀😀`]) {
      const refusal = parseScopes(text);
      assert(refusal instanceof Refusal && refusal.detail.isWellFormed(), `${text}`);
    }
  });

  it("a scope grants itself, * grants all, and nothing else grants *", () => {
    const five: readonly Scope[] = SCOPES.filter((scope) => scope !== "*");
    for (const scope of SCOPES) {
      assert(grantsScope(["*"], scope) && grantsScope([scope], scope) && !grantsScope([], scope));
    }
    assert(!grantsScope(five, "*"));
  });
});

describe("life of a key", () => {
  it("a key lives until it expires or is revoked", async () => {
    const { key } = await issueKey({ ...REQUEST, expiresAt: addMs(AT, 1_000) }, AT);
    const live = (rest: Partial<ApiKey>, at: string) => isLiveKey({ ...key, ...rest }, at);
    assertEquals([live({}, AT), live({}, addMs(AT, 999)), live({}, addMs(AT, 1_000))], [
      true,
      true,
      false,
    ]);
    assertEquals([live({ revokedAt: AT }, AT), live({ expiresAt: null }, addMs(AT, 1e12))], [
      false,
      true,
    ]);
  });

  it("an issued key keeps the hash and the first 7 characters of its text, not the text", async () => {
    const { key, text } = await issueKey(REQUEST, AT);
    assertEquals([key.hash, key.hint], [await hashKeyText(text), text.slice(0, 7)]);
    assertEquals(JSON.stringify(key).includes(text.slice(7)), false);
  });

  it("a successor lives as long as the old key was meant to, and never past 9999", async () => {
    const { key } = await issueKey({ ...REQUEST, expiresAt: addMs(AT, 5_000) }, AT);
    const later = addMs(AT, 3_000);
    assertEquals((await issueSuccessor(key, later)).key.expiresAt, addMs(later, 5_000));
    const far = { ...key, expiresAt: "9999-12-31T23:59:59.000Z" };
    assertEquals((await issueSuccessor(far, later)).key.expiresAt, "9999-12-31T23:59:59.999Z");
    assertEquals((await issueSuccessor({ ...key, expiresAt: null }, later)).key.expiresAt, null);
  });

  it("a successor lives as long as the old key was meant to when the clock was set back", async () => {
    const { key } = await issueKey({ ...REQUEST, expiresAt: addMs(AT, 5_000) }, AT);
    const earlier = addMs(AT, -60_000);
    const successor = await issueSuccessor(key, earlier);
    assertEquals(successor.key.expiresAt, addMs(earlier, 5_000));
    const next = await issueSuccessor(successor.key, AT);
    assertEquals(next.key.expiresAt, key.expiresAt);
  });

  it("a successor lives as long as an old key has left that ends before it was made", async () => {
    const { key } = await issueKey({ ...REQUEST, expiresAt: addMs(AT, 5_000) }, AT);
    const earlier = addMs(AT, -60_000);
    const expiresAt = addMs(earlier, 1_000);
    const successor = await issueSuccessor({ ...key, expiresAt }, earlier);
    assertEquals(successor.key.expiresAt, expiresAt);
  });
});

describe("parseOverlap", () => {
  it("takes a duration, and 0 for none", () => {
    assertEquals([parseOverlap("0"), parseOverlap("0s"), parseOverlap("2m")], [0, 0, 120_000]);
    assert(parseOverlap("1") instanceof Refusal);
  });
});
