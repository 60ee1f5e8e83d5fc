import { assertEquals } from "@std/assert";
import type { PageQuery, Storage } from "../../adapters/storage.ts";
import type { Subscription } from "../../model/subscription.ts";
import type { ContractTests } from "../storage_contract.ts";
import { sampleBoard, sampleChange, sampleKey, testPair, watch } from "./samples.ts";

/** How records of one kind are made and listed. */
interface Listing {
  readonly name: string;
  readonly create: (storage: Storage, id: string) => Promise<unknown>;
  /** Lists what identifies them. */
  readonly list: (storage: Storage, query: PageQuery) => Promise<readonly string[]>;
}

const LISTINGS: readonly Listing[] = [
  {
    name: "boards",
    create: ({ boards }, id) => boards.create(sampleBoard(id)),
    list: async ({ boards }, query) => (await boards.list(query)).map((board) => board.boardId),
  },
  {
    name: "subscriptions",
    create: ({ subscriptions }, id) => subscriptions.put(sampleChange(`${id}@example.com`)),
    list: async ({ subscriptions }, query) =>
      (await subscriptions.list(query)).map(({ userEmail }) => userEmail),
  },
  {
    name: "API keys",
    create: ({ apiKeys }, id) => apiKeys.create(sampleKey(id)),
    list: async ({ apiKeys }, query) => (await apiKeys.list(query)).map(({ keyId }) => keyId),
  },
];

// What the HTTP API asks for at most, and what commands ask for.
const LIMITS = [101, 1_000];
const AT_ONCE = 25;

/** Checks that listings are whole, however long they are and whatever changes meanwhile. */
export function testListings(tests: ContractTests): void {
  for (const { name, create, list } of LISTINGS) {
    tests.test(`a page of ${name} has as many as are asked for`, async ({ storage }) => {
      for (let made = 0; made < Math.max(...LIMITS); made += AT_ONCE) {
        const ids = Array.from({ length: AT_ONCE }, (_, i) => `n${made + i}`);
        await Promise.all(ids.map((id) => create(storage, id)));
      }
      for (const limit of LIMITS) {
        assertEquals((await list(storage, { limit })).length, limit);
        assertEquals((await list(storage, { after: "a", limit })).length, limit);
      }
    });

    tests.test(`${name} that come between two pages disturb no others`, async ({ storage }) => {
      for (const id of ["b", "d", "f", "h"]) await create(storage, id);
      const first = await list(storage, { limit: 2 });
      for (const id of ["a", "c", "e"]) await create(storage, id);
      const second = await list(storage, { after: first[1], limit: 9 });
      const all = await list(storage, { limit: 9 });
      assertEquals([first, second], [[all[1], all[3]], all.slice(4)]);
    });
  }

  tests.test("a page of one state has as many as are asked for", async ({ storage: { subscriptions } }) => {
    const put = (i: number) =>
      subscriptions.put(sampleChange(`n${i}@example.com`, { subscribe: i !== 999 }));
    for (let made = 0; made < 1_000; made += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => put(made + i)));
    }
    for (const [subscribed, limit] of [[true, 101], [true, 999], [false, 1]] as const) {
      for (const after of [undefined, "a"]) {
        assertEquals((await subscriptions.list({ after, subscribed, limit })).length, limit);
      }
    }
  });

  testPair(tests, "a page is whole while other records come and go", async (one, two) => {
    const ids = (prefix: string) => Array.from({ length: 10 }, (_, i) => `${prefix}${i}`);
    const [others, kept] = [ids("a"), ids("b")];
    const idOf = (subscription: Subscription) => subscription?.userEmail.split("@")[0];
    const put = (id: string, subscribe = true) =>
      one.subscriptions.put(sampleChange(`${id}@example.com`, { subscribe }));
    await Promise.all(kept.flatMap((id) => [put(id), one.boards.create(sampleBoard(id))]));
    const pages = await watch(
      async () => [
        (await two.subscriptions.list({ limit: 10 })).map(idOf),
        (await two.subscriptions.list({ subscribed: true, limit: 10 })).map(idOf),
        (await two.boards.list({ limit: 10 })).map((board) => board?.boardId),
      ],
      async () => {
        for (let i = 0; i < 6; i++) {
          await Promise.all(others.flatMap((id) => [put(id), one.boards.create(sampleBoard(id))]));
          await Promise.all(others.flatMap((id) => [
            i % 2 === 0 ? put(id, false) : one.subscriptions.erase(`${id}@example.com`),
            one.boards.delete(sampleBoard(id)),
          ]));
        }
      },
    );
    for (const page of pages.flat()) {
      assertEquals(page.filter(Boolean).length, 10);
      // What others leave room for are the first of those that stay: none is passed over.
      const listed = page.filter((id) => !others.includes(id));
      assertEquals(listed, kept.slice(0, listed.length));
    }
  });

  for (const subscribed of [true, false]) {
    const name = `no address is listed as ${subscribed ? "" : "un"}subscribed that is not`;
    testPair(tests, `${name} when its state changes`, async (one, two) => {
      const change = (subscribe: boolean) =>
        Promise.all(
          Array.from({ length: 20 }, (_, i) =>
            one.subscriptions.put(sampleChange(`user${i}@example.com`, { subscribe }))),
        );
      await change(subscribed);
      const seen = await watch(
        () => two.subscriptions.list({ subscribed, limit: 99 }),
        async () => {
          for (let i = 0; i < 6; i++) await change(i % 2 === 0 ? !subscribed : subscribed);
        },
      );
      assertEquals(seen.flat().filter((found) => found.subscribed !== subscribed), []);
    });
  }
}
