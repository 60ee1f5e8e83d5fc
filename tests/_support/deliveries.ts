import { deliveryIdOf } from "../../model/deliveries/delivery.ts";
import type { TestService } from "./service.ts";

/** Returns the path of the delivery of an entry, or of a week such as `week:2026-W48`. */
export function deliveryPath(key: string): string {
  return `/api/v1/deliveries/${deliveryIdOf(key)}`;
}

/** Returns the path of the newest delivery of a post, which its own path names. */
export async function postDeliveryPath(
  { call }: Pick<TestService, "call">,
  post: string,
): Promise<string> {
  const { deliveryId } = await call<{ deliveryId: string | null }>("GET", post);
  return `/api/v1/deliveries/${deliveryId}`;
}
