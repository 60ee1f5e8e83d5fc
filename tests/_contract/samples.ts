import { type ApiKey, generateKeyText } from "../../model/api_key.ts";
import type { PageQuery } from "../../adapters/storage.ts";
import { randomText } from "../../model/random.ts";
import type { Board } from "../../model/board.ts";
import type { SubscriptionChange } from "../../model/subscription.ts";

/** A time, some minutes after the start of the samples. */
export function minute(minutes: number): string {
  return new Date(Date.UTC(2026, 10, 21, 10, minutes)).toISOString();
}

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

/** Lets timers and messages through, which an adapter may wait for. */
export function macrotask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Text that storage must give back exactly: quotes, escapes, many scripts, line separators. */
export const DIFFICULT_TEXT =
  'O\'Neil "x" \\ \\u0000 %00 $1 ; -- ${y} é e\u0301 \u2028 \u{1F600} 字 \uFEFF =1+1 <a>&';

/** Lists all pages of `limit` records and returns their keys. */
export async function listPages<T>(
  list: (query: PageQuery) => Promise<readonly T[]>,
  keyOf: (record: T) => string,
  limit: number,
): Promise<string[]> {
  const keys: string[] = [];
  let page: readonly T[];
  do {
    page = await list({ after: keys.at(-1), limit });
    keys.push(...page.map(keyOf));
  } while (page.length === limit);
  return keys;
}
