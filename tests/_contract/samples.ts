import { assert, assertEquals, assertRejects } from "@std/assert";
import type { PageQuery, Storage, StorageError, StorageErrorCode } from "../../adapters/storage.ts";
import { type ApiKey, generateKeyText } from "../../model/api_key.ts";
import { randomText } from "../../model/random.ts";
import type { Board } from "../../model/board.ts";
import type { SubscriptionChange } from "../../model/subscription.ts";
import type { ContractTests } from "../storage_contract.ts";

/** A time, some minutes after the start of the samples. */
export function minute(minutes: number): string {
  return new Date(Date.UTC(2026, 10, 21, 10, minutes)).toISOString();
}

/** A record in which no field is null: a new field is an error of types until it has a value. */
export type Full<T> = { readonly [Field in keyof T]: NonNullable<T[Field]> };

export function sampleBoard(boardId: string, rest: Partial<Board> = {}): Board {
  return {
    boardId,
    name: `Board ${boardId}`,
    description: null,
    url: null,
    createdAt: minute(0),
    updatedAt: minute(0),
    ...rest,
  };
}

export function sampleChange(
  userEmail: string,
  rest: Partial<SubscriptionChange> = {},
): SubscriptionChange {
  return { userEmail, userName: null, subscribe: true, at: minute(0), ...rest };
}

export function sampleKey(keyId: string, rest: Partial<ApiKey> = {}): ApiKey {
  const text = generateKeyText();
  return {
    keyId,
    // Storage takes a hash for what it is told; a digest has 43 characters too.
    hash: randomText(43),
    name: `Key ${keyId}`,
    hint: text.slice(0, 7),
    scopes: ["boards:read", "subscriptions:write"],
    createdAt: minute(0),
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    ...rest,
  };
}

/** A way in which a key ends at the first minute, and what that makes of it. */
export interface KeyEnd {
  readonly name: string;
  readonly ended: Partial<ApiKey>;
  /** Ends the key; `successor` takes over where the way is a rotation. */
  end(storage: Storage, keyId: string, successor?: ApiKey): Promise<boolean>;
}

export const ROTATIONS: readonly KeyEnd[] = [
  { name: "a rotation without overlap", until: minute(1), ended: { revokedAt: minute(1) } },
  { name: "a rotation with overlap", until: minute(30), ended: { expiresAt: minute(30) } },
].map(({ name, until, ended }) => ({
  name,
  ended,
  end: ({ apiKeys }, keyId, successor = sampleKey(`${keyId}-next`)) =>
    apiKeys.rotate({ keyId, at: minute(1), until, successor }),
}));

export const KEY_ENDS: readonly KeyEnd[] = [
  {
    name: "a revocation",
    ended: { revokedAt: minute(1) },
    end: ({ apiKeys }, keyId) => apiKeys.revoke(keyId, minute(1)),
  },
  ...ROTATIONS,
];

/** Registers a test for calls through one instance, and through two instances of one store. */
export function testPair(
  { test, testShared }: ContractTests,
  name: string,
  run: (one: Storage, two: Storage) => Promise<void>,
): void {
  test(`${name} through one instance`, ({ storage }) => run(storage, storage));
  testShared(
    `${name} through two instances`,
    async ({ storage, another }) => run(storage, await another()),
  );
}

/**
 * Checks that a call rejects with a `StorageError` of a code, and returns it. It is told by its
 * name, as the handler tells it: an adapter may have the class from another copy of the package.
 */
export async function assertStorageError(
  call: () => Promise<unknown>,
  code: StorageErrorCode,
): Promise<Error> {
  const error = await assertRejects(call, Error);
  assertEquals([error.name, (error as StorageError).code], ["StorageError", code]);
  return error;
}

/** Lets timers and messages through, which an adapter may wait for. */
export function macrotask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Reads again and again while a call is under way, and once more. */
export async function watch<T>(read: () => Promise<T>, call: () => Promise<unknown>): Promise<T[]> {
  const seen: T[] = [];
  let isUnderWay = true;
  const made = call().finally(() => isUnderWay = false);
  while (isUnderWay) {
    for (let i = 0; i < 10 && isUnderWay; i++) seen.push(await read());
    await macrotask();
  }
  await made;
  seen.push(await read());
  return seen;
}

/** Text that storage must give back exactly: quotes, escapes, many scripts, all kinds of spaces. */
export const DIFFICULT_TEXT =
  'O\'Neil "x" \\ \\u0000 %00 $1 ; -- ${y} é e\u0301 \u2028 \u{1F600} 字 \uFEFF =1+1 <a>& ' +
  "&amp; &lt; a\u00A0b \u{1F468}\u200D\u{1F469} \uE000 \uFF21 \uFFFF.";

/** Texts that are easily taken for something else, or for the one before. */
export const TEXTS = [
  ...["7", "007", "1e3", "0x1F", "2026-11-21", "true", "null", "undefined"],
  ...["{}", "[object Object]", '""', "Andre", "andre", "andr\u00E9", "andre\u0301"],
  ...["\u{1F600}", "\u{1F601}"],
];

/** Lists all pages of `limit` records and returns their keys. */
export async function listPages<T>(
  list: (query: PageQuery) => Promise<readonly T[]>,
  keyOf: (record: T) => string,
  limit: number,
): Promise<string[]> {
  const keys: string[] = [];
  let page: readonly T[];
  do {
    const after = keys.at(-1);
    page = await list({ after, limit });
    for (const key of page.map(keyOf)) {
      // A listing that passes over `after` would be read for ever.
      assert(!keys.includes(key), `"${key}" is listed again by the page after "${after}"`);
      keys.push(key);
    }
  } while (page.length === limit);
  return keys;
}
