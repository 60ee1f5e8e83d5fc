import { Refusal } from "./refusal.ts";

/** The maximum number of characters in a URL. */
export const URL_MAX_LENGTH = 2_000;

// RFC 3986, where the URL parser is laxer: brackets are for an IPv6 address alone, and there is one
// user and one fragment at most. A third slash is where the host should be, and the parser would
// ignore it.
const PLAIN = "[A-Z0-9._~!$&'()*+,;=:-]|%[0-9A-F]{2}";
const URL_TEXT = new RegExp(
  `^https?://(?:(?:${PLAIN})*@)?(?:\\[[0-9A-F:.]+\\](?::[0-9]*)?|(?:${PLAIN})+)` +
    `(?:[/?](?:${PLAIN}|[/?@])*)?(?:#(?:${PLAIN}|[/?@])*)?$`,
  "i",
);

/**
 * Accepts an absolute http or https URL, which is kept as written, with only the characters of
 * RFC 3986. Refuses with `too_long` or `invalid_value`.
 */
export function parseHttpUrl(text: string): string | Refusal {
  if (text.length > URL_MAX_LENGTH) {
    return new Refusal("too_long", `is longer than ${URL_MAX_LENGTH} characters`);
  }
  return URL_TEXT.test(text) && URL.canParse(text) ? text : new Refusal(
    "invalid_value",
    "is not an absolute http or https URL (RFC 3986; percent-encode other characters)",
  );
}
