import type { BounceEvent, BounceType } from "../../model/bounces/bounce_event.ts";
import type { Explanation } from "./_explanation.ts";
import { type MailPart, readAddress, readFields } from "./_mail.ts";
import { classify, findCode } from "../../model/bounces/status.ts";
import { asTime } from "./_values.ts";

const STATUS_TYPES = ["message/delivery-status", "message/global-delivery-status"];
// Some write the fields of a report into its text.
const STATUS_IN_TEXT = /^Final-Recipient:/im;
const VAGUE = /^[245]\.(?:0|5)\.0$/;
const MAX_RECIPIENTS = 100;
// RFC 3461, section 4.
const XTEXT = /\+([\dA-F]{2})/g;

/** Reads a delivery report (RFC 3464); `undefined` if a mail is none. */
export function readDeliveryReport(
  mail: MailPart,
  explanation: Explanation,
  { returned, at }: { readonly returned: MailPart["header"]; readonly at: string | null },
): readonly BounceEvent[] | undefined {
  const part = mail.parts.find(({ mediaType }) => STATUS_TYPES.includes(mediaType));
  const whole = `${explanation.text}${explanation.copy}`;
  const fields = part?.content ?? (STATUS_IN_TEXT.test(whole) ? whole : undefined);
  if (fields === undefined) return undefined;
  // One group is about the mail.
  const groups = fields.split(/\n(?:[ \t]*\n)+/, MAX_RECIPIENTS + 1).map(readFields)
    .filter((field) => field("final-recipient") !== "" || field("original-recipient") !== "");
  const to = groups.length > 1 ? "" : readAddress(returned("to"));
  return groups.map((field) => {
    const diagnostic = field("diagnostic-code").replace(/^[\w-]{1,40}\s*;\s*/, "");
    const status = findCode(field("status"));
    const names = [
      field("original-recipient"),
      field("final-recipient"),
      field("x-actual-recipient"),
    ]
      .map((name) => readAddress(name.replace(/^[^;]*;/, ""))).flatMap(withoutXtext);
    // A mail of a changelog has one recipient; the report may name whom it was forwarded to.
    const [address = "", ...otherAddresses] = [...new Set([...names, to])]
      .filter((name) => name !== "");
    // Some write what was said only for people.
    const text = diagnostic || explanation.saidOf(address, groups.length === 1);
    const code = status === "" || VAGUE.test(status) ? findCode(text, status) : status;
    return {
      messageId: returned("message-id"),
      address,
      otherAddresses,
      type: typeOf(field("action"), code, text),
      at: at ?? asTime(field("last-attempt-date")),
      code,
      text,
    };
  });
}

/** Returns an address, before it what it is where it was encoded as xtext. */
function withoutXtext(address: string): readonly string[] {
  const plain = address.replace(
    XTEXT,
    (_, hex: string) => String.fromCharCode(parseInt(hex, 16)),
  );
  return plain === address ? [address] : [plain, address];
}

function typeOf(action: string, code: string, text: string): BounceType {
  switch (/^[a-z]*/.exec(action.toLowerCase())![0]) {
    case "failed":
      return classify(code, text);
    case "delivered":
      return "delivered";
    default:
      // The relay goes on trying, or handed the mail on.
      return "other";
  }
}
