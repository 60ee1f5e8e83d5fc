import { assertEquals, equal } from "@std/assert";
import { openMemoryStorage } from "../../adapters/memory.ts";
import type { Storage } from "../../adapters/storage.ts";
import type { ContractTests } from "../storage_contract.ts";
import { minute, sampleBoard, sampleChange, sampleKey, testPair, watch } from "./samples.ts";

type Call = (storage: Storage) => Promise<unknown>;

/** Changes of a record, and the ways to read it. */
interface History {
  readonly what: string;
  readonly changes: readonly Call[];
  readonly reads: Readonly<Record<string, Call>>;
}

const ANN = "ann@example.com";
const BOARD = sampleBoard("ideas");
const NEXT_BOARD = {
  ...BOARD,
  name: "Next",
  description: "Text",
  url: "https://example.com/",
  updatedAt: minute(1),
};
const KEY = sampleKey("k1");
const ROTATION = {
  keyId: "k1",
  at: minute(2),
  until: minute(30),
  successor: sampleKey("k2"),
};

const HISTORIES: readonly History[] = [
  {
    what: "a board",
    changes: [
      ({ boards }) => boards.create(BOARD),
      ({ boards }) => boards.replace(BOARD, NEXT_BOARD),
      ({ boards }) => boards.replace(NEXT_BOARD, BOARD),
      ({ boards }) => boards.delete(BOARD),
      ({ boards }) => boards.create(BOARD),
      ({ boards }) => boards.delete(BOARD),
    ],
    reads: {
      "boards.get": ({ boards }) => boards.get("ideas"),
      "boards.list": ({ boards }) => boards.list({ limit: 9 }),
    },
  },
  {
    what: "an address",
    changes: [
      putAnn(true, "Ann"),
      putAnn(false, "Anna"),
      putAnn(true, "Ann"),
      ({ subscriptions }) => subscriptions.erase(ANN),
      putAnn(true, "Ann"),
      ({ subscriptions }) => subscriptions.erase(ANN),
    ],
    reads: {
      "subscriptions.get": ({ subscriptions }) => subscriptions.get(ANN),
      "subscriptions.list": ({ subscriptions }) => subscriptions.list({ limit: 9 }),
      "subscriptions.list of a state": ({ subscriptions }) =>
        subscriptions.list({ subscribed: true, limit: 9 }),
    },
  },
  {
    what: "a key",
    changes: [
      ({ apiKeys }) => apiKeys.create(KEY),
      ({ apiKeys }) => apiKeys.touch("k1", minute(1)),
      ({ apiKeys }) => apiKeys.rotate(ROTATION),
      ({ apiKeys }) => apiKeys.revoke("k1", minute(3)),
      ({ apiKeys }) => apiKeys.revoke("k2", minute(3)),
    ],
    reads: {
      "apiKeys.get": ({ apiKeys }) => apiKeys.get("k1"),
      "apiKeys.get of a successor": ({ apiKeys }) => apiKeys.get("k2"),
      "apiKeys.list": ({ apiKeys }) => apiKeys.list({ limit: 9 }),
    },
  },
];

/**
 * Checks that what an instance has read before is no answer once another one has changed it, and
 * that no change is decided on by it, or seen half made.
 */
export function testInstances(tests: ContractTests): void {
  for (const { what, changes, reads } of HISTORIES) {
    for (const [name, read] of Object.entries(reads)) {
      tests.testShared(
        `${name} sees what another instance changed when it was called before`,
        async ({ storage, another }) => {
          // The two take turns, so that what one of them wrote is not remembered either.
          let [one, two] = [storage, await another()];
          for (const change of changes) {
            await read(one);
            await read(two);
            await change(one);
            assertEquals(await read(two), await read(one));
            [one, two] = [two, one];
          }
        },
      );

      testPair(tests, `${name} sees no change half made when it is under way`, async (one, two) => {
        const reference = openMemoryStorage();
        for (const change of changes) {
          const before = await read(reference);
          await change(reference);
          const after = await read(reference);
          for (const seen of await watch(() => read(two), () => change(one))) {
            assertEquals(seen, equal(seen, before) ? before : after);
          }
        }
      });
    }

    tests.testShared(
      `${what} is changed as it is when another instance changed it after it was read`,
      async ({ storage, another }) => {
        const reference = openMemoryStorage();
        let [one, two] = [storage, await another()];
        for (const change of changes) {
          for (const read of Object.values(reads)) await read(two);
          assertEquals(await change(one), await change(reference));
          [one, two] = [two, one];
        }
      },
    );
  }
}

function putAnn(subscribe: boolean, userName: string): Call {
  const change = sampleChange(ANN, { subscribe, userName, at: minute(subscribe ? 0 : 1) });
  return async (storage) => {
    const { subscription, previous, changed } = await storage.subscriptions.put(change);
    return { subscription, previous, changed };
  };
}
