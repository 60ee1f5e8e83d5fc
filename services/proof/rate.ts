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

/** Counts one more mail in the current window; returns `undefined` if it is full. */
export function countFormMail(
  stored: Setting | undefined,
  { rate, at }: { readonly rate: FormMailRate; readonly at: string },
): Setting | undefined {
  const [since, count] = stored?.value.split(" ") ?? [at, "0"];
  const windowMs = rate.windowSeconds * 1_000;
  // The clock may have been set back since the window began.
  const isOn = at < addMs(since, windowMs) && since < addMs(at, windowMs);
  if (!isOn) return { settingId: FORM_MAIL_COUNT, value: `${at} 1` };
  if (Number(count) >= rate.requests) return undefined;
  return { settingId: FORM_MAIL_COUNT, value: `${since} ${Number(count) + 1}` };
}
