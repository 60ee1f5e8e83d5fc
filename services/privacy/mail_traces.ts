import type { Storage } from "../../adapters/storage.ts";
import {
  BOUNCE_COUNTS,
  DEFERRALS,
  DELIVERIES,
  ERASURES,
  FAILURES,
  SETTINGS,
  SUBSCRIPTIONS,
  WEBHOOK_MESSAGES,
} from "../../model/kinds.ts";
import { PROOF_MAILS } from "../../model/proof/pending.ts";
import { deferralIdOf } from "../../model/deliveries/mail_outcome.ts";
import type { Subscription } from "../../model/subscriptions/subscription.ts";
import { addMs, EPOCH } from "../../model/values/time.ts";
import { all, change } from "../change.ts";
import { forgetDeliveryFailures } from "../deliveries/failures.ts";
import { endProof } from "../proof/outbox.ts";
import { dropPending } from "../proof/pending.ts";
import { countErasure, ERASURE_COUNT, mailboxIdOf, openAddressHash } from "./erased.ts";
import { changeWithEvents } from "../webhooks/events.ts";
import { removeWhere } from "../removals.ts";

// This many deferrals, with two refs each, fit into a transaction.
const MAX_DEFERRALS = 20;

/**
 * Removes everything stored about an address at a time (RFC 3339, UTC, milliseconds), except a
 * keyed hash. Returns whether there was anything. The erasure's own messages to webhooks are
 * removed after their delivery.
 */
export async function eraseSubscription(
  storage: Storage,
  userEmail: string,
  { at, isKnown = false }: {
    readonly at: string;
    /**
     * Whether other records name the person: then their links and cookies end even without a
     * subscription.
     */
    readonly isKnown?: boolean;
  },
): Promise<boolean> {
  const erasureId = (await openAddressHash(storage))(userEmail);
  const mailboxId = await mailboxIdOf(storage, userEmail);
  let wasThere: boolean | undefined;
  while (wasThere === undefined) {
    const seen = await storage.get(SUBSCRIPTIONS, userEmail);
    if (seen !== undefined) await removeMessages(storage, userEmail);
    wasThere = await erase(storage, userEmail, { seen, isKnown, erasureId, mailboxId, at });
  }
  // The traces go last, because deliveries store no more of them without a subscription.
  await eraseMailTraces(storage, userEmail);
  await dropPending(storage, userEmail);
  return wasThere;
}

/** Removes all records about mails to a person, without their subscription. */
export async function eraseMailTraces(storage: Storage, userEmail: string): Promise<void> {
  await forgetDeliveryFailures(storage, userEmail);
  const query = { index: "byPerson", after: { by: userEmail, key: "" }, limit: MAX_DEFERRALS };
  for (;;) {
    const found = await storage.list(DEFERRALS, query);
    const own = found.filter((deferral) => deferral.userEmail === userEmail);
    await change<void>(storage, function* ({ read, put, remove }) {
      const keys = own.map(({ entryId }) => deferralIdOf(entryId, userEmail));
      const [deferrals, deliveries] = yield* all(
        all(...keys.map((key) => read(DEFERRALS, key))),
        all(...own.map(({ entryId }) => read(DELIVERIES, entryId))),
        all(read(FAILURES, userEmail), read(BOUNCE_COUNTS, userEmail)),
      );
      remove(FAILURES, userEmail);
      remove(BOUNCE_COUNTS, userEmail);
      for (const [at, key] of keys.entries()) {
        if (deferrals[at] === undefined) continue;
        remove(DEFERRALS, key);
        const delivery = deliveries[at];
        if (delivery === undefined || delivery.finishedAt !== null) continue;
        put(DELIVERIES, { ...delivery, deferred: delivery.deferred - 1 });
      }
    });
    if (own.length < MAX_DEFERRALS) return;
  }
}

/** Removes the messages to webhooks about a person, except those about an erasure. */
export async function removeMessages(storage: Storage, userEmail: string): Promise<void> {
  await removeWhere(storage, WEBHOOK_MESSAGES, {
    index: "byPerson",
    after: { by: userEmail, key: "" },
    matches: ({ type }) => type !== "subscriber.erased",
    isOver: (message) => message.userEmail !== userEmail,
  });
}

/** Erases an address; returns whether it was stored, or `undefined` if it has changed since. */
async function erase(
  storage: Storage,
  userEmail: string,
  { seen, isKnown, erasureId, mailboxId, at }: {
    /** The subscription at the time when the messages about the person were removed. */
    readonly seen: Subscription | undefined;
    /** Whether other records name the person. */
    readonly isKnown: boolean;
    /** The key of the hash that remains. */
    readonly erasureId: string;
    /** The hash of the mailbox; it limits mails to the mailbox. */
    readonly mailboxId: string;
    readonly at: string;
  },
): Promise<boolean | undefined> {
  const type = "subscriber.erased";
  return await changeWithEvents<boolean | undefined>(storage, function* (tools) {
    const { read, put, remove } = tools;
    const [subscription, mail, erasure, count] = yield* all(
      read(SUBSCRIPTIONS, userEmail),
      read(PROOF_MAILS, mailboxId),
      read(ERASURES, erasureId),
      read(SETTINGS, ERASURE_COUNT.key),
      read(ERASURES, mailboxId),
    );
    // The change stored messages to webhooks, which must be removed first.
    if (JSON.stringify(subscription) !== JSON.stringify(seen)) return undefined;
    if (subscription === undefined && mail === undefined && !isKnown) return false;
    const before = erasure?.erasedAt ?? EPOCH;
    const erasedAt = at > before ? at : addMs(before, 1);
    // An erasure also ends the links and cookies of the mailbox, the address without its plus tag.
    for (const id of [erasureId, mailboxId]) put(ERASURES, { erasureId: id, erasedAt });
    put(SETTINGS, countErasure(count));
    if (mail !== undefined) put(PROOF_MAILS, endProof(mail));
    remove(SUBSCRIPTIONS, userEmail);
    if (subscription !== undefined) tools.tell({ type, at, data: { userEmail }, userEmail });
    return subscription !== undefined;
  }, { types: [type], at });
}
