import { assert, assertEquals, equal } from "@std/assert";
import type { Storage } from "../../adapters/storage.ts";
import type { ApiKey } from "../../model/api_key.ts";
import type { Board } from "../../model/board.ts";
import { applySubscriptionChange } from "../../model/subscription.ts";
import type { ContractTests } from "../storage_contract.ts";
import {
  KEY_ENDS,
  minute,
  ROTATIONS,
  sampleBoard,
  sampleChange,
  sampleKey,
  testPair,
  watch,
} from "./samples.ts";

// Each race is run for many records at once, every other time with the second call first.
const RACES = Array.from({ length: 20 }, (_, i) => i);

/** Checks that of calls for one record, made at once, the end is that of some order of them. */
export function testRaces(tests: ContractTests): void {
  testBoardRaces(tests);
  testSubscriptionRaces(tests);
  testErasureRaces(tests);
  testKeyRaces(tests);
}

function testBoardRaces(tests: ContractTests): void {
  testPair(tests, "one of two replacements of a board wins when they race", async (one, two) => {
    const boards = await prepare((i) => createBoard(one, i));
    await Promise.all(boards.map(async ([current, a, b], i) => {
      const won = await race(
        i,
        () => one.boards.replace(current, a),
        () => two.boards.replace(current, b),
      );
      assertEquals(won.filter(Boolean).length, 1);
      assertEquals(await one.boards.get(current.boardId), won[0] ? a : b);
    }));
  });

  testPair(tests, "one of two creations of a board wins when they race", async (one, two) => {
    await Promise.all(RACES.map(async (i) => {
      const [a, b] = ["A", "B"].map((name) => sampleBoard(`board${i}`, { name }));
      const won = await race(i, () => one.boards.create(a), () => two.boards.create(b));
      assertEquals(won.filter(Boolean).length, 1);
      assertEquals(await one.boards.get(a.boardId), won[0] ? a : b);
    }));
  });

  testPair(tests, "one of two deletions of a board wins when they race", async (one, two) => {
    const boards = await prepare((i) => createBoard(one, i));
    await Promise.all(boards.map(async ([board], i) => {
      const won = await race(i, () => one.boards.delete(board), () => two.boards.delete(board));
      assertEquals(won.filter(Boolean).length, 1);
    }));
  });

  testPair(tests, "a board is replaced or deleted, not both, when these race", async (one, two) => {
    const boards = await prepare((i) => createBoard(one, i));
    await Promise.all(boards.map(async ([current, next], i) => {
      const [replaced, deleted] = await race(
        i,
        () => one.boards.replace(current, next),
        () => two.boards.delete(current),
      );
      assertEquals(replaced, !deleted);
      assertEquals(await one.boards.get(current.boardId), replaced ? next : undefined);
    }));
  });
}

function testSubscriptionRaces(tests: ContractTests): void {
  for (const known of [true, false]) {
    const name = `an opt-out of ${known ? "a known" : "a new"} address stands`;
    testPair(tests, `${name} when keepUnsubscribed races it`, async (one, two) => {
      const emails = RACES.map((i) => `user${i}@example.com`);
      if (known) await prepare((i) => one.subscriptions.put(sampleChange(emails[i])));
      await Promise.all(emails.map(async (userEmail, i) => {
        // A new name, so that there is something to write.
        const kept = sampleChange(userEmail, { keepUnsubscribed: true, userName: "Ann" });
        await race(
          i,
          () => one.subscriptions.put(sampleChange(userEmail, { subscribe: false })),
          () => two.subscriptions.put(kept),
        );
        const stored = await one.subscriptions.get(userEmail);
        assertEquals([stored?.subscribed, stored?.userName], [false, "Ann"]);
      }));
    });
  }

  testPair(tests, "put comes before erase or after it when they race", async (one, two) => {
    const emails = RACES.map((i) => `user${i}@example.com`);
    await prepare((i) => one.subscriptions.put(sampleChange(emails[i], { userName: "Ann" })));
    await Promise.all(emails.map(async (userEmail, i) => {
      const change = sampleChange(userEmail, { subscribe: false, at: minute(1) });
      const [{ previous }, erased] = await race(
        i,
        () => one.subscriptions.put(change),
        () => two.subscriptions.erase(userEmail),
      );
      assertEquals(erased, true);
      assertEquals(
        await one.subscriptions.get(userEmail),
        previous === undefined ? applySubscriptionChange(undefined, change) : undefined,
      );
    }));
  });
}

function testErasureRaces(tests: ContractTests): void {
  testPair(tests, "one of two erasures wins when they race", async (one, two) => {
    const emails = RACES.map((i) => `user${i}@example.com`);
    await prepare((i) => one.subscriptions.put(sampleChange(emails[i])));
    await Promise.all(emails.map(async (userEmail, i) => {
      const won = await race(
        i,
        () => one.subscriptions.erase(userEmail),
        () => two.subscriptions.erase(userEmail),
      );
      assertEquals(won.filter(Boolean).length, 1);
    }));
  });

  testPair(
    tests,
    "addresses are listed in the state that they are in after races",
    async (one, two) => {
      const emails = RACES.map((i) => `user${i}@example.com`);
      await prepare((i) => one.subscriptions.put(sampleChange(emails[i])));
      for (let round = 0; round < 3; round++) {
        await Promise.all(emails.flatMap((userEmail, i) => [
          one.subscriptions.put(sampleChange(userEmail, { subscribe: i % 2 === 0 })),
          two.subscriptions.put(sampleChange(userEmail, { subscribe: i % 2 === 1 })),
          ...(i % 4 === 3 ? [two.subscriptions.erase(userEmail)] : []),
        ]));
        const all = await one.subscriptions.list({ limit: 99 });
        for (const subscribed of [true, false]) {
          assertEquals(
            await two.subscriptions.list({ subscribed, limit: 99 }),
            all.filter((subscription) => subscription.subscribed === subscribed),
          );
        }
      }
    },
  );
}

function testKeyRaces(tests: ContractTests): void {
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

/** Makes what is to be raced for: where calls wait for each other, one that is made later races none. */
function prepare<T>(make: (i: number) => Promise<T>): Promise<T[]> {
  return Promise.all(RACES.map(make));
}

async function createBoard({ boards }: Storage, i: number): Promise<readonly Board[]> {
  const versions = ["Now", "A", "B"].map((name) => sampleBoard(`board${i}`, { name }));
  await boards.create(versions[0]);
  return versions;
}

async function createKey({ apiKeys }: Storage, i: number): Promise<ApiKey> {
  const key = sampleKey(`key${i}`);
  await apiKeys.create(key);
  return key;
}

/** Makes both calls without waiting between; the second one first where `i` is odd. */
function race<A, B>(i: number, a: () => Promise<A>, b: () => Promise<B>): Promise<[A, B]> {
  if (i % 2 === 0) return Promise.all([a(), b()]);
  const early = b();
  return Promise.all([a(), early]);
}

function outcomeOf(call: Promise<unknown>): Promise<string> {
  return call.then(() => "done", (error) => error.code);
}
