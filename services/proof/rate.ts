import type { Setting } from "../../model/kinds.ts";
import { addMs } from "../../model/values/time.ts";

/** Rate limit for mails caused by forms, shared by all processes on the storage. */
export interface FormMailRate {
  /** Number of mails, from 1. */
  readonly requests: number;
  /** Length of the window in seconds, from 1. */
  readonly windowSeconds: number;
}

/** The setting with the count of mails caused by forms. */
export const FORM_MAIL_COUNT = "formMailsInWindow";

/** The mails caused by forms, and the dropped forms, in a window. */
interface FormCount {
  /** When the window began and ends (RFC 3339, UTC, milliseconds). */
  readonly since: string;
  readonly until: string;
  readonly mails: number;
  readonly dropped: number;
}

/** Counts one more mail in the current window; returns `undefined` if it is full. */
export function countFormMail(
  stored: Setting | undefined,
  { rate, at }: { readonly rate: FormMailRate; readonly at: string },
): Setting | undefined {
  const count = currentCount(stored, { rate, at });
  return count.mails >= rate.requests ? undefined : toSetting({ ...count, mails: count.mails + 1 });
}

/** Counts one more form that was dropped because the current window is full. */
export function countDroppedForm(
  stored: Setting | undefined,
  limits: { readonly rate: FormMailRate; readonly at: string },
): Setting {
  const count = currentCount(stored, limits);
  return toSetting({ ...count, dropped: count.dropped + 1 });
}

/** Returns the number of forms that were dropped in the window of a time. */
export function droppedFormsOf(stored: Setting | undefined, at: string): number {
  const count = stored && readCount(stored);
  return count !== undefined && count.since <= at && at < count.until ? count.dropped : 0;
}

function currentCount(
  stored: Setting | undefined,
  { rate, at }: { readonly rate: FormMailRate; readonly at: string },
): FormCount {
  const windowMs = rate.windowSeconds * 1_000;
  const known = stored && readCount(stored);
  // The clock may have been set back since the window began.
  const isOn = known !== undefined && at < addMs(known.since, windowMs) &&
    known.since < addMs(at, windowMs);
  const { since, mails, dropped } = isOn ? known : { since: at, mails: 0, dropped: 0 };
  return { since, until: addMs(since, windowMs), mails, dropped };
}

function readCount({ value }: Setting): FormCount {
  const [since, mails, dropped = "0", until = since] = value.split(" ");
  return { since, until, mails: Number(mails), dropped: Number(dropped) };
}

function toSetting({ since, until, mails, dropped }: FormCount): Setting {
  return { settingId: FORM_MAIL_COUNT, value: `${since} ${mails} ${dropped} ${until}` };
}
