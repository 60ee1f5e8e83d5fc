import type { RecordOf, Ref, Storage } from "../../adapters/storage.ts";
import {
  BOUNCE_COUNTS,
  DEFERRALS,
  DELIVERIES,
  ERASURES,
  FAILURES,
  PROOF_MAILS,
  type SETTINGS,
  SUBSCRIPTIONS,
  WEBHOOK_MESSAGES,
} from "../../model/kinds.ts";
import { deferralIdOf } from "../../model/deliveries/mail_outcome.ts";
import type { Subscription } from "../../model/subscriptions/subscription.ts";
import { addMs, EPOCH } from "../../model/values/time.ts";
import { forgetDeliveryFailures } from "../deliveries/failures.ts";
import { mailboxIdOf } from "../proof/mailboxes.ts";
import { endProof } from "../proof/outbox.ts";
import { dropPending } from "../proof/pending.ts";
import { countErasure, ERASURE_COUNT, openAddressHash } from "./erased.ts";
import { transactWithEvents } from "../webhooks/events.ts";
import { removeWhere } from "../records.ts";

// This many deferrals, with two refs each and a message per webhook, fit into a transaction.
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
  const erasureId = await (await openAddressHash(storage))(userEmail);
  const mailboxId = await mailboxIdOf(storage, userEmail);
  let wasThere: boolean | undefined;
  while (true) {
    const entryIds = await findDeferring(storage, userEmail);
    // Deliveries store nothing more about an address without a subscription.
    await forgetDeliveryFailures(storage, userEmail);
    if (wasThere !== undefined && entryIds.length === 0) break;
    // The loop erases the subscription only once, because the person may subscribe again at once.
    const isErased = wasThere !== undefined;
    const known = isErased ? undefined : await storage.get(SUBSCRIPTIONS, userEmail);
    if (known !== undefined) await removeMessages(storage, userEmail);
    const outcome = await erase(storage, userEmail, {
      entryIds,
      known,
      isErased,
      isKnown,
      erasureId,
      mailboxId,
      at,
    });
    wasThere ??= outcome;
  }
  await dropPending(storage, userEmail);
  return wasThere;
}

/** Removes the messages to webhooks about a person, except those about an erasure. */
async function removeMessages(storage: Storage, userEmail: string): Promise<void> {
  await removeWhere(storage, WEBHOOK_MESSAGES, {
    index: "byPerson",
    after: { by: userEmail, key: "" },
    matches: ({ type }) => type !== "subscriber.erased",
    isOver: (message) => message.userEmail !== userEmail,
  });
}

/** The records of a person to erase, and the time of the erasure. */
interface Erasure {
  /** The entries whose deliveries have a deferral for the person. */
  readonly entryIds: readonly string[];
  /** The subscription at the time when the messages about the person were removed. */
  readonly known: Subscription | undefined;
  /** Whether the subscription is erased already, and only traces are left. */
  readonly isErased: boolean;
  /** Whether other records name the person. */
  readonly isKnown: boolean;
  /** The key of the hash that remains. */
  readonly erasureId: string;
  /** The hash of the mailbox; it limits mails to the mailbox. */
  readonly mailboxId: string;
  readonly at: string;
}

/** Returns the entries whose deliveries have a deferral for a person; there are few at a time. */
async function findDeferring(storage: Storage, userEmail: string): Promise<readonly string[]> {
  const query = { index: "byPerson", after: { by: userEmail, key: "" }, limit: MAX_DEFERRALS };
  const page = await storage.list(DEFERRALS, query);
  const own = page.filter((deferral) => deferral.userEmail === userEmail);
  return own.map(({ entryId }) => entryId);
}

/** Erases an address; returns whether it was stored, or `undefined` if a change came between. */
function erase(
  storage: Storage,
  userEmail: string,
  { known, isErased, isKnown, erasureId, mailboxId, entryIds, at }: Erasure,
): Promise<boolean | undefined> {
  const refs: EraseRefs = {
    subscription: { kind: SUBSCRIPTIONS, key: userEmail },
    failure: { kind: FAILURES, key: userEmail },
    count: { kind: BOUNCE_COUNTS, key: userEmail },
    erasure: { kind: ERASURES, key: erasureId },
    // An erasure also ends the links and cookies of the mailbox, the address without its plus tag.
    ...mailboxId !== erasureId && { "erasure of mailbox": { kind: ERASURES, key: mailboxId } },
    erasures: ERASURE_COUNT,
    mail: { kind: PROOF_MAILS, key: mailboxId },
    ...Object.fromEntries(entryIds.flatMap((entryId) => [
      [`delivery ${entryId}`, { kind: DELIVERIES, key: entryId }],
      [`deferral ${entryId}`, { kind: DEFERRALS, key: deferralIdOf(entryId, userEmail) }],
    ])),
  };
  const type = "subscriber.erased";
  return transactWithEvents<EraseRefs, boolean | undefined>(storage, refs, (found) => {
    // The change stored messages to webhooks, which must be removed first.
    const isSame = JSON.stringify(found.subscription) === JSON.stringify(known);
    if (!isErased && !isSame) return { answer: undefined };
    const put: { -readonly [N in keyof EraseRefs]?: RecordOf<EraseRefs[N]> } = {};
    if (found.mail !== undefined) put.mail = endProof(found.mail);
    if (!isErased && (isKnown || known !== undefined || found.mail !== undefined)) {
      const before = found.erasure?.erasedAt ?? EPOCH;
      const erasedAt = at > before ? at : addMs(before, 1);
      put.erasure = { erasureId, erasedAt };
      if (mailboxId !== erasureId) put["erasure of mailbox"] = { erasureId: mailboxId, erasedAt };
      put.erasures = countErasure(found.erasures);
    }
    for (const entryId of entryIds) {
      const delivery = found[`delivery ${entryId}`];
      if (delivery === undefined || delivery.finishedAt !== null) continue;
      const deferred = delivery.deferred - Number(found[`deferral ${entryId}`] !== undefined);
      put[`delivery ${entryId}`] = { ...delivery, deferred };
    }
    const deferrals = entryIds.map((entryId) => `deferral ${entryId}` as const);
    const answer = known !== undefined;
    const events = answer ? [{ type, at, data: { userEmail }, userEmail } as const] : [];
    const records = isErased ? [] : ["subscription", "failure", "count"] as const;
    return { answer, put, remove: [...records, ...deferrals], events };
  }, { types: [type], at });
}

type EraseRefs = {
  readonly subscription: Ref<typeof SUBSCRIPTIONS>;
  readonly failure: Ref<typeof FAILURES>;
  readonly count: Ref<typeof BOUNCE_COUNTS>;
  readonly erasure: Ref<typeof ERASURES>;
  readonly [mailbox: `erasure of ${string}`]: Ref<typeof ERASURES>;
  readonly erasures: Ref<typeof SETTINGS>;
  readonly mail: Ref<typeof PROOF_MAILS>;
  readonly [delivery: `delivery ${string}`]: Ref<typeof DELIVERIES>;
  readonly [deferral: `deferral ${string}`]: Ref<typeof DEFERRALS>;
};
