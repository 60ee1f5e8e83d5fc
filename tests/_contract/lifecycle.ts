import { assertEquals } from "@std/assert";
import type { Storage } from "../../adapters/storage.ts";
import type { ContractTests } from "../storage_contract.ts";
import {
  assertStorageError,
  macrotask,
  minute,
  sampleBoard,
  sampleChange,
  sampleKey,
} from "./samples.ts";

export function testLifecycle({ test, testReopened, testShared }: ContractTests): void {
  test("ping resolves while the storage is open", async ({ storage }) => {
    assertEquals(await storage.ping(), undefined);
  });

  test("close can be called again", async ({ storage }) => {
    await Promise.all([storage.close(), storage.close()]);
    await storage.close();
  });

  test("every call rejects with closed after close", async ({ storage }) => {
    await storage.close();
    for (const call of callsOfEveryKind(storage, "late")) {
      await assertStorageError(call, "closed");
    }
  });

  test("close resolves when the calls that were under way have succeeded", async ({ storage }) => {
    const calls = Array.from({ length: 10 }, (_, i) => callsOfEveryKind(storage, `id${i}`)).flat();
    let succeeded = 0;
    const failures: unknown[] = [];
    for (const call of calls) call().then(() => succeeded++, (error) => failures.push(error));
    await storage.close();
    // Whether a promise settles a step before another one is nothing that a caller relies on.
    await macrotask();
    assertEquals([succeeded, failures], [calls.length, []]);
  });

  test("a call made while it closes rejects with closed", async ({ storage }) => {
    const { boards, subscriptions } = storage;
    const calls = Array.from(
      { length: 20 },
      (_, i) => subscriptions.put(sampleChange(`user${i}@example.com`)),
    );
    const closed = storage.close();
    await assertStorageError(() => boards.get("ideas"), "closed");
    await assertStorageError(() => subscriptions.put(sampleChange("late@example.com")), "closed");
    await Promise.all([...calls, closed]);
  });

  test("close resolves when a call that was under way rejects", async ({ storage }) => {
    const key = sampleKey("k1");
    await storage.apiKeys.create(key);
    const taken = assertStorageError(() => storage.apiKeys.create(key), "conflict");
    await storage.close();
    await taken;
  });

  testShared("an instance works on when another one is closed", async ({ storage, another }) => {
    const other = await another();
    await other.ping();
    await other.close();
    for (const call of callsOfEveryKind(storage, "id")) await call();
  });

  testReopened("close finishes the calls that are under way", async ({ storage, reopen }) => {
    const changes = Array.from(
      { length: 50 },
      (_, i) => storage.subscriptions.put(sampleChange(`user${i}@example.com`)),
    );
    const closed = storage.close();
    const outcomes = await Promise.all(changes);
    await closed;
    assertEquals(outcomes.every((outcome) => outcome.changed), true);
    const again = await reopen();
    assertEquals((await again.subscriptions.list({ limit: 100 })).length, 50);
  });

  testReopened(
    "nothing is lost over many closings with writes between",
    async ({ storage, reopen }) => {
      let open = storage;
      for (let i = 0; i < 8; i++) {
        await open.subscriptions.put(
          sampleChange(`user${i}@example.com`, { subscribe: i % 2 === 0 }),
        );
        await open.boards.create(sampleBoard(`board${i}`));
        if (i > 0) await open.subscriptions.erase(`user${i - 1}@example.com`);
        open = await reopen();
        assertEquals((await open.subscriptions.list({ limit: 99 })).map((s) => s.userEmail), [
          `user${i}@example.com`,
        ]);
        assertEquals((await open.boards.list({ limit: 99 })).length, i + 1);
      }
    },
  );
}

/** A call of each method: a new one is an error of types until it is called. */
type CallsOf<Methods> = {
  readonly [Name in keyof Methods]: Methods[Name] extends (...input: never[]) => unknown
    ? () => Promise<unknown>
    : CallsOf<Methods[Name]>;
};

/** Calls of every kind, of which none fails when they are made in this order. */
function callsOfEveryKind(storage: Storage, id: string): (() => Promise<unknown>)[] {
  const { boards, subscriptions, apiKeys } = storage;
  const [board, key] = [sampleBoard(id), sampleKey(id)];
  const [at, userEmail] = [minute(0), `${id}@example.com`];
  const calls: CallsOf<Omit<Storage, "close">> = {
    boards: {
      create: () => boards.create(board),
      get: () => boards.get(id),
      list: () => boards.list({ limit: 9 }),
      replace: () => boards.replace(board, { ...board, name: "Next" }),
      delete: () => boards.delete(board),
    },
    subscriptions: {
      put: () => subscriptions.put(sampleChange(userEmail)),
      get: () => subscriptions.get(userEmail),
      list: () => subscriptions.list({ limit: 9 }),
      erase: () => subscriptions.erase(userEmail),
    },
    apiKeys: {
      create: () => apiKeys.create(key),
      get: () => apiKeys.get(id),
      findByHash: () => apiKeys.findByHash(key.hash),
      list: () => apiKeys.list({ limit: 9 }),
      touch: () => apiKeys.touch(id, at),
      rotate: () =>
        apiKeys.rotate({ keyId: id, at, until: at, successor: sampleKey(`${id}-next`) }),
      revoke: () => apiKeys.revoke(id, at),
    },
    ping: () => storage.ping(),
  };
  return Object.values(calls).flatMap((part) =>
    typeof part === "function" ? [part] : Object.values(part)
  );
}
