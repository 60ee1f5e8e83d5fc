import type { BounceEvent } from "../../model/bounces/bounce_event.ts";
import { type MailPart, readAddress, readFields, readMail, type Returned } from "./_mail.ts";
import { asTime } from "./_values.ts";
import { readComplaint } from "./complaint.ts";
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

/**
 * Reads a mail that reports what became of another: delivery reports (RFC 3464), complaints (RFC 5965),
 * the plain texts of qmail and of older Exim. Answers by a program, such as that somebody is out of
 * office, and receipts are read as events of no consequence. Returns `undefined` for any other mail.
 */
export function readMailReport(text: string): readonly BounceEvent[] | undefined {
  const mail = readMail(text);
  const at = asTime(mail.header("date"));
  const returned = readReturned(mail);
  return readDeliveryReport(mail, at, returned) ?? readComplaint(mail, at, returned) ??
    readPlainReport(mail, at) ?? (isAutomatic(mail) ? [{ ...NOTHING, at }] : undefined);
}

const NOTHING = { address: "", type: "other", code: "", text: "" } as const;

/** Reads the mail that a report returns, or as much as it does. */
function readReturned(mail: MailPart): Returned {
  const part = mail.parts.find(({ mediaType }) => RETURNED.includes(mediaType));
  const [headers = ""] = part?.content.replace(/^\n+/, "").split("\n\n", 1) ?? [];
  const header = readFields(headers);
  return {
    messageId: header("message-id"),
    listUnsubscribe: header("list-unsubscribe"),
    to: readAddress(header("to")),
  };
}

/** Tells whether a program wrote a mail in answer to another (RFC 3834, RFC 8098, and other customs). */
function isAutomatic(mail: MailPart): boolean {
  return /^auto-(?:replied|notified|generated)/i.test(mail.header("auto-submitted")) ||
    /^auto[_-]?reply/i.test(mail.header("precedence")) ||
    AUTOMATIC_FIELDS.some((name) => mail.header(name) !== "") ||
    mail.parts.some(({ mediaType }) => mediaType === "message/disposition-notification");
}
