import type { Storage } from "../../adapters/storage.ts";
import type { Delivery } from "../../model/deliveries/delivery.ts";
import { type Deferral, deferralIdOf } from "../../model/deliveries/mail_outcome.ts";
import {
  commitProgress,
  MAX_RESULTS,
  nextAttempt,
  type Result,
} from "../../services/deliveries/progress.ts";
import type { Recipient } from "../../services/deliveries/recipients.ts";
import type { Clock, Tenure } from "../loop.ts";
import type { InFlight } from "./in_flight.ts";

/** The mails of a round: those that were begun, and whose outcomes are not stored yet. */
export interface Flights {
  /** Begins a mail, the outcome of which `send` resolves to. */
  begin(recipient: Recipient, send: () => Promise<Answer>): void;
  /** Has it stored how far there is nobody to mail. */
  pass(recipient: Recipient): void;
  /** Resolves once one more mail may be begun, or the signal is aborted. */
  ready(): Promise<void>;
  /** Tells whether so many mails await their answers that some relays refuse more connections. */
  isCrowded(): boolean;
  /** Whether the relay has answered any. */
  readonly isRelayAlive: boolean;
  /** Says that nobody is left to mail: what others can't overtake any more is stored as deferred. */
  setListed(): void;
  /** Resolves when all are answered and stored; rejects where storage fails until the tenure is over. */
  close(): Promise<void>;
}

/** What became of a mail, and whether a failure was recorded for the person before. */
export type Answer = Pick<Result, "outcome" | "hadFailure">;

/** The round that they belong to. */
export interface FlightOptions {
  readonly delivery: Delivery;
  readonly tenure: Tenure;
  /** Aborted when no more are begun. */
  readonly signal: AbortSignal;
  /** Whether few connections are used, however slowly mails are answered. */
  readonly isCautious: boolean;
  /** Called once the delivery does not go on. */
  readonly stop: () => void;
}

/** What stores them. */
export interface FlightTools {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly inFlight: InFlight;
  /** Called with failures of storage, after which it is tried again. */
  readonly onError: (error: unknown) => void;
}

/** A mail that was begun. */
interface Flight extends Recipient {
  readonly begunMs: number;
  readonly answered: Promise<void>;
  answer: Answer | undefined;
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
const PASSED: Answer = { outcome: { state: "skipped" }, hadFailure: false };
const NO_ANSWER_YET: Answer = {
  outcome: { state: "unanswered", code: "4.4.2", text: "The relay has not answered yet" },
  hadFailure: false,
};

/**
 * Creates what keeps the mails of a round in the order in which they were begun, and stores their outcomes:
 * each second, or as soon as there are many. A mail that later ones have overtaken counts as deferred until
 * it is answered, so that it holds up nobody; where no mail is answered, nothing is stored.
 */
export function createFlights(
  { delivery, tenure, signal, isCautious, stop }: FlightOptions,
  { storage, clock, inFlight, onError }: FlightTools,
): Flights {
  const { entryId } = delivery;
  const time = () => new Date(clock.now()).toISOString();
  const closed = new AbortController();
  const flights: Flight[] = [];
  let isListed = false;
  let isRelayAlive = false;
  let storing = Promise.resolve();

  /** Tells whether outcomes have to be stored before more mails are begun. */
  function isFull(): boolean {
    return inFlight.size >= MAX_IN_FLIGHT || flights.filter(isAnswered).length >= MAX_RESULTS;
  }

  function isYoung({ answer, begunMs }: Flight, ageMs: number): boolean {
    return answer === undefined && clock.elapsed() - begunMs < ageMs;
  }

  function mustWait(): boolean {
    const laneMs = isCautious ? SLOW_MS : LANE_MS;
    const isBusy = flights.filter((flight) => isYoung(flight, laneMs)).length >= LANES;
    return !signal.aborted && (isBusy || isFull());
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
      const results = some.map((one) => ({ ...one, ...one.answer ?? NO_ANSWER_YET }));
      const now = time();
      if (!await commitProgress(storage, tenure.transact, { delivery, results, now })) stop();
      left -= flights.splice(0, some.length).length;
      for (const [index, flight] of some.entries()) {
        const isOpen = results[index].outcome === NO_ANSWER_YET.outcome;
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
    const results = [{ ...flight, ...flight.answer!, deferral }];
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
    while (!closed.signal.aborted) {
      await clock.sleep(COMMIT_MS, closed.signal);
      await store().catch(onError);
      inFlight.notify();
    }
  }

  signal.addEventListener("abort", () => inFlight.notify());
  const stored = storePeriodically();
  return {
    begin(recipient, send) {
      const flight: Flight = {
        ...{ ...recipient, begunMs: clock.elapsed(), answer: undefined },
        answered: send().then((answer) => {
          flight.answer = answer;
          isRelayAlive ||= isAnswered(flight) === true && answer.outcome.state !== "skipped";
          inFlight.notify();
        }),
        release: inFlight.add(deferralIdOf(entryId, recipient.userEmail)),
      };
      flights.push(flight);
    },
    pass(recipient) {
      const begun = { begunMs: clock.elapsed(), answered: Promise.resolve(), release() {} };
      flights.push({ ...recipient, ...begun, answer: PASSED });
    },
    async ready() {
      while (mustWait()) {
        const changed = inFlight.changed();
        if (isFull()) await store().catch(onError);
        if (mustWait()) await changed;
      }
    },
    isCrowded: () => flights.filter(({ answer }) => answer === undefined).length > LANES,
    get isRelayAlive() {
      return isRelayAlive;
    },
    setListed() {
      isListed = true;
    },
    async close() {
      while (flights.some(({ answer }) => answer === undefined)) await inFlight.changed();
      closed.abort();
      await stored;
      // What was interrupted before another mail was answered is stored, too, and tried again later.
      await untilStored(store).finally(() => flights.forEach(({ release }) => release()));
    },
  };
}

/** Tells whether a mail was answered; `undefined` as long as that isn't known. */
function isAnswered({ answer }: Pick<Flight, "answer">): boolean | undefined {
  return answer && answer.outcome.state !== "interrupted";
}
