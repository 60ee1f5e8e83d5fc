import { Refusal } from "./refusal.ts";

/**
 * The maximum number of octets in an address (RFC 5321, section 4.5.3.1.3, less the angle
 * brackets).
 */
export const EMAIL_MAX_OCTETS = 254;
// RFC 5321, section 4.5.3.1.1.
const EMAIL_LOCAL_PART_MAX_OCTETS = 64;

// The WHATWG form-control grammar, without leading, trailing or doubled dots.
const ATOM = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+";
const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const DOT_ATOM = `${ATOM}(?:\\.${ATOM})*`;
const HOST_NAME = `(?!\\d+(?:\\.\\d+){3}$)${LABEL}(?:\\.${LABEL})+`;
const LOCAL_PART = new RegExp(`^${DOT_ATOM}$`);
const DOMAIN = new RegExp(`^${HOST_NAME}$`);
const NORMAL_FORM = new RegExp(`^${DOT_ATOM}@${HOST_NAME}$`);
const NON_ASCII = /\P{ASCII}/u;
// A URL-decoded plus tag: its plus became a space, such as in "ann news@example.com".
const LOST_PLUS = /[^\s@] [^\s@]+@/;
// The URL host parser would treat other ASCII characters as delimiters, escapes or spaces.
const NOT_IN_A_DOMAIN = /[^A-Za-z0-9.\-\P{ASCII}]/u;
// UTS 46 ignores most of these.
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;
const OUTER_HYPHEN = /(?:^|[.\u3002])-|-(?:[.\u3002]|$)/;

/**
 * Accepts an e-mail address and returns its normal form: both halves in lower case, the
 * domain as A-labels (UTS 46). Plus tags and dots are kept; nothing is trimmed or
 * repaired.
 *
 * The grammar is that of the WHATWG form control, narrowed: no leading, trailing or
 * doubled dot in the local part, which has at most 64 octets; at most 254 octets in
 * total; at least two labels, each of 1 to 63 octets (RFC 1034, section 3.1), that
 * are not an IPv4 address.
 *
 * Refuses with `invalid_email`, or with `unsupported_characters` if the local part is
 * not ASCII.
 */
export function parseEmailAddress(text: string): string | Refusal {
  // Most addresses are short and already in normal form.
  if (text.length <= EMAIL_LOCAL_PART_MAX_OCTETS && NORMAL_FORM.test(text)) return text;
  if (text.includes(" ")) {
    return invalid(
      LOST_PLUS.test(text) ? "has a space; in a form, write %2B for a +" : "has a space",
    );
  }
  const at = text.lastIndexOf("@");
  if (at < 0) return invalid("is not a valid e-mail address: it has no @");
  const localPart = text.slice(0, at);
  if (NON_ASCII.test(localPart)) {
    return new Refusal("unsupported_characters", "has non-ASCII characters before the @");
  }
  const local = localPart.toLowerCase();
  if (!LOCAL_PART.test(local)) {
    return invalid("is not a valid e-mail address: the part before the @ is malformed");
  }
  if (local.length > EMAIL_LOCAL_PART_MAX_OCTETS) {
    return invalid(`has more than ${EMAIL_LOCAL_PART_MAX_OCTETS} characters before the @`);
  }
  const domain = toAsciiDomain(text.slice(at + 1));
  if (domain === undefined || !DOMAIN.test(domain)) {
    return invalid("is not a valid e-mail address: the part after the @ is not a domain name");
  }
  const address = `${local}@${domain}`;
  if (address.length > EMAIL_MAX_OCTETS) {
    return invalid(`is longer than ${EMAIL_MAX_OCTETS} characters`);
  }
  return address;
}

/** Accepts the domain of addresses, and returns its normal form: lower case, A-labels (UTS 46). */
export function parseDomain(text: string): string | Refusal {
  const domain = toAsciiDomain(text);
  return domain !== undefined && DOMAIN.test(domain)
    ? domain
    : new Refusal("invalid_value", "is not a domain like example.com");
}

function invalid(detail: string): Refusal {
  return new Refusal("invalid_email", detail);
}

function toAsciiDomain(domain: string): string | undefined {
  if (!NON_ASCII.test(domain)) return domain.toLowerCase();
  if (NOT_IN_A_DOMAIN.test(domain) || domain.length > EMAIL_MAX_OCTETS) return undefined;
  // An A-label hides a hyphen at an end of the label that it encodes.
  if (OUTER_HYPHEN.test(domain.normalize("NFKC").replace(IGNORABLE, ""))) return undefined;
  // The host parser of WHATWG URL is the platform's UTS 46 mapping. The suffix `.a` keeps it from
  // reading a numeric last label as IPv4. Replacing the capital sharp s corrects versions before
  // Unicode 15.1, which map it to two s. Composing helps Ada 4.0 in Node 26, which composes
  // incompletely.
  const host = `${compose(domain).replaceAll("\u1e9e", "\u00df")}.a`;
  try {
    return new URL(`http://${host}/`).hostname.slice(0, -".a".length);
  } catch {
    return undefined;
  }
}

// UTS 46 maps the mark U+0345 to a letter. Composing must not move it first.
function compose(domain: string): string {
  return domain.normalize("NFD").includes("\u0345") ? domain : domain.normalize("NFC");
}
