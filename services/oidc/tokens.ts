import { encodeBase64 } from "../../model/crypto/encoding.ts";
import { findWrongClaim } from "../../model/oidc/claims.ts";
import { parseJws, verifyJws } from "../../model/oidc/jws.ts";
import type { ProviderMetadata } from "../../model/oidc/metadata.ts";
import type { OidcOptions } from "../../model/oidc/oidc_options.ts";
import { formEncode, shortenForLog, SignInFault } from "../../model/oidc/sign_in_fault.ts";
import type { JsonObject } from "../../model/values/json_object.ts";
import type { CallProvider } from "./calls.ts";
import type { Discovery } from "./discovery.ts";

/** Exchanges a code for tokens, and reads what these say. */
export interface TokenReader {
  /** Exchanges a code for tokens (RFC 6749, section 4.1.3). */
  redeem(request: CodeExchange): Promise<JsonObject | SignInFault>;
  /** Resolves with the claims of an ID token, which were verified. */
  readIdToken(idToken: unknown, nonce: string): Promise<JsonObject | SignInFault>;
  /** Resolves with the claims of UserInfo about a person; empty if the provider has none. */
  readUserInfo(accessToken: unknown, subject: unknown): Promise<JsonObject | SignInFault>;
}

/** A code, and the proof of who may exchange it. */
export interface CodeExchange {
  readonly code: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

// RFC 6749, appendix A.12. Others could not stand in a header.
const ACCESS_TOKEN = /^[\x21-\x7e]{1,16384}$/;

/** Creates the reader of a provider's tokens. */
export function createTokenReader(
  { issuer, clientId, clientSecret }: OidcOptions,
  { call, discovery, now }: {
    readonly call: CallProvider;
    readonly discovery: Discovery;
    readonly now: () => number;
  },
): TokenReader {
  /** Returns the parameters and headers that authenticate this client. */
  function authenticate({ wantsSecretInBody }: ProviderMetadata): {
    readonly fields: Readonly<Record<string, string>>;
    readonly headers: Readonly<Record<string, string>>;
  } {
    if (clientSecret === undefined) return { fields: { client_id: clientId }, headers: {} };
    if (wantsSecretInBody) {
      return { fields: { client_id: clientId, client_secret: clientSecret }, headers: {} };
    }
    // RFC 6749, section 2.3.1: both are encoded before they are joined.
    const credentials = encodeBase64(`${formEncode(clientId)}:${formEncode(clientSecret)}`);
    return { fields: {}, headers: { authorization: `Basic ${credentials}` } };
  }

  return {
    async redeem({ code, verifier, redirectUri }) {
      const metadata = await discovery.getMetadata();
      if (metadata instanceof SignInFault) return metadata;
      const { fields, headers } = authenticate(metadata);
      const body = new URLSearchParams({
        grant_type: "authorization_code",
        code,
        redirect_uri: redirectUri,
        code_verifier: verifier,
        ...fields,
      });
      const response = await call("its token endpoint", metadata.tokenEndpoint, { headers, body });
      if (response instanceof SignInFault) return response;
      const { status, json: { error, error_description: description = "" } } = response;
      if (status === 200 && error === undefined) return response.json;
      const credentials = headers.authorization?.slice("Basic ".length) ?? "";
      const secrets = [code, verifier, clientSecret ?? "", credentials];
      const words = shortenForLog(`${error ?? ""} ${description}`, secrets);
      return new SignInFault("client_refused", `its token endpoint answers ${status} ${words}`);
    },

    async readIdToken(idToken, nonce) {
      const jws = typeof idToken === "string" ? parseJws(idToken) : undefined;
      if (jws === undefined) return invalid("it sent no signed ID token");
      const keys = await discovery.getKeys();
      if (keys instanceof SignInFault) return keys;
      let verdict = await verifyJws(jws, keys);
      if (verdict === "unknown_key") {
        const renewed = await discovery.renewKeys();
        if (renewed instanceof SignInFault) return renewed;
        verdict = await verifyJws(jws, renewed);
      }
      if (verdict !== "verified") return invalid(`its ID token is not verified: ${verdict}`);
      const wrong = findWrongClaim(jws.payload, { issuer, clientId, nonce, nowMs: now() });
      return wrong === undefined ? jws.payload : invalid(`its ID token has a wrong ${wrong}`);
    },

    async readUserInfo(accessToken, subject) {
      const metadata = await discovery.getMetadata();
      if (metadata instanceof SignInFault) return metadata;
      if (metadata.userInfoEndpoint === undefined) return {};
      if (typeof accessToken !== "string" || !ACCESS_TOKEN.test(accessToken)) {
        return invalid("it sent no access token");
      }
      const headers = { authorization: `Bearer ${accessToken}` };
      const response = await call("its UserInfo endpoint", metadata.userInfoEndpoint, { headers });
      if (response instanceof SignInFault) return response;
      if (response.status !== 200) {
        return invalid(`its UserInfo endpoint answers ${response.status}`);
      }
      return response.json.sub === subject
        ? response.json
        : invalid("its UserInfo has another sub");
    },
  };
}

function invalid(detail: string): SignInFault {
  return new SignInFault("answer_invalid", detail);
}
