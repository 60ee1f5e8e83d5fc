import { DELIVERIES, FAILURES } from "../../../model/kinds.ts";
import {
  cleanOutcome,
  deferralIdOf,
  type SendOutcome,
} from "../../../model/deliveries/mail_outcome.ts";
import { listRecipients, NOBODY, type Recipient } from "../../../services/deliveries/recipients.ts";
import { findRelayFault, type RelayFault } from "../../../model/deliveries/relay_fault.ts";
import {
  type Answer,
  createFlights,
  type FlightOptions,
  type FlightTools,
  PUT_OFF,
} from "./flights.ts";
import type { Addressee, MailPlan } from "../mail_plan.ts";
import { type Mailer, MailerError } from "../mailer.ts";
import type { RefusedRecipient } from "./relay_state.ts";
import type { Throttle } from "./throttle.ts";

/** A delivery that is under way. */
export interface MailRound
  extends Pick<FlightOptions, "delivery" | "tenure" | "relay" | "onSilence"> {
  readonly throttle: Throttle;
  /** Prepares its current mail; `undefined` where there is nothing to mail any more. */
  readonly prepare: () => Promise<MailPlan | undefined>;
}

/** The means to send mails. */
export interface MailTools extends FlightTools {
  readonly mailer: Pick<Mailer, "send">;
  /** Returns the link by which a person unsubscribes. */
  readonly createLink: (userEmail: string) => Promise<string>;
}

/** The result of a round. */
export interface MailRoundOutcome {
  /** Whether the relay answered any mail. */
  readonly isRelayAlive: boolean;
  /** Whether a mail was sent, or is, to all to whom one is due. */
  readonly isComplete: boolean;
  /** Why the relay can't be used; `undefined` while it can. */
  readonly failure: RelayFailure | undefined;
}

/** An error of the relay as a whole. */
export interface RelayFailure {
  readonly error: unknown;
  /** How many mails awaited their answers. */
  readonly awaiting: number;
  /** Whether it has a limit that was reached. */
  readonly isThrottled: boolean;
}

const SKIPPED: Answer["outcome"] = { state: "skipped" };
const CUT: Answer["outcome"] = { state: "interrupted", waitMs: 0 };
// Others come first, as it may be this mail that the relay fails at.
const FAILED: Answer["outcome"] = { state: "interrupted", waitMs: 60_000 };
const SAME_REFUSALS = "gives one recipient after the other the same refusal";
const FAULTS: Readonly<Record<RelayFault, string>> = {
  refused: "refuses the sender, the login or relaying",
  throttled: "takes no more for now",
};

/**
 * Sends the mails of a delivery until all are sent, the tenure is over, or the relay fails. Rejects if
 * storage fails, but not before what is known is stored, or the tenure is over.
 */
export async function sendRound(
  { delivery, tenure, relay, throttle, prepare, onSilence }: MailRound,
  tools: MailTools,
): Promise<MailRoundOutcome> {
  const { storage, mailer, clock, createLink, inFlight } = tools;
  const { entryId } = delivery;
  const stopping = new AbortController();
  const signal = AbortSignal.any([tenure.signal, stopping.signal]);
  const stop = () => stopping.abort();
  const flights = createFlights({
    delivery,
    tenure,
    signal,
    relay,
    stop,
    onSilence,
    onSameRefusals: (recipient) => fail(toError(SAME_REFUSALS, recipient)),
  }, tools);
  let plan: MailPlan | undefined;
  let queue: readonly Recipient[] = [];
  let { cursor } = delivery;
  let isListed = false;
  let failure: MailRoundOutcome["failure"];
  let storageFailure: { readonly error: unknown } | undefined;

  function fail(error: unknown, isThrottled = false): void {
    failure ??= { error, awaiting: flights.awaiting, isThrottled };
    stop();
  }

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
      if (!signal.aborted) {
        flights.begin(recipient, (givenUp) => send(recipient, givenUp));
      }
    }
  }

  async function list(): Promise<void> {
    plan = await prepare();
    if (plan === undefined) return stop();
    const now = new Date(clock.now()).toISOString();
    const isInFlight = (userEmail: string) => inFlight.has(deferralIdOf(entryId, userEmail));
    queue = await listRecipients(storage, { entryId, cursor }, {
      now,
      list: plan.list,
      isInFlight,
    });
    isListed = queue.length === 0;
    if (isListed) flights.setListed();
    cursor = queue.findLast(({ deferral }) => deferral === undefined)?.place ?? cursor;
  }

  /** Tells an outcome for a recipient from a refusal of everybody's mail, which ends the round. */
  function judge(userEmail: string, sent: SendOutcome): Answer["outcome"] {
    const outcome = cleanOutcome(sent);
    if (outcome.state === "skipped") return outcome;
    if (outcome.state === "sent") {
      relay.take();
      throttle.speedUp();
      return outcome;
    }
    const recipient = { userEmail, outcome };
    const fault = findRelayFault(outcome);
    if (fault !== undefined) {
      fail(toError(FAULTS[fault], recipient), fault === "throttled");
      return FAILED;
    }
    if (outcome.state === "deferred" || !relay.isGivenToAll(recipient)) return outcome;
    fail(toError(SAME_REFUSALS, recipient));
    return PUT_OFF;
  }

  async function send(recipient: Recipient, givenUp: AbortSignal): Promise<Answer> {
    const { userEmail } = recipient;
    const { find, write } = plan!;
    let isCut = false;
    let hadFailure = false;
    let person: Addressee | undefined;
    let written: Addressee | undefined;
    let isOld = false;
    /** Reads as late as possible: an opt-out acknowledged until then is honoured. */
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
      if (!isRunning || !tenure.isOn()) stop();
      person = found;
      isCut = signal.aborted;
      isOld = written !== undefined && choicesOf(person) !== choicesOf(written);
      return person !== undefined && !isCut && !isOld;
    }
    try {
      const link = await createLink(userEmail);
      let outcome: Answer["outcome"] = SKIPPED;
      let isDue = await isWanted();
      while (isDue && person !== undefined) {
        written = person;
        const mail = await write(written, link);
        outcome = judge(userEmail, await mailer.send(mail, isWanted, { signal: givenUp }));
        // The person may have chosen otherwise while the mail waited for a connection: write it anew.
        isDue = isOld && !isCut && outcome.state === "skipped";
      }
      return { outcome: outcome.state === "skipped" && isCut ? CUT : outcome, hadFailure };
    } catch (error) {
      // Nobody awaits this mail any more, and its relay may be well.
      if (!givenUp.aborted) fail(error);
      return { outcome: FAILED, hadFailure };
    }
  }

  await beginAll().catch(failStorage);
  await flights.close();
  if (storageFailure !== undefined) throw storageFailure.error;
  const isComplete = isListed && !signal.aborted;
  return { isRelayAlive: flights.isRelayAlive, failure, isComplete };
}

/** Returns what the words of a mail to a person depend on. */
function choicesOf(person: Addressee | undefined): string | undefined {
  if (person === undefined) return undefined;
  const { subscription, asks } = person;
  return JSON.stringify([subscription?.labels, asks.map(({ postId }) => postId)]);
}

function toError(fault: string, { outcome: { code, text } }: RefusedRecipient): MailerError {
  return new MailerError(`The mail relay ${fault}: ${code} ${text}`);
}
