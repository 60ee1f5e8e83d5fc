import type { Storage } from "../../adapters/storage.ts";
import type { Delivery } from "../../model/deliveries/delivery.ts";
import { DEFERRALS, DELIVERIES, SUBSCRIPTIONS } from "../../model/kinds.ts";
import { type Deferral, dueAtOf } from "../../model/deliveries/mail_outcome.ts";
import { sortKeyOf } from "../../model/values/time.ts";
import type { FencedTransact } from "../leases.ts";

/** A person to whom a mail of a delivery is due. */
export interface Recipient {
  readonly userEmail: string;
  /** The place in the order of the subscribed; `undefined` for a further attempt. */
  readonly subscriberId?: string | undefined;
  /** The deferral that is due; `undefined` for the first attempt. */
  readonly deferral: Deferral | undefined;
}

// Few enough for stores that limit a transaction, however long the addresses are.
const REMOVED_AT_ONCE = 30;

/**
 * Lists up to `limit` people to whom a mail is due, at most half of them for another attempt, so that
 * neither first nor further attempts wait for all of the others.
 */
export async function listRecipients(
  storage: Storage,
  { entryId, cursor }: Delivery,
  { now, limit }: { readonly now: string; readonly limit: number },
): Promise<readonly Recipient[]> {
  const deferrals = (await listDeferrals(storage, entryId, limit / 2))
    .filter((deferral) => dueAtOf(deferral) <= now);
  const subscriptions = await storage.list(SUBSCRIPTIONS, {
    index: "subscribed",
    // Comes after the one with this id, and before all that follow.
    after: { by: cursor === null ? "" : `${cursor}!`, key: "" },
    limit: limit - deferrals.length,
  });
  return [
    ...deferrals.map((deferral) => ({ userEmail: deferral.userEmail, deferral })),
    ...subscriptions.map(({ userEmail, subscriberId }) => ({
      userEmail,
      subscriberId: `${subscriberId}`,
      deferral: undefined,
    })),
  ];
}

/** Returns when the first deferral of an entry is due; `null` if there is none. */
export async function nextRetry(storage: Storage, entryId: string): Promise<string | null> {
  const [first] = await listDeferrals(storage, entryId, 1);
  return first === undefined ? null : dueAtOf(first);
}

/** Removes the deferrals of deliveries that have ended, or are gone. */
export async function removeOrphans(storage: Storage, transact: FencedTransact): Promise<void> {
  for (let after = "";;) {
    const query = { index: "byPlace", after: { by: after, key: "" }, limit: 1 };
    const [first] = await storage.list(DEFERRALS, query);
    if (first === undefined) return;
    const { entryId } = first;
    const delivery = await storage.get(DELIVERIES, entryId);
    if (delivery && delivery.startedAt !== null && delivery.finishedAt === null) {
      // Comes after every time.
      after = sortKeyOf(entryId, "~");
      continue;
    }
    const orphans = await listDeferrals(storage, entryId, REMOVED_AT_ONCE);
    const refs = Object.fromEntries(
      orphans.map(({ deferralId: key }) => [key, { kind: DEFERRALS, key }]),
    );
    const removed = await transact(refs, () => ({ answer: true, remove: Object.keys(refs) }));
    if (removed === undefined) return;
  }
}

async function listDeferrals(
  storage: Storage,
  entryId: string,
  limit: number,
): Promise<readonly Deferral[]> {
  const after = { by: sortKeyOf(entryId, ""), key: "" };
  const found = await storage.list(DEFERRALS, { index: "byPlace", after, limit });
  return found.filter((deferral) => deferral.entryId === entryId);
}
