import type { BounceEvidence } from "../../model/bounces/bounce_event.ts";
import type { MailPart } from "./_mail.ts";

// Header fields in which relays record the address that a mail was sent to.
const SENT_TO = ["to", "delivered-to", "x-original-to", "envelope-to", "x-envelope-to"];
const MESSAGE_ID = /<([\w-]{22}\.[\w-]{22})@/g;
const TOKEN = /\/unsubscribe\/([\w-]{40,600})/g;
const TAG = /[0-9a-f]{32}/gi;
// Each match costs a hash or a decryption, and a report returns only one mail.
const MAX_FOUND = 10;

/**
 * Collects the identifiers in a mailed report that can prove which mail it is about: those in the
 * returned mail, and the tag in the address that the report was sent to.
 */
export function collectEvidence(
  report: MailPart,
  returned: string,
): Omit<BounceEvidence, "isAboutOne"> {
  // The body of a returned mail is quoted-printable, which breaks long lines with `=`.
  const text = returned.replaceAll("=\n", "");
  const sentTo = SENT_TO.map((name) => report.header(name)).join(" ");
  return {
    messageIds: findAll(text, MESSAGE_ID, 1),
    tokens: findAll(text, TOKEN, 1),
    tags: findAll(sentTo, TAG, 0).map((tag) => tag.toLowerCase()),
  };
}

function findAll(text: string, pattern: RegExp, group: number): readonly string[] {
  const found = new Set<string>();
  for (const match of text.matchAll(pattern)) {
    found.add(match[group]);
    if (found.size === MAX_FOUND) break;
  }
  return [...found];
}
