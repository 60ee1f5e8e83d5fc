import { assert, assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import fc from "fast-check";
import {
  type ApiKey,
  DEFAULT_SCOPES,
  equalSecrets,
  generateSecret,
  grantsScope,
  hashSecret,
  isLiveKey,
  isSecret,
  keyIdOf,
  parseOperatorKey,
  parseScopes,
  SCOPES,
  showKey,
} from "../model/api_key.ts";
import { issueKey, issueSuccessor } from "../model/issue_key.ts";
import { BASE62 } from "../model/random.ts";
import { Refusal } from "../model/refusal.ts";
import { addMs } from "../model/time.ts";
import { forEachRow } from "./_rows.ts";

const AT = "2026-11-21T10:00:00.000Z";
const REQUEST = { name: "Key", scopes: DEFAULT_SCOPES, expiresAt: null };

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

  it("is told from any that is mistyped in one place, and from other text", () => {
    const secret = generateSecret();
    const others = new Set(["", "bc_", `${secret}\n`, ` ${secret}`]);
    for (let i = 0; i < secret.length; i++) {
      const [start, end] = [secret.slice(0, i), secret.slice(i + 1)];
      for (const character of `${BASE62}_-`) others.add(start + character + end);
      others.add(start + end);
      others.add(`${start}x${secret.slice(i)}`);
      others.add(start + end.slice(0, 1) + secret[i] + end.slice(1));
    }
    others.delete(secret);
    assertEquals([...others].filter(isSecret), []);
    fc.assert(fc.property(fc.string(), (text) => !isSecret(text)));
  });

  it("is equal to no text but itself", () => {
    fc.assert(fc.property(fc.string(), fc.string({ minLength: 1 }), (given, secret) => {
      assertEquals(equalSecrets(given, secret), given === secret);
      assert(equalSecrets(secret, secret) && !equalSecrets(secret + secret, secret));
      assert(!equalSecrets(secret.slice(1), secret));
    }));
  });

  it("is stored as its SHA-256 in hexadecimal, of which the identifier is the start", async () => {
    const hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assertEquals([await hashSecret("abc"), keyIdOf(hash)], [hash, "ba7816bf8f01cfea"]);
  });
});

describe("an operator's key", () => {
  it("has 24 characters of token68, and looks like no issued key with a wrong checksum", async () => {
    const taken = ["x".repeat(24), "0123456789-._~+/abcdefgh==", "BC_4567890123456789012345"];
    await forEachRow([...taken, generateSecret()], (text) => {
      assertEquals(parseOperatorKey(text), text);
    });
    await forEachRow([
      ["", "invalid_value"],
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
  it("are taken in any order and number, and given back in one order", async () => {
    fc.assert(fc.property(fc.array(fc.constantFrom(...SCOPES), { minLength: 1 }), (named) => {
      assertEquals(parseScopes(named.join(" ")), SCOPES.filter((scope) => named.includes(scope)));
    }));
    await forEachRow([
      ...["", "  ", "boards", "Boards:read", "boards:read,keys:write", "**"],
      "boards:read\tkeys:write",
    ], (text) => {
      const refusal = parseScopes(text);
      assertEquals(refusal instanceof Refusal && refusal.code, "invalid_value");
    });
  });

  it("grant themselves, * grants all, and nothing else grants *", async () => {
    await forEachRow(SCOPES, (scope) => {
      assert(grantsScope(["*"], scope) && grantsScope([scope], scope) && !grantsScope([], scope));
    });
    assert(!grantsScope(SCOPES.filter((scope) => scope !== "*"), "*"));
  });
});

describe("a key", () => {
  it("lives until it expires or is revoked", async () => {
    const { key } = await issueKey({ ...REQUEST, expiresAt: addMs(AT, 1_000) }, AT);
    await forEachRow<readonly [Partial<ApiKey>, string, boolean]>([
      [{}, AT, true],
      [{}, addMs(AT, 999), true],
      [{}, addMs(AT, 1_000), false],
      [{ revokedAt: AT }, AT, false],
      [{ expiresAt: null }, addMs(AT, 1e12), true],
    ], ([rest, at, isLive]) => assertEquals(isLiveKey({ ...key, ...rest }, at), isLive));
  });

  it("keeps the digest and the first 7 characters of its secret, and shows no digest", async () => {
    const { key, secret } = await issueKey(REQUEST, AT);
    const hash = await hashSecret(secret);
    assertEquals([key.hash, key.keyId, key.hint], [hash, hash.slice(0, 16), secret.slice(0, 7)]);
    assertEquals(JSON.stringify(key).includes(secret.slice(7)), false);
    const { hash: _, successorId: __, ...shown } = key;
    assertEquals(showKey(key), shown);
  });

  it("has a successor that lives as long as it was meant to, whatever the clock did", async () => {
    const { key } = await issueKey({ ...REQUEST, expiresAt: addMs(AT, 5_000) }, AT);
    const [later, earlier] = [addMs(AT, 3_000), addMs(AT, -60_000)];
    await forEachRow<readonly [Partial<ApiKey>, string, string | null]>([
      [{}, later, addMs(later, 5_000)],
      [{ expiresAt: null }, later, null],
      [{ expiresAt: "9999-12-31T23:59:59.000Z" }, later, "9999-12-31T23:59:59.999Z"],
      [{}, earlier, addMs(earlier, 5_000)],
      // An overlap ended it before it was made: what it has left.
      [{ expiresAt: addMs(earlier, 1_000) }, earlier, addMs(earlier, 1_000)],
    ], async ([rest, at, expiresAt]) => {
      const { key: next } = await issueSuccessor({ ...key, ...rest }, at);
      assertEquals([next.name, next.scopes, next.createdAt], [key.name, key.scopes, at]);
      assertEquals(next.expiresAt, expiresAt);
    });
  });
});
