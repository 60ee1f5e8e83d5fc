import { hidden, text, time } from "../declare.ts";
import { type Resource, type ShownOf, showRecord, type StoredOf } from "../resource.ts";

/** The fields of a delivery's failure to reach a recipient. @internal */
export const DELIVERY_FAILURE = {
  name: "deliveryFailures",
  key: "failureId",
  title: "DeliveryFailure",
  description: "A recipient whom a delivery did not reach.",
  fields: {
    // See `failureIdOf`.
    failureId: hidden("text"),
    entryId: hidden("text"),
    userEmail: text("The address.", "ann@example.com"),
    code: text("The enhanced status code (RFC 3463), or else the code of the reply.", "5.1.1"),
    text: text("What the relay said, without addresses.", "550 5.1.1 No such user here"),
    failedAt: time("When it was given up."),
    // Whether a report came after the relay had accepted the mail, which the delivery counts as
    // sent.
    isReported: hidden("boolean", { default: false }),
  },
  indexes: { byPerson: { by: "userEmail" } },
  personal: true,
} as const satisfies Resource;

/** A recipient whom a delivery did not reach. */
export type DeliveryFailure = StoredOf<typeof DELIVERY_FAILURE.fields>;

/** A failure as the API shows it. */
export type ShownDeliveryFailure = ShownOf<typeof DELIVERY_FAILURE.fields>;

/** Returns the identifier of a delivery failure. The identifiers of one entry are contiguous. */
export function failureIdOf(entryId: string, userEmail: string): string {
  return `${entryId}/${userEmail}`;
}

export function showDeliveryFailure(failure: DeliveryFailure): ShownDeliveryFailure {
  return showRecord(DELIVERY_FAILURE, failure, {});
}
