import { saysOther, saysUnknown } from "../bounces/reasons.ts";
import { addMs, sortKeyOf } from "../values/time.ts";
import { isOfRelay, type RelayReply } from "./refusals.ts";

/** The outcome of sending a mail. */
export type SendOutcome =
  /** The relay accepted the mail. */
  | { readonly state: "sent" }
  /** The mail was no longer wanted when its turn came. */
  | { readonly state: "skipped" }
  /**
   * The relay refused this recipient permanently (`refused`) or for now (`deferred`). Or the
   * relay's reply to a complete mail was lost (`unknown`): it may still have sent the mail.
   */
  | {
    readonly state: "refused" | "deferred" | "unknown";
    /** The enhanced status code (RFC 3463), like `5.1.1`; else the reply code, like `550`. */
    readonly code: string;
    /** The reply of the relay, in one line and without e-mail addresses. */
    readonly text: string;
  };

/** A recipient to whom an entry's mail is retried later. */
export interface Deferral {
  /** The key: see {@linkcode deferralIdOf}. */
  readonly deferralId: string;
  readonly entryId: string;
  readonly userEmail: string;
  /** Number of attempts that the relay has deferred. */
  readonly attempts: number;
  /** The sort key among the entry's deferrals: see {@linkcode sortKeyOf}. */
  readonly place: string;
}

/** The last refused mail to a person; removed once a mail to them is sent. */
export interface Failure {
  readonly userEmail: string;
  readonly entryId: string;
  /** The enhanced status code (RFC 3463), else the reply code. */
  readonly code: string;
  /** The reply of the relay. */
  readonly text: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly failedAt: string;
  /** Number of consecutive deliveries refused because the mailbox does not exist. */
  readonly bounces: number;
}

const MINUTE_MS = 60_000;
const RETRY_MS = [1, 5, 30, 120, 480, 1440].map((minutes) => minutes * MINUTE_MS);
// A retry after an unanswered attempt is planned ten minutes ahead, and clocks differ.
const MAX_AHEAD_MS = 15 * MINUTE_MS;
// The mailbox or domain does not exist, or has moved (RFC 3463, section 3.2; RFC 7505).
const NO_MAILBOX = ["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10"];
// Relays without extended codes use these for an unknown recipient, and for other reasons too.
const VAGUE = ["550", "551", "553"];
const MAX_BOUNCES = 2;
// Refusals in a shorter time may have the same temporary cause.
const MIN_BETWEEN_MS = 4 * 60 * MINUTE_MS;
const MAX_TEXT_LENGTH = 500;
// Matches one unbroken run of characters, so that text without addresses takes linear time.
const WORD = /[^\s<>"'(),;:]+/g;

/** Returns the identifier of an entry's deferral for a person. */
export function deferralIdOf(entryId: string, userEmail: string): string {
  return `${entryId}/${userEmail}`;
}

/** Returns the time at which a deferral is due (RFC 3339, UTC, milliseconds). */
export function dueAtOf({ entryId, place }: Deferral): string {
  return place.slice(entryId.length + 1);
}

/**
 * Tells whether the next attempt is due at a time. A deferral too far in the future counts as due,
 * because a clock that was ahead must have planned it.
 */
export function isDeferralDue(deferral: Deferral, now: string): boolean {
  const dueAt = dueAtOf(deferral);
  const waitMs = RETRY_MS[Math.max(deferral.attempts, 1) - 1] + MAX_AHEAD_MS;
  return dueAt <= now || dueAt > addMs(now, waitMs);
}

/** Defers a mail after an attempt, counted from 1; returns `undefined` after the last attempt. */
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

/**
 * Records that a mail to a person was refused; `previous` is the person's last failure. Missing
 * mailboxes count once for each delivery, hours apart, and only since the person last subscribed.
 */
export function recordFailure(
  previous: Failure | undefined,
  failure: Omit<Failure, "bounces">,
  { subscribedAt }: { readonly subscribedAt: string },
): Failure {
  if (!isUnknownMailbox(failure)) return { ...failure, bounces: 0 };
  const { bounces = 0, failedAt = "", entryId } = previous ?? {};
  // A time that lies in the future was stored by a clock that was ahead.
  const isEarlier = failedAt < subscribedAt && subscribedAt <= failure.failedAt;
  if (bounces === 0 || isEarlier || failedAt > failure.failedAt) return { ...failure, bounces: 1 };
  const isNext = entryId !== failure.entryId &&
    failure.failedAt >= addMs(failedAt, MIN_BETWEEN_MS);
  return isNext ? { ...failure, bounces: bounces + 1 } : previous!;
}

/** Tells by its code and text whether a relay refused a mail because the mailbox does not exist. */
export function isUnknownMailbox(reply: RelayReply): boolean {
  const { code, text } = reply;
  if (VAGUE.includes(code)) return saysUnknown(text) && !saysOther(text);
  if (!NO_MAILBOX.includes(code) || isOfRelay(reply)) return false;
  return saysUnknown(text) || !saysOther(text);
}

/** Tells whether a person's mail was refused so often that the mailbox can't exist. */
export function hasNoMailbox({ bounces }: Failure): boolean {
  return bounces >= MAX_BOUNCES;
}

/** Joins the lines of a text and shortens it, so that any storage can keep it. */
export function toLine(said: unknown): string {
  return `${said}`.replace(/[\p{Cc}\p{Cs}]+/gu, " ").slice(0, MAX_TEXT_LENGTH);
}

/** Like {@linkcode toLine}, and replaces each e-mail address by an ellipsis. */
export function toAnonymousLine(said: string): string {
  return toLine(said.replace(WORD, (word) => isAddress(word) ? "…" : word));
}

function isAddress(word: string): boolean {
  return word.slice(1, -1).includes("@");
}

/**
 * Cleans the outcome from a mailer. A text that storage refuses would make a worker repeat the
 * mails forever.
 */
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
