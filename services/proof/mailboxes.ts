import type { Storage } from "../../adapters/storage.ts";
import type { Cipher } from "../../model/crypto/cipher.ts";
import { mailboxOf } from "../../model/posts/vote.ts";
import { openAddressHash } from "../subscriptions/erased.ts";
import { openLinkCipher } from "../subscriptions/unsubscribe_links.ts";

const SEAL_KEY = "pendingKey";

/** Returns the identifier of the mailbox of an address: a keyed hash without its plus tag. */
export async function mailboxIdOf(storage: Storage, userEmail: string): Promise<string> {
  return await (await openAddressHash(storage))(mailboxOf(userEmail));
}

/** Opens the cipher of what waits for proof, of which storage keeps nothing that can be read. */
export function openPendingCipher(storage: Storage): Promise<Cipher> {
  return openLinkCipher(storage, SEAL_KEY);
}
