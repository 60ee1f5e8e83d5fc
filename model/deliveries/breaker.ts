import type { BounceType } from "../bounces/bounce_event.ts";

/** The signs that a delivery does harm, since it began or was last resumed. */
export interface Breaker {
  /** Number of mails that relays accepted or refused permanently. */
  readonly mails: number;
  /** Numbers of the mails, counted from 1, that found no mailbox; only among the last 500 mails. */
  readonly unknown: readonly number[];
  /** Number of recipients who complained. */
  readonly complaints: number;
}

/** The breaker of a new delivery. */
export const NEW_BREAKER: Breaker = { mails: 0, unknown: [], complaints: 0 };

const MIN_MAILS = 100;
const MAX_MAILS = 500;
const MAX_UNKNOWN_SHARE = 0.05;
const MIN_COMPLAINTS = 3;
const MAX_COMPLAINT_SHARE = 0.001;

/** Counts mails in order; each is `true` if it was refused because the mailbox does not exist. */
export function countMails(breaker: Breaker, mails: readonly boolean[]): Breaker {
  if (mails.length === 0) return breaker;
  const found = mails.flatMap((isUnknown, index) => isUnknown ? [breaker.mails + index + 1] : []);
  return trim({
    ...breaker,
    mails: breaker.mails + mails.length,
    unknown: [...breaker.unknown, ...found],
  });
}

/** Counts a report that unsubscribed somebody; its mail was among the last ones. */
export function countReport(breaker: Breaker, type: BounceType): Breaker {
  if (type === "complaint") return { ...breaker, complaints: breaker.complaints + 1 };
  if (type !== "permanent") return breaker;
  return trim({ ...breaker, unknown: [...breaker.unknown, breaker.mails] });
}

/** Returns the reason why a delivery has to stop; `undefined` if it may continue. */
export function findHarm({ mails, unknown, complaints }: Breaker): string | undefined {
  const last = Math.min(mails, MAX_MAILS);
  if (mails >= MIN_MAILS && unknown.length > last * MAX_UNKNOWN_SHARE) {
    return `${unknown.length} of the last ${last} mails found no mailbox: clean the list, then ` +
      "resume or cancel it";
  }
  if (complaints >= MIN_COMPLAINTS && complaints > mails * MAX_COMPLAINT_SHARE) {
    return `${complaints} of ${mails} recipients have complained: resume or cancel it`;
  }
}

function trim(breaker: Breaker): Breaker {
  const first = breaker.mails - MAX_MAILS;
  const unknown = breaker.unknown.filter((number) => number > first);
  // Reports add numbers to `unknown` without new mails, so the list has a limit of its own.
  return { ...breaker, unknown: unknown.slice(-MAX_MAILS) };
}
