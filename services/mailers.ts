import type { Storage } from "../adapters/storage.ts";
import { LEASES } from "../model/kinds.ts";
import { createLeaseWatch } from "./leases.ts";
import { type Meter, meterOf } from "./meter.ts";

/** The lease of a process that mails; it keeps the lease while idle, too. */
export const MAILER_LEASE = "mailers";

// Number of active mailers in this process, by the meter of their storage.
const workers = new WeakMap<Meter, number>();

/** Registers a mailer in this process; returns a function that removes it. */
export function registerMailer(storage: Storage): () => void {
  const meter = meterOf(storage);
  const add = (count: number) => workers.set(meter, (workers.get(meter) ?? 0) + count);
  add(1);
  return () => void add(-1);
}

/**
 * Returns a function that tells whether published entries are mailed. They are if this process
 * or another live one has a mailer. If this process has the storage for itself, a former mailer
 * counts too, because it will start again, unless this process `hasWorker` but does not mail.
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
