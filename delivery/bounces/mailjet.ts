import type { BounceEvent, BounceType } from "../../model/bounces/bounce_event.ts";
import { confirmPermanent, findCode } from "./_status.ts";
import { asText, asTime, type Json } from "./_values.ts";

const TYPES: Readonly<Record<string, BounceType>> = {
  spam: "complaint",
  unsub: "unsubscribe",
  sent: "delivered",
};
// Errors by which there is no such mailbox or domain.
const NO_MAILBOX = ["user unknown", "mailbox inactive", "invalid domain", "no mail host"];

// https://dev.mailjet.com/email/guides/webhooks/
/** Reads an event of Mailjet; `undefined` if it is none. */
export function readMailjet(event: Json): readonly BounceEvent[] | undefined {
  const isOwn = typeof event.event === "string" && "email" in event && "time" in event;
  if (!isOwn) return undefined;
  const error = asText(event.error);
  const text = asText(event.comment, event.smtp_reply, error);
  const code = findCode(text);
  let type: BounceType = TYPES[asText(event.event)] ?? "other";
  if (event.event === "bounce" || event.event === "blocked") {
    const isPermanent = NO_MAILBOX.includes(error) || event.hard_bounce === true && error === "";
    type = isPermanent && event.hard_bounce !== false ? confirmPermanent(code) : "temporary";
  }
  return [{ address: asText(event.email), type, at: asTime(event.time), code, text }];
}
