import { assert, assertEquals } from "@std/assert";
import type { ApiKeyStorage } from "../../adapters/storage.ts";
import type { ApiKey } from "../../model/api_key.ts";
import type { ContractTests } from "../storage_contract.ts";
import {
  assertStorageError,
  DIFFICULT_TEXT,
  minute,
  ROTATIONS,
  sampleKey,
  TEXTS,
} from "./samples.ts";

/** What keys may have in common. */
const COMMON: Partial<ApiKey> = { name: "CI", hint: "bc_AbCd", expiresAt: minute(50) };

/** What a successor may have, beside the old key of {@linkcode COMMON}. */
const SUCCESSORS: Readonly<Record<string, Partial<ApiKey>>> = {
  "all but identifier and hash in common with the old key": COMMON,
  "an end and scopes of its own": {
    expiresAt: minute(70),
    scopes: ["subscriptions:write", "keys:write", "boards:read"],
  },
};

/** When the old key ends after a rotation with an overlap until minute 30. */
const OVERLAPS = [
  ["until then when it had no end", null, minute(30)],
  ["no longer than it would have", minute(10), minute(10)],
  ["until then when it would have lived longer", minute(50), minute(30)],
] as const;

export function testApiKeys({ test, testReopened }: ContractTests): void {
  test("a key is found by hash and by identifier, text exactly", async ({ storage }) => {
    const key = sampleKey("k1", { name: DIFFICULT_TEXT, scopes: ["*"], expiresAt: minute(9) });
    await storage.apiKeys.create(key);
    assertEquals(await storage.apiKeys.findByHash(key.hash), key);
    assertEquals(await storage.apiKeys.get("k1"), key);
  });

  test("a key has its name as text whatever that looks like", async ({ storage: { apiKeys } }) => {
    for (const [i, name] of TEXTS.entries()) {
      await apiKeys.create(sampleKey(`k${i}`, { name }));
      assertEquals((await apiKeys.get(`k${i}`))?.name, name);
    }
  });

  test("an unknown hash or identifier is undefined", async ({ storage }) => {
    await storage.apiKeys.create(sampleKey("k1"));
    assertEquals(await storage.apiKeys.findByHash(sampleKey("k2").hash), undefined);
    assertEquals(await storage.apiKeys.get("K1"), undefined);
  });

  test("create adds a key when it differs from another in identifier and hash alone", async ({ storage }) => {
    const keys = ["k1", "k2"].map((keyId) => sampleKey(keyId, COMMON));
    for (const key of keys) await storage.apiKeys.create(key);
    assertEquals(await storage.apiKeys.list({ limit: 9 }), keys);
  });

  test("create rejects with conflict when identifier or hash is taken", async ({ storage }) => {
    const key = sampleKey("k1");
    await storage.apiKeys.create(key);
    const [sameId, sameHash] = [sampleKey("k1"), sampleKey("k2", { hash: key.hash })];
    for (const taken of [sameId, sameHash]) {
      await assertStorageError(() => storage.apiKeys.create(taken), "conflict");
    }
    assertEquals(await storage.apiKeys.list({ limit: 9 }), [key]);
    assertEquals(await storage.apiKeys.findByHash(key.hash), key);
    await assertFree(storage.apiKeys, sameId.hash, "k2");
  });

  test("a conflict names neither hash nor name of the key", async ({ storage: { apiKeys } }) => {
    const key = sampleKey("k1", { name: "Nightly build" });
    const rotation = { keyId: "k1", at: minute(1), until: minute(1), successor: key };
    await apiKeys.create(key);
    for (const call of [() => apiKeys.create(key), () => apiKeys.rotate(rotation)]) {
      const { message } = await assertStorageError(call, "conflict");
      for (const text of [key.hash, key.name]) assert(!message.includes(text), message);
    }
  });

  test("create rejects with conflict when the hash is that of a revoked key", async ({ storage }) => {
    const key = sampleKey("k1");
    await storage.apiKeys.create(key);
    await storage.apiKeys.revoke("k1", minute(1));
    const again = sampleKey("k2", { hash: key.hash });
    await assertStorageError(() => storage.apiKeys.create(again), "conflict");
    assertEquals(await storage.apiKeys.get("k2"), undefined);
  });

  test("list is in byte order, page by page", async ({ storage }) => {
    const keyIds = ["b", "a", "B", "A", "0", "aa", "zZ", "Zz"];
    for (const keyId of keyIds) await storage.apiKeys.create(sampleKey(keyId));
    const first = await storage.apiKeys.list({ limit: 5 });
    const rest = await storage.apiKeys.list({ after: first[4].keyId, limit: 5 });
    assertEquals([...first, ...rest].map((key) => key.keyId), [...keyIds].sort());
  });

  test("list goes on after a key that never was", async ({ storage }) => {
    for (const keyId of ["a", "aa", "c", "e"]) await storage.apiKeys.create(sampleKey(keyId));
    for (const [after, ...expected] of [["", "a", "aa"], ["a0", "aa", "c"], ["d", "e"], ["f"]]) {
      const listed = await storage.apiKeys.list({ after, limit: 2 });
      assertEquals(listed.map((key) => key.keyId), expected);
    }
  });

  test("a key that expired long ago stays on record", async ({ storage: { apiKeys } }) => {
    const past = "2001-01-01T00:00:00.000Z";
    const key = sampleKey("k1", { createdAt: past, expiresAt: past });
    await apiKeys.create(key);
    assertEquals(await apiKeys.findByHash(key.hash), key);
    assertEquals(await apiKeys.get("k1"), key);
    assertEquals(await apiKeys.list({ limit: 9 }), [key]);
    await assertStorageError(() => apiKeys.create(key), "conflict");
    assertEquals(await apiKeys.revoke("k1", minute(1)), true);
  });

  test("revoke keeps the time of the first revocation, whenever the second one is", async ({ storage }) => {
    const key = sampleKey("k1");
    await storage.apiKeys.create(key);
    for (const at of [5, 1, 6]) assertEquals(await storage.apiKeys.revoke("k1", minute(at)), true);
    const revoked = { ...key, revokedAt: minute(5) };
    assertEquals(await storage.apiKeys.findByHash(key.hash), revoked);
    assertEquals(await storage.apiKeys.get("k1"), revoked);
    assertEquals(await storage.apiKeys.revoke("none", minute(1)), false);
  });

  test("rotate without overlap revokes the old key", async ({ storage }) => {
    const old = sampleKey("old");
    const successor = sampleKey("new", { createdAt: minute(1) });
    await storage.apiKeys.create(old);
    await storage.apiKeys.touch("old", minute(0));
    const rotation = { keyId: "old", at: minute(1), until: minute(1), successor };
    assertEquals(await storage.apiKeys.rotate(rotation), true);
    const revoked = { ...old, lastUsedAt: minute(0), revokedAt: minute(1) };
    assertEquals(await storage.apiKeys.findByHash(old.hash), revoked);
    assertEquals(await storage.apiKeys.findByHash(successor.hash), successor);
  });

  for (const [how, expiresAt, end] of OVERLAPS) {
    test(`rotate with overlap lets the old key live ${how}`, async ({ storage }) => {
      const old = sampleKey("old", { expiresAt });
      await storage.apiKeys.create(old);
      const successor = sampleKey("new");
      const rotation = { keyId: "old", at: minute(1), until: minute(30), successor };
      assertEquals(await storage.apiKeys.rotate(rotation), true);
      assertEquals(await storage.apiKeys.get("old"), { ...old, expiresAt: end });
    });
  }

  test("rotate changes nothing when the old key is unknown, revoked or expired", async ({ storage }) => {
    await storage.apiKeys.create(sampleKey("expired", { expiresAt: minute(1) }));
    await storage.apiKeys.create(sampleKey("revoked", { revokedAt: minute(0) }));
    const before = await storage.apiKeys.list({ limit: 9 });
    for (const keyId of ["none", "expired", "revoked"]) {
      const successor = sampleKey("new");
      const rotation = { keyId, at: minute(1), until: minute(1), successor };
      assertEquals(await storage.apiKeys.rotate(rotation), false);
      assertEquals(await storage.apiKeys.findByHash(successor.hash), undefined);
      assertEquals(await storage.apiKeys.rotate({ ...rotation, successor: before[0] }), false);
    }
    assertEquals(await storage.apiKeys.list({ limit: 9 }), before);
  });

  for (const { name, end } of ROTATIONS) {
    for (const [what, rest] of Object.entries(SUCCESSORS)) {
      test(`${name} stores the successor as it is when it has ${what}`, async ({ storage }) => {
        const successor = sampleKey("new", rest);
        await storage.apiKeys.create(sampleKey("old", COMMON));
        assertEquals(await end(storage, "old", successor), true);
        assertEquals(await storage.apiKeys.get("new"), successor);
        assertEquals(await storage.apiKeys.findByHash(successor.hash), successor);
      });
    }

    test(`${name} changes nothing when the successor is taken`, async ({ storage }) => {
      const [old, other, revoked] = ["old", "other", "revoked"].map((keyId) => sampleKey(keyId));
      for (const key of [old, other, revoked]) await storage.apiKeys.create(key);
      await storage.apiKeys.revoke("revoked", minute(0));
      const before = await storage.apiKeys.list({ limit: 9 });
      for (const taken of [old, other, revoked]) {
        for (const successor of [sampleKey(taken.keyId), sampleKey("new", { hash: taken.hash })]) {
          await assertStorageError(() => end(storage, "old", successor), "conflict");
          assertEquals(await storage.apiKeys.list({ limit: 9 }), before);
        }
      }
      assertEquals(await storage.apiKeys.findByHash(old.hash), old);
      const sameId = sampleKey("other");
      await assertStorageError(() => end(storage, "old", sameId), "conflict");
      await assertFree(storage.apiKeys, sameId.hash, "new");
    });
  }

  test("one of many concurrent rotations wins", async ({ storage }) => {
    await storage.apiKeys.create(sampleKey("old"));
    const rotated = await Promise.all(Array.from({ length: 8 }, (_, i) =>
      storage.apiKeys.rotate({
        keyId: "old",
        at: minute(1),
        until: minute(1),
        successor: sampleKey(`new${i}`),
      })));
    assertEquals(rotated.filter(Boolean).length, 1);
    assertEquals((await storage.apiKeys.list({ limit: 9 })).length, 2);
  });

  test("touch notes the latest minute, and passes over unknown keys", async ({ storage }) => {
    const key = sampleKey("k1");
    await storage.apiKeys.create(key);
    await storage.apiKeys.touch("k1", minute(3));
    await storage.apiKeys.touch("k1", minute(2));
    await storage.apiKeys.touch("none", minute(3));
    assertEquals(await storage.apiKeys.get("k1"), { ...key, lastUsedAt: minute(3) });
    assertEquals((await storage.apiKeys.list({ limit: 9 })).length, 1);
  });

  testReopened("keys are as they were left when reopened", async ({ storage, reopen }) => {
    const old = sampleKey("old", { name: DIFFICULT_TEXT });
    const successor = sampleKey("new", { scopes: ["*"], expiresAt: minute(90) });
    await storage.apiKeys.create(old);
    await storage.apiKeys.rotate({ keyId: "old", at: minute(1), until: minute(30), successor });
    await storage.apiKeys.revoke("new", minute(2));
    await storage.apiKeys.touch("old", minute(3));
    const before = await storage.apiKeys.list({ limit: 9 });
    assertEquals(before.map(({ lastUsedAt }) => lastUsedAt), [null, minute(3)]);
    const again = await reopen();
    assertEquals(await again.apiKeys.list({ limit: 9 }), before);
    assertEquals((await again.apiKeys.findByHash(successor.hash))?.revokedAt, minute(2));
    for (const taken of [sampleKey("old"), sampleKey("other", { hash: old.hash })]) {
      await assertStorageError(() => again.apiKeys.create(taken), "conflict");
    }
  });
}

/** Checks that a hash is unknown, and that a new key may have it. */
async function assertFree(apiKeys: ApiKeyStorage, hash: string, keyId: string): Promise<void> {
  assertEquals(await apiKeys.findByHash(hash), undefined);
  const key = sampleKey(keyId, { hash });
  await apiKeys.create(key);
  assertEquals(await apiKeys.findByHash(hash), key);
}
