import type { BounceEvent, BounceType } from "../../model/bounces/bounce_event.ts";
import { collectEvidence } from "./_evidence.ts";
import { readExplanation } from "./_explanation.ts";
import { type MailPart, readAddress, readFields, readMail, readReturned } from "./_mail.ts";
import { asTime } from "./_values.ts";
import { readDeliveryReport } from "./delivery_report.ts";
import { readPlainReport } from "./plain_report.ts";

const RETURNED = [
  "message/rfc822",
  "message/global",
  "text/rfc822-headers",
  "message/global-headers",
];
// Exchange marks out-of-office answers as generated, or with the last of these alone.
const AUTOMATIC_FIELDS = [
  "x-autoreply",
  "x-autorespond",
  "x-auto-reply-from",
  "x-auto-response-suppress",
];
// A report that a filter or somebody passed on.
const REPORT = /^Content-Type:\s*multipart\/report/im;
// RFC 5965, RFC 6430, RFC 6591: what isn't about somebody who wants no more mail.
const COMPLAINT_TYPES: Readonly<Record<string, BounceType>> = {
  "not-spam": "other",
  "auth-failure": "other",
  "dmarc": "other",
  "opt-out": "unsubscribe",
};

// Outlook sends the mail back with such a field, and nothing else.
const OUTLOOK = /^X-HmXmrOriginalRecipient:/im;
const NOTHING = { address: "", type: "other", code: "", text: "" } as const;

/**
 * Reads a mail that reports what became of another: delivery reports (RFC 3464), complaints (RFC 5965,
 * and those of Outlook), plain texts that programs write. Answers by a program, such as that somebody is
 * out of office, and receipts are read as events of no consequence. Returns `undefined` for any other
 * mail.
 */
export function readMailReport(mail: MailPart): readonly BounceEvent[] | undefined {
  const at = asTime(mail.header("date"));
  const part = mail.parts.find(({ mediaType }) => RETURNED.includes(mediaType));
  const returned = readReturned(part?.content ?? "");
  const explanation = readExplanation(mail);
  const automatic = isAutomatic(mail);
  const events = readDeliveryReport(mail, explanation, { returned, at }) ??
    readComplaint(mail, at, returned) ??
    readPlainReport(mail, explanation, { at, isAutomatic: automatic });
  if (events !== undefined) {
    const evidence = collectEvidence(mail, `${part?.content ?? ""}\n${explanation.copy}`);
    const isAboutOne = events.length === 1;
    return events.map((event) => ({ ...event, evidence: { ...evidence, isAboutOne } }));
  }
  return part !== undefined && REPORT.test(part.content)
    ? readMailReport(readMail(part.content))
    : automatic
    ? [{ ...NOTHING, at }]
    : undefined;
}

/** Tells whether a program wrote a mail in answer to another (RFC 3834, RFC 8098, and other customs). */
function isAutomatic(mail: MailPart): boolean {
  return /^auto-(?:replied|notified|generated)/i.test(mail.header("auto-submitted")) ||
    /^auto[_-]?reply/i.test(mail.header("precedence")) ||
    AUTOMATIC_FIELDS.some((name) => mail.header(name) !== "") ||
    mail.parts.some(({ mediaType }) => mediaType === "message/disposition-notification");
}

/** Reads a complaint (RFC 5965, or as Outlook sends it); `undefined` if a mail is none. */
function readComplaint(
  mail: MailPart,
  at: string | null,
  returned: MailPart["header"],
): readonly BounceEvent[] | undefined {
  const part = mail.parts.find(({ mediaType }) => mediaType === "message/feedback-report");
  if (part === undefined && !mail.parts.some(({ content }) => OUTLOOK.test(content))) {
    return undefined;
  }
  const field = readFields(part?.content ?? "");
  const kind = field("feedback-type").toLowerCase();
  // Many providers leave out who has complained; the link in the mail tells it.
  const [address = "", ...otherAddresses] = [
    field("original-rcpt-to"),
    field("removal-recipient"),
    // Outlook's, Yahoo's.
    returned("x-hmxmroriginalrecipient") ||
    returned("x-apparently-to").split(" ", 1)[0].replace(/;$/, ""),
    returned("to"),
  ].map(readAddress).filter((name) => name !== "");
  return [{
    messageId: returned("message-id"),
    address,
    otherAddresses,
    type: COMPLAINT_TYPES[kind] ?? "complaint",
    at: at ?? asTime(field("arrival-date"), field("received-date")),
    code: "",
    text: kind,
  }];
}
