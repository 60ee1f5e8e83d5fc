import type { BounceEvent, BounceType } from "../../model/bounces/bounce_event.ts";
import { classify, confirmPermanent, findCode } from "./_status.ts";
import { asObject, asText, asTime, type Json } from "./_values.ts";

const TYPES: Readonly<Record<string, BounceType>> = {
  complained: "complaint",
  unsubscribed: "unsubscribe",
  delivered: "delivered",
};
// The address bounced now, or did before and is suppressed.
const BOUNCED = ["bounce", "suppress-bounce"];
// Of forms: "hardfail" stands for a suppression, which the code explains.
const SUPPRESSED_BOUNCE = "605";

/** Reads an event of Mailgun, as JSON or in the older form; `undefined` if it is none. */
export function readMailgun(event: Json): readonly BounceEvent[] | undefined {
  if (typeof event["event-data"] === "object") return [readEvent(asObject(event["event-data"]))];
  const isForm = typeof event.event === "string" && typeof event.recipient === "string" &&
    "signature" in event;
  return isForm ? [readForm(event)] : undefined;
}

// https://documentation.mailgun.com/docs/mailgun/user-manual/events/event-structure
function readEvent(data: Json): BounceEvent {
  const status = asObject(data["delivery-status"]);
  const text = asText(status.message, status.description);
  const code = asText(status["enhanced-code"]) || findCode(text) || asText(status.code);
  let type: BounceType = TYPES[asText(data.event)] ?? "other";
  if (data.event === "failed") {
    if (data.severity !== "permanent") type = "temporary";
    else if (BOUNCED.includes(asText(data.reason))) type = confirmPermanent(code);
    else type = classify(code, text);
  }
  const headers = asObject(asObject(data.message).headers);
  return {
    address: asText(data.recipient),
    type,
    at: asTime(data.timestamp),
    code,
    text,
    messageId: asText(headers["message-id"]),
  };
}

function readForm(form: Json): BounceEvent {
  const text = asText(form.error, form.description);
  const code = findCode(asText(form.code), text);
  let type: BounceType = TYPES[asText(form.event)] ?? "other";
  if (form.event === "bounced") type = confirmPermanent(code);
  if (form.event === "dropped") {
    type = asText(form.code) === SUPPRESSED_BOUNCE ? "permanent" : "temporary";
  }
  return {
    address: asText(form.recipient),
    type,
    at: asTime(form.timestamp),
    code,
    text,
    messageId: asText(form["Message-Id"], form["message-id"]),
  };
}
