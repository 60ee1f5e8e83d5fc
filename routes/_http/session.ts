import type { Storage } from "../../adapters/storage.ts";
import { createLruCache } from "../../model/lru_cache.ts";
import { hashSecret } from "../../model/crypto/key_secret.ts";
import { ROLE_SCOPES } from "../../model/team/roles.ts";
import {
  cookieLetters,
  endOf,
  findSession,
  IDLE_MS,
  isLaterHour,
  isSessionToken,
  recordSessionUse,
} from "../../services/team/sessions.ts";
import { type Caller, INVALID_TOKEN } from "./credentials.ts";
import { readCookie, writeCookie } from "./cookies.ts";
import type { Instant } from "../../model/values/time.ts";
import type { Problem } from "./problem.ts";

/** The header that pages of other origins can't send, which a session needs in the API. */
export const STUDIO_HEADER = "boardcast-studio";

/** The cookie with the token of a session. */
export interface SessionCookie {
  /** Returns the token that a browser sent; `undefined` if there is none. */
  read(request: Request): Promise<string | undefined>;
  /** Returns the `Set-Cookie` that keeps a token. */
  keep(token: string): Promise<string>;
  /** Returns the `Set-Cookie` that removes the token. */
  drop(): Promise<string>;
}

/** Creates the cookie of a storage; `isSecure` where the public URL is https. */
export function createSessionCookie(
  storage: Storage,
  { isSecure }: { readonly isSecure: boolean },
): SessionCookie {
  let letters: Promise<string> | undefined;

  async function name(): Promise<string> {
    letters ??= cookieLetters(storage).catch((error) => {
      letters = undefined;
      throw error;
    });
    return `${isSecure ? "__Host-" : ""}boardcast-team-${await letters}`;
  }

  const rules = { isSecure, sameSite: "Strict" } as const;
  return {
    async read(request) {
      const token = request.headers.has("cookie") ? readCookie(request, await name()) : undefined;
      return token !== undefined && isSessionToken(token) ? token : undefined;
    },
    keep: async (token) => writeCookie(await name(), token, { ...rules, maxAge: IDLE_MS / 1_000 }),
    drop: async () => writeCookie(await name(), "", { ...rules, maxAge: 0 }),
  };
}

/**
 * Returns the caller of a request that the studio sent with a session, `invalid_token` if that has
 * ended, and `undefined` for any other request.
 */
export type SessionAuthenticator = (request: Request) => Promise<Caller | Problem | undefined>;

const REMEMBERED = 1_000;

/** Creates the authenticator for the sessions of members. */
export function createSessionAuthenticator(
  storage: Storage,
  { cookie, now }: { readonly cookie: SessionCookie; readonly now: () => Instant },
): SessionAuthenticator {
  const hashes = createLruCache<string>(REMEMBERED);
  // The hour of the last recorded use by session, so that each hour is recorded once.
  const recorded = createLruCache<string>(REMEMBERED);

  return async (request) => {
    if (request.headers.get(STUDIO_HEADER) !== "1") return undefined;
    const token = await cookie.read(request);
    if (token === undefined) return undefined;
    const sessionId = hashes.get(token) ?? await hashSecret(token);
    hashes.set(token, sessionId);
    const at = now().text;
    const found = await findSession(storage, sessionId, at);
    if (found === undefined) return INVALID_TOKEN;
    const { session, member } = found;
    const hour = at.slice(0, 13);
    if (isLaterHour(session, at) && recorded.get(sessionId) !== hour) {
      recorded.set(sessionId, hour);
      // Async, so that no request fails even if an adapter throws synchronously.
      const record = async () => await recordSessionUse(storage, sessionId, at);
      record().catch(() => {});
    }
    const { memberId, userName: name, role } = member;
    const scopes = ROLE_SCOPES[role];
    return { keyId: memberId, name, scopes, expiresAt: endOf(session), memberId };
  };
}
