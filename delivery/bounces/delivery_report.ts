import type { BounceEvent, BounceType } from "../../model/bounces/bounce_event.ts";
import type { Explanation } from "./_explanation.ts";
import { type MailPart, readAddress, readFields } from "./_mail.ts";
import { classify, findCode } from "../../model/bounces/status.ts";
import { asTime } from "./_values.ts";

const STATUS_TYPES = ["message/delivery-status", "message/global-delivery-status"];
// Some relays write the fields of a report into its text.
const STATUS_IN_TEXT = /^Final-Recipient:/im;
const VAGUE = /^[245]\.(?:0|5)\.0$/;
const MAX_RECIPIENTS = 100;
// RFC 3461, section 4.
const XTEXT = /\+([\dA-F]{2})/g;

/** Reads a delivery report (RFC 3464); `undefined` if the mail is not one. */
export function readDeliveryReport(
  mail: MailPart,
  explanation: Explanation,
  { returned, at }: { readonly returned: MailPart["header"]; readonly at: string | null },
): readonly BounceEvent[] | undefined {
  const part = mail.parts.find(({ mediaType }) => STATUS_TYPES.includes(mediaType));
  const whole = `${explanation.text}${explanation.copy}`;
  const fields = part?.content ?? (STATUS_IN_TEXT.test(whole) ? whole : undefined);
  if (fields === undefined) return undefined;
  // The group without a recipient is about the whole mail.
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
      .map((name) => readAddress(name.replace(/^[^;]*;/, ""))).flatMap(decodeXtext);
    // A mail from Boardcast has one recipient; the report may also name an address that it was
    // forwarded to.
    const [address = "", ...otherAddresses] = [...new Set([...names, to])]
      .filter((name) => name !== "");
    // Some relays give the reason only in the text for people.
    const text = diagnostic || explanation.reasonFor(address, groups.length === 1);
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

/** Returns an address, preceded by its decoded form if it may be encoded as xtext. */
function decodeXtext(address: string): readonly string[] {
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
      // The relay keeps trying, or passed the mail on.
      return "other";
  }
}
