import { assert, assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { encodeBase64Url } from "../../../model/crypto/encoding.ts";
import { SignInFault } from "../../../model/oidc/sign_in_fault.ts";
import {
  createClient,
  type ForgingProvider,
  generateKey,
  type Script,
  signIn,
  signWith,
  startForgingProvider,
} from "../../_support/forging_provider.ts";
import { forEachRow } from "../../_support/rows.ts";

/** Signs in once; returns the code of the fault, or the person's address. */
async function outcomeOf(forging: ForgingProvider, options = {}): Promise<string> {
  const { outcome } = await signIn(createClient(forging.issuer, { options }));
  return outcome instanceof SignInFault ? `${outcome.code}: ${outcome.detail}` : outcome.userEmail;
}

function part(value: unknown): string {
  return encodeBase64Url(JSON.stringify(value));
}

const nowS = () => Math.floor(Date.now() / 1_000);

describe("an ID token", () => {
  it("gives the person when all is right, by each algorithm, with and without kid", async () => {
    await using forging = await startForgingProvider();
    const others = await Promise.all(["RS256", "PS256", "ES256", "EdDSA"].map((alg) => {
      return generateKey(alg, `${alg}-2`);
    }));
    await forEachRow(["RS256", "PS256", "ES256", "EdDSA"], async (alg) => {
      const key = await generateKey(alg, alg);
      forging.script = {
        keys: [{ kty: "odd" }, ...others.map(({ jwk }) => jwk), key.jwk],
        sign: (claims) => signWith(key, claims),
      };
      assertEquals(await outcomeOf(forging), "ann@example.com");
      forging.script.sign = (claims) => signWith(key, claims, { kid: undefined });
      assertEquals(await outcomeOf(forging), "ann@example.com");
    });
  });

  it("is refused when its signature is not the provider's", async () => {
    await using forging = await startForgingProvider();
    const { key } = forging;
    const rsa = await generateKey("RS256", "rsa");
    const stranger = await generateKey("ES256", "first");
    const publicPem = encodeBase64Url(await crypto.subtle.exportKey("spki", rsa.pair.publicKey));
    const hmac = async (secret: string, claims: unknown) => {
      const signed = `${part({ alg: "HS256", kid: "rsa", typ: "JWT" })}.${part(claims)}`;
      const algorithm = { name: "HMAC", hash: "SHA-256" };
      const bytes = new TextEncoder().encode(secret);
      const imported = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign"]);
      const mac = await crypto.subtle.sign("HMAC", imported, new TextEncoder().encode(signed));
      return `${signed}.${encodeBase64Url(mac)}`;
    };
    const keys = [key.jwk, rsa.jwk];
    await forEachRow<readonly [name: string, sign: Script["sign"], keys?: Script["keys"]]>([
      ["none", (claims) => Promise.resolve(`${part({ alg: "none" })}.${part(claims)}.`)],
      ["None", (claims) => Promise.resolve(`${part({ alg: "None" })}.${part(claims)}.`)],
      ["constructor", (claims) => signWith(key, claims, { alg: "constructor" })],
      ["HS256 by the public key", (claims) => hmac(publicPem, claims)],
      ["HS256 by the public key as JSON", (claims) => hmac(JSON.stringify(rsa.jwk), claims)],
      ["a stranger's key, same kid", (claims) => signWith(stranger, claims)],
      ["a stranger's key without kid", (claims) => signWith(stranger, claims, { kid: undefined })],
      ["a stranger's key, unknown kid", (claims) => signWith(stranger, claims, { kid: "x" })],
      ["a key in the header", (claims) => signWith(stranger, claims, { jwk: stranger.jwk })],
      ["another algorithm's key", (claims) => signWith(key, claims, { kid: "rsa" })],
      ["extensions", (claims) => signWith(key, claims, { crit: ["b64"], b64: false })],
      ["a key for encryption", (claims) => signWith(key, claims), [{ ...key.jwk, use: "enc" }]],
      ["a key of another alg", (claims) => signWith(key, claims), [{ ...key.jwk, alg: "ES384" }]],
      ["changed claims", async (claims) => {
        const [header, , signature] = (await signWith(key, claims)).split(".");
        return [header, part({ ...claims, email: "eve@example.com" }), signature].join(".");
      }],
      ["no JWT", () => Promise.resolve("a.b")],
      [
        "no signature",
        async (claims) => `${(await signWith(key, claims)).split(".", 2).join(".")}.`,
      ],
      ["an array as claims", () => signWith(key, [] as never)],
    ], async ([, sign, ownKeys = keys]) => {
      forging.script = { sign, keys: ownKeys };
      assertMatch(await outcomeOf(forging), /^answer_invalid: (?!.*wrong)/);
    });
  });

  it("is refused when a claim is wrong, and names it", async () => {
    await using forging = await startForgingProvider();
    await forEachRow<readonly [claim: string, claims: Record<string, unknown>]>([
      ["iss", { iss: "https://evil.example" }],
      ["iss", { iss: undefined }],
      ["iss", { iss: [forging.issuer] }],
      ["sub", { sub: undefined }],
      ["sub", { sub: "" }],
      ["sub", { sub: 5 }],
      ["sub", { sub: "x".repeat(256) }],
      ["aud", { aud: "another" }],
      ["aud", { aud: ["another"] }],
      ["aud", { aud: undefined }],
      ["aud", { aud: "boardcast-2" }],
      ["azp", { aud: ["boardcast", "another"] }],
      ["azp", { aud: ["boardcast", "another"], azp: "another" }],
      ["azp", { azp: "another" }],
      ["nonce", { nonce: "another" }],
      ["nonce", { nonce: undefined }],
      ["exp", { exp: nowS() - 61 }],
      ["exp", { exp: undefined }],
      ["exp", { exp: `${nowS() + 300}` }],
      ["iat", { iat: nowS() + 120 }],
      ["iat", { iat: undefined }],
    ], async ([claim, claims]) => {
      forging.script = { claims };
      assertEquals(await outcomeOf(forging), `answer_invalid: its ID token has a wrong ${claim}`);
    });
  });

  it("is accepted when clocks differ by less than a minute, and for several audiences", async () => {
    await using forging = await startForgingProvider();
    await forEachRow([
      { exp: nowS() - 30 },
      { iat: nowS() + 50 },
      { aud: ["another", "boardcast"], azp: "boardcast" },
      { aud: ["boardcast"] },
      { iss: `${forging.issuer}/` },
    ], async (claims) => {
      forging.script = { claims };
      assertEquals(await outcomeOf(forging), "ann@example.com");
    });
  });
});

describe("the address", () => {
  it("counts when the answer that has it says that it is verified, or is trusted", async () => {
    await using forging = await startForgingProvider();
    const NO_EMAIL = { email: undefined, email_verified: undefined, name: undefined };
    type Claims = Record<string, unknown>;
    await forEachRow<readonly [claims: Claims, userInfo: Claims, expected: RegExp, trusts?: true]>([
      [{}, {}, /^ann@/],
      [{ email_verified: "true" }, {}, /^ann@/],
      [{ email_verified: false }, {}, /^email_unverified: .* is not true/],
      [{ email_verified: "false" }, {}, /^email_unverified/],
      [{ email_verified: 1 }, {}, /^email_unverified/],
      [{ email_verified: undefined }, {}, /^email_unverified: .* is missing/],
      [{ email_verified: undefined }, {}, /^ann@/, true],
      [{ email_verified: false }, {}, /^ann@/, true],
      [NO_EMAIL, { sub: "u-1", email: "bob@b.example", email_verified: true }, /^bob@/],
      [NO_EMAIL, { sub: "u-1", email: "bob@b.example" }, /^email_unverified/],
      [NO_EMAIL, { sub: "u-1", email: "bob@b.example" }, /^bob@/, true],
      [NO_EMAIL, { sub: "u-2", email: "bob@b.example", email_verified: true }, /^answer_invalid/],
      [NO_EMAIL, { email: "bob@b.example", email_verified: true }, /^answer_invalid/],
      [NO_EMAIL, { sub: "u-1" }, /^email_missing/],
      [NO_EMAIL, { sub: "u-1" }, /^email_missing/, true],
      // Each of two answers has a half.
      [{ email: undefined }, { sub: "u-1", email: "bob@b.example" }, /^email_unverified/],
      [{ email_verified: undefined }, { sub: "u-1", email_verified: true }, /^email_unverified/],
      [{ email: "no address" }, {}, /^email_missing: the provider's email has a space$/],
      [{ email: ["ann@example.com"] }, { sub: "u-1" }, /^email_missing/],
    ], async ([claims, userInfo, expected, trustEmail]) => {
      forging.script = { claims, userInfo };
      assertMatch(await outcomeOf(forging, { trustEmail }), expected);
    });
  });

  it("is missing when the provider has no UserInfo to ask", async () => {
    await using forging = await startForgingProvider();
    const metadata = { userinfo_endpoint: undefined };
    forging.script = { metadata, claims: { email: undefined } };
    assertMatch(await outcomeOf(forging), /^email_missing/);
    assert(!forging.requests.some(({ path }) => path === "/userinfo"));
  });
});
