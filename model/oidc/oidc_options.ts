import {
  acceptOption,
  checkBoolean,
  checkOptions,
  type OptionDeclarations,
  optionError,
} from "../options.ts";
import { parseDomain } from "../values/email_address.ts";
import { Refusal } from "../values/refusal.ts";
import { parseChoice, parseName, quote } from "../values/text.ts";
import { parseProviderUrl } from "./provider_url.ts";

/** The roles that people can get by signing in at the provider. */
export const JOINING_ROLES = ["writer", "editor"] as const;

/** One of the {@linkcode JOINING_ROLES}. */
export type JoiningRole = typeof JOINING_ROLES[number];

/** The OpenID Connect provider at which the team signs in. */
export interface OidcOptions {
  /**
   * The provider's issuer, like `https://accounts.google.com`: https, or http on a loopback
   * address.
   */
  readonly issuer: string;
  /** The identifier of this client at the provider. */
  readonly clientId: string;
  /** The secret of the client. Default: none, for a public client. */
  readonly clientSecret?: string | undefined;
  /** The provider's name on the button. Default: the issuer's host. */
  readonly name?: string | undefined;
  /**
   * The role of those who become members by signing in with an address of `domains`. Default: only
   * members get in.
   */
  readonly role?: JoiningRole | undefined;
  /** The domains of `role`, like `example.com`. */
  readonly domains?: readonly string[] | undefined;
  /**
   * Whether the provider's addresses count as verified, whatever its `email_verified` says.
   * Default: `false`.
   */
  readonly trustEmail?: boolean | undefined;
}

const METADATA_PATH = /\/\.well-known\/openid-configuration\/?$/;
const EVERY_TENANT = /^\/(?:common|organizations|consumers)(?:\/|$)/i;
// RFC 6749, appendix A.1 and A.2.
const PRINTABLE = /^[\x20-\x7e]{1,1000}$/;

/** The declarations of the options of a provider. */
export const OIDC_OPTIONS: OptionDeclarations<OidcOptions> = {
  issuer: {
    flag: "oidc-issuer URL",
    schema: {
      description:
        "The OpenID Connect provider at which the team signs in; its client's secret is in " +
        "BOARDCAST_OIDC_CLIENT_SECRET.",
    },
    check: (issuer, option) => acceptOption(option, parseIssuer(`${issuer}`)),
  },
  clientId: {
    flag: "oidc-client-id ID",
    schema: { description: "The identifier of this server at the provider." },
    check: checkPrintable,
  },
  clientSecret: checkPrintable,
  name: {
    flag: "oidc-name NAME",
    schema: {
      description: "The provider's name on the button. [default: the host of --oidc-issuer]",
    },
    check: (name, option) => acceptOption(option, parseName(`${name}`)),
  },
  role: {
    flag: "oidc-role writer | editor",
    schema: { description: "The role of those who join by an address of --oidc-domain." },
    check: (role, option) => acceptOption(option, parseChoice(`${role}`, JOINING_ROLES)),
  },
  domains: {
    flag: "oidc-domain DOMAIN",
    schema: {
      description: "A domain whose people become members when they sign in; repeat it for more " +
        "(in the variable, separate them with commas).",
      type: "array",
    },
    check(domains, option) {
      if (!Array.isArray(domains)) throw optionError(option, "give an array of domains");
      const bad = domains.find((domain) => parseDomain(`${domain}`) instanceof Refusal);
      if (bad === undefined) return;
      throw optionError(option, `${quote(`${bad}`)} is not a domain like example.com`);
    },
  },
  trustEmail: {
    flag: "oidc-trust-email",
    schema: {
      description: "Trust the provider's addresses though it doesn't say that they are verified.",
    },
    check: checkBoolean,
  },
};

/** Throws an `OptionError` unless a value is the options of a provider. */
export function checkOidc(value: unknown, option: string): void {
  if (typeof value !== "object" || value === null) {
    throw optionError(option, "give an object with issuer and clientId");
  }
  const options = value as Partial<OidcOptions>;
  checkOptions<OidcOptions>(options, OIDC_OPTIONS, `${option}.`);
  for (const name of ["issuer", "clientId"] as const) {
    if (options[name] === undefined) throw optionError(`${option}.${name}`, "it is missing");
  }
  const { role, domains = [] } = options;
  if (role !== undefined && domains.length === 0) {
    throw optionError(`${option}.role`, "it needs domains, whose people get this role");
  }
  if (role === undefined && domains.length > 0) {
    throw optionError(`${option}.domains`, "they need a role, which their people get");
  }
}

/** Returns the provider's name for people. */
export function providerName({ name, issuer }: Pick<OidcOptions, "name" | "issuer">): string {
  return name ?? new URL(issuer).host;
}

function parseIssuer(text: string): string | Refusal {
  const parsed = parseProviderUrl(text);
  if (parsed instanceof Refusal) return parsed;
  const { origin, pathname } = new URL(text);
  if (text.includes("?")) return refuse("must not have a query");
  if (METADATA_PATH.test(pathname)) {
    return refuse("is the address of its metadata: leave out /.well-known/openid-configuration");
  }
  return EVERY_TENANT.test(pathname)
    ? refuse(`stands for every tenant: name yours, as in ${origin}/TENANT/v2.0`)
    : text;
}

function checkPrintable(value: unknown, option: string): void {
  if (typeof value === "string" && PRINTABLE.test(value)) return;
  throw optionError(option, "give up to 1,000 printable characters of ASCII");
}

function refuse(detail: string): Refusal {
  return new Refusal("invalid_value", detail);
}
