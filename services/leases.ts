import type { Decision, Found, Refs, Storage } from "../adapters/storage.ts";
import { type Lease, LEASES } from "../model/kinds.ts";
import { randomText } from "../model/crypto/random.ts";

// Prefix of the owner of each lease of this process.
const PROCESS_ID = randomText(8);

/** Returns a new owner name for a lease of this process. */
export function createOwner(): string {
  return `${PROCESS_ID}${randomText(16)}`;
}

/** Tells whether this process owns a lease. */
export function isOwn({ owner }: Lease): boolean {
  return owner !== null && owner.startsWith(PROCESS_ID);
}

export type AcquiredLease = Pick<Lease, "leaseId" | "token">;

export interface LeaseRequest {
  readonly owner: string;
  readonly durationMs: number;
  /** Tells whether the owner of a lease is dead. */
  readonly isDead: (lease: Lease) => boolean;
}

/**
 * Like `transact` of storage, but changes nothing and resolves to `undefined` after the lease is
 * lost.
 */
export type FencedTransact = <R extends Refs, A>(
  refs: R,
  decide: (found: Found<R>) => Decision<R, A>,
) => Promise<A | undefined>;

/** Acquires a lease; resolves to `undefined` while another process owns it. */
export function acquireLease(
  storage: Storage,
  leaseId: string,
  { owner, durationMs, isDead }: LeaseRequest,
): Promise<AcquiredLease | undefined> {
  return storage.transact(refsTo(leaseId), ({ lease: current }) => {
    const isFree = current === undefined || current.owner === null || current.owner === owner;
    if (!isFree && !isDead(current)) return { answer: undefined };
    const token = (current?.token ?? 0) + 1;
    const lease = { leaseId, owner, token, renewals: 0, durationMs };
    return { answer: { leaseId, token }, put: { lease } };
  });
}

/** Renews a lease, as proof that its owner is alive; returns `false` if the lease is lost. */
export function renewLease(
  storage: Storage,
  { leaseId, token }: AcquiredLease,
): Promise<boolean> {
  return storage.transact(refsTo(leaseId), ({ lease: current }) => {
    if (current?.token !== token) return { answer: false };
    return { answer: true, put: { lease: { ...current, renewals: current.renewals + 1 } } };
  });
}

/** Releases a lease, so that another process can acquire it at once. Does nothing if it is lost. */
export function releaseLease(
  storage: Storage,
  { leaseId, token }: AcquiredLease,
): Promise<void> {
  return storage.transact(refsTo(leaseId), ({ lease: current }) => {
    if (current?.token !== token) return { answer: undefined };
    return { answer: undefined, put: { lease: { ...current, owner: null } } };
  });
}

/**
 * Returns a function that tells whether the owner of a lease is dead: this process has seen the
 * lease unchanged for its whole duration. `elapsed` is a monotonic clock in milliseconds, because
 * the wall clocks of two processes may differ.
 */
export function createLeaseWatch(elapsed: () => number): (lease: Lease) => boolean {
  let seen: Lease | undefined;
  let sinceMs = 0;
  return (lease) => {
    if (seen?.token !== lease.token || seen.renewals !== lease.renewals) {
      seen = lease;
      sinceMs = elapsed();
    }
    return elapsed() - sinceMs >= lease.durationMs;
  };
}

/** Returns a `transact` that, after the lease is lost, changes nothing and calls `onLost`. */
export function fence(
  storage: Storage,
  { leaseId, token }: AcquiredLease,
  onLost: () => void,
): FencedTransact {
  return async function transact<R extends Refs, A>(
    refs: R,
    decide: (found: Found<R>) => Decision<R, A>,
  ) {
    const fenced: R & ReturnType<typeof refsTo> = { ...refs, ...refsTo(leaseId) };
    const outcome = await storage.transact<typeof fenced, { readonly answer: A } | undefined>(
      fenced,
      (found) => {
        if (found.lease?.token !== token) return { answer: undefined };
        const { answer, ...changes } = decide(found);
        return { answer: { answer }, ...changes };
      },
    );
    if (outcome === undefined) onLost();
    return outcome?.answer;
  };
}

function refsTo(leaseId: string) {
  return { lease: { kind: LEASES, key: leaseId } };
}
