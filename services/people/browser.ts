import type { Storage } from "../../adapters/storage.ts";
import { addMs } from "../../model/values/time.ts";
import { openLinkCipher } from "../subscriptions/unsubscribe_links.ts";
import { erasureOf } from "../proof/links.ts";

/** The setting with the key for {@linkcode sealBrowser}. */
export const BROWSER_KEY = "browserKey";
/** The time for which a browser's cookie identifies a person, in seconds. */
export const REMEMBERED_SECONDS: number = 90 * 86_400;

/** The person whom a cookie identifies. */
export interface RememberedPerson {
  /** The normal form of the address. */
  readonly userEmail: string;
  /** The last erasure of the mailbox before the cookie was set: a later erasure ends the cookie. */
  readonly erasedAt: string | null;
}

type Remembered = RememberedPerson & { readonly expiresAt: string };

/** Seals an address for the cookie of a browser. */
export async function sealBrowser(
  storage: Storage,
  userEmail: string,
  at: string,
): Promise<string> {
  const remembered: Remembered = {
    userEmail,
    erasedAt: await erasureOf(storage, userEmail),
    expiresAt: addMs(at, REMEMBERED_SECONDS * 1_000),
  };
  return await (await openLinkCipher(storage, BROWSER_KEY)).encrypt(JSON.stringify(remembered));
}

/**
 * Returns the person in a cookie; `undefined` if the cookie is not ours, has expired or was ended.
 */
export async function openBrowser(
  storage: Storage,
  token: string,
  at: string,
): Promise<RememberedPerson | undefined> {
  const text = await (await openLinkCipher(storage, BROWSER_KEY)).decrypt(token);
  if (text === undefined) return undefined;
  const { userEmail, erasedAt, expiresAt }: Remembered = JSON.parse(text);
  if (at >= expiresAt) return undefined;
  return await erasureOf(storage, userEmail) === erasedAt ? { userEmail, erasedAt } : undefined;
}
