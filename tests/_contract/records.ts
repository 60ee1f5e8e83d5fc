import { assertEquals } from "@std/assert";
import { openMemoryStorage } from "../../adapters/memory.ts";
import type { Storage } from "../../adapters/storage.ts";
import { type ApiKey, SCOPES } from "../../model/api_key.ts";
import type { Board } from "../../model/board.ts";
import { applySubscriptionChange, type SubscriptionChange } from "../../model/subscription.ts";
import type { ContractTests } from "../storage_contract.ts";
import { type Full, minute, sampleBoard, sampleChange, sampleKey } from "./samples.ts";

const ANN = "ann@example.com";
const BOARD = sampleBoard("ideas");
const KEY = sampleKey("k1");
const SUCCESSOR = sampleKey("k2");

/** Calls that store records, and the objects that they were given. */
const GIVEN: Readonly<
  Record<string, (storage: Storage) => readonly [call: Promise<unknown>, given: object]>
> = {
  "boards.create": ({ boards }) => {
    const board = sampleBoard("other");
    return [boards.create(board), board];
  },
  "boards.replace": ({ boards }) => {
    const given = { current: { ...BOARD }, next: sampleBoard("ideas", { name: "Next" }) };
    return [boards.replace(given.current, given.next), given];
  },
  "boards.delete": ({ boards }) => {
    const board = { ...BOARD };
    return [boards.delete(board), board];
  },
  "subscriptions.put": ({ subscriptions }) => {
    const change = sampleChange(ANN, { userName: "Anna" });
    return [subscriptions.put(change), change];
  },
  "apiKeys.create": ({ apiKeys }) => {
    const key = copyOf(SUCCESSOR);
    return [apiKeys.create(key), key];
  },
  "apiKeys.rotate": ({ apiKeys }) => {
    const rotation = { keyId: "k1", at: minute(1), until: minute(2), successor: copyOf(SUCCESSOR) };
    return [apiKeys.rotate(rotation), rotation];
  },
};

/** The names of methods that hand out records: a new one is an error of types until it is below. */
type HandingOut = {
  [Part in keyof Storage]: {
    [Name in keyof Storage[Part] & string]: Storage[Part][Name] extends
      (...input: never[]) => Promise<infer Answer>
      ? [Extract<Answer, object>] extends [never] ? never : `${Part}.${Name}`
      : never;
  }[keyof Storage[Part] & string];
}[keyof Storage];

/** Calls that hand out records. */
const HANDED_OUT: Readonly<
  Record<
    HandingOut | "subscriptions.list of a state",
    (storage: Storage) => Promise<object | undefined>
  >
> = {
  "boards.get": ({ boards }) => boards.get("ideas"),
  "boards.list": ({ boards }) => boards.list({ limit: 9 }),
  "subscriptions.put": ({ subscriptions }) => subscriptions.put(sampleChange(ANN)),
  "subscriptions.get": ({ subscriptions }) => subscriptions.get(ANN),
  "subscriptions.list": ({ subscriptions }) => subscriptions.list({ limit: 9 }),
  "subscriptions.list of a state": ({ subscriptions }) =>
    subscriptions.list({ subscribed: true, limit: 9 }),
  "apiKeys.get": ({ apiKeys }) => apiKeys.get("k1"),
  "apiKeys.findByHash": ({ apiKeys }) => apiKeys.findByHash(KEY.hash),
  "apiKeys.list": ({ apiKeys }) => apiKeys.list({ limit: 9 }),
};

/** Checks that records come back as they were given, whatever is done to the objects. */
export function testRecords({ test, testReopened }: ContractTests): void {
  for (const [name, give] of Object.entries(GIVEN)) {
    test(`${name} goes by what it was given when that changes before it resolves`, async ({ storage }) => {
      const reference = openMemoryStorage();
      for (const filled of [storage, reference]) await fill(filled);
      // A call may have to wait for those that were made before it.
      const before = Object.values(HANDED_OUT).map((take) => take(storage));
      const [call, given] = give(storage);
      spoil(given);
      const [expected] = give(reference);
      assertEquals(await call, await expected);
      await Promise.all(before);
      assertEquals(await readAll(storage), await readAll(reference));
    });
  }

  test("records that are given are not changed", async ({ storage: { boards, subscriptions, apiKeys } }) => {
    const freeze = (keyId: string) =>
      Object.freeze(sampleKey(keyId, {
        scopes: Object.freeze(["subscriptions:write", "boards:read"] as const),
      }));
    const [board, next] = [Object.freeze({ ...BOARD }), Object.freeze({ ...BOARD, name: "Next" })];
    const [key, successor] = ["k1", "k2"].map(freeze);
    assertEquals(await boards.create(board), true);
    assertEquals(await boards.replace(board, next), true);
    assertEquals(await boards.delete(next), true);
    await subscriptions.put(Object.freeze(sampleChange(ANN, { userName: "Ann" })));
    await apiKeys.create(key);
    const rotation = { keyId: "k1", at: minute(1), until: minute(2), successor };
    assertEquals(await apiKeys.rotate(Object.freeze(rotation)), true);
  });

  for (const [name, take] of Object.entries(HANDED_OUT)) {
    test(`nothing else changes when what ${name} handed out does`, async ({ storage }) => {
      await fill(storage);
      const stored = await readAll(storage);
      const [record, sibling] = await Promise.all([take(storage), take(storage)]);
      const expected = structuredClone(sibling);
      spoil(record!);
      assertEquals(sibling, expected);
      assertEquals(await readAll(storage), stored);
    });

    test(`what ${name} handed out stays when what is stored changes`, async ({ storage }) => {
      await fill(storage);
      const record = await take(storage);
      const expected = structuredClone(record);
      await storage.boards.replace(BOARD, { ...BOARD, name: "Next" });
      await storage.subscriptions.put(sampleChange(ANN, { subscribe: false, userName: "Anna" }));
      await storage.apiKeys.touch("k1", minute(1));
      await storage.apiKeys.revoke("k1", minute(2));
      assertEquals(record, expected);
    });
  }

  test("an outcome stays as it is when the one before it changes", async ({ storage }) => {
    const outcomes = await Promise.all(
      [true, false, false].map((subscribe) =>
        storage.subscriptions.put(sampleChange(ANN, { subscribe }))
      ),
    );
    const expected = structuredClone(outcomes);
    for (const [i, outcome] of outcomes.entries()) {
      assertEquals(outcome, expected[i]);
      spoil(outcome);
    }
  });

  for (const [name, sample] of Object.entries(SAMPLES)) {
    test(`${name} come back as they were given`, async ({ storage }) => {
      await write(storage, sample);
      await assertWritten(storage, sample);
    });

    testReopened(`${name} come back when reopened`, async ({ storage, reopen }) => {
      await write(storage, sample);
      await assertWritten(await reopen(), sample);
    });
  }

  test("a key ends at the millisecond that it was told", async ({ storage: { apiKeys } }) => {
    const [before, end, after] = [".122Z", ".123Z", ".124Z"].map(millisecond);
    await apiKeys.create({ ...KEY, expiresAt: end });
    const rotation = { keyId: "k1", at: end, until: after, successor: SUCCESSOR };
    assertEquals(await apiKeys.rotate(rotation), false);
    assertEquals(await apiKeys.rotate({ ...rotation, at: before }), true);
    assertEquals((await apiKeys.get("k1"))?.expiresAt, end);
    const next = sampleKey("k3");
    await apiKeys.rotate({ keyId: "k2", at: before, until: end, successor: next });
    assertEquals((await apiKeys.get("k2"))?.expiresAt, end);
    await apiKeys.revoke("k3", after);
    assertEquals((await apiKeys.get("k3"))?.revokedAt, after);
  });
}

/** A record of each kind. */
interface Sample {
  readonly board: Board;
  readonly change: SubscriptionChange;
  readonly key: ApiKey;
}

const LAST_TIME = "9999-12-31T23:59:59.999Z";

/** Records at the limits of the model, and with times that are no whole seconds. */
const SAMPLES: Readonly<Record<string, Sample>> = {
  "the longest texts and the last time": {
    board: {
      ...sampleBoard("b".repeat(128)),
      name: "\u{1F600}".repeat(200),
      description: "\u{10FFFF}".repeat(4_000),
      url: `https://example.com/${"x".repeat(1_980)}`,
      createdAt: LAST_TIME,
      updatedAt: LAST_TIME,
    } satisfies Full<Board>,
    change: {
      ...sampleChange(`${"l".repeat(64)}@${"d".repeat(63)}.${"e".repeat(63)}.${"f".repeat(61)}`),
      userName: "\u{1F600}".repeat(200),
      at: LAST_TIME,
    } satisfies Full<SubscriptionChange>,
    key: {
      ...sampleKey("long"),
      name: "\u{1F600}".repeat(200),
      scopes: SCOPES,
      createdAt: LAST_TIME,
      expiresAt: LAST_TIME,
      revokedAt: LAST_TIME,
      lastUsedAt: LAST_TIME,
    } satisfies Full<ApiKey>,
  },
  // Of New York and Berlin: where a time passes through the local one, it comes back an hour off.
  "times in hours that clocks skip or repeat, and on a leap day": {
    board: sampleBoard("clocks", {
      createdAt: "2026-11-01T05:30:00.000Z",
      updatedAt: "2026-11-01T06:30:00.000Z",
    }),
    change: sampleChange("clocks@example.com", { at: "2026-03-08T02:30:00.000Z" }),
    key: sampleKey("clocks", {
      createdAt: "2026-10-25T00:30:00.000Z",
      expiresAt: "2028-02-29T12:00:00.000Z",
      revokedAt: "2026-03-29T02:30:00.000Z",
      lastUsedAt: "2026-10-25T01:30:00.000Z",
    }),
  },
  "times with milliseconds": {
    board: sampleBoard("times", {
      createdAt: millisecond(".001Z"),
      updatedAt: millisecond(".999Z"),
    }),
    change: sampleChange("times@example.com", { userName: "Ann", at: millisecond(".457Z") }),
    key: sampleKey("times", {
      createdAt: millisecond(".009Z"),
      expiresAt: millisecond(".501Z"),
      revokedAt: millisecond(".499Z"),
      lastUsedAt: millisecond(".251Z"),
    }),
  },
};

function millisecond(rest: string): string {
  return minute(7).replace("00.000Z", `58${rest}`);
}

async function write(
  { boards, subscriptions, apiKeys }: Storage,
  { board, change, key }: Sample,
): Promise<void> {
  const draft = { ...board, url: null };
  const other = { ...board, description: (board.description ?? "").replace(/.?$/u, "x") };
  await boards.create(board);
  assertEquals(await boards.replace(other, draft), false);
  // Both compare in every field with what is stored.
  assertEquals(await boards.replace(board, draft), true);
  assertEquals(await boards.delete(draft), true);
  await boards.create(draft);
  await boards.replace(draft, board);
  await subscriptions.put(change);
  await apiKeys.create(key);
}

async function assertWritten(
  { boards, subscriptions, apiKeys }: Storage,
  { board, change, key }: Sample,
): Promise<void> {
  assertEquals(await boards.list({ limit: 9 }), [board]);
  assertEquals(
    await subscriptions.get(change.userEmail),
    applySubscriptionChange(undefined, change),
  );
  assertEquals(await apiKeys.findByHash(key.hash), key);
}

function copyOf(key: ApiKey): ApiKey {
  return { ...key, scopes: [...key.scopes] };
}

async function fill({ boards, subscriptions, apiKeys }: Storage): Promise<void> {
  await boards.create({ ...BOARD });
  await subscriptions.put(sampleChange(ANN));
  await apiKeys.create(copyOf(KEY));
}

/** Reads all in every way, into objects that nobody else holds. */
async function readAll(storage: Storage): Promise<unknown> {
  const read = [];
  for (const take of Object.values(HANDED_OUT)) read.push(structuredClone(await take(storage)));
  read.push(structuredClone(await storage.boards.get("other")));
  read.push(structuredClone(await storage.apiKeys.findByHash(SUCCESSOR.hash)));
  return read;
}

/** Changes an object and all in it, where that can be done: a frozen record is the best answer. */
function spoil(value: object): void {
  for (const field of Object.values(value)) {
    if (typeof field === "object" && field !== null) spoil(field);
  }
  try {
    if (Array.isArray(value)) value.length = 0;
    else for (const field of Object.keys(value)) Object.assign(value, { [field]: "spoilt" });
  } catch {
    // Nothing was changed then.
  }
}
