import { Refusal } from "./refusal.ts";

/** The maximum number of characters in a URL. */
export const URL_MAX_LENGTH = 2_000;

// RFC 3986 is stricter than the URL parser: brackets only around an IPv6 address, and at most one
// user and one fragment. The parser would also ignore a third slash in place of the host.
const PLAIN = "[A-Z0-9._~!$&'()*+,;=:-]|%[0-9A-F]{2}";
const URL_TEXT = new RegExp(
  `^https?://(?:(?:${PLAIN})*@)?(?:\\[[0-9A-F:.]+\\](?::[0-9]*)?|(?:${PLAIN})+)` +
    `(?:[/?](?:${PLAIN}|[/?@])*)?(?:#(?:${PLAIN}|[/?@])*)?$`,
  "i",
);

/**
 * Accepts an absolute http or https URL of RFC 3986 characters, unchanged. Refuses with `too_long`
 * or `invalid_value`.
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

/** Tells whether the host of a parsed URL is `localhost` or a loopback address. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname);
}
