import { createTables, openTables, type Tables } from "../../adapters/_tables.ts";
import { StorageError } from "../../adapters/storage.ts";
import type { ApiKey } from "../../model/api_key.ts";
import type { Subscription } from "../../model/subscription.ts";
import { changeCalls, type Faults, inAllCalls, inCalls, isRead, turn } from "./fault.ts";

/** How often each store was changed. */
const versions = new WeakMap<Tables, number>();

/** Faults between instances, and between calls. */
export const INSTANCE_FAULTS: Faults = {
  "shares nothing with other instances": () => openTables(createTables()),

  "forgets everything when it is closed": (tables) => {
    const sound = openTables(tables);
    return {
      ...sound,
      close() {
        const all = { limit: Infinity };
        for (const { boardId: key } of tables.boards.list(all)) {
          tables.assign({ table: "boards", key });
        }
        for (const { userEmail: key } of tables.subscriptions.list(all)) {
          tables.assign({ table: "subscriptions", key });
        }
        for (const { keyId: key } of tables.apiKeys.list(all)) {
          tables.assign({ table: "apiKeys", key });
        }
        return sound.close();
      },
    };
  },

  "knows erased addresses again when it is closed": (tables) => {
    const sound = openTables(tables);
    const erased: Subscription[] = [];
    return {
      ...sound,
      subscriptions: {
        ...sound.subscriptions,
        erase(userEmail) {
          erased.push(...[tables.subscriptions.get(userEmail)].filter((one) => one !== undefined));
          return sound.subscriptions.erase(userEmail);
        },
      },
      close() {
        for (const next of erased) {
          tables.assign({ table: "subscriptions", key: next.userEmail, next });
        }
        return sound.close();
      },
    };
  },

  "remembers what it has read until it writes": (tables) => {
    const read = new Map<string, Promise<unknown>>();
    return changeCalls(openTables(tables), (call, name) => (...input) => {
      const key = JSON.stringify([name, ...input]);
      if (name.endsWith("findByHash")) return call(...input);
      if (!isRead(name)) read.clear();
      const answer = read.get(key) ?? call(...input);
      if (isRead(name)) read.set(key, answer);
      return answer;
    });
  },

  "refuses changes of what others have changed since it was read": (tables) => {
    let seen: number | undefined;
    return changeCalls(openTables(tables), (call, name) => (...input) => {
      const version = versions.get(tables) ?? 0;
      if (isRead(name)) seen = version;
      else if ((seen ??= version) !== version) {
        return Promise.reject(new StorageError("conflict", "Cannot change what others changed"));
      } else versions.set(tables, seen = version + 1);
      return call(...input);
    });
  },

  "stores in turns what it is given in one": inAllCalls((call, name) => async (...input) => {
    if (!isRead(name)) await turn();
    return call(...input);
  }),

  "reads after the changes that follow": inAllCalls((call, name) => async (...input) => {
    if (isRead(name)) await turn();
    return call(...input);
  }),
};

/** Faults of what instances remember of keys. */
export const LOOK_UP_FAULTS: Faults = {
  "never forgets which keys it found by hash": inCalls("apiKeys", (sound) => {
    const found = new Map<string, ApiKey>();
    return {
      async findByHash(hash) {
        const key = found.get(hash) ?? await sound.findByHash(hash);
        if (key !== undefined) found.set(hash, key);
        return key;
      },
    };
  }),

  "never forgets which hashes it missed": inCalls("apiKeys", (sound) => {
    const missed = new Set<string>();
    return {
      async findByHash(hash) {
        const key = missed.has(hash) ? undefined : await sound.findByHash(hash);
        if (key === undefined) missed.add(hash);
        return key;
      },
    };
  }),

  "forgets what it found by hash when it writes, and else never": (tables) => {
    const found = new Map<unknown, Promise<unknown>>();
    return changeCalls(openTables(tables), (call, name) => (...input) => {
      if (!isRead(name)) found.clear();
      if (name !== "apiKeys.findByHash") return call(...input);
      if (!found.has(input[0])) found.set(input[0], call(...input));
      return found.get(input[0])!;
    });
  },

  "finds by hash for ever what it wrote": inCalls("apiKeys", (sound) => {
    const written = new Map<string, ApiKey>();
    async function note(keyId: string): Promise<void> {
      const key = await sound.get(keyId);
      if (key !== undefined) written.set(key.hash, key);
    }
    return {
      create: (key) => sound.create(key).then(() => note(key.keyId)),
      touch: (keyId, minute) => sound.touch(keyId, minute).then(() => note(keyId)),
      async revoke(keyId, at) {
        const isDone = await sound.revoke(keyId, at);
        await note(keyId);
        return isDone;
      },
      async rotate(rotation) {
        const isDone = await sound.rotate(rotation);
        for (const keyId of [rotation.keyId, rotation.successor.keyId]) await note(keyId);
        return isDone;
      },
      findByHash: async (hash) => written.get(hash) ?? await sound.findByHash(hash),
    };
  }),

  "remembers a look-up that a change overtook": (tables) => {
    const found = new Map<unknown, unknown>();
    return changeCalls(openTables(tables), (call, name) => async (...input) => {
      if (name === "apiKeys.findByHash") {
        if (found.has(input[0])) return found.get(input[0]);
        const key = await call(...input);
        await turn();
        found.set(input[0], key);
        return key;
      }
      if (isRead(name)) return call(...input);
      found.clear();
      const answer = await call(...input);
      found.clear();
      return answer;
    });
  },

  "answers all look-ups at once by the first one": inCalls("apiKeys", (sound) => {
    let underWay: Promise<ApiKey | undefined> | undefined;
    return {
      findByHash: (hash) =>
        underWay ??= sound.findByHash(hash).finally(() => {
          underWay = undefined;
        }),
    };
  }),

  "writes a key as it was when it was looked up": inCalls("apiKeys", (sound, tables) => {
    const found = new Map<string, ApiKey>();
    function write(keyId: string): void {
      const next = found.get(keyId);
      if (next) tables.assign({ table: "apiKeys", key: keyId, next });
    }
    return {
      async findByHash(hash) {
        const key = await sound.findByHash(hash);
        if (key) found.set(key.keyId, key);
        return key;
      },
      touch(keyId, minute) {
        write(keyId);
        return sound.touch(keyId, minute);
      },
      revoke(keyId, at) {
        write(keyId);
        return sound.revoke(keyId, at);
      },
      rotate(rotation) {
        write(rotation.keyId);
        return sound.rotate(rotation);
      },
    };
  }),

  "answers every read of a key by what a look-up found": inCalls("apiKeys", (sound) => {
    const found = new Map<string, ApiKey>();
    return {
      async findByHash(hash) {
        const key = await sound.findByHash(hash);
        if (key) found.set(key.keyId, key);
        return key;
      },
      get: async (keyId) => found.get(keyId) ?? await sound.get(keyId),
      list: async (query) => (await sound.list(query)).map((key) => found.get(key.keyId) ?? key),
    };
  }),
};
