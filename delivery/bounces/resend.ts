import type { BounceEvent, BounceType } from "../../model/bounces/bounce_event.ts";
import { confirmPermanent, findCode } from "./_status.ts";
import { asList, asObject, asText, asTime, type Json } from "./_values.ts";

const TYPES: Readonly<Record<string, BounceType>> = {
  "email.suppressed": "permanent",
  "email.delivery_delayed": "temporary",
  "email.complained": "complaint",
  "email.delivered": "delivered",
};

// https://resend.com/docs/webhooks/event-types
/** Reads an event of Resend; `undefined` if it is none. */
export function readResend(event: Json): readonly BounceEvent[] | undefined {
  const kind = asText(event.type);
  const isOwn = /^(?:email|contact|domain|suppression)\.\w+$/.test(kind) &&
    typeof event.data === "object";
  if (!isOwn) return undefined;
  const data = asObject(event.data);
  const bounce = asObject(data.bounce ?? data.suppressed);
  const diagnostic = asList(bounce.diagnosticCode).map((text) => asText(text)).join(" ");
  const text = diagnostic || asText(bounce.message);
  const code = findCode(diagnostic);
  let type: BounceType = TYPES[kind] ?? "other";
  if (kind === "email.bounced") {
    // Before bounces had a type, only permanent ones were told.
    const isPermanent = asText(bounce.type).toLowerCase() === "permanent" || !("type" in bounce);
    type = isPermanent ? confirmPermanent(code) : "temporary";
  }
  if (kind === "contact.updated" && data.unsubscribed === true) type = "unsubscribe";
  return [{
    // With several recipients it does not say whose event it is; mails of changelogs have one.
    address: asText(data.email, ...asList(data.to)).replace(/^.*<(.*)>$/, "$1"),
    type,
    at: asTime(event.created_at),
    code,
    text,
    messageId: asText(data.message_id),
  }];
}
