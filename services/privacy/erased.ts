import type { Ref, Storage } from "../../adapters/storage.ts";
import { ERASURES, type Setting, SETTINGS } from "../../model/kinds.ts";
import { createKeyedHash, generateSecretKey, type KeyedHash } from "../../model/crypto/cipher.ts";
import { mailboxOf } from "../../model/posts/vote.ts";
import { CLOSED_MAILBOXES } from "../../model/proof/pending.ts";
import { getSetting } from "../records.ts";
import { sharedOf } from "../shared.ts";

const HASH_KEY = "addressHashKey";
const COUNT = "erasureCount";

/**
 * The number of erasures. A decision that depends on somebody not being erased reads it in its
 * transaction.
 */
export const ERASURE_COUNT: Ref<typeof SETTINGS> = { kind: SETTINGS, key: COUNT };

/** The people, among some, who must not come back, or must not be mailed, without asking. */
export interface Erased {
  /** The value of {@linkcode ERASURE_COUNT} at the same time. */
  readonly count: string;
  readonly addresses: ReadonlySet<string>;
  /** Those whose mailboxes want no mail at all. */
  readonly closed: ReadonlySet<string>;
}

/**
 * Opens the keyed hash of addresses, the only trace of an erased person. The first call creates its
 * key in storage.
 */
export function openAddressHash(storage: Storage): Promise<KeyedHash> {
  const state = sharedOf(storage);
  return state.addressHash ??= getSetting(storage, HASH_KEY, generateSecretKey)
    .then(createKeyedHash)
    .catch((error) => {
      state.addressHash = undefined;
      throw error;
    });
}

/** Returns the people, among some, who were erased, or want no mail. */
export async function findErased(
  storage: Storage,
  addresses: readonly string[],
): Promise<Erased> {
  const count = erasureCountOf(await storage.get(SETTINGS, COUNT));
  if (count === "0") return { count, addresses: new Set(), closed: new Set() };
  const hash = await openAddressHash(storage);
  const known = await Promise.all(addresses.map(async (address) =>
    await Promise.all([
      storage.get(ERASURES, hash(address)),
      storage.get(CLOSED_MAILBOXES, hash(mailboxOf(address))),
    ])
  ));
  return {
    count,
    addresses: new Set(addresses.filter((_, i) => known[i][0] !== undefined)),
    closed: new Set(addresses.filter((_, i) => known[i][1] !== undefined)),
  };
}

/** Creates the count, so that a transaction can read it together with other records. */
export async function prepareErasureCount(storage: Storage): Promise<void> {
  await getSetting(storage, COUNT, () => "0");
}

/** Returns the number of erasures from its setting, which is absent before the first erasure. */
export function erasureCountOf(setting: Setting | undefined): string {
  return setting?.value ?? "0";
}

/** Counts one more erasure. */
export function countErasure(current: Setting | undefined): Setting {
  return { settingId: COUNT, value: `${Number(erasureCountOf(current)) + 1}` };
}

/**
 * Returns the identifier of an address's mailbox: a keyed hash of the address without its plus tag.
 */
export async function mailboxIdOf(storage: Storage, userEmail: string): Promise<string> {
  return (await openAddressHash(storage))(mailboxOf(userEmail));
}

/** Returns the time of a mailbox's last erasure; `null`: never. */
export async function erasureOf(storage: Storage, userEmail: string): Promise<string | null> {
  const erasure = await storage.get(ERASURES, await mailboxIdOf(storage, userEmail));
  return erasure?.erasedAt ?? null;
}
