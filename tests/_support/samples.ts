import { API_KEY, type ApiKey } from "../../model/keys/api_key.ts";
import { BOARD, type Board } from "../../model/board.ts";
import { fillRecord } from "../../model/resource.ts";
import { SUBSCRIPTION, type Subscription } from "../../model/subscriptions/subscription.ts";
import { minute } from "../_contract/kinds.ts";

export { minute };

const TIMES = { createdAt: minute(0), updatedAt: minute(0) } as const;

/** Returns a board with the defaults of all fields but those given. */
export function sampleBoard(boardId: string, rest: Partial<Board> = {}): Board {
  return fillRecord<Board>(BOARD, { boardId, name: `Board ${boardId}`, ...TIMES, ...rest });
}

/** Returns a subscription with the defaults of all fields but those given. */
export function sampleSubscription(
  userEmail: string,
  rest: Partial<Subscription> = {},
): Subscription {
  const values = {
    userEmail,
    subscriberId: userEmail,
    subscribed: true,
    source: "api",
    ...TIMES,
    ...rest,
  } as const;
  return fillRecord<Subscription>(SUBSCRIPTION, values);
}

/** Returns an API key with the defaults of all fields but those given. */
export function sampleKey(keyId: string, rest: Partial<ApiKey> = {}): ApiKey {
  return fillRecord<ApiKey>(API_KEY, {
    keyId,
    hash: keyId.padEnd(64, "0"),
    name: `Key ${keyId}`,
    hint: "bc_abcd",
    createdAt: minute(0),
    ...rest,
  });
}
