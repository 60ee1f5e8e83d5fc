import type { Storage } from "../../adapters/storage.ts";
import { grantsScope, isLaterUse, isLiveKey, type Scope } from "../../model/keys/api_key.ts";
import { equalSecrets, hashSecret, isSecret } from "../../model/crypto/key_secret.ts";
import { copyTexts } from "../../model/values/text.ts";
import { findKey, recordKeyUse } from "../../services/keys/api_keys.ts";
import type { Instant } from "../../model/values/time.ts";
import { Problem } from "./problem.ts";
import { createLruCache } from "../../model/lru_cache.ts";

/** The sender of a request, known by an API key or by the session of a member. */
export interface Caller {
  /**
   * The identifier of the key or of the member, or `operator` for the key that the operator set.
   */
  readonly keyId: string;
  /** The name of the key or of the member, or `operator`. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  /**
   * When the key expires, or the session ends unless it is used (RFC 3339, UTC, milliseconds);
   * `null` for never.
   */
  readonly expiresAt: string | null;
  /** The member who has the session; absent for a key. */
  readonly memberId?: string;
}

/**
 * Returns the caller for the value of an `Authorization` header, or the problem
 * `missing_credentials`, `malformed_credentials` or `invalid_token`.
 */
export type Authenticator = (authorization: string | null) => Promise<Caller | Problem>;

const REALM = 'Bearer realm="boardcast"';
const BEARER = /^bearer(?: +([A-Za-z0-9\-._~+/]+=*))?$/i;
const REPEATED = /,\s*bearer(?:\s|,|$)/i;
const REMEMBERED = 1_000;

const MISSING = new Problem("missing_credentials", undefined, {
  headers: { "WWW-Authenticate": REALM },
});
const MALFORMED = new Problem("malformed_credentials", undefined, {
  headers: challenge("invalid_request"),
});
/** The problem of a key that is unknown, revoked or expired. */
export const INVALID_TOKEN: Problem = new Problem("invalid_token", undefined, {
  headers: challenge("invalid_token"),
});

/** Creates an authenticator for bearer tokens (RFC 6750). */
export function createAuthenticator(
  storage: Storage,
  { operatorKey, now }: { readonly operatorKey: string | undefined; readonly now: () => Instant },
): Authenticator {
  const operator: Caller = {
    keyId: "operator",
    name: "operator",
    scopes: ["*"],
    expiresAt: null,
  };
  // Hashes by token, so that each token is hashed once.
  const accepted = createLruCache<string>(REMEMBERED);
  // Holds the operator's key after its first use, so that later requests skip the slow comparison.
  const recognized = new Set<string>();
  const recordedMinutes = createLruCache<number>(REMEMBERED);

  function recordUse(keyId: string, lastUsedAt: string | null, used: Instant): void {
    const minute = Math.floor(used.ms / 60_000);
    if (recordedMinutes.get(keyId) === minute) return;
    recordedMinutes.set(keyId, minute);
    const at = `${used.text.slice(0, 16)}:00.000Z`;
    // Async, so that no request fails even if an adapter throws synchronously.
    const record = async () => await recordKeyUse(storage, keyId, at);
    if (isLaterUse(lastUsedAt, at)) record().catch(() => {});
  }

  async function lookUp(token: string, known: string | undefined): Promise<Caller | Problem> {
    const hash = known ?? await hashSecret(token);
    const key = await findKey(storage, hash);
    const found = now();
    const isAccepted = key !== undefined && isLiveKey(key, found.text);
    // On Node and Bun, the token is a slice that would keep its whole header in memory.
    if (!isAccepted) return INVALID_TOKEN;
    if (known === undefined) accepted.set(copyTexts(token), hash);
    recordUse(key.keyId, key.lastUsedAt, found);
    return key;
  }

  return async (authorization) => {
    const token = readToken(authorization);
    if (token instanceof Problem) return token;
    if (recognized.has(token)) return operator;
    const known = accepted.get(token);
    if (known === undefined) {
      if (operatorKey !== undefined && await equalSecrets(token, operatorKey)) {
        recognized.add(operatorKey);
        return operator;
      }
      if (!isSecret(token)) return INVALID_TOKEN;
    }
    return await lookUp(token, known);
  };
}

/** Returns `insufficient_scope` unless the caller holds all of the scopes. */
export function checkScopes(caller: Caller, scopes: readonly Scope[]): Problem | undefined {
  const missing = scopes.filter((scope) => !grantsScope(caller.scopes, scope));
  return missing.length === 0 ? undefined : insufficientScope(missing);
}

/** Creates the problem for scopes that a caller lacks. */
export function insufficientScope(missing: readonly Scope[]): Problem {
  const list = missing.join(" ");
  return new Problem("insufficient_scope", `The API key or the role lacks the scope ${list}`, {
    headers: challenge("insufficient_scope", `, scope="${list}"`),
  });
}

function readToken(authorization: string | null): string | Problem {
  const match = BEARER.exec(authorization ?? "");
  if (match?.[1] !== undefined) return match[1];
  return authorization === null || !isMeantAsBearer(authorization) ? MISSING : MALFORMED;
}

// Repeated headers arrive joined by commas, so that another scheme may come first.
function isMeantAsBearer(authorization: string): boolean {
  return /^bearer(?:[\s,]|$)/i.test(authorization) || REPEATED.test(authorization);
}

function challenge(error: string, rest = ""): Record<string, string> {
  return { "WWW-Authenticate": `${REALM}, error="${error}"${rest}` };
}

/** The part of a record that a caller sees after a change if its key does not grant reading. */
export interface WrittenPart {
  /** The scope that reads the whole record. */
  readonly scope: Scope;
  /** The fields that the caller sent, and those that follow from the change. */
  readonly fields: readonly string[];
}

/** Returns a record in response to a change, without fields that the caller may not read. */
export function readablePart<T extends object>(
  record: T,
  caller: Caller,
  { scope, fields }: WrittenPart,
): Partial<T> {
  if (grantsScope(caller.scopes, scope)) return record;
  const part = Object.entries(record).filter(([field]) => fields.includes(field));
  return Object.fromEntries(part) as Partial<T>;
}
