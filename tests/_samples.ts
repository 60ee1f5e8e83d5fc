import type { ApiKey } from "../model/api_key.ts";
import type { Board } from "../model/board.ts";
import type { Subscription } from "../model/subscription.ts";
import { minute } from "./_contract/kinds.ts";

export { minute };

/** Returns a board whose nullable fields are `null`, but for the fields given. */
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

/** Returns a subscription whose nullable fields are `null`, but for the fields given. */
export function sampleSubscription(
  userEmail: string,
  rest: Partial<Subscription> = {},
): Subscription {
  return {
    userEmail,
    userName: null,
    subscribed: true,
    source: "api",
    createdAt: minute(0),
    updatedAt: minute(0),
    ...rest,
  };
}

/** Returns an API key whose nullable fields are `null`, but for the fields given. */
export function sampleKey(keyId: string, rest: Partial<ApiKey> = {}): ApiKey {
  return {
    keyId,
    hash: keyId.padEnd(64, "0"),
    name: `Key ${keyId}`,
    hint: "bc_abcd",
    scopes: ["boards:read", "subscriptions:write"],
    createdAt: minute(0),
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    successorId: null,
    ...rest,
  };
}
