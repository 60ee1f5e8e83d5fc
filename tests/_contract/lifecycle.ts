import { assertEquals, assertRejects } from "@std/assert";
import process from "node:process";
import type { Storage, StorageError } from "../../adapters/storage.ts";
import type { ContractTests } from "./context.ts";
import { listKeys, macrotask, put } from "./calls.ts";
import { COUNTERS } from "./kinds.ts";

const RELEASE_MS = 1_000;

export function testLifecycle({ test, testReopened, testShared }: ContractTests): void {
  test("every method but close rejects with closed once close was called", async ({ storage }) => {
    await put(storage, COUNTERS, { counterId: "a", value: 1 });
    const closed = storage.close();
    for (let round = 0; round < 2; round++) {
      for (const [method, call] of Object.entries(callsOf(storage))) {
        const error = await assertRejects(call, Error);
        // Compares names, because an adapter may import the class from another copy of the package.
        assertEquals(
          [error.name, (error as StorageError).code],
          ["StorageError", "closed"],
          method,
        );
      }
      await closed;
      await storage.close();
    }
  });

  test("close resolves once the calls under way have succeeded", async ({ storage }) => {
    const calls = Array.from({ length: 10 }, (_, i) => Object.values(callsOf(storage, i))).flat();
    let succeeded = 0;
    const failures: unknown[] = [];
    for (const call of calls) call().then(() => succeeded++, (error) => failures.push(error));
    await storage.close();
    // Callers must not rely on the order in which two promises resolve.
    await macrotask();
    assertEquals([succeeded, failures], [calls.length, []]);
  });

  testReopened("what is under way is stored before it closes", async ({ storage, reopen }) => {
    const made = Promise.all(Array.from({ length: 20 }, (_, i) => callsOf(storage, i).transact()));
    const [again] = await Promise.all([reopen(), made]);
    assertEquals((await listKeys(again, COUNTERS)).length, 20);
  });

  testShared("an instance works on when another one is closed", async ({ storage, another }) => {
    const other = await another();
    await other.ping();
    await other.close();
    for (const call of Object.values(callsOf(storage))) await call();
  });

  testReopened("close leaves no connection and no timer", async ({ storage, reopen }) => {
    await Promise.all(Object.values(callsOf(storage)).map((call) => call()));
    await storage.close();
    await macrotask(100);
    // Resources of the test and its runtime are open already. Bun lists none.
    const before = process.getActiveResourcesInfo();
    const again = await reopen();
    await Promise.all(Object.values(callsOf(again)).map((call) => call()));
    await again.close();
    const end = performance.now() + RELEASE_MS;
    while (openedSince(before).length > 0 && performance.now() < end) await macrotask(10);
    assertEquals(openedSince(before), []);
  });
}

/** Returns the resources that keep the process alive and were not open before. */
function openedSince(before: readonly string[]): string[] {
  const rest = [...before];
  return process.getActiveResourcesInfo().filter((name) => {
    const at = rest.indexOf(name);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}

/** Calls each method except `close`; all of these calls succeed. */
function callsOf(storage: Storage, i = 0): Record<string, () => Promise<unknown>> {
  return {
    get: () => storage.get(COUNTERS, "a"),
    list: () => storage.list(COUNTERS, { limit: 9 }),
    transact: () => put(storage, COUNTERS, { counterId: `k${i}`, value: i }),
    ping: () => storage.ping(),
  };
}
