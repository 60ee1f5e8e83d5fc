import { crc32 } from "./crc32.ts";
import { BASE62, randomText } from "./random.ts";
import { Refusal } from "./refusal.ts";
import { parseWords } from "./text.ts";

/** What a key may do; `*` means everything. */
export const SCOPES = [
  "boards:read",
  "boards:write",
  "entries:read",
  "entries:write",
  "subscriptions:read",
  "subscriptions:write",
  "webhooks:write",
  "keys:write",
  "metrics:read",
  "*",
] as const;

/** One of the {@linkcode SCOPES}. */
export type Scope = typeof SCOPES[number];

/** The default scopes of a key: those of the two documented operations. */
export const DEFAULT_SCOPES: readonly Scope[] = ["boards:read", "subscriptions:write"];

/** An API key as it is stored: everything but its secret. */
export interface ApiKey {
  /** The identifier, which is not secret: the first 16 characters of `hash`. */
  readonly keyId: string;
  /** SHA-256 of the secret, in hexadecimal: 64 characters. */
  readonly hash: string;
  /** What the key is for, 1 to 200 code points. */
  readonly name: string;
  /** The first 7 characters of the secret. */
  readonly hint: string;
  /** What the key may do; at least one. */
  readonly scopes: readonly Scope[];
  /** When the key was issued (RFC 3339, UTC, milliseconds). */
  readonly createdAt: string;
  /** When the key expires (RFC 3339, UTC, milliseconds); `null` for never. */
  readonly expiresAt: string | null;
  /** When the key was revoked (RFC 3339, UTC, milliseconds); `null` if it has not been. */
  readonly revokedAt: string | null;
  /**
   * The start of the minute in which the key was last accepted (RFC 3339, UTC, milliseconds);
   * `null` if it never was.
   */
  readonly lastUsedAt: string | null;
  /** The identifier of the key that took over; `null` if none did. */
  readonly successorId: string | null;
}

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
 * Tells whether a text has the form of an issued key and the right checksum. A mistyped key
 * has that once in four thousand million times.
 */
export function isSecret(text: string): boolean {
  return KEY.test(text) &&
    checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** Returns the SHA-256 (FIPS 180-4) of a secret, in hexadecimal. */
export async function hashSecret(secret: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(secret));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Accepts a key that an operator brings: at least 24 characters that a bearer token can
 * carry (RFC 6750, section 2.1); if it starts with `bc_`, it must have the form and checksum
 * of an issued key.
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
 * Tells whether two texts are the same, in a time that depends only on their lengths, so that
 * responses don't reveal how much of a guess is right.
 */
export function equalSecrets(guess: string, secret: string): boolean {
  let difference = guess.length ^ secret.length;
  for (let i = 0; i < guess.length; i++) {
    difference |= guess.charCodeAt(i) ^ secret.charCodeAt(i % secret.length);
  }
  return difference === 0;
}

/** Accepts scopes separated by spaces; refuses unknown ones with `invalid_value`. */
export function parseScopes(text: string): readonly Scope[] | Refusal {
  return parseWords(text, SCOPES, "scope");
}

/** Tells whether the scopes `held` include what `scope` allows. */
export function grantsScope(held: readonly Scope[], scope: Scope): boolean {
  return held.includes(scope) || held.includes("*");
}

/** Tells whether a key is accepted at a time (RFC 3339, UTC, milliseconds). */
export function isLiveKey(key: ApiKey, now: string): boolean {
  return key.revokedAt === null && (key.expiresAt === null || now < key.expiresAt);
}

/** A key as it may be shown: without its hash and its successor. */
export type ShownKey = Omit<ApiKey, "hash" | "successorId">;

export function showKey(key: ApiKey): ShownKey {
  const { hash: _, successorId: __, ...shown } = key;
  return shown;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = BASE62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
