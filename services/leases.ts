import type { Decide, Refs, Storage } from "../adapters/storage.ts";
import { type Lease, LEASES } from "../model/kinds.ts";
import { addMs } from "../model/time.ts";

/** A lease that was acquired. */
export type HeldLease = Pick<Lease, "leaseId" | "token">;

/** Who asks for a lease, when (RFC 3339, UTC, milliseconds) and for how long. */
export interface LeaseRequest {
  readonly holder: string;
  readonly now: string;
  readonly durationMs: number;
}

/** As `transact` of storage, but changes nothing and resolves to `undefined` once the lease is lost. */
export type FencedTransact = <R extends Refs, A>(
  refs: R,
  decide: Decide<R, A>,
) => Promise<A | undefined>;

/** Acquires a lease; resolves to `undefined` while somebody else has it. */
export function acquireLease(
  storage: Storage,
  leaseId: string,
  { holder, now, durationMs }: LeaseRequest,
): Promise<HeldLease | undefined> {
  return storage.transact(refsTo(leaseId), ({ lease: current }) => {
    const isTaken = current !== undefined && current.holder !== holder && current.expiresAt > now;
    if (isTaken) return { answer: undefined };
    const token = (current?.token ?? 0) + 1;
    const lease = { leaseId, holder, token, expiresAt: addMs(now, durationMs) };
    return { answer: { leaseId, token }, put: { lease } };
  });
}

/** Keeps a lease until a time (RFC 3339, UTC, milliseconds), now to release it; `false` if it is lost. */
export function keepLease(
  storage: Storage,
  { leaseId, token }: HeldLease,
  expiresAt: string,
): Promise<boolean> {
  return storage.transact(refsTo(leaseId), ({ lease: current }) => {
    if (current?.token !== token) return { answer: false };
    return { answer: true, put: { lease: { ...current, expiresAt } } };
  });
}

/** Returns a `transact` that changes nothing once the lease is lost, which it then tells. */
export function fence(
  storage: Storage,
  { leaseId, token }: HeldLease,
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
