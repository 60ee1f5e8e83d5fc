import type { BounceEvent, BounceType } from "../../model/bounces/bounce_event.ts";
import { confirmPermanent, findCode } from "./_status.ts";
import { asObject, asText, asTime, type Json } from "./_values.ts";

const TYPES: Readonly<Record<string, BounceType>> = {
  delay: "temporary",
  policy_rejection: "temporary",
  generation_rejection: "temporary",
  spam_complaint: "complaint",
  list_unsubscribe: "unsubscribe",
  link_unsubscribe: "unsubscribe",
  delivery: "delivered",
};
// Classes of a bounce that are not "temporary": invalid recipient, no recipient; an answer by a program,
// a request to be subscribed, a challenge; a request to be unsubscribed.
const CLASSES: Readonly<Record<string, BounceType>> = {
  "10": "permanent",
  "30": "permanent",
  "60": "other",
  "80": "other",
  "90": "unsubscribe",
  "100": "other",
};

// https://support.sparkpost.com/docs/deliverability/bounce-classification-codes
/** Reads an event of SparkPost, or the empty one of its tests; `undefined` if it is none. */
export function readSparkPost(envelope: Json): readonly BounceEvent[] | undefined {
  if (typeof envelope.msys !== "object") return undefined;
  return Object.values(asObject(envelope.msys)).map(asObject).map((event) => {
    const text = asText(event.raw_reason, event.reason);
    const code = findCode(text) || asText(event.error_code);
    const isBounce = event.type === "bounce" || event.type === "out_of_band";
    const type = isBounce
      ? CLASSES[asText(event.bounce_class)] ?? "temporary"
      : TYPES[asText(event.type)] ?? "other";
    return {
      address: asText(event.raw_rcpt_to, event.rcpt_to),
      type: type === "permanent" ? confirmPermanent(code) : type,
      at: asTime(event.timestamp),
      code,
      text,
    };
  });
}
