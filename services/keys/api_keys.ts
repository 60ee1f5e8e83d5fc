import type { ListQuery, Storage } from "../../adapters/storage.ts";
import { type ApiKey, isLaterUse, isLiveKey } from "../../model/keys/api_key.ts";
import {
  type IssuedKey,
  issueKey,
  issueSuccessor,
  type KeyMaker,
  type KeyRequest,
} from "../../model/keys/issue_key.ts";
import { keyIdOf } from "../../model/crypto/key_secret.ts";
import { API_KEYS, SETTINGS } from "../../model/kinds.ts";
import { addMs } from "../../model/values/time.ts";
import { all, change } from "../change.ts";
import { insertRecord, replaceRecord } from "../records.ts";

const FIRST_KEY = "firstKey";
/** The identifier of the key that the operator set. */
export const OPERATOR_KEY_ID = "operator";

/** The reason why a key was not rotated. */
export type RotationFault =
  /** There is no key with this identifier. */
  | "unknown"
  /** The key was revoked or has expired. */
  | "ended"
  /** The key has a successor already. */
  | "succeeded";

/** The time of a rotation, and the remaining life of the old key. */
export interface Rotation {
  /** The time of the rotation (RFC 3339, UTC, milliseconds). */
  readonly at: string;
  /** The time that the old key stays valid, in milliseconds; 0 revokes it at once. */
  readonly overlapMs: number;
  readonly by?: KeyMaker | undefined;
}

/** Thrown by long-running work after its API key was revoked or has expired. */
export class KeyEnded extends Error {
  override readonly name = "KeyEnded";

  constructor() {
    super("The API key was revoked or has expired");
  }
}

/** Issues a key at a time (RFC 3339, UTC, milliseconds) and stores it. */
export async function createKey(
  storage: Storage,
  request: KeyRequest,
  at: string,
): Promise<IssuedKey> {
  const issued = await issueKey(request, at);
  // Two secrets share an identifier only once in 2^64 pairs.
  return await insertRecord(storage, API_KEYS, issued.key)
    ? issued
    : await createKey(storage, request, at);
}

/**
 * Issues a key with every scope and stores it, if storage holds no key yet; else returns
 * `undefined`. If several processes start at the same time, only one issues a key.
 */
export async function createFirstKey(
  storage: Storage,
  at: string,
): Promise<IssuedKey | undefined> {
  if ((await listKeys(storage, { limit: 1 })).length > 0) return undefined;
  const request = { name: "First key", scopes: ["*"], expiresAt: null } as const;
  const issued = await issueKey(request, at);
  const { key } = issued;
  return await change(storage, function* ({ read, put, create }) {
    if (yield* read(SETTINGS, FIRST_KEY)) return undefined;
    put(SETTINGS, { settingId: FIRST_KEY, value: key.keyId });
    create(API_KEYS, key);
    return issued;
  });
}

/** Returns the key whose secret has this hash, valid or not. */
export async function findKey(storage: Storage, hash: string): Promise<ApiKey | undefined> {
  const key = await storage.get(API_KEYS, keyIdOf(hash));
  return key?.hash === hash ? key : undefined;
}

/**
 * Tells whether a key is accepted at a time (RFC 3339, UTC, milliseconds). The operator's own key
 * is not stored, and counts as long as what it made is valid.
 */
export async function isLiveKeyId(
  storage: Storage,
  keyId: string | null,
  at: string,
): Promise<boolean> {
  if (keyId === null || keyId === OPERATOR_KEY_ID) return true;
  const key = await storage.get(API_KEYS, keyId);
  return key !== undefined && isLiveKey(key, at);
}

/** Lists keys by creation time. */
export function listKeys(storage: Storage, query: ListQuery): Promise<readonly ApiKey[]> {
  return storage.list(API_KEYS, { ...query, index: "byAge" });
}

/**
 * Issues the successor of `old` and ends `old`, in one step. If a successor was revoked, for
 * example because its secret was lost, another one can replace it.
 */
export async function rotateKey(
  storage: Storage,
  old: ApiKey,
  { at, overlapMs, by }: Rotation,
): Promise<IssuedKey | RotationFault> {
  const issued = await issueSuccessor(old, { at, by });
  const { key: successor } = issued;
  return await change<IssuedKey | RotationFault>(storage, function* ({ read, put, create }) {
    const current = yield* read(API_KEYS, old.keyId);
    if (current === undefined) return "unknown";
    if (!isLiveKey(current, at)) return "ended";
    const known = yield* read(API_KEYS, current.successorId);
    const isLost = known !== undefined && known.revokedAt !== null;
    if (current.successorId !== null && !isLost) return "succeeded";
    const ended = endKey(current, at, addMs(at, overlapMs));
    put(API_KEYS, {
      ...ended,
      successorId: successor.keyId,
      expiredBefore: current.expiresAt,
    });
    create(API_KEYS, successor);
    return issued;
  });
}

/**
 * Revokes a key at a time (RFC 3339, UTC, milliseconds), unless it is revoked already; returns
 * `false` if there is no such key.
 */
export async function revokeKey(storage: Storage, keyId: string, at: string): Promise<boolean> {
  const ref = { kind: API_KEYS, key: keyId };
  const revoke = (key: ApiKey) => key.revokedAt === null ? { ...key, revokedAt: at } : key;
  return await replaceRecord(storage, ref, revoke) !== undefined;
}

/**
 * Revokes a successor whose secret was lost, at a time (RFC 3339, UTC, milliseconds), and restores
 * the key that it replaced, in one step. Returns `false`, and changes nothing, if it did not
 * replace that key, or if that key is no longer valid.
 */
export function undoRotation(
  storage: Storage,
  { keyId, oldId, at }: { readonly keyId: string; readonly oldId: string; readonly at: string },
): Promise<boolean> {
  return change(storage, function* ({ read, put }) {
    const [old, successor] = yield* all(read(API_KEYS, oldId), read(API_KEYS, keyId));
    const isOwn = old !== undefined && successor !== undefined && old.successorId === keyId;
    if (!isOwn || !isLiveKey(old, at)) return false;
    const expiresAt = old.expiredBefore;
    put(API_KEYS, { ...old, expiresAt, successorId: null, expiredBefore: null });
    put(API_KEYS, { ...successor, revokedAt: successor.revokedAt ?? at });
    return true;
  });
}

/**
 * Records the minute, by its start, in which a key was last accepted (RFC 3339, UTC, milliseconds).
 */
export async function recordKeyUse(
  storage: Storage,
  keyId: string,
  minute: string,
): Promise<void> {
  await replaceRecord(
    storage,
    { kind: API_KEYS, key: keyId },
    (key) => isLaterUse(key.lastUsedAt, minute) ? { ...key, lastUsedAt: minute } : key,
  );
}

function endKey(key: ApiKey, at: string, until: string): ApiKey {
  if (until === at) return { ...key, revokedAt: at };
  const endsSooner = key.expiresAt !== null && key.expiresAt < until;
  return endsSooner ? key : { ...key, expiresAt: until };
}
