import type { Storage } from "../../../adapters/storage.ts";
import { openAppPerson } from "../../../services/people/app_links.ts";
import { openBrowser, REMEMBERED_SECONDS } from "../../../services/people/browser.ts";
import { readCookie, writeCookie } from "../../_http/cookies.ts";
import type { Context } from "../../_http/operation.ts";
import type { PublicSite } from "./site.ts";

/** A person whom a browser remembers. */
export interface Viewer {
  readonly userEmail: string;
}

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

/** Reads the cookie of a request, and returns the person whom the browser remembers. */
export async function readViewer(
  { request, storage, now }: Pick<Context, "request" | "storage" | "now">,
): Promise<Viewer | undefined> {
  const token = readToken(request);
  if (token === undefined) return undefined;
  const userEmail = await openBrowser(storage, token, now.text);
  return userEmail === undefined ? undefined : { userEmail };
}

/** Returns the token of the cookie; `undefined` if there is none or more than one. */
export function readToken(request: Request): string | undefined {
  return readCookie(request, COOKIE);
}

/** Returns the header that makes a browser keep a token. */
export function keepCookie(token: string): Readonly<Record<string, string>> {
  return { "Set-Cookie": writeCookie(COOKIE, token, { ...RULES, maxAge: REMEMBERED_SECONDS }) };
}

/** Returns the header that makes a browser drop the token. */
export function dropCookie(): Readonly<Record<string, string>> {
  return { "Set-Cookie": writeCookie(COOKIE, "", { ...RULES, maxAge: 0 }) };
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

/** The identity of a person who sends a form of a board, and the API key that vouches for it. */
export interface FormPerson extends Viewer {
  readonly userName: string | null;
  readonly keyId: string | null;
  readonly isOfApp: boolean;
}

/**
 * Identifies the sender of a form without an address. Returns `foreign` if another site sent it;
 * the caller must then do nothing.
 */
export async function identify(
  { request, storage, now }: Pick<Context, "request" | "storage" | "now">,
  { site, boardId, person }: {
    readonly site: PublicSite;
    readonly boardId: string;
    /** The sealed identity in forms on an app's page. */
    readonly person: string | undefined;
  },
): Promise<FormPerson | "foreign" | undefined> {
  if (person) return await openPerson(storage, { token: person, boardId }, now.text);
  const viewer = await readViewer({ request, storage, now });
  if (viewer === undefined) return undefined;
  if (!isOwnForm(request, site)) return "foreign";
  return { ...viewer, userName: null, keyId: null, isOfApp: false };
}

async function openPerson(
  storage: Storage,
  form: { readonly token: string; readonly boardId: string },
  at: string,
): Promise<FormPerson | undefined> {
  const person = await openAppPerson(storage, form, at);
  if (person === undefined) return undefined;
  const { userEmail, userName, keyId } = person;
  return { userEmail, userName, keyId, isOfApp: true };
}
