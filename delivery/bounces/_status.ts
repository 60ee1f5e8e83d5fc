// There is no such mailbox, or no such domain (RFC 3463, section 3.2; RFC 7505).
const NO_MAILBOX = ["5.1.1", "5.1.2", "5.1.10"];
// It may be there, but took no mail: for now, since it is full, or for a reason of system, content or policy.
const MAILBOX = /^4|^5\.(?:2\.[2-4]|3\.|6\.|7\.)/;
// Codes too general to tell a missing mailbox from another failure, so that the text decides.
const VAGUE = /^(?:5\d\d|5\.0\.\d+|5\.1\.0|5\.1\.351|5\.2\.[01]|5\.4\.4|5\.5\.\d+)?$/;
const ENHANCED = /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?!\.?\d)/;
const REPLY = /(?:^|[\s;:(])([45]\d\d)(?=[\s-]|$)/;

const SUBJECT = "(?:user|recipient|mailbox|account|address|addressee|local part)s?";
const UNKNOWN = [
  `unknown (?:virtual )?(?:local )?(?:${SUBJECT}|in )`,
  `(?:no|not a) such (?:${SUBJECT}|person|domain|host)`,
  `invalid (?:${SUBJECT}|domain)`,
  `(?:${SUBJECT})(?: [^.:;,]{1,80})? (?:is |was )?(?:unknown|not found|nonexist|non-exist)`,
  `(?:${SUBJECT}|domain|host)\\b[^.:;]{0,80} (?:does not|doesn.t|not) exist`,
  "user doesn.t have an? ",
  "no mailbox here by that name",
  "unrouteable address",
  "(?:host|domain)(?: or domain name)? not found",
  "(?:recipientnotfound|recipnotfound|nosuchuser)",
].map((pattern) => new RegExp(pattern));
const REFUSED =
  /\bspam|block(?:ed|list)|black ?list|reputation|\bpolic|\bquota|\bfull\b|too (?:large|big)|\bspf\b|\bdkim\b|\bdmarc\b|sender|greylist|temporar|denied|5\.7\.\d|try again|rate limit|relaying|to relay/;

/** Finds the enhanced status code in some texts, else the reply code; an empty text if there is none. */
export function findCode(...texts: readonly string[]): string {
  for (const text of texts) {
    const [code] = ENHANCED.exec(text) ?? [];
    if (code !== undefined) return code;
  }
  for (const text of texts) {
    const [, code] = REPLY.exec(text) ?? [];
    if (code !== undefined) return code;
  }
  return "";
}

/** Tells what a failure is that somebody calls permanent, unless its code says that the mailbox is there. */
export function confirmPermanent(code: string): "permanent" | "temporary" {
  return MAILBOX.test(code) ? "temporary" : "permanent";
}

/**
 * Tells what a failure is by its code and what was said: permanent only if no doubt is left, as some
 * relays answer 5.1.1 whatever the matter is.
 */
export function classify(code: string, text: string): "permanent" | "temporary" {
  const said = text.toLowerCase().replace(/\s+/g, " ").slice(0, 2_000);
  const isUnknown = UNKNOWN.some((pattern) => pattern.test(said));
  const isRefused = REFUSED.test(said);
  if (NO_MAILBOX.includes(code)) return isRefused && !isUnknown ? "temporary" : "permanent";
  return VAGUE.test(code) && isUnknown && !isRefused ? "permanent" : "temporary";
}
