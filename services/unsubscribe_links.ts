import type { Storage } from "../adapters/storage.ts";
import { createSealer, generateSealKey, type Sealer } from "../model/sealed_text.ts";
import { getSetting } from "./settings.ts";

const UNSUBSCRIBE_KEY = "unsubscribeKey";

/** Opens the sealer of the tokens in links, by default to unsubscribe; its key is created once in storage. */
export async function openLinkSealer(
  storage: Storage,
  settingId: string = UNSUBSCRIBE_KEY,
): Promise<Sealer> {
  return await createSealer(await getSetting(storage, settingId, generateSealKey));
}

/** Returns a function that opens the link sealer of one storage, and then keeps it. */
export function createSealerCache(
  settingId: string = UNSUBSCRIBE_KEY,
): (storage: Storage) => Promise<Sealer> {
  let sealer: Promise<Sealer> | undefined;
  return function getSealer(storage) {
    sealer ??= openLinkSealer(storage, settingId).catch((error) => {
      sealer = undefined;
      throw error;
    });
    return sealer;
  };
}

/** Returns the link by which the owner of an address unsubscribes, without expiry. */
export async function createUnsubscribeLink(
  sealer: Sealer,
  publicUrl: string,
  userEmail: string,
): Promise<string> {
  return `${publicUrl}/unsubscribe/${await sealer.seal(userEmail)}`;
}
