import type { ListQuery, Storage } from "../../adapters/storage.ts";
import { type DeliveryFailure, failureIdOf } from "../../model/deliveries/delivery_failure.ts";
import { DELIVERIES, DELIVERY_FAILURES } from "../../model/kinds.ts";
import { EMAIL_MAX_OCTETS } from "../../model/values/email_address.ts";
import { createYielder } from "../../model/turns.ts";
import { removeWhere } from "../removals.ts";

/** Lists the people whom the delivery of an entry did not reach, by address. */
export async function listDeliveryFailures(
  storage: Storage,
  entryId: string,
  { after, limit }: Pick<ListQuery, "after" | "limit">,
): Promise<readonly DeliveryFailure[]> {
  const first = { key: failureIdOf(entryId, "") };
  const found = await storage.list(DELIVERY_FAILURES, { after: after ?? first, limit });
  return found.filter((failure) => failure.entryId === entryId);
}

/** Removes the failures of an entry's delivery. */
export async function removeDeliveryFailures(storage: Storage, entryId: string): Promise<void> {
  await removeWhere(storage, DELIVERY_FAILURES, {
    after: { key: failureIdOf(entryId, "") },
    isOver: (failure) => failure.entryId !== entryId,
  });
}

/**
 * Removes the failures of deleted deliveries; a crash while deleting an entry may leave them
 * behind.
 */
export async function removeOrphanedFailures(storage: Storage): Promise<void> {
  const yieldIfBusy = createYielder();
  for (let after = "";;) {
    await yieldIfBusy();
    const [first] = await storage.list(DELIVERY_FAILURES, { after: { key: after }, limit: 1 });
    if (first === undefined) return;
    const { entryId } = first;
    if (await storage.get(DELIVERIES, entryId) === undefined) {
      await removeDeliveryFailures(storage, entryId);
    }
    // This character sorts after all characters of an address.
    after = failureIdOf(entryId, "~".repeat(EMAIL_MAX_OCTETS));
  }
}

/** Removes the failures of all deliveries for one person. */
export async function forgetDeliveryFailures(storage: Storage, userEmail: string): Promise<void> {
  await removeWhere(storage, DELIVERY_FAILURES, {
    index: "byPerson",
    after: { by: userEmail, key: "" },
    isOver: (failure) => failure.userEmail !== userEmail,
  });
}
