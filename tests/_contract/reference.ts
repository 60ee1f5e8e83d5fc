import { assertEquals } from "@std/assert";
import { openMemoryStorage } from "../../adapters/memory.ts";
import type { Storage } from "../../adapters/storage.ts";
import type { ContractTests } from "../storage_contract.ts";
import { minute, sampleBoard, sampleChange, sampleKey } from "./samples.ts";

const STEPS = 300;

/** One random operation, to be run against several storages. */
type Operation = (storage: Storage) => Promise<unknown>;

/** Compares answer by answer with the reference implementation over random histories. */
export function testReference({ test, testReopened }: ContractTests): void {
  for (const seed of [1, 2, 3]) {
    test(`answers as the reference does over history ${seed}`, async ({ storage }) => {
      const reference = openMemoryStorage();
      for (const operation of history(seed)) {
        assertEquals(await operation(storage), await operation(reference));
      }
      assertEquals(await contents(storage), await contents(reference));
    });
  }

  testReopened("holds what the reference holds when reopened", async ({ storage, reopen }) => {
    const reference = openMemoryStorage();
    for (const operation of history(4)) {
      await Promise.all([operation(storage), operation(reference)]);
    }
    assertEquals(await contents(await reopen()), await contents(reference));
  });
}

/** All that is stored, read in every way: a way may have an index of its own. */
async function contents({ boards, subscriptions, apiKeys }: Storage): Promise<unknown> {
  const limit = 1_000;
  const found: unknown[] = [];
  for (const { boardId } of await boards.list({ limit })) {
    found.push(await boards.get(boardId), await boards.list({ after: boardId, limit }));
  }
  for (const subscribed of [undefined, true, false]) {
    for (const { userEmail } of await subscriptions.list({ subscribed, limit })) {
      found.push(
        await subscriptions.get(userEmail),
        await subscriptions.list({ after: userEmail, subscribed, limit }),
      );
    }
  }
  for (const { keyId, hash } of await apiKeys.list({ limit })) {
    found.push(
      await apiKeys.get(keyId),
      await apiKeys.findByHash(hash),
      await apiKeys.list({ after: keyId, limit }),
    );
  }
  return found;
}

function* history(seed: number): Iterable<Operation> {
  const random = createRandom(seed);
  const pick = (count: number) => Math.floor(random() * count);
  for (let step = 0; step < STEPS; step++) yield createOperation(pick, minute(step));
}

function createOperation(pick: (count: number) => number, at: string): Operation {
  const boardId = `board${pick(5)}`;
  const userEmail = `user${pick(8)}@example.com`;
  const keyId = `key${pick(6)}`;
  switch (pick(12)) {
    case 0:
      return (storage) => storage.boards.create(sampleBoard(boardId, { updatedAt: at }));
    case 1: {
      const next = { name: at, url: pick(2) ? null : "https://example.com/", updatedAt: at };
      return async ({ boards }) => {
        const current = await boards.get(boardId);
        return current && await boards.replace(current, { ...current, ...next });
      };
    }
    case 2:
      return async ({ boards }) => {
        const current = await boards.get(boardId);
        return current && await boards.delete(current);
      };
    case 3:
      return (storage) => storage.subscriptions.erase(userEmail);
    case 4: {
      const query = { after: userEmail, limit: 1 + pick(4), subscribed: [true, false][pick(3)] };
      return (storage) => storage.subscriptions.list(query);
    }
    case 5: {
      const key = sampleKey(keyId, { expiresAt: pick(2) ? null : minute(pick(STEPS)) });
      return (storage) => storage.apiKeys.create(key).then(() => "created", (error) => error.code);
    }
    case 6: {
      const successor = sampleKey(`key${6 + pick(1_000_000)}`);
      const until = pick(2) ? at : minute(pick(STEPS) + STEPS);
      return (storage) => storage.apiKeys.rotate({ keyId, at, until, successor });
    }
    case 7:
      return (storage) => storage.apiKeys.revoke(keyId, at);
    case 8:
      return (storage) => storage.apiKeys.touch(keyId, at);
    default: {
      const change = sampleChange(userEmail, {
        at,
        subscribe: pick(2) === 0,
        userName: pick(3) === 0 ? `Name ${pick(3)}` : null,
        keepUnsubscribed: pick(3) === 0,
      });
      return async (storage) => {
        const { subscription, previous, changed } = await storage.subscriptions.put(change);
        return { subscription, previous, changed };
      };
    }
  }
}

/** A linear congruential generator (Numerical Recipes), so that each history can be repeated. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
