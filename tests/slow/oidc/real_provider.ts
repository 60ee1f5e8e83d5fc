import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import RealProvider from "oidc-provider";
import { SignInFault } from "../../../model/oidc/sign_in_fault.ts";
import {
  CLIENT,
  createClient,
  generateKey,
  REDIRECT_URI,
} from "../../_support/forging_provider.ts";
import { forEachRow } from "../../_support/rows.ts";

const ALGORITHMS = ["RS256", "PS256", "ES256", "EdDSA"];
const PERSON = { email: "ann@example.com", email_verified: true, name: "Ann Lee" };

const KEYS = await Promise.all(ALGORITHMS.map(async (alg) => {
  const { pair, jwk } = await generateKey(alg, alg);
  return { ...await crypto.subtle.exportKey("jwk", pair.privateKey), ...jwk, key_ops: undefined };
}));

/** A provider of the package `oidc-provider`, at which everybody is Ann. */
interface RunningProvider extends AsyncDisposable {
  readonly issuer: string;
}

async function startRealProvider(
  client: Readonly<Record<string, unknown>>,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<RunningProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new RealProvider(issuer, {
    clients: [{ client_id: CLIENT.clientId, redirect_uris: [REDIRECT_URI], ...client }],
    jwks: { keys: KEYS },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    enabledJWA: { idTokenSigningAlgValues: ALGORITHMS },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    cookies: { keys: ["a key of this test"] },
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: () => Promise.resolve({ sub: accountId, ...PERSON }),
    }),
    async loadExistingGrant({ oidc }: { oidc: Record<string, Record<string, unknown>> }) {
      const { clientId } = oidc.client;
      const grant = new provider.Grant({ clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
    ...settings,
  });
  const answer = provider.callback();
  server.on("request", (request, response) => {
    if (!request.url?.startsWith("/interaction/")) return answer(request, response);
    return provider.interactionFinished(request, response, { login: { accountId: "ann" } });
  });
  return {
    issuer,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Follows redirects with cookies, as a browser does, until the redirect URI. */
async function browse(url: string): Promise<URLSearchParams> {
  const cookies = new Map<string, string>();
  for (let at = url; !at.startsWith(REDIRECT_URI);) {
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const response = await fetch(at, { redirect: "manual", headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    const text = await response.text();
    assert(location !== null, `${response.status} ${text}`);
    at = new URL(location, at).href;
    if (at.startsWith(REDIRECT_URI)) return new URL(at).searchParams;
  }
  throw new Error("The sign-in was over before it began");
}

describe("a sign-in at the provider of the package oidc-provider", () => {
  const secret = { client_secret: CLIENT.clientSecret };
  const [basic, post, none] = ["client_secret_basic", "client_secret_post", "none"]
    .map((token_endpoint_auth_method) => ({ token_endpoint_auth_method }));

  it("gives the person, by each algorithm and each way to authenticate", async () => {
    const inIdToken = { conformIdTokenClaims: false };
    await forEachRow<readonly [alg: string, client: Record<string, unknown>, settings?: object]>([
      ["RS256", { ...secret, ...basic }],
      ["PS256", { ...secret, ...basic }, inIdToken],
      ["ES256", { ...secret, ...post }, { clientAuthMethods: ["client_secret_post"] }],
      ["EdDSA", none, inIdToken],
    ], async ([alg, client, settings]) => {
      const signed = { ...client, id_token_signed_response_alg: alg };
      await using running = await startRealProvider(signed, { ...settings });
      const clientSecret = "client_secret" in client ? CLIENT.clientSecret : undefined;
      const { provider, log } = createClient(running.issuer, { options: { clientSecret } });
      const begun = await provider.begin({ redirectUri: REDIRECT_URI });
      assert(!(begun instanceof SignInFault), log.join());
      const parameters = await browse(begun.url);
      const { remembered } = begun;
      const response = { parameters, remembered, redirectUri: REDIRECT_URI };
      const person = {
        issuer: running.issuer,
        subject: "ann",
        userEmail: "ann@example.com",
        userName: "Ann Lee",
        domain: "example.com",
      };
      assertEquals([await provider.finish(response), log], [person, []]);
      // The code works once.
      const again = await provider.finish(response);
      assert(again instanceof SignInFault);
      assertEquals([again.code, log.length], ["client_refused", 1]);
    });
  });

  it("is refused when the secret or the verifier is another", async () => {
    await using running = await startRealProvider({ ...secret, ...basic });
    await forEachRow([{ clientSecret: "another" }, {}], async (options) => {
      const { provider, log } = createClient(running.issuer, { options });
      const begun = await provider.begin({ redirectUri: REDIRECT_URI });
      assert(!(begun instanceof SignInFault));
      const parameters = await browse(begun.url);
      const remembered = { ...begun.remembered, verifier: "x".repeat(64) };
      const refused = await provider.finish({ parameters, remembered, redirectUri: REDIRECT_URI });
      assert(refused instanceof SignInFault);
      const word = "clientSecret" in options ? "invalid_client" : "invalid_grant";
      assert(log[0].startsWith(`client_refused: its token endpoint answers 40`), log[0]);
      assert(log[0].includes(word), log[0]);
    });
  });
});
