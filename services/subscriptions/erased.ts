import type { Ref, Storage } from "../../adapters/storage.ts";
import { ERASURES, type Setting, SETTINGS } from "../../model/kinds.ts";
import { createKeyedHash, generateSecretKey, type KeyedHash } from "../../model/crypto/cipher.ts";
import { getSetting } from "../settings.ts";

const HASH_KEY = "addressHashKey";
const COUNT = "erasureCount";

/**
 * How many erasures there were. Who depends on somebody not being erased reads it in the same step.
 */
export const ERASURE_COUNT: Ref<typeof SETTINGS> = { kind: SETTINGS, key: COUNT };

/** The people among some who were erased, and are not to come back unasked. */
export interface Erased {
  /** The value of {@linkcode ERASURE_COUNT} at that time. */
  readonly count: string;
  readonly addresses: ReadonlySet<string>;
}

/**
 * Opens the hash of addresses, which is all that is left of people; its key is created once in
 * storage.
 */
export async function openAddressHash(storage: Storage): Promise<KeyedHash> {
  return await createKeyedHash(await getSetting(storage, HASH_KEY, generateSecretKey));
}

/** Finds out who of some people was erased. */
export async function findErased(
  storage: Storage,
  addresses: readonly string[],
): Promise<Erased> {
  const count = (await storage.get(SETTINGS, COUNT))?.value ?? "0";
  if (count === "0") return { count, addresses: new Set() };
  const hash = await openAddressHash(storage);
  const known = await Promise.all(
    addresses.map(async (address) => await storage.get(ERASURES, await hash(address))),
  );
  return { count, addresses: new Set(addresses.filter((_, i) => known[i] !== undefined)) };
}

/** Creates the count, so that it can be read in one step with other records. */
export async function prepareErasureCount(storage: Storage): Promise<void> {
  await getSetting(storage, COUNT, () => "0");
}

/** Counts one more erasure. */
export function countErasure(current: Setting | undefined): Setting {
  return { settingId: COUNT, value: `${Number(current?.value ?? 0) + 1}` };
}
