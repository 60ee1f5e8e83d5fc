import type { ListQuery, Storage } from "../../adapters/storage.ts";
import { type DeliveryFailure, failureIdOf } from "../../model/deliveries/delivery_failure.ts";
import { DELIVERY_FAILURES } from "../../model/kinds.ts";
import { createPace } from "../../model/turns.ts";
import { CHANGED_AT_ONCE, removeRecords } from "../records.ts";

/** Lists whom the delivery of an entry did not reach, by address. */
export async function listDeliveryFailures(
  storage: Storage,
  entryId: string,
  { after, limit }: Pick<ListQuery, "after" | "limit">,
): Promise<readonly DeliveryFailure[]> {
  const first = { key: failureIdOf(entryId, "") };
  const found = await storage.list(DELIVERY_FAILURES, { after: after ?? first, limit });
  return found.filter((failure) => failure.entryId === entryId);
}

/** Removes what is known of those whom the delivery of an entry did not reach. */
export async function removeDeliveryFailures(storage: Storage, entryId: string): Promise<void> {
  const pace = createPace();
  while (true) {
    const found = await listDeliveryFailures(storage, entryId, { limit: CHANGED_AT_ONCE });
    await removeRecords(storage, DELIVERY_FAILURES, found.map(({ failureId }) => failureId));
    if (found.length < CHANGED_AT_ONCE) return;
    await pace();
  }
}

/** Removes what is known of deliveries that did not reach a person. */
export async function forgetDeliveryFailures(storage: Storage, userEmail: string): Promise<void> {
  const query = { index: "byPerson", after: { by: userEmail, key: "" }, limit: CHANGED_AT_ONCE };
  const pace = createPace();
  while (true) {
    const page = await storage.list(DELIVERY_FAILURES, query);
    const found = page.filter((failure) => failure.userEmail === userEmail);
    await removeRecords(storage, DELIVERY_FAILURES, found.map(({ failureId }) => failureId));
    if (found.length < CHANGED_AT_ONCE) return;
    await pace();
  }
}
