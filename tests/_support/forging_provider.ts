import { encodeBase64Url } from "../../model/crypto/encoding.ts";
import type { OidcOptions } from "../../model/oidc/oidc_options.ts";
import type { OidcPerson } from "../../model/oidc/person.ts";
import type { SignInFault } from "../../model/oidc/sign_in_fault.ts";
import { createProvider, type Provider, type ProviderParts } from "../../services/oidc/provider.ts";

/** The client of all tests; its secret has characters that a form must encode. */
export const CLIENT = { clientId: "boardcast", clientSecret: "s3cret+/ &%~:@" };
/** The redirect URI of that client. */
export const REDIRECT_URI = "http://127.0.0.1:9/studio/oidc/return";

/** A JSON object. */
type Json = Record<string, unknown>;

/** A signing key of a provider. */
export interface SigningKey {
  readonly alg: string;
  readonly pair: CryptoKeyPair;
  /** The public key, as the key set has it. */
  readonly jwk: Json;
}

/** A request that reached the provider. */
export interface ReceivedRequest {
  readonly path: string;
  readonly authorization: string | null;
  readonly body: URLSearchParams;
}

/** The misbehaviour of a provider; by default it behaves. */
export interface Script {
  /** Members that replace those of the metadata; `undefined` removes one. */
  metadata?: Json;
  /** Claims that replace those of the ID token; `undefined` removes one. */
  claims?: Json;
  userInfo?: Json;
  /** Signs the claims of the ID token. */
  sign?: (claims: Json) => Promise<string>;
  /** The keys of the key set. */
  keys?: readonly Json[];
  /** Parameters that replace those of the response; `undefined` removes one. */
  response?: Record<string, string | undefined>;
  /** Answers in place of the provider; `undefined` lets it answer. */
  answer?: (path: string) => Response | undefined | Promise<Response>;
}

/** A provider on this machine that lies on demand. */
export interface ForgingProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly key: SigningKey;
  readonly requests: ReceivedRequest[];
  script: Script;
}

const PARAMETERS: Readonly<Record<string, { readonly name: string } & Json>> = {
  RS256: {
    name: "RSASSA-PKCS1-v1_5",
    hash: "SHA-256",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  },
  PS256: {
    name: "RSA-PSS",
    hash: "SHA-256",
    saltLength: 32,
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  },
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  EdDSA: { name: "Ed25519" },
};

/** Generates a signing key. */
export async function generateKey(alg: string, kid?: string): Promise<SigningKey> {
  const uses: KeyUsage[] = ["sign", "verify"];
  const pair = await crypto.subtle.generateKey(PARAMETERS[alg], true, uses) as CryptoKeyPair;
  const exported = await crypto.subtle.exportKey("jwk", pair.publicKey);
  return { alg, pair, jwk: { ...exported, alg, use: "sig", ...(kid !== undefined && { kid }) } };
}

/** Signs claims; `header` replaces members of the header. */
export async function signWith(
  { alg, pair, jwk }: SigningKey,
  claims: Json,
  header: Json = {},
): Promise<string> {
  const signed = [{ alg, kid: jwk.kid, ...header }, claims].map((part) =>
    encodeBase64Url(JSON.stringify(part))
  ).join(".");
  const bytes = new TextEncoder().encode(signed);
  const signature = await crypto.subtle.sign(PARAMETERS[alg], pair.privateKey, bytes);
  return `${signed}.${encodeBase64Url(signature)}`;
}

export async function startForgingProvider(): Promise<ForgingProvider> {
  const key = await generateKey("ES256", "first");
  const requests: ReceivedRequest[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, handle);
  const issuer = `http://127.0.0.1:${server.addr.port}`;
  let nonce = "";

  async function handle(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const { script } = forging;
    requests.push({
      path: pathname,
      authorization: request.headers.get("authorization"),
      body: new URLSearchParams(await request.text()),
    });
    // A script that never answers must not outlive the client's patience.
    const hasGone = new Promise<Response>((resolve) => {
      request.signal.addEventListener("abort", () => resolve(new Response()));
    });
    const answer = await Promise.race([script.answer?.(pathname), hasGone]);
    if (answer !== undefined) return answer;
    if (pathname === "/.well-known/openid-configuration") {
      return json({
        issuer,
        authorization_endpoint: `${issuer}/authorize?tenant=a`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        userinfo_endpoint: `${issuer}/userinfo`,
        ...script.metadata,
      });
    }
    if (pathname === "/keys") return json({ keys: script.keys ?? [key.jwk] });
    if (pathname === "/userinfo") return json(script.userInfo ?? {});
    if (pathname === "/authorize") {
      nonce = searchParams.get("nonce") ?? "";
      const location = new URL(searchParams.get("redirect_uri")!);
      const state = searchParams.get("state")!;
      const parameters = { code: "c0de-of-this-sign-in", state, ...script.response };
      for (const [name, value] of Object.entries(parameters)) {
        if (value !== undefined) location.searchParams.set(name, value);
      }
      return new Response(null, { status: 302, headers: { location: location.href } });
    }
    const nowS = Math.floor(Date.now() / 1_000);
    const claims: Json = {
      ...{ iss: issuer, aud: CLIENT.clientId, sub: "u-1", nonce, iat: nowS, exp: nowS + 300 },
      ...{ email: "Ann@Example.com", email_verified: true, name: "Ann" },
      ...script.claims,
    };
    const idToken = await (script.sign?.(claims) ?? signWith(key, claims));
    return json({ token_type: "Bearer", access_token: "acce55-token", id_token: idToken });
  }

  const forging: ForgingProvider = {
    issuer,
    key,
    requests,
    script: {},
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  return forging;
}

/** A sign-in at a provider. */
export interface SignInResult {
  readonly outcome: OidcPerson | SignInFault;
  /** All URLs that the browser saw. */
  readonly urls: readonly string[];
  /** The lines of the log. */
  readonly log: readonly string[];
}

/** Creates our side of a provider, with a log. */
export function createClient(
  issuer: string,
  { options, parts }: {
    readonly options?: Partial<OidcOptions>;
    readonly parts?: Partial<ProviderParts>;
  } = {},
): { readonly provider: Provider; readonly log: string[] } {
  const log: string[] = [];
  const provider = createProvider({ issuer, ...CLIENT, ...options }, {
    now: Date.now,
    onError: ({ code, detail }) => void log.push(`${code}: ${detail}`),
    ...parts,
  });
  return { provider, log };
}

/** Signs in once, as a browser does. */
export async function signIn(
  { provider, log }: { readonly provider: Provider; readonly log: readonly string[] },
): Promise<SignInResult> {
  const begun = await provider.begin({ redirectUri: REDIRECT_URI });
  if (!("url" in begun)) return { outcome: begun, urls: [], log };
  const { url, remembered } = begun;
  const response = await fetch(url, { redirect: "manual" });
  await response.body?.cancel();
  const location = response.headers.get("location")!;
  const { searchParams: parameters } = new URL(location);
  const outcome = await provider.finish({ parameters, remembered, redirectUri: REDIRECT_URI });
  return { outcome, urls: [url, location], log };
}

function json(value: unknown): Response {
  return Response.json(value);
}
