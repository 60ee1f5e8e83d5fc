import { publicPathOf } from "../../../model/public_site.ts";
import type { RouteContext } from "../../branded.ts";
import { normalizeIssuer } from "../../../model/oidc/claims.ts";
import type { OidcOptions } from "../../../model/oidc/oidc_options.ts";
import { sentFlag, text } from "../../../model/declare.ts";
import { MEMBER } from "../../../model/team/member.ts";
import type { Texts } from "../../../model/locales/locales.ts";
import { markup } from "../../../model/values/html.ts";
import { parseEmailAddress } from "../../../model/values/email_address.ts";
import { Refusal } from "../../../model/values/refusal.ts";
import { parseName } from "../../../model/values/text.ts";
import { meterOf } from "../../../services/shared.ts";
import { normalizeCode, requestCode, useCode } from "../../../services/team/codes.ts";
import { readInvitation, useFirstLink, useInvitation } from "../../../services/team/invitations.ts";
import { endAllSessions, endSession } from "../../../services/team/sessions.ts";
import { type Context, FOUND_PAGE, type Operation, operation } from "../../_http/operation.ts";
import { badValue, Problem, validationFailed } from "../../_http/problem.ts";
import type { Reply } from "../../_http/reply.ts";
import { createSessionCookie, type SessionCookie } from "../../_http/session.ts";
import { createAskedCookie } from "./asked.ts";
import { isOwnOrigin } from "./origin.ts";
import { type SignInContent, signInPage, type SignInSite } from "./page.ts";
import { providerOperations, type ProviderProblem } from "./provider.ts";

/** The settings that signing in needs. */
export interface SignInOptions extends SignInSite {
  /** The public URL of the service; absent if nothing is public. */
  readonly publicUrl: string | undefined;
  /** The OpenID Connect provider; absent if none is configured. */
  readonly oidc: OidcOptions | undefined;
}

// Only a script sends more forms at the same time.
const MAX_REQUESTS = 100;
const WRONG_CODE = validationFailed([
  badValue("code", "is wrong, was used, or has expired: ask for another one"),
]);

/** Creates the operations by which members sign in and out. */
export function operations(context: RouteContext): readonly Operation[] {
  const { publicUrl, oidc, brandNow: brand } = context;
  const publicPath = publicPathOf(context);
  const options: SignInOptions = { brand, publicPath, publicUrl, oidc };
  const issuer = oidc && normalizeIssuer(oidc.issuer);
  const isSecure = publicUrl?.startsWith("https:") === true;
  const asked = createAskedCookie({ isSecure });
  const studio = `${publicPath}/studio`;
  const cookies = new WeakMap<Context["storage"], SessionCookie>();
  let requests = 0;

  function cookieOf(storage: Context["storage"]): SessionCookie {
    const known = cookies.get(storage) ?? createSessionCookie(storage, { isSecure });
    cookies.set(storage, known);
    return known;
  }

  /** The part that all changes share: no other site may ask for them. */
  const guarded = {
    ignoresUnknown: true,
    problems: ["foreign_origin"],
    admit: ({ request }: Pick<Context, "request">) =>
      Promise.resolve(
        isOwnOrigin(request, publicUrl) ? undefined : new Problem("foreign_origin"),
      ),
  } as const;

  /** Lets the response go first, so that it takes the same time for every address. */
  function mailCode({ storage, worker }: Context, userEmail: string, at: string): void {
    if (requests >= MAX_REQUESTS) {
      return meterOf(storage).count("boardcast_sign_ins_total", "dropped");
    }
    requests++;
    setTimeout(async () => {
      try {
        await requestCode(storage, userEmail, { at, issuer });
        worker?.wake();
      } catch {
        meterOf(storage).count("boardcast_sign_ins_total", "failed");
      } finally {
        requests--;
      }
    });
  }

  function page(
    status: number,
    show: (texts: Texts, title: string) => SignInContent,
  ): Promise<Reply> {
    return signInPage(options, { status, show });
  }

  function showEnded(): Promise<Reply> {
    return page(410, (texts) => ({
      title: texts.linkEnded,
      content: markup`<p>${texts.linkEndedHint}</p>
<p><a href="${studio}">${texts.otherWays}</a></p>`,
    }));
  }

  function showProblem(status: number, problem: ProviderProblem): Promise<Reply> {
    return page(status, (texts) => {
      const [title, hint] = {
        no_access: [texts.noAccess, texts.noAccessHint],
        other_identity: [texts.noAccess, texts.otherIdentity],
        no_address: [texts.noAccess, texts.noAddress],
        provider_failed: [texts.providerFailed, texts.providerFailedHint],
      }[problem];
      const content = markup`<p>${hint}</p>
<p><a href="${studio}">${texts.otherWays}</a></p>`;
      return { title, content };
    });
  }

  function showFirst(
    status: number,
    { userName = "", userEmail = "", isBadName = false, isBadAddress = false }: {
      readonly userName?: string;
      readonly userEmail?: string;
      readonly isBadName?: boolean;
      readonly isBadAddress?: boolean;
    } = {},
  ): Promise<Reply> {
    const error = (isBad: boolean, words: string) =>
      isBad ? markup`<span class="error" role="alert">${words}</span>` : undefined;
    return page(status, (texts, title) => ({
      title: texts.firstTitle(title),
      content: markup`<p>${texts.firstHint}</p>
<form method="post">
<label>${texts.yourName}<input name="userName" value="${userName}" autocomplete="name" required maxlength="200" autofocus>${
        error(isBadName, texts.badUserName)
      }</label>
<label>${texts.yourAddress}<input name="userEmail" type="email" value="${userEmail}" autocomplete="email" required>${
        error(isBadAddress, texts.badAddress)
      }</label>
<button>${texts.begin}</button>
</form>`,
    }));
  }

  async function enter(context: Context, token: string | undefined): Promise<Reply> {
    if (token === undefined) return await showEnded();
    meterOf(context.storage).count("boardcast_sign_ins_total", "invitation");
    const cookie = await cookieOf(context.storage).keep(token);
    return { status: 303, headers: { Location: studio }, cookies: [cookie] };
  }

  return [
    operation("POST", "/studio/sign-in", {
      ...guarded,
      operationId: "requestSignInCode",
      summary: "Ask for a code by mail",
      body: { userEmail: MEMBER.fields.userEmail },
      required: ["userEmail"],
      successes: [{ status: 202, description: "The same for every address." }],
      problems: ["foreign_origin", "mail_not_configured"],
      async run(context) {
        const { storage, body, now, hasMail } = context;
        if (publicUrl === undefined || !await hasMail()) return "mail_not_configured";
        mailCode(context as Context, body.userEmail, now.text);
        return { status: 202, cookies: [await asked.keep(storage, body.userEmail, now.text)] };
      },
    }),

    operation("POST", "/studio/sign-in/code", {
      ...guarded,
      operationId: "signInByCode",
      summary: "Sign in by a mailed code",
      body: {
        code: text("The code; case and hyphens don't matter.", "3KF7Q2MX", {
          parse: (text: string) => text,
        }),
      },
      required: ["code"],
      successes: [{ status: 204, description: "The browser has a session." }],
      async run({ request, storage, body, now }) {
        const at = now.text;
        const userEmail = await asked.read(storage, request, at);
        if (userEmail === undefined) return WRONG_CODE;
        const cookie = cookieOf(storage);
        const former = await cookie.read(request);
        const code = normalizeCode(body.code);
        const token = await useCode(storage, { userEmail, code, at, former, issuer });
        const outcome = token === undefined ? "refused" : "code";
        meterOf(storage).count("boardcast_sign_ins_total", outcome);
        if (token === undefined) return WRONG_CODE;
        return { status: 204, cookies: [await cookie.keep(token), await asked.drop(storage)] };
      },
    }),

    operation("POST", "/studio/sign-out", {
      ...guarded,
      operationId: "signOut",
      summary: "End the session of this browser",
      body: { everywhere: sentFlag("Whether all sessions of the member end.", { default: false }) },
      bodyOptional: true,
      successes: [{ status: 204, description: "The session has ended." }],
      async run({ request, storage, body }) {
        const cookie = cookieOf(storage);
        const token = await cookie.read(request);
        if (token !== undefined) {
          await (body.everywhere ? endAllSessions : endSession)(storage, token);
        }
        return { status: 204, cookies: [await cookie.drop()] };
      },
    }),

    operation("GET", "/studio/in/:token", {
      operationId: "showInvitation",
      summary: "Show whose invitation it is",
      isPage: true,
      successes: [FOUND_PAGE],
      async run({ storage, param, now }) {
        const invited = await readInvitation(storage, param, now.text);
        if (invited === undefined) return await showEnded();
        if (invited === "first") return await showFirst(200);
        return await page(200, (texts, title) => ({
          title: texts.welcome(title),
          content: markup`<p>${texts.invitationFor(invited.userName, invited.userEmail)}</p>
<form method="post"><button autofocus>${texts.signIn}</button></form>`,
        }));
      },
    }),

    operation("POST", "/studio/in/:token", {
      ...guarded,
      operationId: "acceptInvitation",
      summary: "Sign in by an invitation",
      isPage: true,
      body: {
        userName: text("The name of the first admin.", "Ann", { parse: (text: string) => text }),
        userEmail: text("The address of the first admin.", "ann@example.com", {
          parse: (text: string) => text,
        }),
      },
      bodyOptional: true,
      successes: [{ status: 303, description: "The browser has a session." }],
      async run(context) {
        const { request, storage, param, body, now } = context;
        const at = now.text;
        const former = await cookieOf(storage).read(request);
        const invited = await readInvitation(storage, param, at);
        if (invited !== "first") {
          return await enter(
            context as Context,
            await useInvitation(storage, param, { at, former }),
          );
        }
        const userName = parseName(body.userName ?? "");
        const userEmail = parseEmailAddress(body.userEmail ?? "");
        if (userName instanceof Refusal || userEmail instanceof Refusal) {
          return await showFirst(422, {
            userName: body.userName ?? "",
            userEmail: body.userEmail ?? "",
            isBadName: userName instanceof Refusal,
            isBadAddress: userEmail instanceof Refusal,
          });
        }
        const admin = { userEmail, userName, at, former };
        return await enter(context as Context, await useFirstLink(storage, param, admin));
      },
    }),
    ...oidc === undefined || publicUrl === undefined
      ? []
      : providerOperations({ oidc, publicUrl, isSecure, cookieOf, showProblem }),
  ];
}
