import type { Storage } from "../adapters/storage.ts";
import { LEASES } from "../model/kinds.ts";
import { createLeaseWatch } from "./leases.ts";
import { sharedOf } from "./shared.ts";

/** The lease of a process that mails; it keeps the lease while idle, too. */
export const MAILER_LEASE = "mailers";

/** Registers a mailer in this process; returns a function that removes it. */
export function registerMailer(storage: Storage): () => void {
  const shared = sharedOf(storage);
  shared.mailers++;
  return () => void shared.mailers--;
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
    if (sharedOf(storage).mailers > 0) return true;
    const lease = await storage.get(LEASES, MAILER_LEASE);
    if (lease === undefined) return false;
    return storage.isExclusive === true ? !hasWorker : lease.owner !== null && !isDead(lease);
  };
}
