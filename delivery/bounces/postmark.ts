import type { BounceEvent, BounceType } from "../../model/bounces/bounce_event.ts";
import { confirmPermanent, findCode } from "./_status.ts";
import { asText, asTime, type Json } from "./_values.ts";

// https://postmarkapp.com/developer/api/bounce-api#bounce-types
const TYPES: Readonly<Record<string, BounceType>> = {
  BadEmailAddress: "permanent",
  HardBounce: "permanent",
  SpamComplaint: "complaint",
  Unsubscribe: "unsubscribe",
  // The mail arrived, and was filed as spam by a program.
  SpamNotification: "temporary",
  Blocked: "temporary",
  DMARCPolicy: "temporary",
  DnsError: "temporary",
  SoftBounce: "temporary",
  Transient: "temporary",
  Undeliverable: "temporary",
  Unknown: "temporary",
  VirusNotification: "temporary",
};

/** Reads an event of Postmark; `undefined` if it is none. */
export function readPostmark(event: Json): readonly BounceEvent[] | undefined {
  if (typeof event.RecordType !== "string") return undefined;
  const { Details, Description } = event;
  const text = asText(Details, Description);
  const code = findCode(text);
  const type = typeOf(event);
  return [{
    address: asText(event.Email, event.Recipient),
    type: type === "permanent" ? confirmPermanent(code) : type,
    at: asTime(event.BouncedAt, event.ChangedAt, event.DeliveredAt),
    code,
    text,
  }];
}

function typeOf(
  { RecordType, Type, SuppressSending, SuppressionReason, Origin }: Json,
): BounceType {
  switch (RecordType) {
    case "Bounce":
      return TYPES[asText(Type)] ?? "other";
    case "SpamComplaint":
      return "complaint";
    case "Delivery":
      return "delivered";
    case "SubscriptionChange":
      if (SuppressSending !== true) return "other";
      // What the operator suppresses there is no wish of the person.
      if (SuppressionReason === "ManualSuppression") {
        return Origin === "Recipient" ? "unsubscribe" : "other";
      }
      return TYPES[asText(SuppressionReason)] ?? "other";
    default:
      return "other";
  }
}
