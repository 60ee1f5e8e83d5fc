/** Stable codes for the reasons why a sign-in at the provider failed. */
export const SIGN_IN_FAULTS = [
  /** The sign-in began in another browser or too long ago, or has already ended. */
  "sign_in_expired",
  /** The provider is down, too slow, or answers something else than it should. */
  "provider_unavailable",
  /** The provider's metadata can't be used, such as those of another issuer. */
  "provider_misconfigured",
  /** The provider refused the person, or the person cancelled. */
  "provider_refused",
  /** The provider refused the client: its identifier, secret or redirect URI. */
  "client_refused",
  /** The provider's response can't be trusted: its signature or a claim is wrong. */
  "answer_invalid",
  /** The provider gave no e-mail address that can be used. */
  "email_missing",
  /** The provider doesn't say that the address belongs to the person. */
  "email_unverified",
] as const;

/** One of the {@linkcode SIGN_IN_FAULTS}. */
export type SignInFaultCode = typeof SIGN_IN_FAULTS[number];

/** The reason why a sign-in at the provider failed. */
export class SignInFault {
  /** The stable code, which decides what the person reads. */
  readonly code: SignInFaultCode;
  /** The reason for the operator's log, without personal data and secrets. */
  readonly detail: string;

  /** Creates a fault; `detail` is one line. */
  constructor(code: SignInFaultCode, detail: string) {
    this.code = code;
    this.detail = detail;
  }
}

const MAX_LENGTH = 200;
const ADDRESS = /[^\s"'(),:;<>=]*(?:@|%40)[^\s"'(),:;<>]*/gi;

/**
 * Returns another program's words for a log: one line of at most 200 characters without control
 * characters, e-mail addresses and `secrets`.
 */
export function shortenForLog(text: string, secrets: readonly string[] = []): string {
  let shown = text;
  for (const secret of secrets.filter((secret) => secret !== "")) {
    shown = shown.replaceAll(secret, "…").replaceAll(formEncode(secret), "…");
  }
  // The pattern of addresses takes quadratic time.
  const line = shown.replace(/[\p{C}\p{Z}]+/gu, " ").trim().slice(0, 10 * MAX_LENGTH);
  const characters = [...line.replace(ADDRESS, "…")];
  return characters.length > MAX_LENGTH
    ? `${characters.slice(0, MAX_LENGTH - 1).join("")}…`
    : characters.join("");
}

/** Encodes a text as a value of a form (WHATWG URL, `application/x-www-form-urlencoded`). */
export function formEncode(text: string): string {
  return `${new URLSearchParams([["", text]])}`.slice(1);
}
