import { API_KEY, type ApiKey, type Scope } from "./api_key.ts";
import { generateSecret, hashSecret, keyIdOf } from "../crypto/key_secret.ts";
import type { Refusal } from "../values/refusal.ts";
import { fillRecord, type GivenValues, type SentValues, sentValues } from "../resource.ts";
import { addMs, parseDuration } from "../values/time.ts";

/** The values of a new key; absent fields get their defaults. */
export interface KeyRequest extends GivenValues<SentValues<typeof API_KEY.fields>> {
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
  { by = OPERATOR, ...values }: KeyRequest,
  at: string,
): Promise<IssuedKey> {
  const secret = generateSecret();
  const hash = await hashSecret(secret);
  const keyId = keyIdOf(hash);
  const hint = secret.slice(0, 7);
  const made = { createdBy: by.name, createdById: by.keyId, createdAt: at };
  const key = fillRecord<ApiKey>(API_KEY, { ...values, keyId, hash, hint, ...made });
  return { secret, key };
}

/**
 * Issues the successor of a key, with its name, its scopes and its lifetime, if that was limited.
 */
export async function issueSuccessor(
  old: ApiKey,
  { at, by }: { readonly at: string; readonly by?: KeyMaker | undefined },
): Promise<IssuedKey> {
  const { createdAt, expiresAt: end } = old;
  const values = sentValues(API_KEY, old);
  if (end === null) return await issueKey({ ...values, by }, at);
  // If the clock was set back, the end of an overlap may precede the old key's creation.
  const start = createdAt < end ? createdAt : at;
  const expiresAt = addMs(at, Date.parse(end) - Date.parse(start));
  return await issueKey({ ...values, expiresAt, by }, at);
}

/**
 * Accepts the time for which an old key stays valid beside its successor: a duration or `0`.
 * Returns milliseconds; refuses with `invalid_value`.
 */
export function parseOverlap(text: string): number | Refusal {
  return text === "0" ? 0 : parseDuration(text);
}
