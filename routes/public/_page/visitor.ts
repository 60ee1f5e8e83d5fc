import type { Storage } from "../../../adapters/storage.ts";
import type { Post } from "../../../model/posts/post.ts";
import type { Instant } from "../../../model/values/time.ts";
import { APP_COOKIE_SECONDS, openAppCookie } from "../../../services/people/app_links.ts";
import { openBrowser, REMEMBERED_SECONDS } from "../../../services/people/browser.ts";
import { findOwnVotes, type OwnVotes } from "../../../services/people/own_votes.ts";
import { readCookie, writeCookie } from "../../_http/cookies.ts";
import type { Context } from "../../_http/operation.ts";
import type { PublicSite } from "./site.ts";
import { openCipher } from "../../../services/privacy/sealed.ts";

/** A person who votes and posts without a mail. */
export interface Visitor {
  readonly userEmail: string;
  readonly userName: string | null;
  /** The API key that vouches for the person; `null`: none, or their browser remembers them. */
  readonly keyId: string | null;
  readonly isOfApp: boolean;
  /** The last erasure of the mailbox before the proof of the address. */
  readonly erasedAt: string | null;
}

/** A person as their own pages show them: the votes, and as whom they vote. */
export interface ShownVisitor extends OwnVotes {
  /** The name of a person whom an app handed over; absent if the browser remembers them. */
  readonly name: string | undefined;
}

type Asked = Pick<Context, "request" | "storage" | "now">;

const COOKIE = "__Host-boardcast";
const RULES = { isSecure: true, sameSite: "Lax" } as const;

/** Headers of pages that differ for people whose browsers remember them. */
export const PERSONAL_HEADERS: Readonly<Record<string, string>> = {
  "Cache-Control": "private, no-store",
  "Vary": "Cookie",
};

/**
 * The header of pages whose forms check their sender: without it, browsers that lack
 * `Sec-Fetch-Site` would send no `Origin` with the forms.
 */
export const SENDS_ORIGIN: Readonly<Record<string, string>> = { "Referrer-Policy": "same-origin" };

/** Returns the person whom an app handed over, or else the one whom the browser remembers. */
export async function readVisitor(
  { request, storage, now }: Asked,
  site: PublicSite,
): Promise<Visitor | undefined> {
  if (!request.headers.has("cookie")) return undefined;
  const token = readCookie(request, appCookieOf(site).name);
  const person = token && await openAppCookie(storage, token, now.text);
  return person ? { ...person, isOfApp: true } : await readRemembered({ request, storage, now });
}

/** Returns the person whom the browser remembers, who proved their address by mail. */
export async function readRemembered(
  { request, storage, now }: Asked,
): Promise<Visitor | undefined> {
  const token = readCookie(request, COOKIE);
  const person = token && await openBrowser(storage, token, now.text);
  return person ? { ...person, userName: null, keyId: null, isOfApp: false } : undefined;
}

/** Tells whether a browser sent one of our cookies. */
export function hasCookie(request: Request, site: PublicSite): boolean {
  return [COOKIE, appCookieOf(site).name].some((name) => readCookie(request, name) !== undefined);
}

/** Returns the name of a person whom an app handed over, which pages show to the person alone. */
export function nameOfVisitor({ userEmail, userName, isOfApp }: Visitor): string | undefined {
  return isOfApp ? userName ?? userEmail : undefined;
}

/** Adds what pages show to a person: the name, and the votes for the posts on the page. */
export async function showVisitor(
  storage: Storage,
  visitor: Visitor,
  posts: readonly Post[],
): Promise<ShownVisitor> {
  return { name: nameOfVisitor(visitor), ...await findOwnVotes(storage, visitor.userEmail, posts) };
}

/**
 * Identifies the sender of a form without an address. Returns `foreign` if another site sent it;
 * the caller must then do nothing.
 */
export async function identify(
  asked: Asked,
  site: PublicSite,
): Promise<Visitor | "foreign" | undefined> {
  const visitor = await readVisitor(asked, site);
  return visitor === undefined || isOwnForm(asked.request, site) ? visitor : "foreign";
}

/** Returns the `Set-Cookie` that makes a browser remember a person. */
export function keepCookie(token: string): string {
  return writeCookie(COOKIE, token, { ...RULES, maxAge: REMEMBERED_SECONDS });
}

/** Returns the `Set-Cookie` for a person whom an app hands over. */
export function keepAppCookie(site: PublicSite, token: string): string {
  const { name, rules } = appCookieOf(site);
  return writeCookie(name, token, { ...rules, maxAge: APP_COOKIE_SECONDS });
}

/** Returns the values of `Set-Cookie` that make a browser forget a person. */
export function dropCookies(site: PublicSite): readonly string[] {
  const { name, rules } = appCookieOf(site);
  return [
    writeCookie(COOKIE, "", { ...RULES, maxAge: 0 }),
    writeCookie(name, "", { ...rules, maxAge: 0 }),
  ];
}

/** Apps are tried out on addresses without TLS, too, where `__Host-` is not allowed. */
function appCookieOf({ publicUrl }: PublicSite) {
  const isSecure = publicUrl.startsWith("https:");
  return {
    name: isSecure ? `${COOKIE}-app` : "boardcast-app",
    rules: { ...RULES, isSecure },
  };
}

/**
 * Tells whether a page of this service sent a form. Browsers tell the sender in headers that pages
 * can't set.
 */
export function isOwnForm({ headers }: Request, { publicUrl }: PublicSite): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  return headers.get("origin") === new URL(publicUrl).origin;
}

/** The hidden field with the time when the form's page was made. */
export const TIME_FIELD = "opened";

// Nobody fills in a form faster than this.
const MIN_MS = 2_000;
/** Tolerated clock difference between two processes, in milliseconds. */
const MAX_AHEAD_MS = 60_000;

/** Seals the time when a form's page is made. */
export async function sealFormTime(storage: Storage, { text }: Instant): Promise<string> {
  return (await openCipher(storage, "pending")).encrypt(`form ${text}`);
}

/**
 * Tells whether a form was filled in faster than people can, or its time is forged. A form without
 * a time comes from another page, and only its proof counts.
 */
export async function isTooFast(
  storage: Storage,
  token: string | undefined,
  { text }: Instant,
): Promise<boolean> {
  if (!token) return false;
  const sealed = (await openCipher(storage, "pending")).decrypt(token);
  if (!sealed?.startsWith("form ")) return true;
  const ageMs = Date.parse(text) - Date.parse(sealed.slice("form ".length));
  // Another process, whose clock is ahead, may have made the page. A time far ahead means that the
  // clock was set back since.
  return ageMs > -MAX_AHEAD_MS && ageMs < MIN_MS;
}
