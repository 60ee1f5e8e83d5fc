import { encodeHex } from "./encoding.ts";
import { crc32 } from "./crc32.ts";
import { BASE62, randomText } from "./random.ts";
import { Refusal } from "../values/refusal.ts";

const utf8 = new TextEncoder();
const KEY = /^bc_[0-9A-Za-z]{36}$/;
const KEY_ID_LENGTH = 16;
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const OPERATOR_KEY_MIN_LENGTH = 24;
const TOKEN68 = /^[A-Za-z0-9\-._~+/]+=*$/;

/** Creates the secret of a key: `bc_`, 30 random base62 characters and their checksum. */
export function generateSecret(): string {
  const body = `bc_${randomText(RANDOM_LENGTH)}`;
  return body + checksum(body);
}

/** Returns the identifier of the key whose secret has this hash. */
export function keyIdOf(hash: string): string {
  return hash.slice(0, KEY_ID_LENGTH);
}

/**
 * Tells whether a text has the form of an issued key and the right checksum. A mistyped key passes
 * once in four thousand million times.
 */
export function isSecret(text: string): boolean {
  return KEY.test(text) &&
    checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** Returns the SHA-256 (FIPS 180-4) of a secret, in hexadecimal. */
export async function hashSecret(secret: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", utf8.encode(secret));
  return encodeHex(digest);
}

/**
 * Accepts an operator's own key: at least 24 characters that a bearer token can carry (RFC 6750,
 * section 2.1). A key that starts with `bc_` must have the form and checksum of an issued key.
 */
export function parseOperatorKey(text: string): string | Refusal {
  if (text.length < OPERATOR_KEY_MIN_LENGTH) {
    return new Refusal("invalid_value", `has fewer than ${OPERATOR_KEY_MIN_LENGTH} characters`);
  }
  if (!TOKEN68.test(text)) {
    return new Refusal(
      "unsupported_characters",
      "has characters that a bearer token can't carry; use letters, digits and - . _ ~ + /",
    );
  }
  if (text.startsWith("bc_") && !isSecret(text)) {
    return new Refusal(
      "invalid_value",
      "begins with bc_, as issued keys do, but its checksum is wrong",
    );
  }
  return text;
}

/**
 * Compares the hashes of two texts: the time of that reveals nothing about how much of a guess is
 * right.
 */
export async function equalSecrets(guess: string, secret: string): Promise<boolean> {
  const [one, other] = await Promise.all([guess, secret].map(hashSecret));
  return one === other;
}

function checksum(text: string): string {
  let rest = crc32(utf8.encode(text));
  let digits = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = BASE62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
