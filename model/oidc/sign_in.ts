import { encodeBase64Url } from "../crypto/encoding.ts";
import { randomText } from "../crypto/random.ts";
import { isIssuer } from "./claims.ts";
import type { ProviderMetadata } from "./metadata.ts";
import type { OidcOptions } from "./oidc_options.ts";
import { shortenForLog, SignInFault } from "./sign_in_fault.ts";

/** The secrets of a sign-in that has begun, for the browser that began it. */
export interface RememberedSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The time when the sign-in began, in milliseconds since 1970. */
  readonly begunMs: number;
}

const SCOPE = "openid email profile";
const MAX_AGE_MS = 600_000;
const RANDOM_LENGTH = 32;
// RFC 7636, section 4.1, asks for at least 43.
const VERIFIER_LENGTH = 64;

/** Creates the secrets of a sign-in. */
export function beginSignIn(nowMs: number): RememberedSignIn {
  return {
    state: randomText(RANDOM_LENGTH),
    nonce: randomText(RANDOM_LENGTH),
    verifier: randomText(VERIFIER_LENGTH),
    begunMs: nowMs,
  };
}

/** Returns the address at the provider where a person signs in. */
export async function authorizationUrl(
  { state, nonce, verifier }: RememberedSignIn,
  { clientId, redirectUri, metadata }: Pick<OidcOptions, "clientId"> & {
    readonly redirectUri: string;
    readonly metadata: ProviderMetadata;
  },
): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: SCOPE,
    state,
    nonce,
    code_challenge: encodeBase64Url(digest),
    code_challenge_method: "S256",
  };
  const url = new URL(metadata.authorizationEndpoint);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** Returns the code in the response that a browser brings back from the provider. */
export function readResponse(
  parameters: URLSearchParams,
  { remembered, issuer, nowMs }: Pick<OidcOptions, "issuer"> & {
    readonly remembered: RememberedSignIn | undefined;
    readonly nowMs: number;
  },
): string | SignInFault {
  if (remembered === undefined || parameters.get("state") !== remembered.state) {
    return new SignInFault("sign_in_expired", "this browser has begun no such sign-in");
  }
  if (nowMs - remembered.begunMs > MAX_AGE_MS) {
    return new SignInFault("sign_in_expired", "the sign-in began more than 10 minutes ago");
  }
  // RFC 9207: the response may come from another provider.
  const iss = parameters.get("iss");
  if (iss !== null && !isIssuer(iss, issuer)) {
    return new SignInFault("answer_invalid", "its response has another iss");
  }
  const error = parameters.get("error");
  if (error !== null) {
    const words = shortenForLog(`${error} ${parameters.get("error_description") ?? ""}`);
    return new SignInFault("provider_refused", `its response has the error ${words}`);
  }
  return parameters.get("code") || new SignInFault("answer_invalid", "its response has no code");
}
