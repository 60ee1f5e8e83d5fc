import type { BounceEvent } from "../../model/bounces/bounce_event.ts";
import { type MailPart, readAddress } from "./_mail.ts";
import { classify, findCode } from "./_status.ts";

// https://cr.yp.to/proto/qsbmf.txt
const QMAIL = /^Hi\. This is the\b/;
const QMAIL_RECIPIENT = /^<([^<>\s]+)>:\n/gm;
const COPY = /^-{3,}/m;
const LINE_ADDRESS = /^\s*<?([^\s@<>]+@[^\s@<>:]+)/;
const MAX_RECIPIENTS = 100;

/** Reads a report without standard parts, by qmail or by Exim; `undefined` if a mail is none. */
export function readPlainReport(
  mail: MailPart,
  at: string | null,
): readonly BounceEvent[] | undefined {
  const text = readExplanation(mail);
  const failed = QMAIL.test(text)
    ? [...text.matchAll(QMAIL_RECIPIENT)].map(([, address]) => address)
    : mail.header("x-failed-recipients").split(",").map(readAddress);
  const addresses = failed.filter((address) => address !== "").slice(0, MAX_RECIPIENTS);
  if (addresses.length === 0) return undefined;
  return addresses.map((address) => {
    const said = findSaid(text, address) ||
      (addresses.length === 1 ? text.replace(/\s+/g, " ").trim() : "");
    const code = findCode(said);
    return { address, type: classify(code, said), at, code, text: said };
  });
}

/** Returns what a report says to people, without the mail that it may repeat. */
export function readExplanation(mail: MailPart): string {
  const plain = mail.parts.find(({ mediaType }) => mediaType === "text/plain") ?? mail;
  const [text = ""] = plain.content.trimStart().split(COPY, 1);
  return text;
}

/** Finds what is said behind an address, up to an empty line or a line that starts with another one. */
export function findSaid(text: string, address: string): string {
  const start = text.toLowerCase().indexOf(address.toLowerCase());
  if (start < 0) return "";
  const lines = text.slice(start + address.length).replace(/\n[ \t]*\n[^]*/, "").split("\n");
  const end = lines.findIndex((line, index) => {
    const [, other] = LINE_ADDRESS.exec(line) ?? [];
    return index > 0 && other !== undefined && other.toLowerCase() !== address.toLowerCase();
  });
  const said = lines.slice(0, end < 0 ? undefined : end).join(" ");
  return said.replace(/^[>:\s]+/, "").replace(/\s+/g, " ").trim();
}
