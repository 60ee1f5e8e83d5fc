import type { JsonObject } from "../values/json_object.ts";
import { Refusal } from "../values/refusal.ts";
import { isIssuer, normalizeIssuer } from "./claims.ts";
import { parseProviderUrl } from "./provider_url.ts";
import { shortenForLog, SignInFault } from "./sign_in_fault.ts";

/** The parts of a provider's metadata that a sign-in uses. */
export interface ProviderMetadata {
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly keysUrl: string;
  /** `undefined` if the provider has none. */
  readonly userInfoEndpoint: string | undefined;
  /** Whether the client's secret belongs into the body, because nothing else is accepted. */
  readonly wantsSecretInBody: boolean;
}

/** Returns the address of an issuer's metadata (OpenID Connect Discovery 1.0, section 4). */
export function metadataUrl(issuer: string): string {
  return `${normalizeIssuer(issuer)}/.well-known/openid-configuration`;
}

/** Reads the metadata of an issuer; the fault names the member that can't be used. */
export function readMetadata(json: JsonObject, issuer: string): ProviderMetadata | SignInFault {
  if (!isIssuer(json.issuer, issuer)) {
    const named = shortenForLog(`${json.issuer}`);
    return misconfigured(`its metadata are of the issuer ${named}; use that as issuer, or mend it`);
  }
  const names = ["authorization_endpoint", "token_endpoint", "jwks_uri"];
  const present = json.userinfo_endpoint === undefined ? [] : ["userinfo_endpoint"];
  const wrong = [...names, ...present].find((name) => {
    return typeof json[name] !== "string" || parseProviderUrl(json[name]) instanceof Refusal;
  });
  if (wrong !== undefined) return misconfigured(`the ${wrong} in its metadata is no https URL`);
  const methods = json.token_endpoint_auth_methods_supported;
  return {
    authorizationEndpoint: json.authorization_endpoint as string,
    tokenEndpoint: json.token_endpoint as string,
    keysUrl: json.jwks_uri as string,
    userInfoEndpoint: json.userinfo_endpoint as string | undefined,
    wantsSecretInBody: Array.isArray(methods) && methods.includes("client_secret_post") &&
      !methods.includes("client_secret_basic"),
  };
}

function misconfigured(detail: string): SignInFault {
  return new SignInFault("provider_misconfigured", detail);
}
