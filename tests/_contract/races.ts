import { assertEquals } from "@std/assert";
import type { Storage } from "../../adapters/storage.ts";
import type { Board } from "../../model/board.ts";
import { applySubscriptionChange } from "../../model/subscription.ts";
import type { ContractTests } from "../storage_contract.ts";
import { prepare, race, RACES } from "./racing.ts";
import { minute, sampleBoard, sampleChange, testPair } from "./samples.ts";

/** Checks that of calls for one record, made at once, the end is that of some order of them. */
export function testRaces(tests: ContractTests): void {
  testBoardRaces(tests);
  testSubscriptionRaces(tests);
  testErasureRaces(tests);
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

async function createBoard({ boards }: Storage, i: number): Promise<readonly Board[]> {
  const versions = ["Now", "A", "B"].map((name) => sampleBoard(`board${i}`, { name }));
  await boards.create(versions[0]);
  return versions;
}
