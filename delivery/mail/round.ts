import type { Storage } from "../../adapters/storage.ts";
import type { Delivery } from "../../model/deliveries/delivery.ts";
import { DELIVERIES, FAILURES, SUBSCRIPTIONS } from "../../model/kinds.ts";
import { cleanOutcome, type Deferral, deferralIdOf } from "../../model/deliveries/mail_outcome.ts";
import {
  commitProgress,
  MAX_RESULTS,
  nextAttempt,
  type Result,
} from "../../services/deliveries/progress.ts";
import type { Subscription } from "../../model/subscriptions/subscription.ts";
import { listRecipients, NOBODY, type Recipient } from "../../services/deliveries/recipients.ts";
import type { InFlight } from "./in_flight.ts";
import type { MailPlan } from "./entry_mail.ts";
import type { Clock, Tenure } from "../loop.ts";
import type { Mailer } from "./mailer.ts";
import type { Throttle } from "./throttle.ts";

/** A delivery that is under way. */
export interface MailRound {
  readonly delivery: Delivery;
  /** Prepares its mail as it is by now; `undefined` where there is nothing to mail any more. */
  readonly prepare: () => Promise<MailPlan | undefined>;
}

/** What mails are sent with. */
export interface MailTools {
  readonly storage: Storage;
  readonly mailer: Mailer;
  readonly clock: Clock;
  /** Returns the link by which a person unsubscribes. */
  readonly createLink: (userEmail: string) => Promise<string>;
  readonly inFlight: InFlight;
  /** Called with failures of storage, after which it is tried again. */
  readonly onError: (error: unknown) => void;
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

/** A mail that was begun, and whose outcome is not stored yet. */
interface Flight extends Recipient {
  readonly begunMs: number;
  readonly answered: Promise<void>;
  outcome: Result["outcome"] | undefined;
  hadFailure: boolean;
  /** Lets another mail take its place. */
  readonly release: () => void;
}

const MAX_IN_FLIGHT = 100;
// So many connections are used; one more for each mail whose answer takes long.
const LANES = 10;
const LANE_MS = 500;
const COMMIT_MS = 1_000;
const RETRY_MS = 2_000;
// At the end, and as long as there is room, an answer is awaited for so long.
const SLOW_MS = 15_000;
const SKIPPED: Result["outcome"] = { state: "skipped" };
const CUT: Result["outcome"] = { state: "interrupted", waitMs: 0 };
// Others come first, as it may be this mail that the relay fails at.
const FAILED: Result["outcome"] = { state: "interrupted", waitMs: 60_000 };
const NO_ANSWER_YET: Result["outcome"] = {
  state: "unanswered",
  code: "4.4.2",
  text: "The relay has not answered yet",
};

/**
 * Sends the mails of a delivery until all are sent, the tenure is over, or the relay fails. Outcomes are
 * stored each second, or as soon as there are many. A mail that later ones have overtaken counts as
 * deferred until it is answered, so that it holds up nobody; where no mail is answered, nothing is stored.
 * Rejects if storage fails, but not before what is known is stored, or the tenure is over.
 */
export async function sendRound(
  { delivery, prepare }: MailRound,
  { tenure, throttle, isCautious }: {
    readonly tenure: Tenure;
    readonly throttle: Throttle;
    /** Whether few connections are used, however slowly mails are answered. */
    readonly isCautious: boolean;
  },
  { storage, mailer, clock, createLink, inFlight, onError }: MailTools,
): Promise<MailRoundOutcome> {
  const { entryId } = delivery;
  const stopping = new AbortController();
  const ended = new AbortController();
  const signal = AbortSignal.any([tenure.signal, stopping.signal]);
  const stop = () => stopping.abort();
  const time = () => new Date(clock.now()).toISOString();
  // In the order in which they were begun.
  const flights: Flight[] = [];
  let plan: MailPlan | undefined;
  let queue: readonly Recipient[] = [];
  let { cursor } = delivery;
  let isListed = false;
  let isRelayAlive = false;
  let isOverloaded = false;
  let failure: MailRoundOutcome["failure"];
  let storageFailure: MailRoundOutcome["failure"];
  let storing = Promise.resolve();

  function failStorage(error: unknown): void {
    storageFailure ??= { error };
    stop();
  }

  /** Tells whether outcomes have to be stored before more mails are begun. */
  function isFull(): boolean {
    return inFlight.size >= MAX_IN_FLIGHT || flights.filter(isAnswered).length >= MAX_RESULTS;
  }

  function mustWait(): boolean {
    const laneMs = isCautious ? SLOW_MS : LANE_MS;
    const isBusy = flights.filter((flight) => isYoung(flight, laneMs)).length >= LANES;
    return !signal.aborted && (isBusy || isFull());
  }

  function isYoung({ outcome, begunMs }: Flight, ageMs: number): boolean {
    return outcome === undefined && clock.elapsed() - begunMs < ageMs;
  }

  async function beginAll(): Promise<void> {
    while (!signal.aborted) {
      if (queue.length === 0) await list();
      const [recipient, ...others] = queue;
      if (recipient === undefined) return;
      queue = others;
      if (recipient.userEmail === NOBODY) {
        pass(recipient);
        continue;
      }
      while (mustWait()) {
        const changed = inFlight.changed();
        if (isFull()) await store().catch(onError);
        if (mustWait()) await changed;
      }
      await throttle.pass(signal);
      if (!signal.aborted) begin(recipient);
    }
  }

  async function list(): Promise<void> {
    plan = await prepare();
    if (plan === undefined) return stop();
    const { index, judge } = plan;
    const isInFlight = (userEmail: string) => inFlight.has(deferralIdOf(entryId, userEmail));
    queue = await listRecipients(storage, { entryId, cursor }, {
      ...{ now: time(), index, judge, isInFlight },
    });
    isListed = queue.length === 0;
    cursor = queue.findLast(({ deferral }) => deferral === undefined)?.subscriberId ?? cursor;
  }

  /** Has it stored how far there is nobody to mail. */
  function pass(recipient: Recipient): void {
    const rest = { begunMs: clock.elapsed(), hadFailure: false, release() {} };
    flights.push({ ...recipient, ...rest, answered: Promise.resolve(), outcome: SKIPPED });
  }

  function begin(recipient: Recipient): void {
    const flight: Flight = {
      ...{ ...recipient, begunMs: clock.elapsed(), outcome: undefined, hadFailure: false },
      answered: send(recipient.userEmail, (hadFailure) => flight.hadFailure = hadFailure)
        .then((outcome) => {
          flight.outcome = outcome;
          inFlight.notify();
        }),
      release: inFlight.add(deferralIdOf(entryId, recipient.userEmail)),
    };
    flights.push(flight);
  }

  async function send(
    userEmail: string,
    setHadFailure: (hadFailure: boolean) => void,
  ): Promise<Result["outcome"]> {
    const { judge, write } = plan!;
    let isCut = false;
    let person: Subscription | undefined;
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
      setHadFailure(failed !== undefined);
      const isRunning = current?.state === "running" && current.startedAt === delivery.startedAt;
      if (!isRunning || !tenure.isOn()) stop();
      isCut = signal.aborted;
      person = subscription?.subscribed && judge(subscription) === "wanted"
        ? subscription
        : undefined;
      return person !== undefined && !isCut;
    }
    try {
      const link = await createLink(userEmail);
      const outcome = await isWanted()
        ? cleanOutcome(await mailer.send(await write(person!, link), isWanted))
        : SKIPPED;
      if (outcome.state === "skipped") return isCut ? CUT : outcome;
      isRelayAlive = true;
      return outcome;
    } catch (error) {
      isOverloaded ||= flights.filter(({ outcome }) => outcome === undefined).length > LANES;
      failure ??= { error };
      stop();
      return FAILED;
    }
  }

  function store(): Promise<void> {
    return storing = storing.catch(() => {}).then(storeOutcomes);
  }

  /** Stores, in their order, what is answered, and what was overtaken. */
  async function storeOutcomes(): Promise<void> {
    const isEnd = isListed || signal.aborted;
    const slowMs = isFull() ? LANE_MS : SLOW_MS;
    const last = flights.findLastIndex((flight) => isAnswered(flight) ?? (isEnd && isRelayAlive));
    const first = flights.findIndex((flight) => isYoung(flight, slowMs));
    let left = first < 0 ? last + 1 : Math.min(first, last + 1);
    while (left > 0) {
      const some = flights.slice(0, Math.min(left, MAX_RESULTS));
      const results = some.map((one) => ({ ...one, outcome: one.outcome ?? NO_ANSWER_YET }));
      const now = time();
      if (!await commitProgress(storage, tenure.transact, { delivery, results, now })) stop();
      left -= flights.splice(0, some.length).length;
      for (const [index, flight] of some.entries()) {
        const isOpen = results[index].outcome === NO_ANSWER_YET;
        const deferral = isOpen ? nextAttempt(results[index], entryId, now) : undefined;
        if (deferral === undefined) flight.release();
        else void storeLate(flight, deferral).catch(onError).finally(flight.release);
      }
      inFlight.notify();
    }
  }

  /** Has an answer take the place of the deferral. */
  async function storeLate(flight: Flight, deferral: Deferral): Promise<void> {
    await flight.answered;
    const results = [{ ...flight, deferral, outcome: flight.outcome! }];
    // Without the lease, which may be another process's by now: the deferral tells whether it is news.
    await untilStored(() =>
      commitProgress(storage, storage.transact, { delivery, results, now: time() })
    );
  }

  /** Repeats something until storage takes it, or the tenure is over. */
  async function untilStored(operation: () => Promise<unknown>): Promise<void> {
    while (true) {
      try {
        await operation();
        return;
      } catch (error) {
        if (tenure.signal.aborted) throw error;
        onError(error);
        await clock.sleep(RETRY_MS, tenure.signal);
      }
    }
  }

  async function storePeriodically(): Promise<void> {
    while (!ended.signal.aborted) {
      await clock.sleep(COMMIT_MS, ended.signal);
      await store().catch(onError);
      inFlight.notify();
    }
  }

  signal.addEventListener("abort", () => inFlight.notify());
  const stored = storePeriodically();
  await beginAll().catch(failStorage);
  while (flights.some(({ outcome }) => outcome === undefined)) await inFlight.changed();
  ended.abort();
  await stored;
  // What was interrupted before another mail was answered is stored, too, and tried again later.
  await untilStored(store).finally(() => flights.forEach(({ release }) => release()));
  if (storageFailure !== undefined) throw storageFailure.error;
  return { isRelayAlive, failure, isOverloaded, isComplete: isListed && !signal.aborted };
}

/** Tells whether a mail was answered; `undefined` as long as that isn't known. */
function isAnswered({ outcome }: Flight): boolean | undefined {
  return outcome && outcome.state !== "interrupted";
}
