import type { RelayReply } from "../../../model/deliveries/relay_fault.ts";

/** The behaviour of a relay so far, over all rounds of a process. */
export interface RelayState {
  /** Limit of mails that await answers at the same time; excludes slow mails. */
  readonly connections: number;
  /** Whether slow mails count too, because the relay refuses more connections. */
  readonly isLimited: boolean;
  /** Called when the relay accepts a mail, and so works normally. */
  take(): void;
  /**
   * Called when the relay accepts mail for nobody. `awaiting` is the number of mails that awaited
   * answers, if the relay accepted others meanwhile; else 0.
   */
  fail(awaiting: number, options: { readonly isThrottled: boolean }): void;
  /** Called when a delivery begins, for which the relay may allow more connections. */
  restart(): void;
  /** Tells whether the relay currently gives this refusal to everybody. */
  isGivenToAll(recipient: RefusedRecipient): boolean;
  /**
   * Called when several consecutive recipients got the same refusal, which then concerns the relay.
   */
  suspect(recipients: readonly RefusedRecipient[]): void;
  /**
   * Tells whether a recipient may belong to such a series; no longer once the relay has accepted
   * others.
   */
  isUntested(recipient: RefusedRecipient): boolean;
}

/** A recipient, and the text of the relay's refusal. */
export interface RefusedRecipient {
  readonly userEmail: string;
  readonly outcome: RelayReply;
}

const MAX_CONNECTIONS = 10;
// A relay's limit may be temporary.
const MAILS_PER_CONNECTION = 100;
const MAX_TESTED = 10_000;

/** Creates the state of an unknown relay. */
export function createRelayState(): RelayState {
  let connections = MAX_CONNECTIONS;
  let limit = Infinity;
  let mails = 0;
  let suspected: string | undefined;
  let doubtful = new Set<string>();
  let tested = new Set<string>();

  return {
    get connections() {
      return Math.min(connections, limit);
    },
    get isLimited() {
      return limit < Infinity;
    },
    take() {
      connections = Math.min(connections + 1, MAX_CONNECTIONS);
      mails++;
      if (mails % MAILS_PER_CONNECTION === 0 && limit < MAX_CONNECTIONS) limit++;
      if (suspected === undefined) return;
      suspected = undefined;
      tested = new Set([...tested, ...doubtful].slice(-MAX_TESTED));
      doubtful = new Set();
    },
    fail(awaiting, { isThrottled }) {
      if (isThrottled) connections = 1;
      if (awaiting > MAX_CONNECTIONS) limit = Math.min(limit, MAX_CONNECTIONS);
      else if (awaiting > 0) limit = Math.ceil(awaiting / 2);
    },
    restart() {
      limit = Infinity;
    },
    isGivenToAll(recipient) {
      if (suspected !== wordsOf(recipient)) return false;
      doubtful.add(recipient.userEmail);
      return true;
    },
    suspect(recipients) {
      suspected = wordsOf(recipients[0]);
      connections = 1;
      for (const { userEmail } of recipients) doubtful.add(userEmail);
    },
    isUntested: ({ userEmail }) => !tested.has(userEmail),
  };
}

/** Returns the text of a refusal without the parts that differ between recipients. */
export function wordsOf({ userEmail, outcome: { code, text } }: RefusedRecipient): string {
  const [name, domain] = userEmail.split("@");
  const words = text.toLowerCase().replaceAll(domain, "").replaceAll(name, "");
  return `${code} ${words.split(/\s+/).filter((word) => !/\d/.test(word)).join(" ")}`;
}
