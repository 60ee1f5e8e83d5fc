import type { Storage } from "../../adapters/storage.ts";
import { type ErasedPerson, ERASURES, SUBSCRIPTIONS } from "../../model/kinds.ts";
import { PENDING, type PendingSignUp } from "../../model/proof/pending.ts";
import { readHistory } from "../../model/subscriptions/history.ts";
import {
  applySubscriptionChange,
  type Subscription,
  toSubscriptionChange,
} from "../../model/subscriptions/subscription.ts";
import { meterOf } from "../shared.ts";
import { openAddressHash } from "../privacy/erased.ts";
import { eventOf } from "../subscriptions/subscriptions.ts";
import { transactWithEvents } from "../webhooks/events.ts";

/** Returns a text that changes with each opt-out and erasure of an address. */
export async function signUpState(storage: Storage, userEmail: string): Promise<string> {
  const erasureId = await (await openAddressHash(storage))(userEmail);
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
  const erasureId = await (await openAddressHash(storage))(userEmail);
  const refs = {
    subscription: { kind: SUBSCRIPTIONS, key: userEmail },
    erasure: { kind: ERASURES, key: erasureId },
    pending: { kind: PENDING, key: pendingId },
  };
  const { userName, state } = item;
  const type = "subscriber.subscribed";
  const change = toSubscriptionChange({ userEmail, userName, subscribe: true, source: "form", at });
  type Outcome = "known" | "new" | "ended";
  const outcome = await transactWithEvents<typeof refs, Outcome>(storage, refs, (found) => {
    const { subscription: current, erasure, pending } = found;
    const remove = ["pending"] as const;
    if (current?.subscribed) return { answer: "known", remove };
    if (pending === undefined || stateOf(current, erasure) !== state) {
      return { answer: "ended", remove };
    }
    const subscription = applySubscriptionChange(current, change);
    const events = [eventOf(type, subscription, at)];
    return { answer: "new", put: { subscription }, remove, events };
  }, { types: [type], at });
  if (outcome === "new") meterOf(storage).count("boardcast_sign_ups_total", "confirmed");
  return outcome !== "ended";
}

function stateOf(subscription?: Subscription, erasure?: ErasedPerson): string {
  const events = subscription && readHistory(subscription.history);
  return [events?.length, events?.at(-1)?.at, erasure?.erasedAt].join();
}
