import { saysRefused, saysUnknown } from "../bounces/status.ts";
import { addMs, sortKeyOf } from "../values/time.ts";
import { findRelayFault, type RelayReply } from "./relay_fault.ts";

/** The outcome of sending a mail. */
export type SendOutcome =
  /** The relay took it over. */
  | { readonly state: "sent" }
  /** It was not wanted any more when its turn came. */
  | { readonly state: "skipped" }
  /**
   * The relay refused this recipient: for good (`refused`) or for now (`deferred`). Or it was handed the
   * whole mail, and its answer was lost (`unknown`): it may have sent the mail all the same.
   */
  | {
    readonly state: "refused" | "deferred" | "unknown";
    /** The enhanced status code (RFC 3463), like `5.1.1`; else the reply code, like `550`. */
    readonly code: string;
    /** The reply of the relay, in one line and without e-mail addresses. */
    readonly text: string;
  };

/** A recipient to whom the mail of an entry is tried again later. */
export interface Deferral {
  /** See {@linkcode deferralIdOf}. */
  readonly deferralId: string;
  readonly entryId: string;
  readonly userEmail: string;
  /** How often the relay has deferred the mail. */
  readonly attempts: number;
  /** The sort key among the deferrals of the entry: see {@linkcode sortKeyOf}. */
  readonly place: string;
}

/** The last mail to a person that was refused; removed once a mail to them is sent. */
export interface Failure {
  readonly userEmail: string;
  readonly entryId: string;
  /** The enhanced status code (RFC 3463), else the reply code. */
  readonly code: string;
  /** The reply of the relay. */
  readonly text: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly failedAt: string;
  /** How many mails in a row were refused because there is no such mailbox. */
  readonly bounces: number;
}

const MINUTE_MS = 60_000;
const RETRY_MS = [1, 5, 30, 120, 480, 1440].map((minutes) => minutes * MINUTE_MS);
// An attempt whose answer may still come is planned ten minutes later; and clocks differ.
const MAX_AHEAD_MS = 15 * MINUTE_MS;
// RFC 3463, section 3.2, and RFC 7505: there is no such mailbox or domain, or it has moved.
const NO_MAILBOX = ["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10"];
// Relays without extended codes give these to an unknown recipient, and for any other reason.
const VAGUE = ["550", "551", "553"];
const MAX_BOUNCES = 2;
const MAX_TEXT_LENGTH = 500;
// Matches one unbroken run, so that a text without addresses takes linear time.
const WORD = /[^\s<>"'(),;:]+/g;

/** Returns the identifier of the deferral of an entry to a person. */
export function deferralIdOf(entryId: string, userEmail: string): string {
  return `${entryId}/${userEmail}`;
}

/** Returns when the deferral is due (RFC 3339, UTC, milliseconds). */
export function dueAtOf({ entryId, place }: Deferral): string {
  return place.slice(entryId.length + 1);
}

/**
 * Tells whether the next attempt is due at a time: also where a clock that was ahead has planned it, which
 * shows by when that must have been.
 */
export function isDue(deferral: Deferral, now: string): boolean {
  const dueAt = dueAtOf(deferral);
  const waitMs = RETRY_MS[Math.max(deferral.attempts, 1) - 1] + MAX_AHEAD_MS;
  return dueAt <= now || dueAt > addMs(now, waitMs);
}

/** Defers a mail after so many attempts, from 1; returns `undefined` after the last. */
export function deferMail(
  mail: Pick<Deferral, "entryId" | "userEmail">,
  attempts: number,
  now: string,
): Deferral | undefined {
  if (attempts > RETRY_MS.length) return undefined;
  return createDeferral(mail, attempts, addMs(now, RETRY_MS[attempts - 1]));
}

/** Creates a deferral that is due at a time. */
export function createDeferral(
  { entryId, userEmail }: Pick<Deferral, "entryId" | "userEmail">,
  attempts: number,
  dueAt: string,
): Deferral {
  const place = sortKeyOf(entryId, dueAt);
  return { deferralId: deferralIdOf(entryId, userEmail), entryId, userEmail, attempts, place };
}

/** Records that a mail to a person was refused; `previous` is the failure before it. */
export function recordFailure(
  previous: Failure | undefined,
  failure: Omit<Failure, "bounces">,
): Failure {
  const bounces = isUnknownMailbox(failure) ? (previous?.bounces ?? 0) + 1 : 0;
  return { ...failure, bounces };
}

/** Tells whether a relay refused a mail because there is no such mailbox: by its code and its words. */
export function isUnknownMailbox(reply: RelayReply): boolean {
  const { code, text } = reply;
  if (VAGUE.includes(code)) return saysUnknown(text) && !saysRefused(text);
  if (!NO_MAILBOX.includes(code) || findRelayFault(reply) !== undefined) return false;
  return saysUnknown(text) || !saysRefused(text);
}

/** Tells whether a person has been refused so often that there can be no such mailbox. */
export function hasNoMailbox({ bounces }: Failure): boolean {
  return bounces >= MAX_BOUNCES;
}

/** Joins the lines of a text and shortens it, so that any storage can keep it. */
export function toLine(said: unknown): string {
  return `${said}`.replace(/[\p{Cc}\p{Cs}]+/gu, " ").slice(0, MAX_TEXT_LENGTH);
}

/** Does the same as {@linkcode toLine}, and replaces each e-mail address by an ellipsis. */
export function toAnonymousLine(said: string): string {
  return toLine(said.replace(WORD, (word) => isAddress(word) ? "…" : word));
}

function isAddress(word: string): boolean {
  return word.slice(1, -1).includes("@");
}

/** Cleans the outcome of a mailer: one that storage refused would have mails repeated for ever. */
export function cleanOutcome(outcome: SendOutcome): SendOutcome {
  switch (outcome?.state) {
    case "sent":
    case "skipped":
      return outcome;
    case "refused":
    case "deferred":
    case "unknown":
      return { state: outcome.state, code: toLine(outcome.code), text: toLine(outcome.text) };
    default:
      throw new TypeError(
        "The mailer resolved to no outcome: sent, skipped, refused, deferred or unknown",
      );
  }
}
