import { DELIVERIES, FAILURES } from "../../../model/kinds.ts";
import { cleanOutcome, deferralIdOf } from "../../../model/deliveries/mail_outcome.ts";
import { isLimit, type RelayReply } from "../../../model/deliveries/refusals.ts";
import { listRecipients, NOBODY, type Recipient } from "../../../services/deliveries/recipients.ts";
import { FAILED, type MailReply } from "./started_mail.ts";
import { createRoundMails, type RoundMailsOptions } from "./round_mails.ts";
import type { OutcomeTools } from "./outcomes.ts";
import type { Addressee, MailPlan } from "../mail_plan.ts";
import { type Mailer, MailerError, type SendOutcome } from "../mailer.ts";
import type { MailAttempt, RelayState } from "./relay_state.ts";
import type { Throttle } from "./throttle.ts";

/** A delivery in progress. */
export interface MailRound extends Pick<RoundMailsOptions, "delivery" | "lease" | "onSilence"> {
  readonly throttle: Throttle;
  /** Prepares its current mail; `undefined` if there is nothing left to mail. */
  readonly prepare: () => Promise<MailPlan | undefined>;
}

/** The tools for sending mails. */
export interface MailTools extends OutcomeTools {
  /** The state of the relay, which all mails share. */
  readonly relay: RelayState;
  readonly mailer: Pick<Mailer, "send">;
  /** Returns the link that unsubscribes a subscriber, or ends what other people asked for. */
  readonly createLink: (userEmail: string, isSubscribed: boolean) => Promise<string>;
}

/** The result of a round. */
export interface MailRoundOutcome {
  /** Whether the relay accepted any mail. */
  readonly hasAccepted: boolean;
  /** Whether the mail was sent, or is in flight, to everybody to whom it is due. */
  readonly isComplete: boolean;
  /** The reason why the relay is unusable; `undefined` while it works. */
  readonly failure: RelayFailure | undefined;
}

/** A failure of the relay as a whole. */
export interface RelayFailure {
  readonly error: unknown;
  /** Number of mails that awaited replies. */
  readonly awaiting: number;
  /** Whether a limit of the relay was reached. */
  readonly isThrottled: boolean;
}

const SKIPPED: MailReply["outcome"] = { state: "skipped" };
const CUT: MailReply["outcome"] = { state: "interrupted", waitMs: 0 };
// While the relay refuses everybody: somebody who was put off, and somebody who was not tried yet.
const MAX_PROBES = 2;

/**
 * Sends the mails of a delivery until all are sent, the lease is over, or the relay fails. Rejects
 * if storage fails, but first tries to store all known outcomes until the lease is over.
 */
export async function sendRound(
  { delivery, lease, throttle, prepare, onSilence }: MailRound,
  tools: MailTools,
): Promise<MailRoundOutcome> {
  const { storage, mailer, clock, createLink, inFlight, relay } = tools;
  const { entryId } = delivery;
  const stopping = new AbortController();
  const signal = AbortSignal.any([lease.signal, stopping.signal]);
  const stop = () => stopping.abort();
  const mails = createRoundMails(
    { delivery, lease, signal, relay, throttle, stop, onSilence },
    tools,
  );
  const isProbing = relay.fault !== undefined;
  let plan: MailPlan | undefined;
  let queue: readonly Recipient[] = [];
  let { cursor } = delivery;
  let isListed = false;
  let hasAccepted = false;
  let failure: MailRoundOutcome["failure"];
  let storageFailure: { readonly error: unknown } | undefined;

  const isInFlight = (userEmail: string) => inFlight.has(deferralIdOf(entryId, userEmail));

  function fail(error: unknown, isThrottled = false): void {
    failure ??= { error, awaiting: mails.awaiting, isThrottled };
    stop();
  }

  function failStorage(error: unknown): void {
    storageFailure ??= { error };
    stop();
  }

  /** Fails once the relay was shown to refuse everybody. */
  function checkFault(): void {
    const { fault } = relay;
    if (fault !== undefined) fail(toError(fault), isLimit(fault));
  }

  async function beginAll(): Promise<void> {
    let left = isProbing ? MAX_PROBES : Infinity;
    while (!signal.aborted && left > 0) {
      if (queue.length === 0) await list();
      if (isProbing && left === MAX_PROBES) queue = toProbes(queue);
      const [recipient, ...others] = queue;
      if (recipient === undefined) return;
      queue = others;
      const { userEmail, deferral } = recipient;
      // Somebody who withdraws and votes again while their mail is in flight is listed again.
      const isListedAgain = deferral === undefined && isInFlight(userEmail);
      if (userEmail === NOBODY || isListedAgain) {
        mails.pass(recipient);
        continue;
      }
      await mails.ready();
      await throttle.pass(signal);
      if (signal.aborted) return;
      mails.begin(recipient, (givenUp) => send(recipient, givenUp));
      left--;
    }
  }

  async function list(): Promise<void> {
    plan = await prepare();
    if (plan === undefined) return stop();
    const now = new Date(clock.now()).toISOString();
    queue = await listRecipients(storage, { entryId, cursor }, {
      now,
      list: plan.list,
      isInFlight,
    });
    isListed = queue.length === 0;
    if (isListed) mails.setListed();
    cursor = queue.findLast(({ deferral }) => deferral === undefined)?.place ?? cursor;
  }

  async function send(recipient: Recipient, givenUp: AbortSignal): Promise<MailReply> {
    const { userEmail } = recipient;
    const { find, write } = plan!;
    const attempt = relay.begin(userEmail);
    givenUp.addEventListener("abort", () => attempt.reply());
    let isCut = false;
    let hadFailure = false;
    let person: Addressee | undefined;
    let written: Addressee | undefined;
    let isOld = false;
    /** Reads the subscription as late as possible, to honour opt-outs acknowledged until then. */
    async function isWanted(): Promise<boolean> {
      const [found, current, failed] = await Promise.all([
        find(recipient),
        storage.get(DELIVERIES, entryId),
        storage.get(FAILURES, userEmail),
      ]).catch((error) => {
        failStorage(error);
        return [];
      });
      hadFailure = failed !== undefined;
      const isRunning = current?.state === "running" && current.startedAt === delivery.startedAt;
      if (!isRunning || !lease.isOn()) stop();
      person = found;
      isCut = signal.aborted;
      isOld = written !== undefined &&
        (person?.settings !== written.settings || choicesOf(person) !== choicesOf(written));
      const isDue = person !== undefined && !isCut && !isOld;
      if (isDue) attempt.begin();
      return isDue;
    }
    try {
      let outcome: MailReply["outcome"] = SKIPPED;
      let isDue = await isWanted();
      while (isDue && person !== undefined) {
        written = person;
        const link = await createLink(userEmail, written.subscription !== undefined);
        const mail = await write(written, link);
        const sent = cleanOutcome(await mailer.send(mail, isWanted, { signal: givenUp }));
        outcome = record(attempt, sent);
        // The person's choices or the settings may have changed while the mail waited for a
        // connection: it is written again.
        isDue = isOld && !isCut && sent.state === "skipped";
      }
      if (outcome.state === "skipped") attempt.reply();
      const told = written?.asks.map(({ postId }) => postId) ?? [];
      const isInterrupted = outcome.state === "skipped" && isCut;
      return { outcome: isInterrupted ? CUT : outcome, hadFailure, told, attempt };
    } catch (error) {
      attempt.reply();
      // The mail was given up; its error says nothing about the relay.
      if (!givenUp.aborted) fail(error);
      return { outcome: FAILED, hadFailure };
    }
  }

  /** Records a reply; returns the outcome that follows from it. */
  function record(attempt: MailAttempt, outcome: SendOutcome): MailReply["outcome"] {
    if (outcome.state !== "skipped") attempt.reply(outcome);
    if (outcome.state === "sent") {
      hasAccepted = true;
      throttle.speedUp();
    }
    const isForNow = outcome.state === "deferred" && isLimit(outcome);
    return hasAccepted && isForNow && throttle.limit() ? FAILED : outcome;
  }

  const endListening = isProbing ? () => {} : relay.listen(checkFault);
  await beginAll().catch(failStorage);
  await mails.close();
  endListening();
  if (isProbing) checkFault();
  if (storageFailure !== undefined) throw storageFailure.error;
  const isComplete = isListed && !signal.aborted;
  return { hasAccepted, failure, isComplete };
}

/** Returns the recipients that show whether the relay works again. */
function toProbes(queue: readonly Recipient[]): readonly Recipient[] {
  const first = queue.find(({ deferral }) => deferral !== undefined);
  const others = queue.filter((one) => one !== first);
  return first === undefined ? queue : [first, ...others];
}

/** Returns the choices that affect the text of a mail to a person. */
function choicesOf(person: Addressee | undefined): string | undefined {
  if (person === undefined) return undefined;
  const { subscription, asks } = person;
  return JSON.stringify([subscription?.labels, asks.map(({ postId }) => postId)]);
}

function toError({ code, text }: RelayReply): MailerError {
  return new MailerError(`The mail relay refuses everybody: ${code} ${text}`);
}
