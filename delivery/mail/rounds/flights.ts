import type { Storage } from "../../../adapters/storage.ts";
import type { Delivery } from "../../../model/deliveries/delivery.ts";
import { type Deferral, deferralIdOf } from "../../../model/deliveries/mail_outcome.ts";
import {
  commitProgress,
  MAX_RESULTS,
  nextAttempt,
  type Result,
} from "../../../services/deliveries/progress.ts";
import type { Recipient } from "../../../services/deliveries/recipients.ts";
import type { Clock, Tenure } from "../../loop.ts";
import type { InFlight } from "./in_flight.ts";
import { type RefusedRecipient, type RelayState, wordsOf } from "./relay_state.ts";

/** The started mails of a round whose outcomes are not stored yet. */
export interface Flights {
  /**
   * Starts a mail; `send` resolves to its outcome, which is awaited until the signal is aborted.
   */
  begin(recipient: Recipient, send: (signal: AbortSignal) => Promise<Answer>): void;
  /** Records that nobody up to a position is mailed. */
  pass(recipient: Recipient): void;
  /** Resolves once another mail may start, or the signal is aborted. */
  ready(): Promise<void>;
  /** Number of mails that await an answer. */
  readonly awaiting: number;
  /** Whether the relay has answered any mail. */
  readonly isRelayAlive: boolean;
  /** Called when all recipients are listed: mails without an answer are then stored as deferred. */
  setListed(): void;
  /**
   * Resolves when all mails are answered and stored; rejects if storage fails until the tenure is
   * over.
   */
  close(): Promise<void>;
}

/**
 * The outcome of a mail, whether the person had an earlier failure, and the posts that the mail
 * told of.
 */
export type Answer = Pick<Result, "outcome" | "hadFailure" | "told">;

/** The round of the mails. */
export interface FlightOptions {
  readonly delivery: Delivery;
  readonly tenure: Tenure;
  /** Aborted when no more mails may start. */
  readonly signal: AbortSignal;
  readonly relay: RelayState;
  /** Called once the delivery must not continue. */
  readonly stop: () => void;
  /** Called when mails have awaited answers for long, and no answer came meanwhile. */
  readonly onSilence: () => void;
  /**
   * Called with one of several consecutive recipients whose refusals are the same, and so concern
   * the relay.
   */
  readonly onSameRefusals: (recipient: RefusedRecipient) => void;
}

/** The tools for storing outcomes. */
export interface FlightTools {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly inFlight: InFlight;
  /** Called with failures of storage; storing is then retried. */
  readonly onError: (error: unknown) => void;
}

/** A started mail. */
interface Flight extends Recipient {
  readonly begunMs: number;
  readonly answered: Promise<void>;
  answer: Answer | undefined;
  /** Frees the slot of the mail for another one. */
  readonly release: () => void;
}

const MAX_IN_FLIGHT = 100;
// A mail that waits longer for its answer lets another mail start in its place.
const PROMPT_MS = 500;
const COMMIT_MS = 1_000;
const RETRY_MS = 2_000;
// At the end, or while slots are free, an answer is awaited for this long.
const SLOW_MS = 15_000;
// The operator hears about a relay that is silent for a minute; the check runs each second.
const SILENT_MS = 58_000;
// With a longer limit, one hanging mail in six would fill all slots at ten mails a second.
const MAX_HANG_MS = 60_000;
const MAX_SAME_REFUSALS = 10;
/** A refusal that everybody may get: other recipients go first, to find out. */
export const PUT_OFF: Answer["outcome"] = { state: "interrupted", waitMs: 60_000 };
const PASSED: Answer = { outcome: { state: "skipped" }, hadFailure: false };
const GIVEN_UP: Answer = {
  outcome: { state: "deferred", code: "4.4.2", text: "The relay did not answer in time" },
  hadFailure: false,
};
const NO_ANSWER_YET: Answer = {
  outcome: { state: "unanswered", code: "4.4.2", text: "The relay has not answered yet" },
  hadFailure: false,
};

/**
 * Keeps the mails of a round in the order in which they started. Stores their outcomes each second,
 * or as soon as there are many. A mail that later ones have overtaken counts as deferred until its
 * answer comes, so that it delays nobody. While no mail is answered, stores nothing.
 */
export function createFlights(
  { delivery, tenure, signal, relay, stop, onSilence, onSameRefusals }: FlightOptions,
  { storage, clock, inFlight, onError }: FlightTools,
): Flights {
  const { entryId } = delivery;
  const time = () => new Date(clock.now()).toISOString();
  const closed = new AbortController();
  const flights: Flight[] = [];
  let isListed = false;
  let isRelayAlive = false;
  let storing = Promise.resolve();
  let unstored: Batch | undefined;
  let answeredMs = -Infinity;
  let isSilent = false;

  /** Returns how long mails have awaited answers while none came. */
  function silenceMs(): number {
    const begunMs = flights.filter(({ answer }) => answer === undefined).map((one) => one.begunMs);
    return clock.elapsed() - Math.max(answeredMs, Math.min(...begunMs));
  }

  /** Gives up the mail that has hung longest, if others are answered and no slot is free. */
  function makeRoom(): void {
    const isAlive = clock.elapsed() - answeredMs < SILENT_MS;
    if (isAlive && inFlight.size >= MAX_IN_FLIGHT) inFlight.giveUp(clock.elapsed() - MAX_HANG_MS);
  }

  /** Tells whether outcomes must be stored before more mails start. */
  function isFull(): boolean {
    return inFlight.size >= MAX_IN_FLIGHT || flights.filter(isAnswered).length >= MAX_RESULTS;
  }

  function isYoung({ answer, begunMs }: Flight, ageMs: number): boolean {
    return answer === undefined && clock.elapsed() - begunMs < ageMs;
  }

  function mustWait(): boolean {
    const promptMs = relay.isLimited ? SLOW_MS : PROMPT_MS;
    const isBusy = flights.filter((one) => isYoung(one, promptMs)).length >= relay.connections;
    return !signal.aborted && (isBusy || isFull());
  }

  /**
   * Returns the identical refusals at the end; none if the relay accepted another recipient since.
   */
  function findSameRefusals(): readonly RefusedFlight[] {
    let same: RefusedFlight[] = [];
    for (const flight of flights) {
      if (isRefused(flight)) {
        if (!relay.isUntested(toRecipient(flight))) continue;
        const isSame = same.length > 0 && toWords(same[0]) === toWords(flight);
        same = isSame ? [...same, flight] : [flight];
      } else if (flight.answer?.outcome.state === "sent") same = [];
      // Its answer decides whether the refusals after it form a series.
      else if (isYoung(flight, SLOW_MS)) return same;
    }
    return same;
  }

  /** Postpones refusals that may concern the relay rather than the recipients. */
  function putOff(same: readonly Flight[]): void {
    for (const flight of same) {
      flight.answer = { outcome: PUT_OFF, hadFailure: flight.answer!.hadFailure };
    }
  }

  function judgeRefusals(): void {
    const same = findSameRefusals();
    if (same.length < MAX_SAME_REFUSALS) return;
    relay.suspect(same.map(toRecipient));
    onSameRefusals(toRecipient(same[0]));
    putOff(same);
  }

  function store(): Promise<void> {
    return storing = storing.catch(() => {}).then(storeOutcomes);
  }

  /** Stores the answered or overtaken mails, in order. */
  async function storeOutcomes(): Promise<void> {
    // A commit whose answer was lost is repeated unchanged; otherwise its deferrals would stay.
    if (unstored !== undefined) await storeBatch(unstored);
    const isEnd = isListed || signal.aborted;
    const same = findSameRefusals();
    // Nobody knows whether the relay would accept the next recipient, even after a single refusal.
    if (signal.aborted) putOff(same);
    const slowMs = isFull() ? PROMPT_MS : SLOW_MS;
    const last = flights.findLastIndex((flight) => isAnswered(flight) ?? (isEnd && isRelayAlive));
    const first = flights.findIndex((flight) => isYoung(flight, slowMs));
    // A refusal waits for the next answer, which may continue a series.
    const isOver = isEnd && flights.every(({ answer }) => answer !== undefined);
    const open = isOver || same.length === 0 ? Infinity : flights.indexOf(same[0]);
    let left = Math.min(first < 0 ? Infinity : first, last + 1, open);
    while (left > 0) {
      const some = flights.slice(0, Math.min(left, MAX_RESULTS));
      const results = some.map((one) => ({ ...one, ...one.answer ?? NO_ANSWER_YET }));
      left -= some.length;
      await storeBatch({ results, now: time() });
    }
  }

  async function storeBatch(batch: Batch): Promise<void> {
    unstored = batch;
    const { results, now } = batch;
    if (!await commitProgress(storage, tenure.transact, { delivery, results, now })) stop();
    unstored = undefined;
    for (const [index, flight] of flights.splice(0, results.length).entries()) {
      const isOpen = results[index].outcome === NO_ANSWER_YET.outcome;
      const deferral = isOpen ? nextAttempt(results[index], entryId, now) : undefined;
      if (deferral === undefined) flight.release();
      else void storeLate(flight, deferral).catch(onError).finally(flight.release);
    }
    inFlight.notify();
  }

  /** Replaces a deferral by its late answer. */
  async function storeLate(flight: Flight, deferral: Deferral): Promise<void> {
    await flight.answered;
    const results = [{ ...flight, ...flight.answer!, deferral }];
    // Works without the lease, which another process may own by now: the stored deferral tells
    // whether the answer is still needed.
    await untilStored(() =>
      commitProgress(storage, storage.transact, { delivery, results, now: time() })
    );
  }

  /** Repeats an operation until storage accepts it, or the tenure is over. */
  async function untilStored(operation: () => Promise<unknown>): Promise<void> {
    while (true) {
      try {
        await operation();
        return;
      } catch (error) {
        if (tenure.signal.aborted) throw error;
        onError(error);
        await clock.sleep(RETRY_MS, tenure.signal, "retry");
      }
    }
  }

  async function storePeriodically(): Promise<void> {
    while (!closed.signal.aborted) {
      await clock.sleep(COMMIT_MS, closed.signal, "commit");
      await store().catch(onError);
      if (!isSilent && silenceMs() >= SILENT_MS) {
        isSilent = true;
        onSilence();
      }
      inFlight.notify();
    }
  }

  signal.addEventListener("abort", () => inFlight.notify());
  const stored = storePeriodically();
  return {
    begin(recipient, send) {
      const begunMs = clock.elapsed();
      const key = deferralIdOf(entryId, recipient.userEmail);
      const { release, givenUp } = inFlight.add(key, begunMs);
      const sent = send(givenUp).then((answer) => {
        if (["sent", "refused", "deferred"].includes(answer.outcome.state)) {
          isRelayAlive = true;
          isSilent = false;
          answeredMs = clock.elapsed();
        }
        return answer;
      });
      const flight: Flight = {
        ...recipient,
        begunMs,
        answer: undefined,
        release,
        answered: Promise.race([sent, aborted(givenUp)]).then((answer) => {
          flight.answer = answer ?? GIVEN_UP;
          judgeRefusals();
          inFlight.notify();
        }),
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
        makeRoom();
        if (mustWait()) await changed;
      }
    },
    get awaiting() {
      return flights.filter(({ answer }) => answer === undefined).length;
    },
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
      // Mails that were interrupted before another answer came are stored too, and retried.
      await untilStored(store).finally(() => flights.forEach(({ release }) => release()));
    },
  };
}

/** Outcomes that one transaction stores. */
interface Batch {
  readonly results: readonly Result[];
  readonly now: string;
}

/** Resolves once a signal is aborted. */
function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve(undefined), { once: true })
  );
}

/** A permanently refused mail. */
type RefusedFlight = Flight & { answer: Answer & Pick<RefusedRecipient, "outcome"> };

function isRefused(flight: Flight): flight is RefusedFlight {
  return flight.answer?.outcome.state === "refused";
}

function toRecipient({ userEmail, answer: { outcome } }: RefusedFlight): RefusedRecipient {
  return { userEmail, outcome };
}

function toWords(flight: RefusedFlight): string {
  return wordsOf(toRecipient(flight));
}

/** Tells whether a mail was answered; `undefined` if that is still open. */
function isAnswered({ answer }: Pick<Flight, "answer">): boolean | undefined {
  return answer && (answer.outcome.state !== "interrupted" || answer.outcome === PUT_OFF);
}
