import type { Decision, Found, RecordOf, Ref, Storage } from "../../adapters/storage.ts";
import type { Delivery } from "../../model/deliveries/delivery.ts";
import type { DeliveryFailure } from "../../model/deliveries/delivery_failure.ts";
import { createDeferral, deferralIdOf } from "../../model/deliveries/mail_outcome.ts";
import { DEFERRALS, DELIVERIES, DELIVERY_FAILURES, SUBSCRIPTIONS } from "../../model/kinds.ts";
import { PEOPLE } from "../../model/posts/records.ts";
import { mailboxOf } from "../../model/posts/vote.ts";
import type { FencedTransact } from "../leases.ts";
import { listDeliveryFailures } from "./failures.ts";

type RetryRefs = {
  readonly delivery: Ref<typeof DELIVERIES>;
  readonly [failure: `failure ${string}`]: Ref<typeof DELIVERY_FAILURES>;
  readonly [deferral: `deferral ${string}`]: Ref<typeof DEFERRALS>;
  readonly [subscription: `subscription ${string}`]: Ref<typeof SUBSCRIPTIONS>;
  readonly [person: `person ${string}`]: Ref<typeof PEOPLE>;
};
type Put = { -readonly [N in keyof RetryRefs]?: RecordOf<RetryRefs[N]> };

// This many people, with four refs each, fit into a transaction.
const RETRIED_AT_ONCE = 24;

/**
 * Plans another attempt for each subscriber whom the delivery did not reach, after an operator
 * requested a retry. Each step stores its progress, so that a crash repeats none.
 */
export async function planRetries(
  storage: Storage,
  transact: FencedTransact,
  { delivery, now }: { readonly delivery: Delivery; readonly now: string },
): Promise<void> {
  let { retriedTo } = delivery;
  while (retriedTo !== null) {
    const failures = await listDeliveryFailures(storage, delivery.entryId, {
      after: retriedTo === "" ? undefined : { key: retriedTo },
      limit: RETRIED_AT_ONCE,
    });
    const step = { from: retriedTo, failures, now };
    const next = await transact(refsTo(delivery, failures), (found) => decide(found, step));
    if (next === undefined) return;
    retriedTo = next.retriedTo;
  }
}

/** Plans the attempts of one step; the result is `undefined` if another process did it. */
function decide(
  found: Found<RetryRefs>,
  { from, failures, now }: {
    readonly from: string;
    readonly failures: readonly DeliveryFailure[];
    readonly now: string;
  },
): Decision<RetryRefs, Pick<Delivery, "retriedTo"> | undefined> {
  const current = found.delivery;
  if (current === undefined || current.retriedTo !== from) return { answer: undefined };
  const put: Put = {};
  const remove: (keyof RetryRefs)[] = [];
  let failed = 0;
  let deferred = 0;
  for (const { entryId, userEmail } of failures) {
    const failure = found[`failure ${userEmail}`];
    // For people who asked, the round itself checks whether they still ask.
    const isDue = current.posts.length > 0 ||
      found[`subscription ${userEmail}`]?.subscribed === true;
    if (failure === undefined || !isDue || found[`deferral ${userEmail}`]) continue;
    put[`deferral ${userEmail}`] = createDeferral({ entryId, userEmail }, 0, now);
    remove.push(`failure ${userEmail}`);
    if (!failure.isReported) failed++;
    deferred++;
    // The relay had accepted the mail that told them, but it did not arrive.
    const person = failure.isReported ? found[`person ${mailboxOf(userEmail)}`] : undefined;
    if (person === undefined) continue;
    const told = person.told.filter((key) => key !== entryId);
    put[`person ${person.mailbox}`] = { ...person, told };
  }
  const isLast = failures.length < RETRIED_AT_ONCE;
  const delivery: Delivery = {
    ...current,
    failed: current.failed - failed,
    deferred: current.deferred + deferred,
    retriedTo: isLast ? null : failures[failures.length - 1].failureId,
  };
  return { answer: delivery, put: { ...put, delivery }, remove };
}

function refsTo({ entryId, posts }: Delivery, failures: readonly DeliveryFailure[]): RetryRefs {
  const refs: { -readonly [N in keyof RetryRefs]: RetryRefs[N] } = {
    delivery: { kind: DELIVERIES, key: entryId },
  };
  for (const { failureId, userEmail } of failures) {
    refs[`failure ${userEmail}`] = { kind: DELIVERY_FAILURES, key: failureId };
    const deferralId = deferralIdOf(entryId, userEmail);
    refs[`deferral ${userEmail}`] = { kind: DEFERRALS, key: deferralId };
    refs[`subscription ${userEmail}`] = { kind: SUBSCRIPTIONS, key: userEmail };
    if (posts.length === 0) continue;
    const mailbox = mailboxOf(userEmail);
    refs[`person ${mailbox}`] = { kind: PEOPLE, key: mailbox };
  }
  return refs;
}
