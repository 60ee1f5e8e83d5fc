import { normalize, saysOther, saysRelay, saysUnknown } from "./reasons.ts";

// The mailbox or the domain does not exist (RFC 3463, section 3.2; RFC 7505).
const NO_MAILBOX = ["5.1.1", "5.1.2", "5.1.10"];
// The mailbox may exist but did not accept the mail: it was full, or system, content or policy
// refused.
const MAILBOX = /^4|^5\.(?:2\.[2-4]|3\.[1-9]|6\.|7\.)/;
// These codes are too general to tell a missing mailbox from another failure, so the text decides.
const VAGUE = /^(?:5\d\d|5\.0\.\d+|5\.1\.[036]|5\.1\.351|5\.2\.[01]|5\.3\.0|5\.4\.4|5\.5\.\d+)?$/;
const ENHANCED = /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?!\.?\d)/;
const REPLY = /(?:^|[\s;:(])([45]\d\d)(?=[\s-]|$)/;
// Relays' replies are shorter; the rest is advice.
const MAX_SAID_LENGTH = 1_000;

// A program that puts mail into a mailbox failed, or a filter refused the content.
const OF_PROGRAM =
  /procmail|maildrop|(?:couldn|can).t create|command (?:died|line)|(?:after|reply to) end of data/;

/**
 * Finds the enhanced status code in some texts, else the reply code; an empty text if there is
 * none.
 */
export function findCode(...texts: readonly string[]): string {
  const starts = texts.map((text) => text.slice(0, MAX_SAID_LENGTH));
  for (const text of starts) {
    const [code] = ENHANCED.exec(text) ?? [];
    if (code !== undefined) return code;
  }
  for (const text of starts) {
    const [, code] = REPLY.exec(text) ?? [];
    if (code !== undefined) return code;
  }
  return "";
}

/**
 * Classifies a failure that a report calls permanent: `temporary` if its code implies that the
 * mailbox exists.
 */
export function confirmPermanent(code: string): "permanent" | "temporary" {
  return MAILBOX.test(code) ? "temporary" : "permanent";
}

/**
 * Classifies a failure by its code and text. It is `permanent` only beyond doubt, because some
 * relays answer 5.1.1 to everything.
 */
export function classify(code: string, text: string): "permanent" | "temporary" {
  const isPermanent = NO_MAILBOX.includes(code)
    ? !saysRelay(text) && (saysUnknown(text) || !saysOther(text))
    : VAGUE.test(code) && saysUnknown(text) && !saysOther(text);
  return isPermanent && !OF_PROGRAM.test(normalize(text)) ? "permanent" : "temporary";
}
