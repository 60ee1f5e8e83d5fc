import { DELIVERIES, FAILURES, SUBSCRIPTIONS } from "../../model/kinds.ts";
import { cleanOutcome, deferralIdOf } from "../../model/deliveries/mail_outcome.ts";
import type { Subscription } from "../../model/subscriptions/subscription.ts";
import { listRecipients, NOBODY, type Recipient } from "../../services/deliveries/recipients.ts";
import { type Answer, createFlights, type FlightOptions, type FlightTools } from "./flights.ts";
import type { MailPlan } from "./list_mail.ts";
import type { Mailer } from "./mailer.ts";
import type { Throttle } from "./throttle.ts";

/** A delivery that is under way. */
export interface MailRound extends Pick<FlightOptions, "delivery" | "tenure" | "isCautious"> {
  readonly throttle: Throttle;
  /** Prepares its mail as it is by now; `undefined` where there is nothing to mail any more. */
  readonly prepare: () => Promise<MailPlan | undefined>;
}

/** What mails are sent with. */
export interface MailTools extends FlightTools {
  readonly mailer: Pick<Mailer, "send">;
  /** Returns the link by which a person unsubscribes. */
  readonly createLink: (userEmail: string) => Promise<string>;
}

/** What became of a round. */
export interface MailRoundOutcome {
  /** Whether the relay answered any mail. */
  readonly isRelayAlive: boolean;
  /** Whether a mail was sent, or is, to all to whom one is due. */
  readonly isComplete: boolean;
  /** What the mailer rejected with, if it did: the relay can't be used. */
  readonly failure: { readonly error: unknown } | undefined;
  /** Whether it did while more connections were used than the few that are at first. */
  readonly isOverloaded: boolean;
}

const SKIPPED: Answer["outcome"] = { state: "skipped" };
const CUT: Answer["outcome"] = { state: "interrupted", waitMs: 0 };
// Others come first, as it may be this mail that the relay fails at.
const FAILED: Answer["outcome"] = { state: "interrupted", waitMs: 60_000 };

/**
 * Sends the mails of a delivery until all are sent, the tenure is over, or the relay fails. Rejects if
 * storage fails, but not before what is known is stored, or the tenure is over.
 */
export async function sendRound(
  { delivery, tenure, isCautious, throttle, prepare }: MailRound,
  tools: MailTools,
): Promise<MailRoundOutcome> {
  const { storage, mailer, clock, createLink, inFlight } = tools;
  const { entryId } = delivery;
  const stopping = new AbortController();
  const signal = AbortSignal.any([tenure.signal, stopping.signal]);
  const stop = () => stopping.abort();
  const flights = createFlights({ delivery, tenure, signal, isCautious, stop }, tools);
  let plan: MailPlan | undefined;
  let queue: readonly Recipient[] = [];
  let { cursor } = delivery;
  let isListed = false;
  let isOverloaded = false;
  let failure: MailRoundOutcome["failure"];
  let storageFailure: MailRoundOutcome["failure"];

  function failStorage(error: unknown): void {
    storageFailure ??= { error };
    stop();
  }

  async function beginAll(): Promise<void> {
    while (!signal.aborted) {
      if (queue.length === 0) await list();
      const [recipient, ...others] = queue;
      if (recipient === undefined) return;
      queue = others;
      if (recipient.userEmail === NOBODY) {
        flights.pass(recipient);
        continue;
      }
      await flights.ready();
      await throttle.pass(signal);
      if (!signal.aborted) flights.begin(recipient, () => send(recipient.userEmail));
    }
  }

  async function list(): Promise<void> {
    plan = await prepare();
    if (plan === undefined) return stop();
    const { index, judge } = plan;
    const now = new Date(clock.now()).toISOString();
    const isInFlight = (userEmail: string) => inFlight.has(deferralIdOf(entryId, userEmail));
    queue = await listRecipients(storage, { entryId, cursor }, { now, index, judge, isInFlight });
    isListed = queue.length === 0;
    if (isListed) flights.setListed();
    cursor = queue.findLast(({ deferral }) => deferral === undefined)?.subscriberId ?? cursor;
  }

  async function send(userEmail: string): Promise<Answer> {
    const { judge, write } = plan!;
    let isCut = false;
    let hadFailure = false;
    let person: Subscription | undefined;
    let written: Subscription | undefined;
    let isOld = false;
    /** Reads as late as possible: an opt-out acknowledged until then is honoured. */
    async function isWanted(): Promise<boolean> {
      const [subscription, current, failed] = await Promise.all([
        storage.get(SUBSCRIPTIONS, userEmail),
        storage.get(DELIVERIES, entryId),
        storage.get(FAILURES, userEmail),
      ]).catch((error) => {
        failStorage(error);
        return [];
      });
      hadFailure = failed !== undefined;
      const isRunning = current?.state === "running" && current.startedAt === delivery.startedAt;
      if (!isRunning || !tenure.isOn()) stop();
      person = subscription?.subscribed && judge(subscription) === "wanted"
        ? subscription
        : undefined;
      isCut = signal.aborted;
      isOld = written !== undefined && `${person?.labels}` !== `${written.labels}`;
      return person !== undefined && !isCut && !isOld;
    }
    try {
      const link = await createLink(userEmail);
      let outcome: Answer["outcome"] = SKIPPED;
      let isDue = await isWanted();
      while (isDue && person !== undefined) {
        written = person;
        outcome = cleanOutcome(await mailer.send(await write(written, link), isWanted));
        // One that waited for a connection may be by what was chosen before: then it is written anew.
        isDue = isOld && !isCut && outcome.state === "skipped";
      }
      return { outcome: outcome.state === "skipped" && isCut ? CUT : outcome, hadFailure };
    } catch (error) {
      isOverloaded ||= flights.isCrowded();
      failure ??= { error };
      stop();
      return { outcome: FAILED, hadFailure };
    }
  }

  await beginAll().catch(failStorage);
  await flights.close();
  if (storageFailure !== undefined) throw storageFailure.error;
  const isComplete = isListed && !signal.aborted;
  return { isRelayAlive: flights.isRelayAlive, failure, isOverloaded, isComplete };
}
