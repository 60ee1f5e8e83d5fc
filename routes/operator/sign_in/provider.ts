import type { Storage } from "../../../adapters/storage.ts";
import { normalizeIssuer } from "../../../model/oidc/claims.ts";
import type { OidcOptions } from "../../../model/oidc/oidc_options.ts";
import { joiningRole } from "../../../model/oidc/person.ts";
import type { RememberedSignIn } from "../../../model/oidc/sign_in.ts";
import { SignInFault } from "../../../model/oidc/sign_in_fault.ts";
import { createProvider } from "../../../services/oidc/provider.ts";
import { meterOf, sharedOf } from "../../../services/shared.ts";
import { type ProviderRefusal, signInByProvider } from "../../../services/team/provider_sign_in.ts";
import { cookieLetters } from "../../../services/team/sessions.ts";
import { readCookie, writeCookie } from "../../_http/cookies.ts";
import { type Context, type Operation, operation } from "../../_http/operation.ts";
import type { Reply } from "../../_http/reply.ts";
import type { SessionCookie } from "../../_http/session.ts";
import { openCipher } from "../../../services/privacy/sealed.ts";

/** The reason for the page that is shown instead of the studio. */
export type ProviderProblem = ProviderRefusal | "no_address" | "provider_failed";

/** The settings of signing in at a provider. */
export interface ProviderSite {
  readonly oidc: OidcOptions;
  readonly publicUrl: string;
  readonly isSecure: boolean;
  readonly cookieOf: (storage: Storage) => SessionCookie;
  readonly showProblem: (status: number, problem: ProviderProblem) => Promise<Reply>;
}

/** The content of the cookie while somebody is at the provider. */
interface Away {
  readonly remembered: RememberedSignIn;
  /**
   * The token of the session that the browser has, which its own cookie does not tell on the way
   * back from another site.
   */
  readonly former: string | undefined;
}

const COOKIE_SECONDS = 600;

/** Creates the operations that lead to the provider and back. */
export function providerOperations(site: ProviderSite): readonly Operation[] {
  const { oidc, publicUrl, isSecure, cookieOf, showProblem } = site;
  const redirectUri = `${publicUrl}/studio/oidc/return`;
  const rules = { isSecure, sameSite: "Lax" } as const;
  const open = (storage: Storage) => openCipher(storage, "signIn");
  // Each fault is logged with the request that meets it.
  const provider = createProvider(oidc, { now: Date.now, onError: () => {} });

  async function nameOf(storage: Storage): Promise<string> {
    return `${isSecure ? "__Host-" : ""}boardcast-oidc-${await cookieLetters(storage)}`;
  }

  async function readAway(storage: Storage, request: Request): Promise<Partial<Away>> {
    const sealed = readCookie(request, await nameOf(storage));
    const text = sealed && (await open(storage)).decrypt(sealed);
    return text ? JSON.parse(text) : {};
  }

  async function refuse(
    { storage, warn }: Pick<Context, "storage" | "warn">,
    problem: SignInFault | ProviderRefusal,
  ): Promise<Reply> {
    // Anybody can open the address of the return, so a sign-in that never began is worth no line.
    if (problem instanceof SignInFault && problem.code !== "sign_in_expired") {
      sharedOf(storage).providerProblem = `${problem.code}, ${problem.detail}`;
      warn(`signing in at the provider failed (${problem.code}): ${problem.detail}`);
    }
    const outcome = problem instanceof SignInFault ? "failed" : "refused";
    meterOf(storage).count("boardcast_sign_ins_total", outcome);
    const reply = problem instanceof SignInFault
      ? await (problem.code.startsWith("email_")
        ? showProblem(403, "no_address")
        : showProblem(problem.code === "sign_in_expired" ? 400 : 502, "provider_failed"))
      : await showProblem(403, problem);
    const cookie = writeCookie(await nameOf(storage), "", { ...rules, maxAge: 0 });
    return { ...reply, cookies: [cookie] };
  }

  return [
    operation("GET", "/studio/oidc", {
      operationId: "goToProvider",
      summary: "Go to the provider to sign in",
      isPage: true,
      successes: [{ status: 303, description: "The browser goes to the provider." }],
      async run(context) {
        const { request, storage } = context;
        const begun = await provider.begin({ redirectUri });
        if (begun instanceof SignInFault) return await refuse(context, begun);
        const { url, remembered } = begun;
        const away: Away = { remembered, former: await cookieOf(storage).read(request) };
        const sealed = (await open(storage)).encrypt(JSON.stringify(away));
        const cookie = writeCookie(await nameOf(storage), sealed, {
          ...rules,
          maxAge: COOKIE_SECONDS,
        });
        return {
          status: 303,
          headers: { Location: url, "Referrer-Policy": "same-origin" },
          cookies: [cookie],
        };
      },
    }),

    operation("GET", "/studio/oidc/return", {
      operationId: "returnFromProvider",
      summary: "Come back from the provider",
      isPage: true,
      successes: [{ status: 303, description: "The browser has a session." }],
      async run(context) {
        const { request, storage, now: { text: at } } = context;
        const { remembered, former } = await readAway(storage, request);
        const parameters = new URL(request.url, publicUrl).searchParams;
        const person = await provider.finish({ parameters, remembered, redirectUri });
        if (person instanceof SignInFault) return await refuse(context, person);
        sharedOf(storage).providerProblem = undefined;
        const { subject, userEmail, userName } = person;
        const signedIn = await signInByProvider(storage, {
          issuer: normalizeIssuer(oidc.issuer),
          subject,
          userEmail,
          userName,
          joins: joiningRole(person, oidc),
        }, { at, former });
        if ("refused" in signedIn) return await refuse(context, signedIn.refused);
        meterOf(storage).count("boardcast_sign_ins_total", "provider");
        const cookies = [
          await cookieOf(storage).keep(signedIn.token),
          writeCookie(await nameOf(storage), "", { ...rules, maxAge: 0 }),
        ];
        return {
          status: 303,
          headers: { Location: `${publicUrl}/studio`, "Referrer-Policy": "same-origin" },
          cookies,
        };
      },
    }),
  ];
}
