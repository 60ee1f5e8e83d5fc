import { deferralIdOf } from "../../../model/deliveries/mail_outcome.ts";
import { MAX_RESULTS } from "../../../services/deliveries/progress.ts";
import type { Recipient } from "../../../services/deliveries/recipients.ts";
import { hasReply, type MailReply, type StartedMail } from "./started_mail.ts";
import { createOutcomes, type OutcomeOptions, type OutcomeTools } from "./outcomes.ts";

/** The started mails of a round whose outcomes are not stored yet. */
export interface RoundMails {
  /**
   * Starts a mail; `send` resolves to its outcome, which is awaited until the signal is aborted.
   */
  begin(recipient: Recipient, send: (signal: AbortSignal) => Promise<MailReply>): void;
  /** Records that nobody up to a position is mailed. */
  pass(recipient: Recipient): void;
  /** Resolves once another mail may start, or the signal is aborted. */
  ready(): Promise<void>;
  /** Number of mails that await a reply. */
  readonly awaiting: number;
  /** Whether the relay has replied to any mail. */
  readonly isRelayAlive: boolean;
  /** Called when all recipients are listed: mails without a reply are then stored as deferred. */
  setListed(): void;
  /**
   * Resolves when all mails are replied to and stored; rejects if storage fails until the lease is
   * over.
   */
  close(): Promise<void>;
}

export interface RoundMailsOptions extends OutcomeOptions {
  /** Called when mails have awaited replies for long, and no reply came meanwhile. */
  readonly onSilence: () => void;
}

const MAX_IN_FLIGHT = 100;
// A mail that waits longer for its reply lets another mail start in its place.
const PROMPT_MS = 500;
const COMMIT_MS = 1_000;
// At the end, or while slots are free, a reply is awaited for this long.
const SLOW_MS = 15_000;
// Most refusals become clear by the next mail.
const UNCLEAR_MS = 500;
// The operator hears about a relay that is silent for a minute; the check runs each second.
const SILENT_MS = 58_000;
// With a longer limit, one hanging mail in six would fill all slots at ten mails a second.
const MAX_HANG_MS = 60_000;
const PASSED: MailReply = { outcome: { state: "skipped" }, hadFailure: false };
const GIVEN_UP: MailReply = {
  outcome: { state: "deferred", code: "4.4.2", text: "The relay did not answer in time" },
  hadFailure: false,
};

/**
 * Starts the mails of a round and has their outcomes stored each second, or as soon as there are
 * many. A mail that later ones have overtaken counts as deferred until its reply comes, so that it
 * delays nobody. While no mail is replied to, stores nothing.
 */
export function createRoundMails(options: RoundMailsOptions, tools: OutcomeTools): RoundMails {
  const { delivery, signal, relay, onSilence } = options;
  const { clock, inFlight, onError } = tools;
  const outcomes = createOutcomes(options, tools);
  const { mails } = outcomes;
  const closed = new AbortController();
  let isListed = false;
  let isRelayAlive = false;
  let repliedMs = -Infinity;
  let isSilent = false;

  /** Returns how long mails have awaited replies while none came. */
  function silenceMs(): number {
    const begunMs = mails.filter(({ reply }) => reply === undefined).map((one) => one.begunMs);
    return clock.elapsed() - Math.max(repliedMs, Math.min(...begunMs));
  }

  /** Gives up the mail that has hung longest, if others are replied to and no slot is free. */
  function makeRoom(): void {
    const isAlive = clock.elapsed() - repliedMs < SILENT_MS;
    if (isAlive && inFlight.size >= MAX_IN_FLIGHT) inFlight.giveUp(clock.elapsed() - MAX_HANG_MS);
  }

  /** Tells whether outcomes must be stored before more mails start. */
  function isFull(): boolean {
    return inFlight.size >= MAX_IN_FLIGHT;
  }

  /** Tells whether a transaction can store many outcomes. */
  function hasMany(): boolean {
    return isFull() || mails.filter(hasReply).length >= MAX_RESULTS;
  }

  function isBusy(): boolean {
    const promptMs = relay.isLimited ? SLOW_MS : PROMPT_MS;
    const waiting = mails.filter(({ reply, begunMs }) =>
      reply === undefined && clock.elapsed() - begunMs < promptMs
    );
    return waiting.length >= relay.connections;
  }

  function mustWait(): boolean {
    return !signal.aborted && (isBusy() || isFull());
  }

  function store(): Promise<void> {
    const isEnd = signal.aborted || isListed;
    const slowMs = hasMany() ? PROMPT_MS : SLOW_MS;
    // While all slots are taken, no mail begins that could make a refusal clear.
    const unclearMs = isFull() ? 0 : Math.min(slowMs, UNCLEAR_MS);
    return outcomes.store({ isEnd: isEnd && isRelayAlive, slowMs, unclearMs });
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

  function start(recipient: Recipient, release: () => void, reply?: MailReply): StartedMail {
    const mail = { ...recipient, begunMs: clock.elapsed(), reply, release };
    outcomes.add(mail);
    return mail;
  }

  signal.addEventListener("abort", () => inFlight.notify());
  const endListening = relay.listen(outcomes.storeLate);
  const stored = storePeriodically();
  return {
    begin(recipient, send) {
      const key = deferralIdOf(delivery.entryId, recipient.userEmail);
      const { release, givenUp } = inFlight.add(key, clock.elapsed());
      const mail = start(recipient, release);
      const sent = send(givenUp).then((reply) => {
        if (["sent", "refused", "deferred"].includes(reply.outcome.state)) {
          isRelayAlive = true;
          isSilent = false;
          repliedMs = clock.elapsed();
        }
        return reply;
      });
      void Promise.race([sent, aborted(givenUp)]).then((reply) => {
        mail.reply = reply ?? GIVEN_UP;
        outcomes.storeLate();
        inFlight.notify();
      });
    },
    pass: (recipient) => void start(recipient, () => {}, PASSED),
    async ready() {
      if (hasMany() && !signal.aborted) await store().catch(onError);
      while (mustWait()) {
        const changed = inFlight.changed();
        if (hasMany()) await store().catch(onError);
        makeRoom();
        if (mustWait()) await changed;
      }
    },
    get awaiting() {
      return mails.filter(({ reply }) => reply === undefined).length;
    },
    get isRelayAlive() {
      return isRelayAlive;
    },
    setListed() {
      isListed = true;
    },
    async close() {
      while (mails.some(({ reply }) => reply === undefined)) await inFlight.changed();
      closed.abort();
      await stored;
      await outcomes.close();
      endListening();
    },
  };
}

/** Resolves once a signal is aborted. */
function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve(undefined), { once: true })
  );
}
