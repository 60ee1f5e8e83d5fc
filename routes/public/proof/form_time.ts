import type { Storage } from "../../../adapters/storage.ts";
import { openPendingCipher } from "../../../services/proof/mailboxes.ts";
import type { Instant } from "../../_http/instant.ts";

/** The field that says when the page of a form was made. */
export const TIME_FIELD = "opened";

// Nobody fills in a form as fast.
const MIN_MS = 2_000;

/** Seals the time at which the page of a form is made. */
export async function sealFormTime(storage: Storage, { text }: Instant): Promise<string> {
  return await (await openPendingCipher(storage)).encrypt(`form ${text}`);
}

/**
 * Tells whether a form was filled in faster than people do, or its time was made up. A form without
 * a time comes from a page of somebody else, and is judged by its proof alone.
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
  // A clock may have been set back since.
  return ageMs >= 0 && ageMs < MIN_MS;
}
