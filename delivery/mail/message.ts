import { encodeField, encodePhrase, encodeQuotedPrintable, encodeText } from "./encoding.ts";
import type { Mail, Mailbox } from "./mailer.ts";

// Quoted-printable text never contains this (RFC 2045, section 6.7).
const BOUNDARY = "=_boardcast";
const MESSAGE_ID = /^<[^\s<>@]+@[^\s<>@]+>$/;

/**
 * Returns the header fields of a mail to a list (RFC 2919) with an identifier such as
 * `changelog.example.com`. `unsubscribeUrl` ends the subscription; if it is https, one `POST` does
 * (RFC 8058, section 3.1).
 */
export function listHeaders(
  { id, name }: { readonly id: string; readonly name: string },
  unsubscribeUrl: string,
): Readonly<Record<string, string>> {
  return {
    "List-Id": formatMailbox({ name, address: id }),
    "List-Unsubscribe": `<${unsubscribeUrl}>`,
    ...(unsubscribeUrl.startsWith("https:") && {
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }),
    "Auto-Submitted": "auto-generated",
  };
}

/**
 * Writes a mail as a message (RFC 5322) with two alternative parts in quoted-printable. The message
 * is ASCII, in lines of at most 78 characters if words allow, each ended by CRLF.
 *
 * Throws `TypeError` for text that can't be in a header, such as a subject with a line break.
 * Expects addresses in the normal form of `parseEmailAddress`.
 */
export function composeMessage(mail: Mail, date: Date): string {
  if (!MESSAGE_ID.test(mail.messageId)) {
    throw new TypeError("Cannot write a message whose messageId is not like <id@example.com>");
  }
  const fields: readonly (readonly [string, string])[] = [
    ["From", formatMailbox(mail.from)],
    ["To", mail.to],
    ["Subject", encodeText(mail.subject)],
    // RFC 5322, section 3.3: "GMT" is obsolete.
    ["Date", date.toUTCString().replace("GMT", "+0000")],
    ["Message-ID", mail.messageId],
    ...Object.entries(mail.headers),
    ["MIME-Version", "1.0"],
    ["Content-Type", `multipart/alternative; boundary="${BOUNDARY}"`],
  ];
  return fields.map(([name, value]) => encodeField(name, value)).join("") +
    composePart("text/plain", mail.text) + composePart("text/html", mail.html) +
    `\r\n--${BOUNDARY}--\r\n`;
}

/** Formats a mailbox for a header field, without folding (RFC 5322, section 3.4). */
export function formatMailbox({ name, address }: Mailbox): string {
  return name === "" ? address : `${encodePhrase(name)} <${address}>`;
}

function composePart(type: string, text: string): string {
  return `\r\n--${BOUNDARY}\r\n` +
    encodeField("Content-Type", `${type}; charset=utf-8`) +
    encodeField("Content-Transfer-Encoding", "quoted-printable") +
    `\r\n${encodeQuotedPrintable(text)}`;
}
