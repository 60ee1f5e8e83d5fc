import type { Storage } from "../adapters/storage.ts";
import { isBoardId } from "../model/board.ts";
import { cancelDelivery, type Delivery, pauseDelivery, resumeDelivery } from "../model/delivery.ts";
import { DELIVERIES } from "../model/kinds.ts";

/** What can be asked of a delivery. */
export type DeliveryAction = "pause" | "resume" | "cancel";

const ACTIONS: Readonly<Record<DeliveryAction, (current: Delivery, now: string) => Delivery>> = {
  pause: pauseDelivery,
  resume: resumeDelivery,
  cancel: cancelDelivery,
};

/** Returns the delivery of an entry, or `undefined` if there is none. */
export async function getDelivery(
  storage: Storage,
  entryId: string,
): Promise<Delivery | undefined> {
  return isBoardId(entryId) ? await storage.get(DELIVERIES, entryId) : undefined;
}

/**
 * Pauses, resumes or cancels the delivery of an entry at a time (RFC 3339, UTC, milliseconds); returns
 * it as it is then, or `undefined` if there is none. One that has ended stays as it is.
 */
export async function steerDelivery(
  storage: Storage,
  entryId: string,
  { action, at }: { readonly action: DeliveryAction; readonly at: string },
): Promise<Delivery | undefined> {
  if (!isBoardId(entryId)) return undefined;
  const refs = { delivery: { kind: DELIVERIES, key: entryId } };
  return await storage.transact(refs, ({ delivery: current }) => {
    const delivery = current && ACTIONS[action](current, at);
    return { answer: delivery, put: { delivery } };
  });
}
