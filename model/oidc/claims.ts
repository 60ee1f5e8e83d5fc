import type { JsonObject } from "../values/json_object.ts";

/** The facts that an ID token must agree with. */
export interface ExpectedClaims {
  readonly issuer: string;
  readonly clientId: string;
  readonly nonce: string;
  /** The time, in milliseconds since 1970. */
  readonly nowMs: number;
}

/** Tolerated clock difference between the provider and this server, in seconds. */
const TOLERANCE_S = 60;
// OpenID Connect Core 1.0, section 2.
const SUBJECT_MAX_LENGTH = 255;

/** Returns the normal form of an issuer: without a slash at the end. */
export function normalizeIssuer(issuer: string): string {
  return issuer.replace(/\/$/, "");
}

/** Tells whether a value names an issuer; a slash at the end makes no difference. */
export function isIssuer(value: unknown, issuer: string): boolean {
  return typeof value === "string" && normalizeIssuer(value) === normalizeIssuer(issuer);
}

/**
 * Checks the claims of an ID token (OpenID Connect Core 1.0, section 3.1.3.7). Returns the name of
 * the first wrong one, or `undefined`.
 */
export function findWrongClaim(claims: JsonObject, expected: ExpectedClaims): string | undefined {
  const { iss, sub, aud, azp, exp, iat, nonce } = claims;
  const { issuer, clientId, nowMs } = expected;
  const nowS = nowMs / 1_000;
  const audience = Array.isArray(aud) ? aud : [aud];
  if (!isIssuer(iss, issuer)) return "iss";
  if (typeof sub !== "string" || sub === "" || sub.length > SUBJECT_MAX_LENGTH) return "sub";
  if (!audience.includes(clientId)) return "aud";
  if ((audience.length > 1 || azp !== undefined) && azp !== clientId) return "azp";
  if (typeof exp !== "number" || nowS >= exp + TOLERANCE_S) return "exp";
  if (typeof iat !== "number" || nowS <= iat - TOLERANCE_S) return "iat";
  return nonce === expected.nonce ? undefined : "nonce";
}
