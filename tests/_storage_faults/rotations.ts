import type { Tables } from "../../adapters/_tables.ts";
import { StorageError } from "../../adapters/storage.ts";
import { type ApiKey, isLiveKey } from "../../model/api_key.ts";
import { type Faults, inCalls, inRules, turn } from "./fault.ts";

const conflict = (text: string) => new StorageError("conflict", `Cannot create the key ${text}`);

/** Faults of rotations of keys. */
export const ROTATION_FAULTS: Faults = {
  "gives a successor the end of the old key": inRules("apiKeys", (sound) => ({
    rotate({ successor, ...rest }) {
      const expiresAt = (sound.get(rest.keyId))?.expiresAt ?? successor.expiresAt;
      return sound.rotate({ ...rest, successor: { ...successor, expiresAt } });
    },
  })),

  "wants the name of a successor to differ": inRules("apiKeys", (sound) => ({
    rotate(rotation) {
      const old = sound.get(rotation.keyId);
      if (old?.name === rotation.successor.name) throw conflict("twice");
      return sound.rotate(rotation);
    },
  })),

  "rotates a key that has ended": inRules("apiKeys", (sound) => ({
    rotate(rotation) {
      if (sound.rotate(rotation)) return true;
      if (sound.get(rotation.keyId) === undefined) return false;
      sound.create(rotation.successor);
      return true;
    },
  })),

  "rotates a key that is unknown": inRules("apiKeys", (sound) => ({
    rotate(rotation) {
      if (sound.get(rotation.keyId)) return sound.rotate(rotation);
      sound.create(rotation.successor);
      return true;
    },
  })),

  "rotates a key in the millisecond in which it expires": inRules("apiKeys", (sound) => ({
    rotate(rotation) {
      const old = sound.get(rotation.keyId);
      const isLate = old?.expiresAt === rotation.at && old.revokedAt === null;
      if (!isLate) return sound.rotate(rotation);
      sound.create(rotation.successor);
      return true;
    },
  })),

  "refuses a taken successor of a key that has ended or is unknown": inRules(
    "apiKeys",
    (sound) => ({
      rotate(rotation) {
        const { keyId, hash } = rotation.successor;
        if (sound.get(keyId) ?? sound.findByHash(hash)) throw conflict("twice");
        return sound.rotate(rotation);
      },
    }),
  ),

  "ends the old key when its successor is refused": inRules("apiKeys", (sound, tables) => ({
    rotate(rotation) {
      const old = sound.get(rotation.keyId);
      try {
        return sound.rotate(rotation);
      } catch (error) {
        assign(tables, { ...old!, revokedAt: rotation.at });
        throw error;
      }
    },
  })),

  "leaves the hash of a successor that was refused": inRules("apiKeys", (sound) => {
    const hashes = new Set<string>();
    return {
      create(key) {
        if (hashes.has(key.hash)) throw conflict("again");
        sound.create(key);
      },
      rotate(rotation) {
        try {
          return sound.rotate(rotation);
        } catch (error) {
          hashes.add(rotation.successor.hash);
          throw error;
        }
      },
    };
  }),

  "lets a key expire that is rotated without overlap": inRules("apiKeys", (sound, tables) => ({
    rotate(rotation) {
      const isDone = sound.rotate(rotation);
      const old = sound.get(rotation.keyId);
      if (isDone && old?.revokedAt) {
        assign(tables, { ...old, revokedAt: null, expiresAt: rotation.at });
      }
      return isDone;
    },
  })),

  "revokes a key at once that is rotated with overlap": inRules("apiKeys", (sound) => ({
    rotate: (rotation) => sound.rotate({ ...rotation, until: rotation.at }),
  })),

  "lets a key live longer than it would for an overlap": inRules("apiKeys", (sound, tables) => ({
    rotate(rotation) {
      const isDone = sound.rotate(rotation);
      const old = sound.get(rotation.keyId);
      if (isDone && old?.expiresAt) assign(tables, { ...old, expiresAt: rotation.until });
      return isDone;
    },
  })),

  "lets an overlap end a key only that had no end": inRules("apiKeys", (sound, tables) => ({
    rotate(rotation) {
      const before = sound.get(rotation.keyId);
      const isDone = sound.rotate(rotation);
      const old = sound.get(rotation.keyId);
      if (isDone && before?.expiresAt) assign(tables, { ...old!, expiresAt: before.expiresAt });
      return isDone;
    },
  })),

  "looks at a key some time before it rotates it": inCalls("apiKeys", (sound, tables) => ({
    async rotate(rotation) {
      const { keyId, at, until, successor } = rotation;
      const old = await sound.get(keyId);
      await turn();
      if (!old || !isLiveKey(old, at)) return false;
      await sound.create(successor);
      const end = until === at ? { revokedAt: at } : { expiresAt: until };
      assign(tables, { ...old, ...(old.expiresAt !== null && old.expiresAt < until ? {} : end) });
      return true;
    },
  })),

  "ends a key some time before its successor is there": inCalls("apiKeys", (sound, tables) => ({
    async rotate(rotation) {
      if (!await sound.rotate(rotation)) return false;
      tables.assign({ table: "apiKeys", key: rotation.successor.keyId });
      await turn();
      assign(tables, rotation.successor);
      return true;
    },
  })),

  "adds a successor some time before the old key ends": inCalls("apiKeys", (sound, tables) => ({
    async rotate(rotation) {
      const old = await sound.get(rotation.keyId);
      if (!await sound.rotate(rotation)) return false;
      const ended = await sound.get(rotation.keyId);
      assign(tables, old!);
      await turn();
      assign(tables, ended!);
      return true;
    },
  })),
};

function assign(tables: Tables, key: ApiKey): void {
  tables.assign({
    table: "apiKeys",
    key: key.keyId,
    next: { ...key, scopes: [...key.scopes] },
  });
}
