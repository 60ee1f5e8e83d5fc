import type { Storage } from "../../adapters/storage.ts";
import { type Cipher, createCipher, generateSecretKey } from "../../model/crypto/cipher.ts";
import { getSetting } from "../records.ts";

const UNSUBSCRIBE_KEY = "unsubscribeKey";

/**
 * Opens the cipher of the tokens in links, by default of those to unsubscribe; the first call
 * creates its key in storage.
 */
export async function openLinkCipher(
  storage: Storage,
  settingId: string = UNSUBSCRIBE_KEY,
): Promise<Cipher> {
  return await createCipher(await getSetting(storage, settingId, generateSecretKey));
}

/** Returns a function that opens the link cipher of one storage once, and caches it. */
export function createCipherCache(
  settingId: string = UNSUBSCRIBE_KEY,
): (storage: Storage) => Promise<Cipher> {
  let cipher: Promise<Cipher> | undefined;
  return function getCipher(storage) {
    cipher ??= openLinkCipher(storage, settingId).catch((error) => {
      cipher = undefined;
      throw error;
    });
    return cipher;
  };
}

/** The owner of an unsubscribe link. */
export interface LinkOwner {
  readonly userEmail: string;
  /** Whether the link ends only requests to be told of posts, and no subscription. */
  readonly endsAsksOnly: boolean;
}

// The space keeps this prefix apart from addresses.
const ASKS = "asks ";

/** Returns the link that unsubscribes an address, or ends only its asks. It never expires. */
export async function createUnsubscribeLink(
  cipher: Cipher,
  publicUrl: string,
  userEmail: string,
  { endsAsksOnly = false }: Partial<Pick<LinkOwner, "endsAsksOnly">> = {},
): Promise<string> {
  const token = await cipher.encrypt(`${endsAsksOnly ? ASKS : ""}${userEmail}`);
  return `${publicUrl}/unsubscribe/${token}`;
}

/** Returns the owner of a token's link; `undefined` if the token is not ours. */
export async function openUnsubscribeToken(
  cipher: Cipher,
  token: string,
): Promise<LinkOwner | undefined> {
  const text = await cipher.decrypt(token);
  if (text === undefined) return undefined;
  const endsAsksOnly = text.startsWith(ASKS);
  return { userEmail: endsAsksOnly ? text.slice(ASKS.length) : text, endsAsksOnly };
}
