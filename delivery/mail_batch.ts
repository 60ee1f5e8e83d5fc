import type { Storage } from "../adapters/storage.ts";
import type { Delivery } from "../model/delivery.ts";
import { DELIVERIES, FAILURES, SUBSCRIPTIONS } from "../model/kinds.ts";
import { commitProgress, type Result } from "../services/delivery_progress.ts";
import type { Recipient } from "../services/recipients.ts";
import type { Addressee, WriteMail } from "./entry_mail.ts";
import type { Clock, Turn } from "./loop.ts";
import type { Mail, Mailer, SendOutcome } from "./mailer.ts";
import type { Pace } from "./pace.ts";

/** Mails of one entry. */
export interface MailBatch {
  readonly delivery: Delivery;
  readonly recipients: readonly Recipient[];
  readonly write: WriteMail;
}

/** What mails are sent with. */
export interface MailTools {
  readonly storage: Storage;
  readonly mailer: Mailer;
  readonly clock: Clock;
  /** Returns whom a mail is for, with the link to unsubscribe. */
  readonly address: (userEmail: string) => Promise<Addressee>;
  /** Called with failures of storage, after which it is tried again. */
  readonly onError: (error: unknown) => void;
}

/** What became of a batch. */
export interface MailBatchOutcome {
  /** Whether the relay accepted any mail. */
  readonly hasSent: boolean;
  /** What the mailer rejected with, if it did: the relay can't be used. */
  readonly failure: { readonly error: unknown } | undefined;
}

const CONCURRENCY = 10;
const COMMIT_MS = 1_000;
const RETRY_MS = 2_000;
const MAX_TEXT_LENGTH = 500;

/**
 * Sends mails, ten at a time, until all are sent, the turn is over, or the relay fails. Outcomes are
 * stored every second, up to the first mail that is under way, and completely at the end. Rejects if
 * storage fails, but not before they are stored, or the turn is over.
 */
export async function sendBatch(
  { delivery, recipients, write }: MailBatch,
  { turn, pace }: { readonly turn: Turn; readonly pace: Pace },
  { storage, mailer, clock, address, onError }: MailTools,
): Promise<MailBatchOutcome> {
  const results: (Result | undefined)[] = [];
  const stopping = new AbortController();
  const ended = new AbortController();
  const signal = AbortSignal.any([turn.signal, stopping.signal]);
  let failure: MailBatchOutcome["failure"];
  let storageFailure: MailBatchOutcome["failure"];
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
    if (!isRunning || !turn.isOn()) stopping.abort();
    return { isSubscribed: subscription?.subscribed ?? false, hadFailure: failed !== undefined };
  }

  async function send(mail: Mail): Promise<Result["outcome"]> {
    try {
      return normalise(await mailer.send(mail));
    } catch (error) {
      failure ??= { error };
      stopping.abort();
      return { state: "interrupted" };
    }
  }

  async function sendNext(): Promise<void> {
    while (!signal.aborted && next < recipients.length) {
      const index = next++;
      const recipient = recipients[index];
      await pace(signal);
      if (signal.aborted) return;
      try {
        const mail = await write(await address(recipient.userEmail));
        const { isSubscribed, hadFailure } = await check(recipient);
        if (signal.aborted) return;
        const outcome = isSubscribed ? await send(mail) : { state: "skipped" } as const;
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
    const goesOn = await commitProgress(storage, turn.transact, { delivery, results: ready, now });
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
      if (turn.signal.aborted) throw error;
      onError(error);
      await clock.sleep(RETRY_MS, turn.signal);
    }
  }
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
      return outcome;
    case "refused":
    case "deferred":
      return { state: outcome.state, code: clean(outcome.code), text: clean(outcome.text) };
    default:
      throw new TypeError("The mailer resolved to no outcome: sent, refused or deferred");
  }
}

/** Returns a text in one line, and not too long, as it can be stored. */
export function clean(text: unknown): string {
  return `${text}`.replace(/[\p{Cc}\p{Cs}]+/gu, " ").slice(0, MAX_TEXT_LENGTH);
}
