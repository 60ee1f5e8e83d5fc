import {
  type BegunMail,
  isOfRelay,
  judgeMails,
  type Judgement,
  readRefusal,
  type RelayRefusal,
  type RelayReply,
} from "../../../model/deliveries/refusals.ts";
import type { SendOutcome } from "../../../model/deliveries/mail_outcome.ts";

/** The behaviour of a relay so far, towards all mails of a process. */
export interface RelayState {
  /** Limit of mails that await replies at the same time; excludes slow mails. */
  readonly connections: number;
  /** Whether slow mails count too, because the relay refuses more connections. */
  readonly isLimited: boolean;
  /** The refusal that was shown to concern the relay, until it accepts a later mail. */
  readonly fault: RelayReply | undefined;
  /** The last refusal of which it is unclear whether it concerns the relay. */
  readonly unclear: RelayReply | undefined;
  /** Registers a mail that is about to be sent. */
  begin(userEmail: string): MailAttempt;
  /** Calls a function when mails are judged anew; returns a function that ends this. */
  listen(onJudged: () => void): () => void;
  /**
   * Called when a delivery fails. `awaiting` is the number of mails that awaited replies, if the
   * relay accepted others meanwhile; else 0.
   */
  fail(awaiting: number, options: { readonly isThrottled: boolean }): void;
  /** Called when a delivery begins, for which the relay may allow more connections. */
  restart(): void;
}

/** A mail that is handed to the relay. */
export interface MailAttempt {
  readonly judgement: Judgement;
  /** Moves the mail behind the others, because its turn has come only now. */
  begin(): void;
  /** Records the reply; without one, the mail tells nothing about the relay. */
  reply(outcome?: SendOutcome): void;
}

/** The mail of an attempt. */
interface Mail extends BegunMail {
  begunAt: number;
  begunMs: number;
  reply?: BegunMail["reply"];
  repliedAt?: number;
  judgement: Judgement;
  /** Whether the recipient will be tried again. */
  isDeferred: boolean;
}

const MAX_CONNECTIONS = 10;
// A relay's limit may be temporary.
const MAILS_PER_CONNECTION = 100;
const MAX_CLEARED = 10_000;
const MAX_REMEMBERED = 1_000;
// A mail that awaits its reply for longer keeps no refusals around it unclear.
const SLOW_MS = 15_000;

/** Creates the state of an unknown relay. */
export function createRelayState(elapsed: () => number): RelayState {
  let connections = MAX_CONNECTIONS;
  let limit = Infinity;
  let accepted = 0;
  let moment = 0;
  // In the order in which they began.
  let mails: Mail[] = [];
  let fault: RelayReply | undefined;
  // Recipients who are told to try again, in words of the relay's kind, while others are accepted.
  let cleared = new Set<string>();
  const listeners = new Set<() => void>();

  function judge(): void {
    const counted = mails.filter(({ reply, begunMs }) =>
      reply !== undefined || elapsed() - begunMs < SLOW_MS
    );
    const judgements = judgeMails(counted);
    for (const [index, mail] of counted.entries()) {
      mail.judgement = judgements[index];
      if (mail.judgement === "recipient" && mail.isDeferred) cleared.add(mail.userEmail);
    }
    if (cleared.size > MAX_CLEARED) cleared = new Set([...cleared].slice(-MAX_CLEARED / 2));
    const wasFaulty = fault !== undefined;
    fault = findLast("relay");
    if (fault !== undefined && !wasFaulty) connections = 1;
    forget();
    for (const listener of listeners) listener();
  }

  /** Returns the last refusal with a judgement, preferably one in words of the relay's kind. */
  function findLast(judgement: Judgement): RelayRefusal | undefined {
    const refusals = mails.filter((mail) => mail.judgement === judgement)
      .map(({ reply }) => reply).filter((reply) => typeof reply === "object");
    return refusals.findLast((refusal) => refusal.isOfRelay) ?? refusals.at(-1);
  }

  /** Forgets mails that can't change the judgement of others. */
  function forget(): void {
    const lastAccepted = mails.findLast(({ reply }) => reply === "accepted");
    mails = mails.filter((mail) =>
      mail === lastAccepted || mail.judgement !== "recipient" && mail.judgement !== "accepted"
    );
    // The first refusals keep showing the fault.
    if (mails.length > MAX_REMEMBERED) mails.splice(MAX_REMEMBERED / 2, MAX_REMEMBERED / 4);
  }

  function take(): void {
    connections = Math.min(connections + 1, MAX_CONNECTIONS);
    accepted++;
    if (accepted % MAILS_PER_CONNECTION === 0 && limit < MAX_CONNECTIONS) limit++;
  }

  return {
    get connections() {
      return Math.min(connections, limit);
    },
    get isLimited() {
      return limit < Infinity;
    },
    get fault() {
      return fault;
    },
    get unclear() {
      return findLast("unclear");
    },
    begin(userEmail) {
      const mail: Mail = {
        userEmail,
        begunAt: moment++,
        begunMs: elapsed(),
        judgement: "awaited",
        isDeferred: false,
      };
      const remove = () => mails = mails.filter((other) => other !== mail);
      mails.push(mail);
      return {
        get judgement() {
          return mail.judgement;
        },
        begin() {
          remove();
          mail.begunAt = moment++;
          mail.begunMs = elapsed();
          mails.push(mail);
        },
        reply(outcome) {
          mail.repliedAt = moment++;
          if (outcome?.state === "sent") {
            mail.reply = "accepted";
            cleared.delete(userEmail);
            take();
          } else if (outcome !== undefined && isRefusal(outcome)) {
            mail.reply = readRefusal(userEmail, outcome);
            mail.isDeferred = outcome.state === "deferred";
            if (mail.isDeferred && fault === undefined && cleared.has(userEmail)) {
              mail.judgement = "recipient";
              remove();
            }
          } else remove();
          judge();
        },
      };
    },
    listen(onJudged) {
      listeners.add(onJudged);
      return () => void listeners.delete(onJudged);
    },
    fail(awaiting, { isThrottled }) {
      if (isThrottled) connections = 1;
      if (awaiting > MAX_CONNECTIONS) limit = Math.min(limit, MAX_CONNECTIONS);
      else if (awaiting > 0) limit = Math.ceil(awaiting / 2);
    },
    restart() {
      limit = Infinity;
    },
  };
}

/** Tells whether a reply is a refusal: for good, or for now in words of the relay's kind. */
function isRefusal(outcome: SendOutcome): outcome is SendOutcome & RelayReply {
  return outcome.state === "refused" || outcome.state === "deferred" && isOfRelay(outcome);
}
