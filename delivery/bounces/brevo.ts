import type { BounceEvent, BounceType } from "../../model/bounces/bounce_event.ts";
import { confirmPermanent, findCode } from "./_status.ts";
import { asText, asTime, type Json } from "./_values.ts";

// Transactional mail and campaigns spell them differently.
const TYPES: Readonly<Record<string, BounceType>> = {
  hardbounce: "permanent",
  invalid: "permanent",
  invalidemail: "permanent",
  softbounce: "temporary",
  deferred: "temporary",
  blocked: "temporary",
  spam: "complaint",
  complaint: "complaint",
  unsubscribe: "unsubscribe",
  unsubscribed: "unsubscribe",
  delivered: "delivered",
};

// https://developers.brevo.com/docs/transactional-webhooks
/** Reads an event of Brevo; `undefined` if it is none. */
export function readBrevo(event: Json): readonly BounceEvent[] | undefined {
  const isOwn = typeof event.event === "string" && "email" in event &&
    ("message-id" in event || "ts_event" in event || "ts_epoch" in event);
  if (!isOwn) return undefined;
  const text = asText(event.reason).trim();
  const code = findCode(text);
  const type = TYPES[asText(event.event).toLowerCase().replace(/[_-]/g, "")] ?? "other";
  return [{
    address: asText(event.email),
    type: type === "permanent" ? confirmPermanent(code) : type,
    // The others are in the time zone of the account.
    at: asTime(event.ts_epoch, event.ts_event, event.ts),
    code,
    text,
    messageId: asText(event["message-id"]),
  }];
}
