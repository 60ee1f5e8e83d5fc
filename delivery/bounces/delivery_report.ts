import type { BounceEvent, BounceType } from "../../model/bounces/bounce_event.ts";
import { type MailPart, readAddress, readFields, type Returned } from "./_mail.ts";
import { classify, findCode } from "./_status.ts";
import { asTime } from "./_values.ts";
import { findSaid, readExplanation } from "./plain_report.ts";

const STATUS_TYPES = ["message/delivery-status", "message/global-delivery-status"];
const VAGUE = /^[245]\.(?:0|5)\.0$/;
const MAX_RECIPIENTS = 100;

/** Reads a delivery report (RFC 3464); `undefined` if a mail is none. */
export function readDeliveryReport(
  mail: MailPart,
  at: string | null,
  { to, ...returned }: Returned,
): readonly BounceEvent[] | undefined {
  const part = mail.parts.find(({ mediaType }) => STATUS_TYPES.includes(mediaType));
  if (part === undefined) return undefined;
  // One group is about the mail.
  const groups = part.content.split(/\n(?:[ \t]*\n)+/, MAX_RECIPIENTS + 1).map(readFields)
    .filter((field) => field("final-recipient") !== "" || field("original-recipient") !== "");
  return groups.map((field) => {
    const diagnostic = field("diagnostic-code").replace(/^[\w-]+\s*;\s*/, "");
    const status = findCode(field("status"));
    const names = [
      field("original-recipient"),
      field("final-recipient"),
      field("x-actual-recipient"),
    ]
      .map((name) => readAddress(name.replace(/^[^;]*;/, "")));
    // A mail of a changelog has one recipient; the report may name whom it was forwarded to.
    const [address = "", ...otherAddresses] = [...new Set([...names, groups.length > 1 ? "" : to])]
      .filter((name) => name !== "");
    // Some write what was said only for people.
    const text = diagnostic || findSaid(readExplanation(mail), address);
    const code = status === "" || VAGUE.test(status) ? findCode(text, status) : status;
    return {
      ...returned,
      address,
      otherAddresses,
      type: typeOf(field("action"), code, text),
      at: at ?? asTime(field("last-attempt-date")),
      code,
      text,
    };
  });
}

function typeOf(action: string, code: string, text: string): BounceType {
  switch (/^[a-z]*/.exec(action.toLowerCase())![0]) {
    case "failed":
      return classify(code, text);
    case "delayed":
      return "temporary";
    case "delivered":
      return "delivered";
    default:
      return "other";
  }
}
