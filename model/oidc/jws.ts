import { decodeBase64Url } from "../crypto/encoding.ts";
import { type JsonObject, parseJsonObject } from "../values/json_object.ts";

/** A parsed JSON Web Signature (RFC 7515), whose signature was not verified. */
export interface Jws {
  readonly alg: string;
  /** The identifier of the key; `undefined` if the header has none. */
  readonly kid: string | undefined;
  readonly payload: JsonObject;
  /** The bytes that the signature covers. */
  readonly signed: Uint8Array<ArrayBuffer>;
  readonly signature: Uint8Array<ArrayBuffer>;
}

/** A public key of a provider (RFC 7517), not yet checked. */
export type Jwk = JsonObject;

/**
 * The result of a verification. For `unknown_key`, the key set may be out of date, and should be
 * fetched again.
 */
export type SignatureVerdict = "verified" | "forged" | "unknown_key" | "unknown_algorithm";

/** The platform's parameters of an algorithm, for importing a key and for verifying. */
interface SigningAlgorithm {
  readonly kty: string;
  /** The curve, for keys that have one. */
  readonly crv?: string;
  /** The members of a key that are its public part. */
  readonly members: readonly string[];
  readonly parameters: { readonly name: string };
}

const RSA = { kty: "RSA", members: ["kty", "n", "e"] };
// Without `none` and HMAC: everybody knows the keys that they would be verified with.
const ALGORITHMS: ReadonlyMap<string, SigningAlgorithm> = new Map([
  ["RS256", { ...RSA, parameters: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" } }],
  ["PS256", { ...RSA, parameters: { name: "RSA-PSS", hash: "SHA-256", saltLength: 32 } }],
  ["ES256", {
    kty: "EC",
    crv: "P-256",
    members: ["kty", "crv", "x", "y"],
    parameters: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  }],
  ["EdDSA", {
    kty: "OKP",
    crv: "Ed25519",
    members: ["kty", "crv", "x"],
    parameters: { name: "Ed25519" },
  }],
]);

const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]*)$/;

/**
 * Parses the compact form of a JSON Web Signature. Returns `undefined` for another text, and for a
 * header with extensions that must be understood (`crit`).
 */
export function parseJws(text: string): Jws | undefined {
  const [, header, payload, signature] = COMPACT.exec(text) ?? [];
  if (header === undefined) return undefined;
  try {
    const { alg, kid, crit } = readObject(header) ?? {};
    const claims = readObject(payload);
    if (typeof alg !== "string" || crit !== undefined || claims === undefined) return undefined;
    return {
      alg,
      kid: typeof kid === "string" ? kid : undefined,
      payload: claims,
      signed: new TextEncoder().encode(`${header}.${payload}`),
      signature: decodeBase64Url(signature),
    };
  } catch {
    return undefined;
  }
}

/** Returns the keys of a JWK set; `undefined` if the response is none. */
export function readKeys({ keys }: JsonObject): readonly Jwk[] | undefined {
  if (!Array.isArray(keys)) return undefined;
  return keys.filter((key) => typeof key === "object" && key !== null);
}

/** Verifies a signature by a set of keys, all of which are tried if the header names none. */
export async function verifyJws(jws: Jws, keys: readonly Jwk[]): Promise<SignatureVerdict> {
  const algorithm = ALGORITHMS.get(jws.alg);
  if (algorithm === undefined) return "unknown_algorithm";
  const named = jws.kid === undefined ? keys : keys.filter(({ kid }) => kid === jws.kid);
  for (const key of named.filter((key) => fits(key, jws.alg, algorithm))) {
    if (await isSignedBy(key, jws, algorithm)) return "verified";
  }
  return jws.kid === undefined || named.length === 0 ? "unknown_key" : "forged";
}

function fits(key: Jwk, alg: string, { kty, crv }: SigningAlgorithm): boolean {
  return key.kty === kty && (crv === undefined || key.crv === crv) &&
    (key.use === undefined || key.use === "sig") && (key.alg === undefined || key.alg === alg);
}

async function isSignedBy(
  key: Jwk,
  { signature, signed }: Jws,
  { members, parameters }: SigningAlgorithm,
): Promise<boolean> {
  try {
    const jwk = Object.fromEntries(members.map((name) => [name, key[name]]));
    const imported = await crypto.subtle.importKey("jwk", jwk, parameters, false, ["verify"]);
    return await crypto.subtle.verify(parameters, imported, signature, signed);
  } catch {
    // One damaged key must not keep the others from being tried.
    return false;
  }
}

function readObject(part: string): JsonObject | undefined {
  return parseJsonObject(new TextDecoder().decode(decodeBase64Url(part)));
}
