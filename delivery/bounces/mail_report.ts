import type { BounceEvent, BounceType } from "../../model/bounces/bounce_event.ts";
import { collectEvidence } from "./_evidence.ts";
import { readExplanation } from "./_explanation.ts";
import { type MailPart, readAddress, readFields, readMail, readReturned } from "./_mail.ts";
import { asTime } from "./_values.ts";
import { readDeliveryReport } from "./delivery_report.ts";
import { isFromDaemon, readPlainReport } from "./plain_report.ts";

const RETURNED = [
  "message/rfc822",
  "message/global",
  "text/rfc822-headers",
  "message/global-headers",
];
// Exchange marks out-of-office replies as generated, or only with the last of these fields.
const AUTOMATIC_FIELDS = [
  "x-autoreply",
  "x-autorespond",
  "x-auto-reply-from",
  "x-auto-response-suppress",
];
// Header field of a report that a filter or a person forwarded.
const REPORT = /^Content-Type:\s*multipart\/report/im;
// Feedback types other than a complaint (RFC 5965, RFC 6430, RFC 6591).
const COMPLAINT_TYPES: Readonly<Record<string, BounceType>> = {
  "not-spam": "other",
  "auth-failure": "other",
  "dmarc": "other",
  "opt-out": "unsubscribe",
};

// The only mark of a complaint from Outlook, in the mail that it returns.
const OUTLOOK = /^X-HmXmrOriginalRecipient:/im;
// People forward a report, and filters forward that mail.
const MAX_DEPTH = 3;
const NOTHING = { address: "", type: "other", code: "", text: "" } as const;

/**
 * Reads a mail that reports the fate of another mail: a delivery report (RFC 3464), a complaint
 * (RFC 5965, or in Outlook's form), or a report in plain text. Automatic replies, such as
 * out-of-office notes, and receipts become events of type `other`. Returns `undefined` for any
 * other mail.
 */
export function readMailReport(
  mail: MailPart,
  depth = 0,
): readonly BounceEvent[] | undefined {
  const at = asTime(mail.header("date"));
  const part = mail.parts.find(({ mediaType }) => RETURNED.includes(mediaType));
  const returned = readReturned(part?.content ?? "");
  const explanation = readExplanation(mail);
  const events = readDeliveryReport(mail, explanation, { returned, at }) ??
    readComplaint(mail, at, returned) ??
    readPlainReport(mail, explanation, { at, part });
  if (events !== undefined) {
    const evidence = collectEvidence(mail, `${part?.content ?? ""}\n${explanation.copy}`);
    const isAboutOne = events.length === 1;
    return events.map((event) => ({ ...event, evidence: { ...evidence, isAboutOne } }));
  }
  if (part !== undefined && depth < MAX_DEPTH && REPORT.test(part.content)) {
    return readMailReport(readMail(part.content), depth + 1);
  }
  if (!isAutomatic(mail) && !isFromDaemon(mail)) return undefined;
  return [{ ...NOTHING, at, evidence: { ...collectEvidence(mail, ""), isAboutOne: true } }];
}

/** Tells whether a program answered a mail (RFC 3834, RFC 8098 and older conventions). */
function isAutomatic(mail: MailPart): boolean {
  return /^auto-(?:replied|notified|generated)/i.test(mail.header("auto-submitted")) ||
    /^auto[_-]?reply/i.test(mail.header("precedence")) ||
    mail.header("return-path") === "<>" ||
    AUTOMATIC_FIELDS.some((name) => mail.header(name) !== "") ||
    mail.parts.some(({ mediaType }) => mediaType === "message/disposition-notification");
}

/** Reads a complaint (RFC 5965, or in Outlook's form); `undefined` if the mail is not one. */
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
  // Many providers leave out the complainer's address; the unsubscribe link in the mail identifies
  // it.
  const [address = "", ...otherAddresses] = [
    field("original-rcpt-to"),
    field("removal-recipient"),
    // Fields of Outlook and Yahoo.
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
