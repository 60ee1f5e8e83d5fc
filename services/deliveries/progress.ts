import type { Decision, Found, RecordOf, Ref, Storage } from "../../adapters/storage.ts";
import type { Delivery } from "../../model/deliveries/delivery.ts";
import { advanceDelivery } from "../../model/deliveries/delivery_steps.ts";
import { failureIdOf } from "../../model/deliveries/delivery_failure.ts";
import {
  DEFERRALS,
  DELIVERIES,
  DELIVERY_FAILURES,
  FAILURES,
  SUBSCRIPTIONS,
} from "../../model/kinds.ts";
import { PEOPLE } from "../../model/posts/records.ts";
import {
  createDeferral,
  deferMail,
  type Deferral,
  deferralIdOf,
  hasNoMailbox,
  isUnknownMailbox,
  recordFailure,
  type SendOutcome,
} from "../../model/deliveries/mail_outcome.ts";
import { mailboxOf } from "../../model/posts/vote.ts";
import { subscribedSince } from "../../model/subscriptions/history.ts";
import { addMs } from "../../model/values/time.ts";
import type { FencedTransact } from "../leases.ts";
import { NOBODY, type Recipient } from "./recipients.ts";
import { removeRecord } from "../records.ts";
import { unsubscribe } from "../subscriptions/subscriptions.ts";

/** The outcome of an attempt to mail a recipient. */
export interface Result extends Recipient {
  readonly outcome: SendOutcome | Postponed | {
    /** The mail was not sent, and is due again after a pause. */
    readonly state: "interrupted";
    readonly waitMs: number;
  };
  /** Whether an earlier failure is recorded for the person. */
  readonly hadFailure: boolean;
  /** The identifiers of the posts that the mail told of, as the person had asked. */
  readonly told?: readonly string[];
}

/** A mail that counts as deferred until more is known. */
export interface Postponed {
  /**
   * The relay has not answered for long (`no reply`), or it is unclear whether its refusal
   * concerns the recipient (`put off`).
   */
  readonly state: "no reply" | "put off";
  readonly code: string;
  readonly text: string;
}

type ProgressRefs = {
  readonly delivery: Ref<typeof DELIVERIES>;
  readonly [deferral: `deferral ${string}`]: Ref<typeof DEFERRALS>;
  readonly [failure: `failure ${string}`]: Ref<typeof FAILURES>;
  readonly [missed: `missed ${string}`]: Ref<typeof DELIVERY_FAILURES>;
  readonly [subscription: `subscription ${string}`]: Ref<typeof SUBSCRIPTIONS>;
  readonly [person: `person ${string}`]: Ref<typeof PEOPLE>;
};
type ProgressFound = Found<ProgressRefs>;
type Put = { -readonly [N in keyof ProgressRefs]?: RecordOf<ProgressRefs[N]> | undefined };

/** The longest wait for the relay's reply to a mail (RFC 5321, section 4.5.3.2.6). */
const MAX_REPLY_MS = 600_000;

/** The most results that one transaction can store, with five references each. */
export const MAX_RESULTS = 19;
// A delivery tells each person once, and few deliveries are active at the same time.
const MAX_TOLD = 100;

/** The outcomes that one transaction stores. */
export interface RoundProgress {
  readonly delivery: Delivery;
  readonly results: readonly Result[];
  /** RFC 3339, UTC, milliseconds. */
  readonly now: string;
  /** The words of a relay that refuses mails, while it is unclear whom they concern. */
  readonly problem?: string | undefined;
}

/**
 * Stores the outcomes of up to {@linkcode MAX_RESULTS} recipients of a delivery in order, and
 * advances its cursor. Returns whether the delivery goes on. A repetition after a storage failure
 * changes nothing twice.
 */
export async function commitProgress(
  storage: Storage,
  transact: FencedTransact,
  progress: RoundProgress,
): Promise<boolean> {
  const { delivery, results, now } = progress;
  const outcome = await transact(
    refsTo(delivery, results, now),
    (found) => decide(found, progress),
  );
  if (outcome === undefined) return false;
  for (const { userEmail, hadFailure, outcome: { state } } of results) {
    if (hadFailure && state === "refused") await unsubscribeGone(storage, userEmail, now);
  }
  return outcome === "running";
}

/**
 * Unsubscribes a person whose mailbox no longer exists, in a transaction of its own that causes an
 * event.
 */
async function unsubscribeGone(storage: Storage, userEmail: string, now: string): Promise<void> {
  const failure = await storage.get(FAILURES, userEmail);
  if (failure === undefined || !hasNoMailbox(failure)) return;
  await unsubscribe(storage, userEmail, { source: "bounce", at: now });
  await removeRecord(storage, FAILURES, userEmail);
}

function decide(
  found: ProgressFound,
  { delivery: delivered, results, now, problem }: RoundProgress,
): Decision<ProgressRefs, "running" | "stopped"> {
  const current = found.delivery;
  const isSame = current !== undefined && current.startedAt === delivered.startedAt;
  if (!isSame) return { answer: "stopped" };
  const { entryId, finishedAt } = current;
  const put: Put = {};
  const remove: (keyof ProgressRefs)[] = [];
  const counts = { sent: 0, failed: 0, deferred: 0, skipped: 0, mails: [] as boolean[] };
  const told: (readonly string[])[] = [];

  const isRoundOver = current.round !== delivered.round;

  function isStored({ userEmail, place = "", deferral }: Result): boolean {
    return deferral === undefined
      ? isRoundOver || place <= (current!.cursor ?? "")
      : found[`deferral ${userEmail}`]?.place !== deferral.place;
  }

  function apply(result: Result): void {
    const { userEmail, deferral, outcome } = result;
    const mailbox = mailboxOf(userEmail);
    const person = found[`person ${mailbox}`];
    const isKnown = found[`subscription ${userEmail}`] !== undefined || person !== undefined;
    const failure = found[`failure ${userEmail}`];
    const next = nextAttempt(result, entryId, now);
    if (outcome.state === "sent") {
      counts.sent++;
      counts.mails.push(false);
      if (result.told?.length) told.push(result.told);
      // Somebody who asked and is retried as a subscriber has their turn among subscribers to come.
      const isMarked = result.told?.length || deferral !== undefined;
      if (isMarked && person !== undefined) {
        put[`person ${mailbox}`] = { ...person, told: [...person.told, entryId].slice(-MAX_TOLD) };
      }
      if (failure !== undefined) remove.push(`failure ${userEmail}`);
    } else if (next === undefined && "code" in outcome) {
      counts.failed++;
      const { code, text } = outcome;
      counts.mails.push(isUnknownMailbox(outcome));
      if (isKnown) {
        const missed = { entryId, userEmail, code, text, failedAt: now };
        const failureId = failureIdOf(entryId, userEmail);
        const subscription = found[`subscription ${userEmail}`];
        const subscribedAt = subscription === undefined ? "" : subscribedSince(subscription);
        put[`failure ${userEmail}`] = recordFailure(failure, missed, { subscribedAt });
        put[`missed ${userEmail}`] = { failureId, ...missed, isReported: false };
      }
    }
    // A subscriber who is retried has changed their labels since.
    const isSubscribed = found[`subscription ${userEmail}`]?.subscribed === true;
    if (isSkippedRetry(result) && isSubscribed) counts.skipped++;
    const isDeferred = next !== undefined && isKnown && finishedAt === null;
    if (isDeferred) put[`deferral ${userEmail}`] = next;
    else if (deferral !== undefined) remove.push(`deferral ${userEmail}`);
    counts.deferred += Number(isDeferred) - Number(deferral !== undefined);
  }

  for (const result of results) {
    if (isStored(result)) continue;
    counts.skipped += result.passed;
    apply(result);
  }
  const last = results.findLast(({ deferral }) => deferral === undefined);
  const cursor = isRoundOver ? null : last?.place ?? null;
  const delivery = advanceDelivery(current, { ...counts, told, cursor, problem }, now);
  const result = delivery.state === "running" ? "running" : "stopped";
  return { answer: result, put: { ...put, delivery }, remove };
}

/** Returns the deferral that a result leads to; `undefined` if there is no further attempt. */
export function nextAttempt(
  { userEmail, attempts, outcome }: Result,
  entryId: string,
  now: string,
): Deferral | undefined {
  const mail = { entryId, userEmail };
  switch (outcome.state) {
    case "interrupted":
      return createDeferral(mail, attempts, addMs(now, outcome.waitMs));
    case "deferred":
    case "unknown":
    case "put off":
      return deferMail(mail, attempts + 1, now);
    case "no reply":
      // A retry waits until the relay can no longer reply to the first attempt.
      return deferMail(mail, attempts + 1, addMs(now, MAX_REPLY_MS));
  }
}

function isSkippedRetry({ deferral, outcome }: Result): boolean {
  return deferral !== undefined && outcome.state === "skipped";
}

/**
 * Returns references to the records that some results change. It omits records that stay absent,
 * because each would cost a lock.
 */
function refsTo(
  { entryId, posts }: Delivery,
  results: readonly Result[],
  now: string,
): ProgressRefs {
  const refs: { -readonly [N in keyof ProgressRefs]: ProgressRefs[N] } = {
    delivery: { kind: DELIVERIES, key: entryId },
  };
  for (const result of results) {
    const { userEmail, deferral, outcome, hadFailure } = result;
    if (userEmail === NOBODY) continue;
    if (posts.length > 0) {
      const mailbox = mailboxOf(userEmail);
      refs[`person ${mailbox}`] = { kind: PEOPLE, key: mailbox };
    }
    const isDeferred = nextAttempt(result, entryId, now) !== undefined;
    const isFailed = !isDeferred && outcome.state !== "sent" && outcome.state !== "skipped";
    if (isDeferred || deferral !== undefined) {
      const key = deferralIdOf(entryId, userEmail);
      refs[`deferral ${userEmail}`] = { kind: DEFERRALS, key };
    }
    if (isFailed || hadFailure) refs[`failure ${userEmail}`] = { kind: FAILURES, key: userEmail };
    if (isDeferred || isFailed || isSkippedRetry(result)) {
      refs[`subscription ${userEmail}`] = { kind: SUBSCRIPTIONS, key: userEmail };
    }
    if (isFailed) {
      const key = failureIdOf(entryId, userEmail);
      refs[`missed ${userEmail}`] = { kind: DELIVERY_FAILURES, key };
    }
  }
  return refs;
}
