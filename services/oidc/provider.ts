import type { OidcOptions } from "../../model/oidc/oidc_options.ts";
import { needsUserInfo, type OidcPerson, readPerson } from "../../model/oidc/person.ts";
import {
  authorizationUrl,
  beginSignIn,
  readResponse,
  type RememberedSignIn,
} from "../../model/oidc/sign_in.ts";
import { SignInFault } from "../../model/oidc/sign_in_fault.ts";
import { type CallOptions, createCalls } from "./calls.ts";
import { createDiscovery } from "./discovery.ts";
import { createTokenReader } from "./tokens.ts";

/** An OpenID Connect provider, at which people sign in (authorization code flow with PKCE). */
export interface Provider {
  begin(request: { readonly redirectUri: string }): Promise<BegunSignIn | SignInFault>;
  /** Ends a sign-in, when the browser has come back. */
  finish(response: SignInResponse): Promise<OidcPerson | SignInFault>;
}

export interface BegunSignIn {
  /** The address at the provider, to which the browser goes. */
  readonly url: string;
  /** For this browser alone: seal it into a cookie, and open that when the browser comes back. */
  readonly remembered: RememberedSignIn;
}

/** The provider's response, by way of the browser. */
export interface SignInResponse {
  /** The query with which the browser came back. */
  readonly parameters: URLSearchParams;
  /** The sign-in that this browser began; `undefined` without a cookie that can be opened. */
  readonly remembered: RememberedSignIn | undefined;
  /** The same as at the beginning. */
  readonly redirectUri: string;
}

/** The parts of {@linkcode createProvider}. */
export interface ProviderParts extends CallOptions {
  /** The time, in milliseconds since 1970. */
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. Default: `performance.now`. */
  readonly elapsed?: (() => number) | undefined;
  /** Called with each fault, for the log. */
  readonly onError: (fault: SignInFault) => void;
}

/** Creates a provider from checked options. Nothing is fetched before the first sign-in. */
export function createProvider(
  options: OidcOptions,
  { now, elapsed = () => performance.now(), onError, ...callOptions }: ProviderParts,
): Provider {
  const { issuer, clientId } = options;
  const call = createCalls(callOptions);
  const discovery = createDiscovery(issuer, { call, elapsed });
  const tokens = createTokenReader(options, { call, discovery, now });

  async function begin(redirectUri: string): Promise<BegunSignIn | SignInFault> {
    const metadata = await discovery.getMetadata();
    if (metadata instanceof SignInFault) return metadata;
    const remembered = beginSignIn(now());
    const url = await authorizationUrl(remembered, { clientId, redirectUri, metadata });
    return { url, remembered };
  }

  async function finish(
    { parameters, remembered, redirectUri }: SignInResponse,
  ): Promise<OidcPerson | SignInFault> {
    const code = readResponse(parameters, { remembered, issuer, nowMs: now() });
    if (code instanceof SignInFault) return code;
    const { nonce, verifier } = remembered!;
    const redeemed = await tokens.redeem({ code, verifier, redirectUri });
    if (redeemed instanceof SignInFault) return redeemed;
    const idToken = await tokens.readIdToken(redeemed.id_token, nonce);
    if (idToken instanceof SignInFault) return idToken;
    if (!needsUserInfo(idToken)) return readPerson({ idToken }, options);
    const userInfo = await tokens.readUserInfo(redeemed.access_token, idToken.sub);
    return userInfo instanceof SignInFault ? userInfo : readPerson({ idToken, userInfo }, options);
  }

  async function report<T>(outcome: Promise<T | SignInFault>): Promise<T | SignInFault> {
    const result = await outcome;
    if (result instanceof SignInFault) onError(result);
    return result;
  }

  return {
    begin: ({ redirectUri }) => report(begin(redirectUri)),
    finish: (response) => report(finish(response)),
  };
}
