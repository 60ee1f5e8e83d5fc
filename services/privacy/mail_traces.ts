import type { Found, RecordOf, Ref, Refs, Storage } from "../../adapters/storage.ts";
import {
  BOUNCE_COUNTS,
  DEFERRALS,
  DELIVERIES,
  ERASURES,
  FAILURES,
  type SETTINGS,
  SUBSCRIPTIONS,
  WEBHOOK_MESSAGES,
} from "../../model/kinds.ts";
import { PROOF_MAILS } from "../../model/proof/pending.ts";
import { deferralIdOf } from "../../model/deliveries/mail_outcome.ts";
import type { Subscription } from "../../model/subscriptions/subscription.ts";
import { addMs, EPOCH } from "../../model/values/time.ts";
import { forgetDeliveryFailures } from "../deliveries/failures.ts";
import { endProof } from "../proof/outbox.ts";
import { dropPending } from "../proof/pending.ts";
import { countErasure, ERASURE_COUNT, mailboxIdOf, openAddressHash } from "./erased.ts";
import { transactWithEvents } from "../webhooks/events.ts";
import { removeWhere } from "../removals.ts";

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
    const traces = await findTraces(storage, userEmail);
    // Deliveries store nothing more about an address without a subscription.
    await forgetDeliveryFailures(storage, userEmail);
    // The loop erases the subscription only once, because the person may subscribe again at once.
    if (wasThere !== undefined) {
      if (isEmpty(traces)) break;
      await eraseTraces(storage, userEmail, traces);
      continue;
    }
    const known = await storage.get(SUBSCRIPTIONS, userEmail);
    const hasMail = await storage.get(PROOF_MAILS, mailboxId) !== undefined;
    if (known !== undefined) await removeMessages(storage, userEmail);
    const erasure = { traces, known, hasMail, isKnown, erasureId, mailboxId, at };
    wasThere = await erase(storage, userEmail, erasure);
  }
  await dropPending(storage, userEmail);
  return wasThere;
}

/** Removes all records about mails to a person, without their subscription. */
export async function eraseMailTraces(storage: Storage, userEmail: string): Promise<void> {
  await forgetDeliveryFailures(storage, userEmail);
  for (;;) {
    const traces = await findTraces(storage, userEmail);
    if (isEmpty(traces)) return;
    await eraseTraces(storage, userEmail, traces);
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

/** The records about mails to a person that exist. */
interface Traces {
  /** The entries whose deliveries have a deferral for the person. */
  readonly entryIds: readonly string[];
  readonly hasFailure: boolean;
  readonly hasCount: boolean;
}

/** The records of a person to erase, and the time of the erasure. */
interface Erasure {
  readonly traces: Traces;
  /** The subscription at the time when the messages about the person were removed. */
  readonly known: Subscription | undefined;
  /** Whether a form has mailed the mailbox lately. */
  readonly hasMail: boolean;
  /** Whether other records name the person. */
  readonly isKnown: boolean;
  /** The key of the hash that remains. */
  readonly erasureId: string;
  /** The hash of the mailbox; it limits mails to the mailbox. */
  readonly mailboxId: string;
  readonly at: string;
}

/** Finds the records about mails to a person; there are few deferrals at a time. */
async function findTraces(storage: Storage, userEmail: string): Promise<Traces> {
  const query = { index: "byPerson", after: { by: userEmail, key: "" }, limit: MAX_DEFERRALS };
  const [deferrals, failure, count] = await Promise.all([
    storage.list(DEFERRALS, query),
    storage.get(FAILURES, userEmail),
    storage.get(BOUNCE_COUNTS, userEmail),
  ]);
  const own = deferrals.filter((deferral) => deferral.userEmail === userEmail);
  return {
    entryIds: own.map(({ entryId }) => entryId),
    hasFailure: failure !== undefined,
    hasCount: count !== undefined,
  };
}

function isEmpty({ entryIds, hasFailure, hasCount }: Traces): boolean {
  return entryIds.length === 0 && !hasFailure && !hasCount;
}

/** Erases an address; returns whether it was stored, or `undefined` if a change came between. */
async function erase(
  storage: Storage,
  userEmail: string,
  { traces, known, hasMail, isKnown, erasureId, mailboxId, at }: Erasure,
): Promise<boolean | undefined> {
  if (known === undefined && !hasMail && !isKnown) {
    await eraseTraces(storage, userEmail, traces);
    return false;
  }
  const refs: EraseRefs = {
    subscription: { kind: SUBSCRIPTIONS, key: userEmail },
    erasure: { kind: ERASURES, key: erasureId },
    // An erasure also ends the links and cookies of the mailbox, the address without its plus tag.
    ...mailboxId !== erasureId && { "erasure of mailbox": { kind: ERASURES, key: mailboxId } },
    erasures: ERASURE_COUNT,
    ...hasMail && { "mail of mailbox": { kind: PROOF_MAILS, key: mailboxId } },
    ...refsTo(userEmail, traces),
  };
  const type = "subscriber.erased";
  return await transactWithEvents<EraseRefs, boolean | undefined>(storage, refs, (found) => {
    // The change stored messages to webhooks, which must be removed first.
    const isSame = JSON.stringify(found.subscription) === JSON.stringify(known);
    if (!isSame) return { answer: undefined };
    const before = found.erasure?.erasedAt ?? EPOCH;
    const erasedAt = at > before ? at : addMs(before, 1);
    const mail = found["mail of mailbox"];
    const put: Changes<EraseRefs> = {
      erasure: { erasureId, erasedAt },
      erasures: countErasure(found.erasures),
      ...putDeliveries(found, traces),
    };
    if (mailboxId !== erasureId) put["erasure of mailbox"] = { erasureId: mailboxId, erasedAt };
    if (mail !== undefined) put["mail of mailbox"] = endProof(mail);
    const answer = known !== undefined;
    const events = answer ? [{ type, at, data: { userEmail }, userEmail } as const] : [];
    return { answer, put, remove: ["subscription", ...removedOf(traces)], events };
  }, { types: [type], at });
}

/** Removes the records about mails to a person. */
async function eraseTraces(storage: Storage, userEmail: string, traces: Traces): Promise<void> {
  if (isEmpty(traces)) return;
  const refs = refsTo(userEmail, traces);
  await storage.transact<TraceRefs, void>(refs, (found) => ({
    answer: undefined,
    put: putDeliveries(found, traces),
    remove: removedOf(traces),
  }));
}

function refsTo(userEmail: string, { entryIds, hasFailure, hasCount }: Traces): TraceRefs {
  return {
    ...hasFailure && { "failure of person": { kind: FAILURES, key: userEmail } },
    ...hasCount && { "count of person": { kind: BOUNCE_COUNTS, key: userEmail } },
    ...Object.fromEntries(entryIds.flatMap((entryId) => [
      [`delivery ${entryId}`, { kind: DELIVERIES, key: entryId }],
      [`deferral ${entryId}`, { kind: DEFERRALS, key: deferralIdOf(entryId, userEmail) }],
    ])),
  };
}

/** Subtracts the person's deferrals from the counts of their deliveries. */
function putDeliveries(found: Found<TraceRefs>, { entryIds }: Traces): Changes<TraceRefs> {
  const put: Changes<TraceRefs> = {};
  for (const entryId of entryIds) {
    const delivery = found[`delivery ${entryId}`];
    if (delivery === undefined || delivery.finishedAt !== null) continue;
    const deferred = delivery.deferred - Number(found[`deferral ${entryId}`] !== undefined);
    put[`delivery ${entryId}`] = { ...delivery, deferred };
  }
  return put;
}

function removedOf({ entryIds, hasFailure, hasCount }: Traces): readonly (keyof TraceRefs)[] {
  return [
    ...hasFailure ? ["failure of person" as const] : [],
    ...hasCount ? ["count of person" as const] : [],
    ...entryIds.map((entryId) => `deferral ${entryId}` as const),
  ];
}

type Changes<R extends Refs> = { -readonly [N in keyof R]?: RecordOf<R[N]> };

type TraceRefs = {
  readonly [failure: `failure ${string}`]: Ref<typeof FAILURES>;
  readonly [count: `count ${string}`]: Ref<typeof BOUNCE_COUNTS>;
  readonly [delivery: `delivery ${string}`]: Ref<typeof DELIVERIES>;
  readonly [deferral: `deferral ${string}`]: Ref<typeof DEFERRALS>;
};

type EraseRefs = TraceRefs & {
  readonly subscription: Ref<typeof SUBSCRIPTIONS>;
  readonly erasure: Ref<typeof ERASURES>;
  readonly [mailbox: `erasure of ${string}`]: Ref<typeof ERASURES>;
  readonly erasures: Ref<typeof SETTINGS>;
  readonly [mail: `mail ${string}`]: Ref<typeof PROOF_MAILS>;
};
