import type { Decide, Refs, Storage } from "../adapters/storage.ts";
import { type Lease, LEASES } from "../model/kinds.ts";
import { addMs } from "../model/time.ts";

/** A lease that was acquired. */
export type AcquiredLease = Pick<Lease, "leaseId" | "token">;

/** A request for a lease. */
export interface LeaseRequest {
  readonly owner: string;
  /** When it is made (RFC 3339, UTC, milliseconds). */
  readonly now: string;
  readonly durationMs: number;
}

/** As `transact` of storage, but changes nothing and resolves to `undefined` once the lease is lost. */
export type FencedTransact = <R extends Refs, A>(
  refs: R,
  decide: Decide<R, A>,
) => Promise<A | undefined>;

/** Acquires a lease; resolves to `undefined` while another process has it. */
export function acquireLease(
  storage: Storage,
  leaseId: string,
  { owner, now, durationMs }: LeaseRequest,
): Promise<AcquiredLease | undefined> {
  return storage.transact(refsTo(leaseId), ({ lease: current }) => {
    const isTaken = current !== undefined && current.owner !== owner && current.expiresAt > now;
    if (isTaken) return { answer: undefined };
    const token = (current?.token ?? 0) + 1;
    const lease = { leaseId, owner, token, expiresAt: addMs(now, durationMs) };
    return { answer: { leaseId, token }, put: { lease } };
  });
}

/**
 * Renews a lease until a time (RFC 3339, UTC, milliseconds), which releases it if that is now; returns
 * `false` if it is lost.
 */
export function renewLease(
  storage: Storage,
  { leaseId, token }: AcquiredLease,
  expiresAt: string,
): Promise<boolean> {
  return storage.transact(refsTo(leaseId), ({ lease: current }) => {
    if (current?.token !== token) return { answer: false };
    return { answer: true, put: { lease: { ...current, expiresAt } } };
  });
}

/** Returns a `transact` that changes nothing once the lease is lost, and then calls `onLost`. */
export function fence(
  storage: Storage,
  { leaseId, token }: AcquiredLease,
  onLost: () => void,
): FencedTransact {
  return async function transact<R extends Refs, A>(refs: R, decide: Decide<R, A>) {
    const fenced: R & ReturnType<typeof refsTo> = { ...refs, ...refsTo(leaseId) };
    const outcome = await storage.transact<typeof fenced, { readonly answer: A } | undefined>(
      fenced,
      (found) => {
        if (found.lease?.token !== token) return { answer: undefined };
        const { answer, put, remove } = decide(found);
        return { answer: { answer }, put, remove };
      },
    );
    if (outcome === undefined) onLost();
    return outcome?.answer;
  };
}

function refsTo(leaseId: string) {
  return { lease: { kind: LEASES, key: leaseId } };
}
