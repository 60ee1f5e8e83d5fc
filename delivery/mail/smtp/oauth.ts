import { toLine } from "../../../model/deliveries/mail_outcome.ts";
import { optionError } from "../../../model/options.ts";
import { isLoopback } from "../../../model/values/http_url.ts";
import { MailerError } from "../mailer.ts";

/** The client credentials of OAuth 2 (RFC 6749, section 4.4). */
export interface OAuthOptions {
  /** The token endpoint; a `scope` parameter in its query is sent as the scope. */
  readonly tokenUrl: string;
  /** The identifier of the client. */
  readonly clientId: string;
  /** The secret that the provider of the login issued. */
  readonly clientSecret: string;
}

/** A source of access tokens, each of which is used until shortly before it expires. */
export interface TokenSource {
  /** Resolves with a token that stays valid for a while; rejects with a `MailerError`. */
  getToken(): Promise<string>;
  /** Drops the token, which the relay refused; the next call fetches another one. */
  forgetToken(): void;
}

const TIMEOUT_MS = 10_000;
const MAX_REASON_LENGTH = 256;
// A token must outlast the login that it was fetched for, although clocks differ a bit.
const MARGIN_MS = 60_000;
const DEFAULT_LIFETIME_S = 3_600;
const MAX_LIFETIME_S = 86_400;
// Microsoft's endpoint refuses a request without a scope.
const MICROSOFT = /^login\.microsoftonline\.(?:com|us)$/;
const MICROSOFT_SCOPE = "https://outlook.office365.com/.default";
const TOKEN = /^[\x21-\x7e]{1,16384}$/;

/** Creates a source of tokens; throws a `TypeError` for invalid options. */
export function createTokenSource(
  { tokenUrl, clientId, clientSecret }: OAuthOptions,
  { elapsed = () => performance.now() }: { readonly elapsed?: () => number } = {},
): TokenSource {
  const { endpoint, scope } = readEndpoint(tokenUrl);
  for (const [name, value] of Object.entries({ clientId, clientSecret })) {
    if (typeof value !== "string" || value === "") throw optionError(name, "it must not be empty");
  }
  let known: { readonly token: Promise<string>; endMs: number } | undefined;

  async function fetchToken(): Promise<string> {
    const parameters = {
      grant_type: "client_credentials",
      client_id: clientId,
      client_secret: clientSecret,
      ...(scope !== undefined && { scope }),
    };
    const startMs = elapsed();
    const { status, json } = await post(endpoint, new URLSearchParams(parameters));
    const { access_token: token, expires_in: lifetime } = json;
    if (status !== 200 || typeof token !== "string" || !TOKEN.test(token)) {
      const reason = [json.error, json.error_description].map(toReason).join("");
      throw new MailerError(`The token endpoint of the mail relay answers ${status}${reason}`);
    }
    const seconds = Number(lifetime) > 0 ? Number(lifetime) : DEFAULT_LIFETIME_S;
    const lifetimeMs = 1_000 * Math.min(seconds, MAX_LIFETIME_S);
    known!.endMs = startMs + Math.max(lifetimeMs - MARGIN_MS, lifetimeMs / 2);
    return token;
  }

  /** Returns a reason without the secret, as a continuation of a sentence. */
  function toReason(text: unknown): string {
    if (typeof text !== "string" || text === "") return "";
    return ` ${toLine(text.replaceAll(clientSecret, "…")).slice(0, MAX_REASON_LENGTH)}`;
  }

  function forgetToken(): void {
    known = undefined;
  }

  return {
    getToken() {
      if (known === undefined || elapsed() >= known.endMs) {
        known = { token: Promise.resolve(""), endMs: Infinity };
        const token = fetchToken();
        known = Object.assign(known, { token });
        token.catch(forgetToken);
      }
      return known.token;
    },
    forgetToken,
  };
}

function readEndpoint(text: string): { readonly endpoint: URL; readonly scope?: string } {
  const url = /\s/.test(text) || !URL.canParse(text) ? undefined : new URL(text);
  const isSafe = url?.protocol === "https:" ||
    url?.protocol === "http:" && isLoopback(url.hostname);
  if (url === undefined || !isSafe || url.hash !== "" || url.username !== "") {
    throw optionError("tokenUrl", "give the https URL of the token endpoint");
  }
  const given = url.searchParams.get("scope") ?? undefined;
  url.searchParams.delete("scope");
  return {
    endpoint: url,
    scope: given ?? (MICROSOFT.test(url.hostname) ? MICROSOFT_SCOPE : given),
  };
}

async function post(
  endpoint: URL,
  body: URLSearchParams,
): Promise<{ readonly status: number; readonly json: Readonly<Record<string, unknown>> }> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const headers = { accept: "application/json" };
    const response = await fetch(endpoint, {
      method: "POST",
      redirect: "error",
      headers,
      body,
      signal,
    });
    const json: unknown = await response.json().catch(() => ({}));
    return { status: response.status, json: Object(json) };
  } catch (cause) {
    const message = `Cannot reach the token endpoint of the mail relay at ${endpoint.host}`;
    throw new MailerError(message, { cause });
  }
}
