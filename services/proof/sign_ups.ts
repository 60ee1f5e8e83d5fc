import type { Storage } from "../../adapters/storage.ts";
import { type ErasedPerson, ERASURES, SUBSCRIPTIONS } from "../../model/kinds.ts";
import { PENDING, type PendingSignUp } from "../../model/proof/pending.ts";
import { readHistory } from "../../model/subscriptions/history.ts";
import {
  applySubscriptionChange,
  type Subscription,
  toSubscriptionChange,
} from "../../model/subscriptions/subscription.ts";
import { all } from "../change.ts";
import { meterOf } from "../shared.ts";
import { openAddressHash } from "../privacy/erased.ts";
import { eventOf } from "../subscriptions/subscriptions.ts";
import { changeWithEvents } from "../webhooks/events.ts";

/** Returns a text that changes with each opt-out and erasure of an address. */
export async function signUpState(storage: Storage, userEmail: string): Promise<string> {
  const erasureId = (await openAddressHash(storage))(userEmail);
  const [subscription, erasure] = await Promise.all([
    storage.get(SUBSCRIPTIONS, userEmail),
    storage.get(ERASURES, erasureId),
  ]);
  return stateOf(subscription, erasure);
}

/**
 * Subscribes a person with a proven address, and removes their waiting sign-up in the same step. A
 * later opt-out or erasure cancels the sign-up. Returns whether the person is now subscribed.
 */
export async function confirmSignUp(
  storage: Storage,
  { userEmail, pendingId, item }: {
    readonly userEmail: string;
    readonly pendingId: string;
    readonly item: PendingSignUp;
  },
  at: string,
): Promise<boolean> {
  const erasureId = (await openAddressHash(storage))(userEmail);
  const { userName, state } = item;
  const type = "subscriber.subscribed";
  const values = toSubscriptionChange({ userEmail, userName, subscribe: true, source: "form", at });
  type Outcome = "known" | "new" | "ended";
  const outcome = await changeWithEvents<Outcome>(storage, function* (tools) {
    const { read, put, remove } = tools;
    const [current, erasure, pending] = yield* all(
      read(SUBSCRIPTIONS, userEmail),
      read(ERASURES, erasureId),
      read(PENDING, pendingId),
    );
    remove(PENDING, pendingId);
    if (current?.subscribed) return "known";
    if (pending === undefined || stateOf(current, erasure) !== state) return "ended";
    const subscription = applySubscriptionChange(current, values);
    put(SUBSCRIPTIONS, subscription);
    tools.tell(eventOf(type, subscription, at));
    return "new";
  }, { types: [type], at });
  if (outcome === "new") meterOf(storage).count("boardcast_sign_ups_total", "confirmed");
  return outcome !== "ended";
}

function stateOf(subscription?: Subscription, erasure?: ErasedPerson): string {
  const events = subscription && readHistory(subscription.history);
  return [events?.length, events?.at(-1)?.at, erasure?.erasedAt].join();
}
