import { assertEquals } from "@std/assert";
import type { Storage } from "../../adapters/storage.ts";
import type { ContractTests } from "../storage_contract.ts";
import { minute, sampleBoard, sampleChange, sampleKey } from "./samples.ts";

type Call = (storage: Storage) => Promise<unknown>;

/** Changes of one record, and the ways to read it. */
interface History {
  readonly changes: readonly Call[];
  readonly reads: Readonly<Record<string, Call>>;
}

const ANN = "ann@example.com";
const BOARD = sampleBoard("ideas");
const NEXT_BOARD = { ...BOARD, name: "Next" };
const KEY = sampleKey("k1");
const ROTATION = {
  keyId: "k1",
  at: minute(2),
  until: minute(30),
  successor: sampleKey("k2"),
};

const HISTORIES: readonly History[] = [
  {
    changes: [
      ({ boards }) => boards.create(BOARD),
      ({ boards }) => boards.replace(BOARD, NEXT_BOARD),
      ({ boards }) => boards.delete(NEXT_BOARD),
      ({ boards }) => boards.create(BOARD),
      ({ boards }) => boards.delete(BOARD),
    ],
    reads: {
      "boards.get": ({ boards }) => boards.get("ideas"),
      "boards.list": ({ boards }) => boards.list({ limit: 9 }),
    },
  },
  {
    changes: [
      ({ subscriptions }) => subscriptions.put(sampleChange(ANN)),
      ({ subscriptions }) => subscriptions.put(sampleChange(ANN, { subscribe: false })),
      ({ subscriptions }) => subscriptions.erase(ANN),
      ({ subscriptions }) => subscriptions.put(sampleChange(ANN)),
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
    changes: [
      ({ apiKeys }) => apiKeys.create(KEY),
      ({ apiKeys }) => apiKeys.touch("k1", minute(1)),
      ({ apiKeys }) => apiKeys.rotate(ROTATION),
      ({ apiKeys }) => apiKeys.revoke("k1", minute(3)),
      ({ apiKeys }) => apiKeys.revoke("k2", minute(3)),
    ],
    reads: {
      "apiKeys.get": async ({ apiKeys }) => [await apiKeys.get("k1"), await apiKeys.get("k2")],
      "apiKeys.list": ({ apiKeys }) => apiKeys.list({ limit: 9 }),
    },
  },
];

/** Checks that what an instance has read before is no answer once another one has changed it. */
export function testInstances({ testShared }: ContractTests): void {
  for (const { changes, reads } of HISTORIES) {
    for (const [name, read] of Object.entries(reads)) {
      testShared(
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
    }
  }
}
