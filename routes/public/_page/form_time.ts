import type { Storage } from "../../../adapters/storage.ts";
import { openPendingCipher } from "../../../services/proof/mailboxes.ts";
import type { Instant } from "../../../model/values/time.ts";

/** The hidden field with the time when the form's page was made. */
export const TIME_FIELD = "opened";

// Nobody fills in a form faster than this.
const MIN_MS = 2_000;
/** Tolerated clock difference between two processes, in milliseconds. */
const MAX_AHEAD_MS = 60_000;

/** Seals the time when a form's page is made. */
export async function sealFormTime(storage: Storage, { text }: Instant): Promise<string> {
  return await (await openPendingCipher(storage)).encrypt(`form ${text}`);
}

/**
 * Tells whether a form was filled in faster than people can, or its time is forged. A form without
 * a time comes from another page, and only its proof counts.
 */
export async function isTooFast(
  storage: Storage,
  token: string | undefined,
  { text }: Instant,
): Promise<boolean> {
  if (!token) return false;
  const sealed = await (await openPendingCipher(storage)).decrypt(token);
  if (!sealed?.startsWith("form ")) return true;
  const ageMs = Date.parse(text) - Date.parse(sealed.slice("form ".length));
  // Another process, whose clock is ahead, may have made the page. A time far ahead means that the
  // clock was set back since.
  return ageMs > -MAX_AHEAD_MS && ageMs < MIN_MS;
}
