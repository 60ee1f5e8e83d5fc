import type { Storage } from "../../adapters/storage.ts";
import type { Delivery } from "../../model/deliveries/delivery.ts";
import { DEFERRALS, DELIVERIES, FAILURES, SUBSCRIPTIONS } from "../../model/kinds.ts";
import { deferralIdOf, toLine } from "../../model/deliveries/mail_outcome.ts";
import {
  commitProgress,
  type Result,
  type Unanswered,
} from "../../services/deliveries/progress.ts";
import type { Recipient } from "../../services/deliveries/recipients.ts";
import type { WriteMail } from "./entry_mail.ts";
import type { Clock, Tenure } from "../loop.ts";
import type { Mail, Mailer, SendOutcome } from "./mailer.ts";
import type { Throttle } from "./throttle.ts";

/** Mails of one entry to some of its recipients. */
export interface MailRound {
  readonly delivery: Delivery;
  readonly recipients: readonly Recipient[];
  readonly write: WriteMail;
}

/** What mails are sent with. */
export interface MailTools {
  readonly storage: Storage;
  readonly mailer: Mailer;
  readonly clock: Clock;
  /** Returns the link by which a person unsubscribes. */
  readonly createLink: (userEmail: string) => Promise<string>;
  /** The mails whose answers are awaited while others are sent. */
  readonly unanswered: Set<Promise<void>>;
  /** Called with failures of storage, after which it is tried again. */
  readonly onError: (error: unknown) => void;
}

/** What became of a round. */
export interface MailRoundOutcome {
  /** Whether the relay accepted any mail. */
  readonly hasSent: boolean;
  /** What the mailer rejected with, if it did: the relay can't be used. */
  readonly failure: { readonly error: unknown } | undefined;
}

const CONCURRENCY = 10;
const COMMIT_MS = 1_000;
const RETRY_MS = 2_000;
// A mail that takes longer holds up nobody else.
const SLOW_MS = 15_000;
// With those that are being sent, at most 100 mails are in flight.
const MAX_UNANSWERED = 90;
const NO_ANSWER_YET: Unanswered = {
  state: "unanswered",
  code: "4.4.2",
  text: "The relay has not answered yet",
};

/**
 * Sends mails, ten at a time, until all are sent, the tenure is over, or the relay fails. Outcomes are
 * stored every second, up to the first mail that is under way, and completely at the end. Rejects if
 * storage fails, but not before they are stored, or the tenure is over.
 */
export async function sendRound(
  { delivery, recipients, write }: MailRound,
  { tenure, throttle }: { readonly tenure: Tenure; readonly throttle: Throttle },
  { storage, mailer, clock, createLink, unanswered, onError }: MailTools,
): Promise<MailRoundOutcome> {
  const { entryId } = delivery;
  let setStored = () => {};
  const stored = new Promise<void>((resolve) => setStored = resolve);
  const results: (Result | undefined)[] = [];
  const stopping = new AbortController();
  const ended = new AbortController();
  const signal = AbortSignal.any([tenure.signal, stopping.signal]);
  let failure: MailRoundOutcome["failure"];
  let storageFailure: MailRoundOutcome["failure"];
  let next = 0;
  let committed = 0;

  /** Reads as late as possible: an opt-out acknowledged until then is honoured. */
  async function check({ userEmail }: Recipient) {
    const [subscription, current, failed] = await Promise.all([
      storage.get(SUBSCRIPTIONS, userEmail),
      storage.get(DELIVERIES, delivery.entryId),
      storage.get(FAILURES, userEmail),
    ]);
    const isRunning = current?.state === "running" && current.startedAt === delivery.startedAt;
    if (!isRunning || !tenure.isOn()) stopping.abort();
    return { isSubscribed: subscription?.subscribed ?? false, hadFailure: failed !== undefined };
  }

  async function send(recipient: Recipient, mail: Mail): Promise<Result["outcome"]> {
    let isCut = false;
    async function isWanted(): Promise<boolean> {
      const { isSubscribed } = await check(recipient);
      isCut = signal.aborted;
      return isSubscribed && !isCut;
    }
    try {
      const outcome = normalise(await mailer.send(mail, isWanted));
      return isCut && outcome.state === "skipped" ? { state: "interrupted" } : outcome;
    } catch (error) {
      failure ??= { error };
      stopping.abort();
      return { state: "interrupted" };
    }
  }

  /** Awaits an outcome for a while; one that comes later takes the place of the deferral. */
  async function awaitShortly(
    result: Omit<Result, "outcome">,
    sending: Promise<Result["outcome"]>,
  ) {
    const arrived = new AbortController();
    const slow = clock.sleep(SLOW_MS, arrived.signal).then(() => NO_ANSWER_YET);
    const first = await Promise.race([sending, slow]);
    arrived.abort();
    if (first !== NO_ANSWER_YET) return first;
    if (unanswered.size >= MAX_UNANSWERED) return await sending;
    const late = sending.then((outcome) => commitLate(result, outcome)).catch(onError)
      .then(() => void unanswered.delete(late));
    unanswered.add(late);
    return first;
  }

  async function commitLate(
    { userEmail, hadFailure }: Omit<Result, "outcome">,
    outcome: Result["outcome"],
  ): Promise<void> {
    await stored;
    if (outcome.state === "interrupted") return;
    const deferral = await storage.get(DEFERRALS, deferralIdOf(entryId, userEmail));
    if (deferral === undefined) return;
    const now = new Date(clock.now()).toISOString();
    const results = [{ userEmail, deferral, outcome, hadFailure }];
    // Without the lease, which may be another process's by now: the deferral tells whether it is news.
    await commitProgress(storage, storage.transact, { delivery, results, now });
  }

  async function sendNext(): Promise<void> {
    while (!signal.aborted && next < recipients.length) {
      const index = next++;
      const recipient = recipients[index];
      await throttle(signal);
      if (signal.aborted) return;
      try {
        const mail = await write(recipient.userEmail, await createLink(recipient.userEmail));
        const { isSubscribed, hadFailure } = await check(recipient);
        if (signal.aborted) return;
        const outcome = isSubscribed
          ? await awaitShortly({ ...recipient, hadFailure }, send(recipient, mail))
          : { state: "skipped" } as const;
        results[index] = { ...recipient, outcome, hadFailure };
      } catch (error) {
        storageFailure ??= { error };
        stopping.abort();
      }
    }
  }

  async function commit(end: number): Promise<void> {
    if (end <= committed) return;
    const ready = recipients.slice(committed, end).map((recipient, index) =>
      results[committed + index] ??
        { ...recipient, outcome: { state: "interrupted" }, hadFailure: false } as const
    );
    const now = new Date(clock.now()).toISOString();
    const goesOn = await commitProgress(storage, tenure.transact, {
      delivery,
      results: ready,
      now,
    });
    committed = end;
    if (!goesOn) stopping.abort();
  }

  async function commitPeriodically(): Promise<void> {
    while (!ended.signal.aborted) {
      await clock.sleep(COMMIT_MS, ended.signal);
      if (ended.signal.aborted) return;
      let end = committed;
      while (isDone(results[end])) end++;
      await commit(end).catch(onError);
    }
  }

  const commits = commitPeriodically();
  await Promise.all(Array.from({ length: CONCURRENCY }, sendNext));
  ended.abort();
  await commits;
  // What was interrupted before another mail was sent is stored, too, and tried again later.
  const end = results.findLastIndex(isDone) + 1;
  while (true) {
    try {
      await commit(end);
      break;
    } catch (error) {
      if (tenure.signal.aborted) {
        setStored();
        throw error;
      }
      onError(error);
      await clock.sleep(RETRY_MS, tenure.signal);
    }
  }
  setStored();
  if (storageFailure !== undefined) throw storageFailure.error;
  return { hasSent: results.some((result) => result?.outcome.state === "sent"), failure };
}

function isDone(result: Result | undefined): boolean {
  return result !== undefined && result.outcome.state !== "interrupted";
}

/** Cleans the outcome of a mailer: one that storage refused would have mails repeated for ever. */
function normalise(outcome: SendOutcome): SendOutcome {
  switch (outcome?.state) {
    case "sent":
    case "skipped":
      return outcome;
    case "refused":
    case "deferred":
      return { state: outcome.state, code: toLine(outcome.code), text: toLine(outcome.text) };
    default:
      throw new TypeError("The mailer resolved to no outcome: sent, skipped, refused or deferred");
  }
}
