import { API_KEY, type ApiKey, type Scope } from "./api_key.ts";
import { generateSecret, hashSecret, keyIdOf } from "../crypto/key_secret.ts";
import type { Refusal } from "../values/refusal.ts";
import { fillRecord } from "../resource.ts";
import { addMs, parseDuration } from "../values/time.ts";

/** The properties of a new key. */
export interface KeyRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The expiry (RFC 3339, UTC, milliseconds); `null` for never. */
  readonly expiresAt: string | null;
  /** Default: {@linkcode OPERATOR}. */
  readonly by?: KeyMaker | undefined;
}

/** The key or member that makes a key. */
export interface KeyMaker {
  /** The name of the key or member, or `operator`. */
  readonly name: string;
  /** The identifier of the key or member, or `operator`. */
  readonly keyId: string;
}

/** The maker of keys that no caller asked for. */
const OPERATOR: KeyMaker = { name: "operator", keyId: "operator" };

/** A newly issued key and its secret, which is shown only once. */
export interface IssuedKey {
  /** The secret, sent as the bearer token. */
  readonly secret: string;
  readonly key: ApiKey;
}

/** Issues a key at a time (RFC 3339, UTC, milliseconds). */
export async function issueKey(
  { name, scopes, expiresAt, by = OPERATOR }: KeyRequest,
  at: string,
): Promise<IssuedKey> {
  const secret = generateSecret();
  const hash = await hashSecret(secret);
  const keyId = keyIdOf(hash);
  const hint = secret.slice(0, 7);
  const made = { createdBy: by.name, createdById: by.keyId, createdAt: at };
  const values = { keyId, hash, name, hint, scopes, ...made, expiresAt };
  return { secret, key: fillRecord<ApiKey>(API_KEY, values) };
}

/**
 * Issues the successor of a key, with its name, its scopes and its lifetime, if that was limited.
 */
export async function issueSuccessor(
  old: ApiKey,
  { at, by }: { readonly at: string; readonly by?: KeyMaker | undefined },
): Promise<IssuedKey> {
  const { name, scopes, createdAt, expiresAt: end } = old;
  if (end === null) return await issueKey({ name, scopes, expiresAt: null, by }, at);
  // If the clock was set back, the end of an overlap may precede the old key's creation.
  const start = createdAt < end ? createdAt : at;
  const expiresAt = addMs(at, Date.parse(end) - Date.parse(start));
  return await issueKey({ name, scopes, expiresAt, by }, at);
}

/**
 * Accepts the time for which an old key stays valid beside its successor: a duration or `0`.
 * Returns milliseconds; refuses with `invalid_value`.
 */
export function parseOverlap(text: string): number | Refusal {
  return text === "0" ? 0 : parseDuration(text);
}
