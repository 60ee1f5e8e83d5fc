import type { Storage } from "../adapters/storage.ts";
import { LEASES } from "../model/kinds.ts";
import { createLeaseWatch } from "./leases.ts";
import { type Meter, meterOf } from "./meter.ts";

/** The lease of a process that mails, which it has also while there is nothing to mail. */
export const MAILER_LEASE = "mailers";

// How many are known in this process to mail, by what they have in common with handlers on the same storage.
const workers = new WeakMap<Meter, number>();

/** Has this process know that somebody mails; returns what ends that. */
export function registerMailer(storage: Storage): () => void {
  const meter = meterOf(storage);
  const add = (count: number) => workers.set(meter, (workers.get(meter) ?? 0) + count);
  add(1);
  return () => void add(-1);
}

/**
 * Returns a function that tells whether what is published is mailed: by one that this process knows of, by
 * another that lives or, where no other can have the storage open, by one that did and will again. It
 * will not where this process `hasWorker`, which doesn't mail.
 */
export function createMailerCheck(
  storage: Storage,
  { hasWorker, elapsed }: { readonly hasWorker: boolean; readonly elapsed: () => number },
): () => Promise<boolean> {
  const isDead = createLeaseWatch(elapsed);
  return async () => {
    if ((workers.get(meterOf(storage)) ?? 0) > 0) return true;
    const lease = await storage.get(LEASES, MAILER_LEASE);
    if (lease === undefined) return false;
    return storage.isExclusive === true ? !hasWorker : lease.owner !== null && !isDead(lease);
  };
}
