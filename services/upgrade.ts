import type { AnyKind, Item, Storage } from "../adapters/storage.ts";
import { DELIVERIES, LEASES, SUBSCRIPTIONS } from "../model/kinds.ts";
import { generateId } from "../model/values/record_id.ts";
import { CHANGED_AT_ONCE, readPages } from "./records.ts";

const FOR_EVER_MS = 100 * 365 * 24 * 3_600_000;
// Comes after all that starts with what stands before it.
const LAST = "~";

/**
 * Gives the records of an older version what those of this one have beyond defaults. Safe if it is cut
 * short, or if another process does it, too.
 */
export async function upgradeRecords(storage: Storage, from: number): Promise<void> {
  if (from < 2) await addSubscriberIds(storage);
}

/**
 * Orders subscriptions by an id in place of the address. Deliveries that are under way go on: who comes
 * behind the address that one had reached comes behind its cursor in the new order, too.
 */
async function addSubscriberIds(storage: Storage): Promise<void> {
  await endOlderDeliveries(storage);
  const deliveries: { readonly entryId: string; readonly cursor: string }[] = [];
  for await (const page of readPages(storage, DELIVERIES)) {
    for (const { entryId, cursor } of page) {
      if (cursor?.includes("@")) deliveries.push({ entryId, cursor });
    }
  }
  const reached = [...new Set(deliveries.map(({ cursor }) => cursor))].sort();
  const prefixOf = (index: number) => reached.length === 0 ? "" : `${index}`.padStart(4, "0");
  await changeAll(storage, SUBSCRIPTIONS, (subscription) => {
    if (subscription.subscriberId !== null) return subscription;
    const rank = reached.findIndex((address) => `${subscription.userEmail}` <= address);
    const prefix = prefixOf(rank < 0 ? reached.length : rank);
    return { ...subscription, subscriberId: prefix + generateId() };
  });
  // The last first: if this is cut short, those that are left have the same ranks again.
  for (const address of reached.toReversed()) {
    const cursor = prefixOf(reached.indexOf(address)) + LAST;
    await changeAll(
      storage,
      DELIVERIES,
      (delivery) => delivery.cursor === address ? { ...delivery, cursor } : delivery,
    );
  }
}

/** Takes the lease to mail from processes of version 1, which may run on until they are replaced. */
async function endOlderDeliveries(storage: Storage): Promise<void> {
  const refs = { lease: { kind: LEASES, key: "mail" } };
  await storage.transact(refs, ({ lease }) => {
    if (lease === undefined) return { answer: undefined };
    const token = lease.token + 1;
    const taken = { ...lease, owner: "version 2", token, durationMs: FOR_EVER_MS };
    return { answer: undefined, put: { lease: taken } };
  });
}

/** Changes all records of a kind; `change` returns those as they are that need none. */
async function changeAll(
  storage: Storage,
  kind: AnyKind,
  change: (record: Item) => Item,
): Promise<void> {
  for await (const page of readPages(storage, kind)) {
    const keys = page.filter((record) => change(record) !== record).map((it) => `${it[kind.key]}`);
    const parts = Math.ceil(keys.length / CHANGED_AT_ONCE);
    await Promise.all(Array.from({ length: parts }, async (_, part) => {
      const own = keys.slice(part * CHANGED_AT_ONCE, (part + 1) * CHANGED_AT_ONCE);
      const refs = Object.fromEntries(own.map((key) => [key, { kind, key }]));
      await storage.transact(refs, (found) => {
        const there = Object.entries(found).filter(([, record]) => record !== undefined);
        const put = there.map(([key, record]) => [key, change(record!)]);
        return { answer: undefined, put: Object.fromEntries(put) };
      });
    }));
  }
}
