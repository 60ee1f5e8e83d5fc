import type { Ref, Storage } from "../../adapters/storage.ts";
import type { BounceDecision } from "../../model/bounces/bounce_count.ts";
import type { BounceEvent } from "../../model/bounces/bounce_event.ts";
import type { Delivery } from "../../model/deliveries/delivery.ts";
import { countDeliveryReport } from "../../model/deliveries/delivery_steps.ts";
import { failureIdOf } from "../../model/deliveries/delivery_failure.ts";
import { DELIVERIES, DELIVERY_FAILURES, ENTRIES, SUBSCRIPTIONS } from "../../model/kinds.ts";
import { toAnonymousLine } from "../../model/deliveries/mail_outcome.ts";
import { PEOPLE } from "../../model/posts/records.ts";
import { mailboxOf } from "../../model/posts/vote.ts";
import { addMs } from "../../model/values/time.ts";
import { nameEntryMail, openMailIds } from "./mail_ids.ts";

/** An event about a mail to a known person. */
export interface PersonalEvent {
  readonly event: BounceEvent;
  readonly userEmail: string;
}

type ReportRefs = {
  readonly delivery: Ref<typeof DELIVERIES>;
  readonly subscription: Ref<typeof SUBSCRIPTIONS>;
  readonly failure: Ref<typeof DELIVERY_FAILURES>;
  readonly person?: Ref<typeof PEOPLE>;
};

// Reports are about recent deliveries.
const MAX_DELIVERIES = 50;
// Few providers report times more precisely than to the second.
const EXACTNESS_MS = 1_000;
const MAX_CODE_LENGTH = 20;
const OWN_MESSAGE_ID = /^<?([\w-]{22}\.[\w-]{22})@/;

/**
 * Applies an event to the delivery that it is about: records or removes the failure and, if the
 * event unsubscribed somebody, decides whether the delivery does harm. Returns the delivery if this
 * puts it on hold.
 */
export async function reportToDelivery(
  storage: Storage,
  { event, userEmail }: PersonalEvent,
  { outcome, now }: Pick<BounceDecision, "outcome"> & { readonly now: string },
): Promise<Delivery | undefined> {
  const { type } = event;
  if (type === "unsubscribe") return undefined;
  const entryId = await findDelivery(storage, event, now);
  if (entryId === undefined) return undefined;
  const failureId = failureIdOf(entryId, userEmail);
  const mailbox = mailboxOf(userEmail);
  // Most subscribers have no such record, and an absent one would cost each report a lock.
  const isVoter = await storage.get(PEOPLE, mailbox) !== undefined;
  const refs: ReportRefs = {
    delivery: { kind: DELIVERIES, key: entryId },
    subscription: { kind: SUBSCRIPTIONS, key: userEmail },
    failure: { kind: DELIVERY_FAILURES, key: failureId },
    ...isVoter && { person: { kind: PEOPLE, key: mailbox } },
  };
  const text = toAnonymousLine(event.text);
  const code = toAnonymousLine(event.code).slice(0, MAX_CODE_LENGTH);
  const failedAt = event.at !== null && event.at < now ? event.at : now;
  return await storage.transact<ReportRefs, Delivery | undefined>(refs, (found) => {
    const { delivery: current, subscription, failure: missed } = found;
    if (current === undefined) return { answer: undefined };
    if (type === "delivered") {
      const isNews = missed !== undefined &&
        (missed.failedAt <= (event.at ?? now) || missed.failedAt > now);
      return { answer: undefined, remove: isNews ? ["failure"] : [] };
    }
    const delivery = outcome === "unsubscribed" ? countDeliveryReport(current, type) : current;
    const isHeld = delivery.state === "held" && current.state !== "held";
    // Nothing may be stored about a person who was erased meanwhile.
    const isKnown = subscription !== undefined || found.person !== undefined;
    const isFailure = type !== "complaint" && isKnown;
    const isReported = missed?.isReported ?? true;
    const failure = isFailure
      ? { failureId, entryId, userEmail, code, text, failedAt, isReported }
      : undefined;
    return { answer: isHeld ? delivery : undefined, put: { delivery, failure } };
  });
}

/**
 * Finds the delivery that an event is about by its `Message-ID`. If a provider has replaced the id,
 * finds the latest delivery that began before the event.
 */
async function findDelivery(
  storage: Storage,
  { messageId = "", at }: BounceEvent,
  now: string,
): Promise<string | undefined> {
  const query = { index: "byDue", limit: MAX_DELIVERIES, reverse: true };
  const begun = (await storage.list(DELIVERIES, query))
    .filter(({ startedAt }) => startedAt !== null)
    .sort((a, b) => a.startedAt! < b.startedAt! ? 1 : -1);
  const [, id] = OWN_MESSAGE_ID.exec(messageId) ?? [];
  const ids = await openMailIds(storage);
  for (const { entryId, startedAt, week, postId, dueAt } of begun) {
    const isOfEntry = week === null && postId === null;
    const known = id === undefined || !isOfEntry ? undefined : await storage.get(ENTRIES, entryId);
    const entry = isOfEntry ? known : { entryId, createdAt: dueAt };
    const isMeant = id === undefined
      ? at === null || startedAt! <= addMs(at, EXACTNESS_MS) || startedAt! > now
      : entry !== undefined && await ids.isOf(id, nameEntryMail(entry));
    if (isMeant) return entryId;
  }
}
