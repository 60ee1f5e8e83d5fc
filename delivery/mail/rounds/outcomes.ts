import type { Storage } from "../../../adapters/storage.ts";
import type { Delivery } from "../../../model/deliveries/delivery.ts";
import { describeRate } from "../../../model/deliveries/delivery_steps.ts";
import type { Deferral } from "../../../model/deliveries/mail_outcome.ts";
import {
  commitProgress,
  MAX_RESULTS,
  nextAttempt,
  type RoundProgress,
} from "../../../services/deliveries/progress.ts";
import type { Clock, HeldLease } from "../../loop.ts";
import { hasReply, ruleOn, type Ruling, type StartedMail } from "./started_mail.ts";
import type { InFlightMails } from "./in_flight_mails.ts";
import type { RelayState } from "./relay_state.ts";
import type { Throttle } from "./throttle.ts";

/** The outcomes of the mails of a round, from their start until they are stored for good. */
export interface Outcomes {
  /** The started mails whose outcomes are not stored yet, in the order of the list. */
  readonly mails: readonly StartedMail[];
  add(mail: StartedMail): void;
  /**
   * Stores outcomes in order. Mails without a reply are stored after `slowMs`, and refusals that
   * are unclear after `unclearMs`, as deferred, so that they delay nobody; `isEnd`: no more mails
   * will start.
   */
  store(
    options: { readonly isEnd: boolean; readonly slowMs: number; readonly unclearMs: number },
  ): Promise<void>;
  /** Stores the outcomes that have become final since they were stored as deferred. */
  storeLate(): void;
  /** Stores all outcomes; rejects if storage fails until the lease is over. */
  close(): Promise<void>;
}

/** The round of the outcomes. */
export interface OutcomeOptions {
  readonly delivery: Delivery;
  readonly lease: HeldLease;
  /** Aborted when no more mails may start. */
  readonly signal: AbortSignal;
  readonly relay: RelayState;
  readonly throttle: Pick<Throttle, "waitMs">;
  /** Called once the delivery must not continue. */
  readonly stop: () => void;
}

/** The tools for storing outcomes. */
export interface OutcomeTools {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly inFlight: InFlightMails;
  /** Called with failures of storage; storing is then retried. */
  readonly onError: (error: unknown) => void;
}

/** A mail that is stored as deferred, until its outcome is final. */
interface LateMail {
  readonly mail: StartedMail;
  readonly stored: Ruling["outcome"];
  readonly deferral: Deferral;
}

const RETRY_MS = 2_000;

/** Creates the outcomes of a round. */
export function createOutcomes(
  { delivery, lease, signal, relay, throttle, stop }: OutcomeOptions,
  { storage, clock, inFlight, onError }: OutcomeTools,
): Outcomes {
  const { entryId } = delivery;
  const mails: StartedMail[] = [];
  const late = new Set<LateMail>();
  const storingLate = new Set<Promise<void>>();
  let storing = Promise.resolve();
  let unstored: (RoundProgress & { readonly rulings: readonly Ruling[] }) | undefined;
  let isClosed = false;

  /** Returns what the transactions of a delivery need besides results. */
  function context(): Omit<RoundProgress, "results"> {
    const refusal = relay.fault ?? relay.unclear;
    const problem = refusal === undefined
      ? describeRate(clock.now(), throttle.waitMs)
      : `The mail relay says: ${refusal.code} ${refusal.text}`;
    return { delivery, now: new Date(clock.now()).toISOString(), problem };
  }

  async function storeInOrder(
    { isEnd, slowMs, unclearMs }: Parameters<Outcomes["store"]>[0],
  ): Promise<void> {
    // A commit whose response was lost is repeated unchanged; otherwise its deferrals would stay.
    if (unstored !== undefined) await storeBatch(unstored);
    const isOver = isEnd && mails.every(({ reply }) => reply !== undefined);
    const rulings = mails.map((one) => ruleOn(one, { isOver, isCut: signal.aborted }));
    const last = mails.findLastIndex((mail) => hasReply(mail) ?? isEnd);
    const first = mails.findIndex(({ begunMs, reply }, index) => {
      const holdMs = reply === undefined ? slowMs : unclearMs;
      return !rulings[index].isFinal && clock.elapsed() - begunMs < holdMs;
    });
    const count = Math.min(first < 0 ? Infinity : first, last + 1);
    for (let start = 0; start < count; start += MAX_RESULTS) {
      const some = rulings.slice(start, Math.min(start + MAX_RESULTS, count));
      const results = some.map(({ outcome }, index) => ({
        ...mails[index],
        ...mails[index].reply ?? { hadFailure: false },
        outcome,
      }));
      await storeBatch({ ...context(), results, rulings: some });
    }
  }

  async function storeBatch(batch: NonNullable<typeof unstored>): Promise<void> {
    unstored = batch;
    const { results, rulings, now } = batch;
    if (!await commitProgress(storage, lease.transact, batch)) stop();
    unstored = undefined;
    for (const [index, mail] of mails.splice(0, results.length).entries()) {
      const { outcome, isFinal } = rulings[index];
      const deferral = isFinal ? undefined : nextAttempt(results[index], entryId, now);
      if (deferral !== undefined) late.add({ mail, stored: outcome, deferral });
      // A mail without a reply stays in flight, because it must not be sent again meanwhile.
      if (deferral === undefined || outcome.state !== "no reply") mail.release();
    }
    storeLate();
    inFlight.notify();
  }

  function storeLate(): void {
    for (const one of late) {
      const { outcome, isFinal } = ruleOn(one.mail, { isOver: isClosed, isCut: signal.aborted });
      if (!isFinal) continue;
      late.delete(one);
      const task = replaceDeferral(one, outcome).catch(onError).finally(() => {
        storingLate.delete(task);
        one.mail.release();
      });
      storingLate.add(task);
    }
  }

  /** Replaces the deferral of a mail by its final outcome. */
  async function replaceDeferral(
    { mail, stored, deferral }: LateMail,
    outcome: Ruling["outcome"],
  ): Promise<void> {
    const isSame = outcome.state === stored.state ||
      stored.state === "put off" && outcome.state === "deferred";
    if (isSame) return;
    const results = [{ ...mail, ...mail.reply!, outcome, deferral }];
    // Works without the lease, which another process may own by now: the stored deferral tells
    // whether the outcome is still needed.
    await untilStored(() => commitProgress(storage, storage.transact, { ...context(), results }));
  }

  /** Repeats an operation until storage accepts it, or the lease is over. */
  async function untilStored(operation: () => Promise<unknown>): Promise<void> {
    while (true) {
      try {
        await operation();
        return;
      } catch (error) {
        if (lease.signal.aborted) throw error;
        onError(error);
        await clock.sleep(RETRY_MS, lease.signal, "retry");
      }
    }
  }

  function store(options: Parameters<Outcomes["store"]>[0]): Promise<void> {
    return storing = storing.catch(() => {}).then(() => storeInOrder(options));
  }

  return {
    mails,
    add: (mail) => void mails.push(mail),
    store,
    storeLate,
    async close() {
      // Mails that were interrupted before another reply came are stored too, and retried.
      const options = { isEnd: true, slowMs: 0, unclearMs: 0 };
      await untilStored(() => store(options)).finally(() => mails.forEach((one) => one.release()));
      isClosed = true;
      storeLate();
      await Promise.all(storingLate);
    },
  };
}
