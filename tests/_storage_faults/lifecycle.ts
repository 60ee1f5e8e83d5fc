import { openTables, type Tables } from "../../adapters/_tables.ts";
import { type Storage, StorageError, type StorageErrorCode } from "../../adapters/storage.ts";
import { changeCalls, type Fault, type Faults, inAllCalls, inCalls, turn } from "./fault.ts";

const closedStores = new WeakSet<Tables>();

/** A fault of an instance as a whole. */
function inInstance(change: (sound: Storage) => Partial<Storage>): Fault {
  return (tables) => {
    const sound = openTables(tables);
    return { ...sound, ...change(sound) };
  };
}

/** Faults of closing, of pings and of errors. */
export const LIFECYCLE_FAULTS: Faults = {
  "answers a ping with a word": inInstance(() => ({
    ping: () => Promise.resolve("pong") as Promise<never>,
  })),
  "rejects every ping": inInstance(() => ({
    ping: () => Promise.reject(new StorageError("unavailable", "Cannot take writes")),
  })),
  "answers a ping after it was closed": inInstance(() => ({ ping: () => Promise.resolve() })),

  "rejects when it is closed again": inInstance((sound) => ({
    close: () => sound.ping().then(sound.close),
  })),

  "answers after it was closed": inInstance(() => ({ close: () => Promise.resolve() })),

  "takes calls while it closes": inInstance((sound) => ({
    close: () => turn().then(sound.close),
  })),

  "closes before calls that are under way have finished": inCalls("apiKeys", (sound) => ({
    async touch(keyId, minute) {
      await sound.touch(keyId, minute);
      for (let i = 0; i < 5; i++) await new Promise((resolve) => setTimeout(resolve));
    },
  })),

  "drops calls that are under way when it is closed": (tables) => {
    const sound = openTables(tables);
    return changeCalls(sound, (call) => async (...input) => {
      const answer = await call(...structuredClone(input));
      await turn();
      await sound.ping();
      return answer;
    });
  },

  "rejects a closing with the failure of a call": (tables) => {
    const sound = openTables(tables);
    const underWay = new Set<Promise<unknown>>();
    return {
      ...changeCalls(sound, (call) => (...input) => {
        const answer = call(...input);
        underWay.add(answer);
        const forget = () => underWay.delete(answer);
        answer.then(forget, forget);
        return answer;
      }),
      async close() {
        await Promise.all([sound.close(), ...underWay]);
      },
    };
  },

  "closes all instances with one": (tables) => {
    const sound = openTables(tables);
    const storage = changeCalls(sound, (call) => async (...input) => {
      if (closedStores.has(tables)) await sound.close();
      return call(...input);
    });
    return {
      ...storage,
      close() {
        closedStores.add(tables);
        return sound.close();
      },
    };
  },

  "rejects with errors that are none of storage": inAllCalls((call) => (...input) =>
    call(...input).catch(({ code, message }) => {
      throw Object.assign(new Error(message), { code });
    })
  ),

  ...Object.fromEntries(
    (["conflict", "closed"] satisfies StorageErrorCode[]).map((code) => [
      `rejects with unavailable in place of ${code}`,
      inAllCalls((call) => (...input) =>
        call(...input).catch((error) => {
          throw error.code === code ? new StorageError("unavailable", error.message) : error;
        })
      ),
    ]),
  ),

  "throws where it must reject": (tables) => {
    const sound = openTables(tables);
    let closed = false;
    return {
      ...changeCalls(sound, (call) => (...input) => {
        if (closed) throw new StorageError("closed", "Cannot use storage that was closed");
        return call(...input);
      }),
      close() {
        closed = true;
        return sound.close();
      },
    };
  },
};
