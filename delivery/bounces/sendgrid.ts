import type { BounceEvent, BounceType } from "../../model/bounces/bounce_event.ts";
import { classify, confirmPermanent, findCode } from "./_status.ts";
import { asText, asTime, type Json } from "./_values.ts";

const TYPES: Readonly<Record<string, BounceType>> = {
  deferred: "temporary",
  spamreport: "complaint",
  unsubscribe: "unsubscribe",
  group_unsubscribe: "unsubscribe",
  delivered: "delivered",
};
// Why a mail is not even tried.
const DROPS: Readonly<Record<string, BounceType>> = {
  "bounced address": "permanent",
  "invalid": "permanent",
  "spam reporting address": "temporary",
  "unsubscribed address": "temporary",
};
// Classes of a bounce in which the mailbox may be there.
const OTHER_CLASSES = ["Content", "Frequency or Volume", "Reputation", "Technical"];

// https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event
/** Reads an event of SendGrid; `undefined` if it is none. */
export function readSendGrid(event: Json): readonly BounceEvent[] | undefined {
  const isOwn = typeof event.event === "string" &&
    ("sg_event_id" in event || "sg_message_id" in event ||
      "email" in event && "timestamp" in event);
  if (!isOwn) return undefined;
  const text = asText(event.reason, event.response);
  const code = findCode(asText(event.status), text);
  return [{
    address: asText(event.email),
    type: typeOf(event, code, text),
    at: asTime(event.timestamp),
    code,
    text,
    messageId: asText(event["smtp-id"]),
  }];
}

function typeOf(event: Json, code: string, text: string): BounceType {
  if (event.event === "dropped") return DROPS[asText(event.reason).toLowerCase()] ?? "other";
  if (event.event !== "bounce") return TYPES[asText(event.event)] ?? "other";
  if (event.type === "blocked") return "temporary";
  return OTHER_CLASSES.includes(asText(event.bounce_classification))
    ? classify(code, text)
    : confirmPermanent(code);
}
