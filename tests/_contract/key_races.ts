import { assert, assertEquals, equal } from "@std/assert";
import type { Storage } from "../../adapters/storage.ts";
import type { ApiKey } from "../../model/api_key.ts";
import type { ContractTests } from "../storage_contract.ts";
import { prepare, race, RACES } from "./racing.ts";
import { KEY_ENDS, minute, ROTATIONS, sampleKey, testPair, watch } from "./samples.ts";

/** Checks the same of calls for keys: a key ends once, and its successor is there or not. */
export function testKeyRaces(tests: ContractTests): void {
  for (const { name, end, ended } of KEY_ENDS) {
    testPair(tests, `${name} stands when touch races it`, async (one, two) => {
      const keys = await prepare((i) => createKey(one, i));
      await Promise.all(keys.map(async (key, i) => {
        const [isEnded] = await race(
          i,
          () => end(one, key.keyId),
          () => two.apiKeys.touch(key.keyId, minute(2)),
        );
        assertEquals(isEnded, true);
        const stored = await one.apiKeys.get(key.keyId);
        // The note may be lost.
        const lastUsedAt = stored?.lastUsedAt ?? null;
        assertEquals(stored, { ...key, ...ended, lastUsedAt });
        assert(lastUsedAt === null || lastUsedAt === minute(2), `${lastUsedAt}`);
      }));
    });
  }

  for (const { name, end, ended } of ROTATIONS) {
    testPair(tests, `${name} leaves the key revoked when revoke races it`, async (one, two) => {
      const keys = await prepare((i) => createKey(one, i));
      await Promise.all(keys.map(async (key, i) => {
        const successor = sampleKey(`${key.keyId}-next`);
        const [rotated, revoked] = await race(
          i,
          () => end(one, key.keyId, successor),
          () => two.apiKeys.revoke(key.keyId, minute(2)),
        );
        assertEquals(revoked, true);
        const expected = { ...key, revokedAt: minute(2), ...(rotated && ended) };
        assertEquals(await one.apiKeys.get(key.keyId), expected);
        assertEquals(await one.apiKeys.get(successor.keyId), rotated ? successor : undefined);
      }));
    });

    testPair(tests, `${name} is never listed half done`, async (one, two) => {
      const old = await createKey(one, 0);
      const successor = sampleKey("a");
      const seen = await watch(
        () => two.apiKeys.list({ limit: 9 }),
        () => end(one, old.keyId, successor),
      );
      for (const listed of seen) {
        assertEquals(listed, equal(listed, [old]) ? [old] : [successor, { ...old, ...ended }]);
      }
    });

    tests.test(`${name} is never found half done`, async ({ storage }) => {
      const old = await createKey(storage, 0);
      const successor = sampleKey("a");
      const find = async ({ hash }: ApiKey) => await storage.apiKeys.findByHash(hash);
      const seen = await watch(
        async () => [await find(old), await find(successor), await find(old)],
        () => end(storage, old.keyId, successor),
      );
      for (const [before, next, after] of seen) {
        if (!equal(before, old)) assertEquals(next, successor);
        if (next !== undefined) assertEquals(after, { ...old, ...ended });
      }
    });
  }

  testPair(tests, "one of two rotations without overlap wins when they race", async (one, two) => {
    const keys = await prepare((i) => createKey(one, i));
    await Promise.all(keys.map(async (key, i) => {
      const [a, b] = [sampleKey(`${key.keyId}-a`), sampleKey(`${key.keyId}-b`)];
      const won = await race(
        i,
        () => ROTATIONS[0].end(one, key.keyId, a),
        () => ROTATIONS[0].end(two, key.keyId, b),
      );
      assertEquals(won.filter(Boolean).length, 1);
      for (const [j, successor] of [a, b].entries()) {
        assertEquals(
          await one.apiKeys.get(successor.keyId),
          won[j] ? successor : undefined,
        );
      }
    }));
  });

  testPair(tests, "the sooner end stands when rotations with overlap race", async (one, two) => {
    const keys = await prepare((i) => createKey(one, i));
    await Promise.all(keys.map(async ({ keyId }, i) => {
      const rotate = ({ apiKeys }: Storage, until: number) => {
        const successor = sampleKey(`${keyId}-${until}`);
        return apiKeys.rotate({ keyId, at: minute(1), until: minute(until), successor });
      };
      assertEquals(await race(i, () => rotate(one, 20), () => rotate(two, 30)), [true, true]);
      assertEquals((await one.apiKeys.get(keyId))?.expiresAt, minute(20));
    }));
  });

  testPair(tests, "the loser of two creations leaves nothing when they race", async (one, two) => {
    await Promise.all(RACES.map(async (i) => {
      const [a, b] = [sampleKey(`key${i}`), sampleKey(`key${i}`)];
      const codes = await race(
        i,
        () => outcomeOf(one.apiKeys.create(a)),
        () => outcomeOf(two.apiKeys.create(b)),
      );
      const loser = codes[0] === "done" ? b : a;
      const free = { ...loser, keyId: `${loser.keyId}-free` };
      await one.apiKeys.create(free);
      assertEquals(await one.apiKeys.findByHash(loser.hash), free);
    }));
  });

  for (const taken of ["keyId", "hash"] as const) {
    for (const by of ["create", "rotate"]) {
      testPair(
        tests,
        `create and ${by} conflict when they race for one ${taken}`,
        async (one, two) => {
          const keys = await prepare((i) => createKey(one, i));
          await Promise.all(keys.map(async (old, i) => {
            const a = sampleKey(`${old.keyId}-a`);
            const b = sampleKey(`${old.keyId}-b`, { [taken]: a[taken] });
            const codes = await race(
              i,
              () => outcomeOf(one.apiKeys.create(a)),
              () =>
                outcomeOf(
                  by === "create" ? two.apiKeys.create(b) : ROTATIONS[0].end(two, old.keyId, b),
                ),
            );
            assertEquals(codes.toSorted(), ["conflict", "done"]);
            const winner = codes[0] === "done" ? a : b;
            assertEquals(await one.apiKeys.get(winner.keyId), winner);
            const isRotated = by === "rotate" && winner === b;
            const expected = isRotated ? { ...old, ...ROTATIONS[0].ended } : old;
            assertEquals(await one.apiKeys.get(old.keyId), expected);
          }));
          assertEquals((await one.apiKeys.list({ limit: 99 })).length, 2 * RACES.length);
        },
      );
    }
  }
}

async function createKey({ apiKeys }: Storage, i: number): Promise<ApiKey> {
  const key = sampleKey(`key${i}`);
  await apiKeys.create(key);
  return key;
}

function outcomeOf(call: Promise<unknown>): Promise<string> {
  return call.then(() => "done", (error) => error.code);
}
