import { assertEquals, equal } from "@std/assert";
import type { ApiKeyStorage } from "../../adapters/storage.ts";
import type { ApiKey, Scope } from "../../model/api_key.ts";
import type { ContractTests } from "../storage_contract.ts";
import { KEY_ENDS, macrotask, minute, ROTATIONS, sampleKey } from "./samples.ts";

const SEEN_WITHIN_MS = 1_000;

const LATE_CALLS: readonly (readonly [
  what: string,
  act: (apiKeys: ApiKeyStorage) => Promise<unknown>,
  outcome: unknown,
  change: Partial<ApiKey>,
])[] = [
  ["a touch", (keys) => keys.touch("k1", minute(2)), undefined, { lastUsedAt: minute(2) }],
  ["a revocation", (keys) => keys.revoke("k1", minute(41)), true, { revokedAt: minute(41) }],
  [
    "a rotation",
    (keys) =>
      keys.rotate({ keyId: "k1", at: minute(40), until: minute(50), successor: sampleKey("late") }),
    false,
    {},
  ],
];

/** Ways for an instance to write the key `k1`, of which it may then remember what it wrote. */
const OWN_WRITES: readonly (readonly [
  what: string,
  write: (own: ApiKeyStorage, other: ApiKeyStorage) => Promise<unknown>,
])[] = [
  ["it", (own) => own.create(sampleKey("k1"))],
  ["a touch", async (own, other) => {
    await other.create(sampleKey("k1"));
    await own.touch("k1", minute(1));
  }],
  ["it by a rotation", async (own, other) => {
    await other.create(sampleKey("k0"));
    await own.rotate({ keyId: "k0", at: minute(0), until: minute(1), successor: sampleKey("k1") });
  }],
];

/** Checks what `findByHash` may remember: keys are looked up for every request. */
export function testKeyLookUps({ test, testShared }: ContractTests): void {
  for (const { name, end, ended } of KEY_ENDS) {
    test(`findByHash tells of ${name} at once when the key was looked up before`, async ({ storage }) => {
      const key = sampleKey("k1");
      await storage.apiKeys.create(key);
      for (let i = 0; i < 2; i++) await storage.apiKeys.findByHash(key.hash);
      await end(storage, "k1");
      assertEquals(await storage.apiKeys.findByHash(key.hash), { ...key, ...ended });
    });

    test(`findByHash tells of ${name} at once when look-ups were under way`, async ({ storage }) => {
      for (let i = 0; i < 6; i++) {
        const key = sampleKey(`k${i}`);
        await storage.apiKeys.create(key);
        const find = () => storage.apiKeys.findByHash(key.hash);
        await Promise.all(await during(i, find, () => end(storage, key.keyId)));
        assertEquals(await find(), { ...key, ...ended });
      }
    });

    testShared(
      `findByHash tells of ${name} within 1 s when another instance made it`,
      async ({ storage, another }) => {
        const other = await another();
        const key = sampleKey("k1");
        await storage.apiKeys.create(key);
        assertEquals(await other.apiKeys.get("k1"), key);
        await other.apiKeys.findByHash(key.hash);
        await end(storage, "k1");
        await assertFoundInTime(other.apiKeys, { ...key, ...ended });
      },
    );
  }

  for (const { name, end, ended } of KEY_ENDS) {
    for (const [what, act, outcome, change] of LATE_CALLS) {
      testShared(
        `${name} stands when ${what} follows from an instance that looked the key up before`,
        async ({ storage, another }) => {
          const { apiKeys } = await another();
          const key = sampleKey("k1");
          await storage.apiKeys.create(key);
          await apiKeys.findByHash(key.hash);
          await end(storage, "k1");
          assertEquals(await act(apiKeys), outcome);
          assertEquals(await storage.apiKeys.get("k1"), { ...key, ...change, ...ended });
          assertEquals(await storage.apiKeys.get("late"), undefined);
        },
      );
    }

    for (const [what, write] of OWN_WRITES) {
      testShared(
        `findByHash tells of ${name} within 1 s when this instance had made ${what}`,
        async ({ storage, another }) => {
          const { apiKeys } = await another();
          await write(apiKeys, storage.apiKeys);
          await end(storage, "k1");
          const key = await storage.apiKeys.get("k1");
          assertEquals(key, { ...key!, ...ended });
          await assertFoundInTime(apiKeys, key!);
        },
      );
    }
  }

  test("findByHash finds each key for its own hash when many are looked up at once", async ({ storage }) => {
    const keys = Array.from({ length: 8 }, (_, i) => sampleKey(`k${i}`));
    const stored = keys.filter((_, i) => i % 2 === 1);
    for (const key of stored) await storage.apiKeys.create(key);
    const found = await Promise.all(keys.map(({ hash }) => storage.apiKeys.findByHash(hash)));
    assertEquals(found, keys.map((key) => stored.includes(key) ? key : undefined));
  });

  test("findByHash tells of a touch at once when the key was looked up before", async ({ storage }) => {
    const key = sampleKey("k1");
    await storage.apiKeys.create(key);
    await storage.apiKeys.findByHash(key.hash);
    await storage.apiKeys.touch("k1", minute(1));
    const found = await storage.apiKeys.findByHash(key.hash);
    assertEquals(found, { ...key, lastUsedAt: minute(1) });
  });

  test("findByHash finds a key as it is when an earlier result was changed", async ({ storage }) => {
    const key = sampleKey("k1");
    await storage.apiKeys.create({ ...key, scopes: [...key.scopes] });
    const found = await storage.apiKeys.findByHash(key.hash);
    // One that can't be changed is as good.
    if (!Object.isFrozen(found?.scopes)) (found?.scopes as Scope[]).push("*");
    assertEquals(await storage.apiKeys.findByHash(key.hash), key);
  });

  testShared(
    "get and list tell of a revocation at once when findByHash remembers",
    async ({ storage, another }) => {
      const other = await another();
      const key = sampleKey("k1");
      await storage.apiKeys.create(key);
      await other.apiKeys.findByHash(key.hash);
      await storage.apiKeys.revoke("k1", minute(1));
      const revoked = { ...key, revokedAt: minute(1) };
      assertEquals(await other.apiKeys.get("k1"), revoked);
      assertEquals(await other.apiKeys.list({ limit: 9 }), [revoked]);
    },
  );

  test("findByHash finds a key at once when it was missed before", async ({ storage }) => {
    const [key, successor] = [sampleKey("k1"), sampleKey("k2")];
    assertEquals(await storage.apiKeys.findByHash(key.hash), undefined);
    await storage.apiKeys.create(key);
    assertEquals(await storage.apiKeys.findByHash(key.hash), key);
    assertEquals(await storage.apiKeys.findByHash(successor.hash), undefined);
    await ROTATIONS[0].end(storage, "k1", successor);
    assertEquals(await storage.apiKeys.findByHash(successor.hash), successor);
  });

  testShared(
    "findByHash finds a key within 1 s when it was missed before another instance made it",
    async ({ storage, another }) => {
      const other = await another();
      const [key, successor] = [sampleKey("k1"), sampleKey("k2")];
      for (const { hash } of [key, successor]) {
        assertEquals(await other.apiKeys.findByHash(hash), undefined);
      }
      await storage.apiKeys.create(key);
      await assertFoundInTime(other.apiKeys, key);
      assertEquals(await other.apiKeys.findByHash(successor.hash), undefined);
      await ROTATIONS[0].end(storage, "k1", successor);
      await assertFoundInTime(other.apiKeys, successor);
    },
  );

  test("findByHash finds a key at once when look-ups were under way", async ({ storage }) => {
    for (let i = 0; i < 6; i++) {
      const key = sampleKey(`k${i}`);
      const find = () => storage.apiKeys.findByHash(key.hash);
      await Promise.all(await during(i, find, () => storage.apiKeys.create(key)));
      assertEquals(await find(), key);
    }
  });
}

/** Checks that the key is found as it is expected, once another instance had time to tell. */
async function assertFoundInTime(apiKeys: ApiKeyStorage, expected: ApiKey): Promise<void> {
  const deadline = performance.now() + SEEN_WITHIN_MS;
  let found = await apiKeys.findByHash(expected.hash);
  while (!equal(found, expected) && performance.now() < deadline) {
    await macrotask();
    found = await apiKeys.findByHash(expected.hash);
  }
  assertEquals(found, expected);
}

/** Makes a call before another one, and where `i` is odd again until that has settled. */
async function during<T>(
  i: number,
  call: () => T,
  other: () => Promise<unknown>,
): Promise<readonly T[]> {
  const calls = [call()];
  let isUnderWay = true;
  const made = other().finally(() => isUnderWay = false);
  // What a later call finds would replace what an early one left behind.
  while (i % 2 === 1 && isUnderWay) {
    calls.push(call());
    await macrotask();
  }
  await made;
  return calls;
}
