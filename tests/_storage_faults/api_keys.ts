import type { Tables } from "../../adapters/_tables.ts";
import { StorageError } from "../../adapters/storage.ts";
import { type ApiKey, isLiveKey } from "../../model/api_key.ts";
import { type Fault, type Faults, inCalls, inRules, turn } from "./fault.ts";

const conflict = (text: string) => new StorageError("conflict", `Cannot create the key ${text}`);

/** Faults of storage for keys, except of rotations. */
export const KEY_FAULTS: Faults = {
  "overwrites a key whose identifier is taken": inRules("apiKeys", (sound, tables) => ({
    create(key) {
      if (sound.findByHash(key.hash)) return sound.create(key);
      assign(tables, key);
    },
  })),

  "ends one key by another of the same hash": inRules("apiKeys", (sound, tables) => ({
    create(key) {
      if (sound.get(key.keyId)) return sound.create(key);
      assign(tables, key);
    },
  })),

  "leaves the hash of a key that was refused": inRules("apiKeys", (sound) => {
    const hashes = new Set<string>();
    return {
      create(key) {
        if (hashes.has(key.hash)) throw conflict("again");
        hashes.add(key.hash);
        sound.create(key);
      },
    };
  }),

  "gives the hash of a revoked key again": inRules("apiKeys", (sound, tables) => ({
    create(key) {
      const found = sound.findByHash(key.hash);
      if (!found?.revokedAt || sound.get(key.keyId)) return sound.create(key);
      assign(tables, key);
    },
  })),

  "looks whether a key is taken some time before it creates it": inCalls(
    "apiKeys",
    (sound, tables) => ({
      async create(key) {
        const isTaken = await sound.get(key.keyId) ?? await sound.findByHash(key.hash);
        await turn();
        if (isTaken) return sound.create(key);
        assign(tables, key);
      },
    }),
  ),

  "wants names of keys to differ": inRules("apiKeys", (sound) => ({
    create(key) {
      const keys = sound.list({ limit: Infinity });
      if (keys.some(({ name }) => name === key.name)) throw conflict("twice");
      return sound.create(key);
    },
  })),

  ...Object.fromEntries((["hash", "name"] as const).map((field) => [
    `tells the ${field} of a key in a conflict`,
    inCalls("apiKeys", (sound) => ({
      create: (key) => sound.create(key).catch(() => Promise.reject(conflict(key[field]))),
      rotate: (rotation) =>
        sound.rotate(rotation).catch(() => Promise.reject(conflict(rotation.successor[field]))),
    })),
  ])),

  "answers null for a key that is unknown": inRules("apiKeys", (sound) => ({
    get: (keyId) => sound.get(keyId) ?? null as never,
    findByHash: (hash) => sound.findByHash(hash) ?? null as never,
  })),

  "finds live keys only": inRules("apiKeys", (sound) => {
    const live = (key: ApiKey | undefined) =>
      key && isLiveKey(key, new Date().toISOString()) ? key : undefined;
    return {
      findByHash: (hash) => live(sound.findByHash(hash)),
      get: (keyId) => live(sound.get(keyId)),
    };
  }),

  "removes keys that have expired": inRules("apiKeys", (sound) => ({
    create: (key) => key.expiresAt === key.createdAt ? undefined : sound.create(key),
  })),

  "sorts the scopes of a key": inRules("apiKeys", (sound) => ({
    create: (key) => sound.create({ ...key, scopes: [...key.scopes].sort() }),
    rotate: ({ successor, ...rest }) =>
      sound.rotate({ ...rest, successor: { ...successor, scopes: [...successor.scopes].sort() } }),
  })),

  "overwrites when a key was revoked": inRules("apiKeys", (sound, tables) => ({
    revoke(keyId, at) {
      const isKnown = sound.revoke(keyId, at);
      if (isKnown) assign(tables, { ...(sound.get(keyId))!, revokedAt: at });
      return isKnown;
    },
  })),

  "keeps the earliest time of a revocation, not the first": inRules("apiKeys", (sound, tables) => ({
    revoke(keyId, at) {
      const isKnown = sound.revoke(keyId, at);
      const key = sound.get(keyId);
      if (key && at < key.revokedAt!) assign(tables, { ...key, revokedAt: at });
      return isKnown;
    },
  })),

  "answers false for a key that was revoked before": inRules("apiKeys", (sound) => ({
    revoke: (keyId, at) => (sound.get(keyId))?.revokedAt === null && sound.revoke(keyId, at),
  })),

  "claims to have revoked a key that is unknown": inRules("apiKeys", (sound) => ({
    revoke: (keyId, at) => sound.revoke(keyId, at) || true,
  })),

  "reads a key some time before it revokes it": inCalls("apiKeys", (sound, tables) => ({
    async revoke(keyId, at) {
      const key = await sound.get(keyId);
      await turn();
      if (key?.revokedAt === null) assign(tables, { ...key, revokedAt: at });
      return key !== undefined;
    },
  })),

  "lets an older minute of use stand for a later one": touching((key, minute) =>
    key && { ...key, lastUsedAt: minute }
  ),

  "keeps the first minute of use": touching((key, minute) =>
    key && { ...key, lastUsedAt: key.lastUsedAt ?? minute }
  ),

  "rejects the use of a key that is unknown": touching((key, minute) => {
    if (key === undefined) throw new StorageError("conflict", "Cannot note the use of no key");
    return { ...key, lastUsedAt: minute };
  }),

  "reads a key some time before it notes its use": inCalls("apiKeys", (sound, tables) => ({
    async touch(keyId, minute) {
      const key = await sound.get(keyId);
      await turn();
      if (key) assign(tables, { ...key, lastUsedAt: minute });
    },
  })),
};

function touching(
  touch: (key: ApiKey | undefined, minute: string) => ApiKey | undefined,
): Fault {
  return inRules("apiKeys", (sound, tables) => ({
    touch(keyId, minute) {
      const key = touch(sound.get(keyId), minute);
      if (key) assign(tables, key);
    },
  }));
}

function assign(tables: Tables, key: ApiKey): void {
  tables.assign({
    table: "apiKeys",
    key: key.keyId,
    next: { ...key, scopes: [...key.scopes] },
  });
}
