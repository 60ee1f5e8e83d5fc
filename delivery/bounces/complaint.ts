import type { BounceEvent, BounceType } from "../../model/bounces/bounce_event.ts";
import { type MailPart, readAddress, readFields, type Returned } from "./_mail.ts";
import { asTime } from "./_values.ts";

// RFC 5965, RFC 6430, RFC 6591: what isn't about somebody who wants no more mail.
const TYPES: Readonly<Record<string, BounceType>> = {
  "not-spam": "other",
  "auth-failure": "other",
  "dmarc": "other",
  "opt-out": "unsubscribe",
};

// Outlook sends the mail back with such a field, and nothing else.
const OUTLOOK = /^X-HmXmrOriginalRecipient:/im;

/** Reads a complaint (RFC 5965, or as Outlook sends it); `undefined` if a mail is none. */
export function readComplaint(
  mail: MailPart,
  at: string | null,
  { to, complainer, ...returned }: Returned,
): readonly BounceEvent[] | undefined {
  const part = mail.parts.find(({ mediaType }) => mediaType === "message/feedback-report");
  if (part === undefined && !mail.parts.some(({ content }) => OUTLOOK.test(content))) {
    return undefined;
  }
  const field = readFields(part?.content ?? "");
  const kind = field("feedback-type").toLowerCase();
  const named = [field("original-rcpt-to"), field("removal-recipient")].map(readAddress);
  // Many providers leave out who has complained; the link in the mail tells it.
  const [address = "", ...otherAddresses] = [...named, complainer, to].filter((name) =>
    name !== ""
  );
  return [{
    ...returned,
    address,
    otherAddresses,
    type: TYPES[kind] ?? "complaint",
    at: at ?? asTime(field("arrival-date"), field("received-date")),
    code: "",
    text: kind,
  }];
}
