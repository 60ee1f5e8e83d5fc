import type { Storage } from "../../adapters/storage.ts";
import type { Cipher } from "../../model/crypto/cipher.ts";
import { mailboxOf } from "../../model/posts/vote.ts";
import { openAddressHash } from "../subscriptions/erased.ts";
import { openLinkCipher } from "../subscriptions/unsubscribe_links.ts";

const SEAL_KEY = "pendingKey";

/**
 * Returns the identifier of an address's mailbox: a keyed hash of the address without its plus tag.
 */
export async function mailboxIdOf(storage: Storage, userEmail: string): Promise<string> {
  return await (await openAddressHash(storage))(mailboxOf(userEmail));
}

/** Opens the cipher for items that wait for proof. Storage holds them only encrypted. */
export function openPendingCipher(storage: Storage): Promise<Cipher> {
  return openLinkCipher(storage, SEAL_KEY);
}
