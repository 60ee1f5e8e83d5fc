import type { Storage } from "../../adapters/storage.ts";
import { type Cipher, createCipher, generateSecretKey } from "../../model/crypto/cipher.ts";
import { getSetting } from "../settings.ts";

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

/** Returns the link that unsubscribes an address; the link never expires. */
export async function createUnsubscribeLink(
  cipher: Cipher,
  publicUrl: string,
  userEmail: string,
): Promise<string> {
  return `${publicUrl}/unsubscribe/${await cipher.encrypt(userEmail)}`;
}
