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

/** A delivery in progress. */
export interface MailRound
  extends Pick<FlightOptions, "delivery" | "tenure" | "relay" | "onSilence"> {
  readonly throttle: Throttle;
  /** Prepares its current mail; `undefined` if there is nothing left to mail. */
  readonly prepare: () => Promise<MailPlan | undefined>;
}

/** The tools for sending mails. */
export interface MailTools extends FlightTools {
  readonly mailer: Pick<Mailer, "send">;
  /** Returns the link that unsubscribes a subscriber, or ends what other people asked for. */
  readonly createLink: (userEmail: string, isSubscribed: boolean) => Promise<string>;
}

/** The result of a round. */
export interface MailRoundOutcome {
  /** Whether the relay answered any mail. */
  readonly isRelayAlive: boolean;
  /** Whether the mail was sent, or is in flight, to everybody to whom it is due. */
  readonly isComplete: boolean;
  /** The reason why the relay is unusable; `undefined` while it works. */
  readonly failure: RelayFailure | undefined;
}

/** A failure of the relay as a whole. */
export interface RelayFailure {
  readonly error: unknown;
  /** Number of mails that awaited answers. */
  readonly awaiting: number;
  /** Whether a limit of the relay was reached. */
  readonly isThrottled: boolean;
}

const SKIPPED: Answer["outcome"] = { state: "skipped" };
const CUT: Answer["outcome"] = { state: "interrupted", waitMs: 0 };
// Other recipients go first, because the relay may have failed at this mail.
const FAILED: Answer["outcome"] = { state: "interrupted", waitMs: 60_000 };
const SAME_REFUSALS = "gives one recipient after the other the same refusal";
const FAULTS: Readonly<Record<RelayFault, string>> = {
  refused: "refuses the sender, the login or relaying",
  throttled: "takes no more for now",
};

/**
 * Sends the mails of a delivery until all are sent, the tenure is over, or the relay fails. Rejects
 * if storage fails, but first tries to store all known outcomes until the tenure is over.
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

  /**
   * Distinguishes an outcome for one recipient from a refusal of everybody's mail, which ends the
   * round.
   */
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
      if (!isRunning || !tenure.isOn()) stop();
      person = found;
      isCut = signal.aborted;
      isOld = written !== undefined && choicesOf(person) !== choicesOf(written);
      return person !== undefined && !isCut && !isOld;
    }
    try {
      let outcome: Answer["outcome"] = SKIPPED;
      let isDue = await isWanted();
      while (isDue && person !== undefined) {
        written = person;
        const link = await createLink(userEmail, written.subscription !== undefined);
        const mail = await write(written, link);
        outcome = judge(userEmail, await mailer.send(mail, isWanted, { signal: givenUp }));
        // The person's choices may have changed while the mail waited for a connection: it is
        // written again.
        isDue = isOld && !isCut && outcome.state === "skipped";
      }
      const told = written?.asks.map(({ postId }) => postId) ?? [];
      return { outcome: outcome.state === "skipped" && isCut ? CUT : outcome, hadFailure, told };
    } catch (error) {
      // The mail was given up; its error says nothing about the relay.
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

/** Returns the choices that affect the text of a mail to a person. */
function choicesOf(person: Addressee | undefined): string | undefined {
  if (person === undefined) return undefined;
  const { subscription, asks } = person;
  return JSON.stringify([subscription?.labels, asks.map(({ postId }) => postId)]);
}

function toError(fault: string, { outcome: { code, text } }: RefusedRecipient): MailerError {
  return new MailerError(`The mail relay ${fault}: ${code} ${text}`);
}
