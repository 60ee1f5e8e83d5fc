import type { Storage } from "../../adapters/storage.ts";
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
import { all, change } from "../change.ts";
import { nameEntryMail, openMailIds } from "./mail_ids.ts";

/** An event about a mail to a known person. */
export interface PersonalEvent {
  readonly event: BounceEvent;
  readonly userEmail: string;
}

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
  const text = toAnonymousLine(event.text);
  const code = toAnonymousLine(event.code).slice(0, MAX_CODE_LENGTH);
  const failedAt = event.at !== null && event.at < now ? event.at : now;
  return await change<Delivery | undefined>(storage, function* ({ read, put, remove }) {
    const [current, subscription, missed, person] = yield* all(
      read(DELIVERIES, entryId),
      read(SUBSCRIPTIONS, userEmail),
      read(DELIVERY_FAILURES, failureId),
      read(PEOPLE, mailboxOf(userEmail)),
    );
    if (current === undefined) return undefined;
    if (type === "delivered") {
      const isNews = missed !== undefined &&
        (missed.failedAt <= (event.at ?? now) || missed.failedAt > now);
      if (isNews) remove(DELIVERY_FAILURES, failureId);
      return undefined;
    }
    const delivery = outcome === "unsubscribed" ? countDeliveryReport(current, type) : current;
    put(DELIVERIES, delivery);
    // Nothing may be stored about a person who was erased meanwhile.
    const isKnown = subscription !== undefined || person !== undefined;
    if (type !== "complaint" && isKnown) {
      const isReported = missed?.isReported ?? true;
      put(DELIVERY_FAILURES, { failureId, entryId, userEmail, code, text, failedAt, isReported });
    }
    return delivery.state === "held" && current.state !== "held" ? delivery : undefined;
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
