import type { RelayReply } from "../../../model/deliveries/relay_fault.ts";

/** How a relay has behaved so far, over all rounds of a process. */
export interface RelayState {
  /** How many mails may await their answers at once; those that are answered slowly aside. */
  readonly connections: number;
  /** Whether slow mails count, too, as the relay refuses more connections. */
  readonly isLimited: boolean;
  /** Called when the relay takes a mail: nothing is wrong with it at present. */
  take(): void;
  /**
   * Called when the relay takes nobody's mail. `awaiting` is how many mails awaited their answers, where
   * it has taken others meanwhile; else 0.
   */
  fail(awaiting: number, options: { readonly isThrottled: boolean }): void;
  /** Called when a delivery begins, for which the relay may allow more. */
  restart(): void;
  /** Tells whether a refusal of somebody is one that the relay gives to everybody at present. */
  isGivenToAll(recipient: RefusedRecipient): boolean;
  /** Called when several recipients in a row got the same refusal, which is the relay's then. */
  suspect(recipients: readonly RefusedRecipient[]): void;
  /** Tells whether a recipient may be one in such a row: once others were taken since, no longer. */
  isUntested(recipient: RefusedRecipient): boolean;
}

/** A recipient, and the words by which the relay refused them. */
export interface RefusedRecipient {
  readonly userEmail: string;
  readonly outcome: RelayReply;
}

const MAX_CONNECTIONS = 10;
// The limit of a relay may be only for some time.
const MAILS_PER_CONNECTION = 100;
const MAX_TESTED = 10_000;

/** Creates the state of a relay of which nothing is known. */
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

/** Returns the words of a refusal without what differs from one recipient to the next. */
export function wordsOf({ userEmail, outcome: { code, text } }: RefusedRecipient): string {
  const [name, domain] = userEmail.split("@");
  const words = text.toLowerCase().replaceAll(domain, "").replaceAll(name, "");
  return `${code} ${words.split(/\s+/).filter((word) => !/\d/.test(word)).join(" ")}`;
}
