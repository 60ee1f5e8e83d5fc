import { parseDomain, parseEmailAddress } from "../values/email_address.ts";
import type { JsonObject } from "../values/json_object.ts";
import { Refusal } from "../values/refusal.ts";
import { parseName } from "../values/text.ts";
import { isIssuer, normalizeIssuer } from "./claims.ts";
import type { JoiningRole, OidcOptions } from "./oidc_options.ts";
import { SignInFault } from "./sign_in_fault.ts";

/** A person whom the provider knows. */
export interface OidcPerson {
  /** The issuer, without a slash at the end. */
  readonly issuer: string;
  /** The identifier of the person at the issuer, which never changes. */
  readonly subject: string;
  /** The address, in normal form. */
  readonly userEmail: string;
  readonly userName: string;
  /**
   * The domain that the person belongs to, in lower case and A-labels; `undefined` if the provider
   * doesn't vouch for it.
   */
  readonly domain: string | undefined;
}

const GOOGLE = "https://accounts.google.com";

/**
 * Returns the person whom the claims of an ID token and, if it has no address, of UserInfo
 * describe. The address and its verification are read from one of them, never mixed.
 */
export function readPerson(
  { idToken, userInfo }: { readonly idToken: JsonObject; readonly userInfo?: JsonObject },
  { issuer, trustEmail = false }: Pick<OidcOptions, "issuer" | "trustEmail">,
): OidcPerson | SignInFault {
  const claims = needsUserInfo(idToken) ? userInfo ?? {} : idToken;
  const { email, email_verified: verified, hd } = claims;
  if (typeof email !== "string" || email === "") {
    return new SignInFault("email_missing", "the provider gave no email");
  }
  if (!trustEmail && verified !== true && verified !== "true") {
    const state = verified === undefined ? "is missing" : "is not true";
    return new SignInFault("email_unverified", `the provider's email_verified ${state}`);
  }
  const userEmail = parseEmailAddress(email);
  if (userEmail instanceof Refusal) {
    return new SignInFault("email_missing", `the provider's email ${userEmail.detail}`);
  }
  const [localPart, domain] = userEmail.split("@");
  // Google verifies addresses of other domains, too, but their owners may have changed since.
  const isOwn = !isIssuer(issuer, GOOGLE) || parseDomain(`${hd ?? ""}`) === domain;
  return {
    issuer: normalizeIssuer(issuer),
    subject: idToken.sub as string,
    userEmail,
    userName: readName(idToken.name) ?? readName(userInfo?.name) ?? localPart,
    domain: isOwn ? domain : undefined,
  };
}

/** Tells whether an ID token has no address, so that UserInfo must be asked for it. */
export function needsUserInfo({ email }: JsonObject): boolean {
  return typeof email !== "string" || email === "";
}

/** Returns the role with which a new person becomes a member; `undefined` if they don't. */
export function joiningRole(
  { domain }: OidcPerson,
  { role, domains = [] }: Pick<OidcOptions, "role" | "domains">,
): JoiningRole | undefined {
  return domains.some((allowed) => parseDomain(allowed) === domain) ? role : undefined;
}

function readName(name: unknown): string | undefined {
  const parsed = typeof name === "string" ? parseName(name) : undefined;
  return parsed instanceof Refusal ? undefined : parsed;
}
