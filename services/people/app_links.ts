import type { Storage } from "../../adapters/storage.ts";
import { APP_LINKS } from "../../model/proof/app_link.ts";
import { generateId } from "../../model/values/record_id.ts";
import { addMs } from "../../model/values/time.ts";
import { hasSession } from "../team/sessions.ts";
import { isLiveKeyId } from "../keys/api_keys.ts";
import { newRecord } from "../records.ts";
import { openPerson, type ProvenPerson, readSealed, sealPerson } from "../privacy/sealed.ts";

/** The time for which a browser acts for the person whom an app handed over, in seconds. */
export const APP_COOKIE_SECONDS = 3_600;

/** A person for whom an app vouches. */
export interface VouchedPerson {
  /** The normal form of the address. */
  readonly userEmail: string;
  readonly userName: string | null;
  /** The API key of the app; `null` where none was used. */
  readonly keyId: string | null;
}

type SealedPerson = VouchedPerson & {
  /** The record that using the link removes; `null`: the cookie of a browser that used it. */
  readonly linkId: string | null;
  /** The page that the link opens, such as `/boards/ideas`; `null` in a cookie. */
  readonly path: string | null;
};

const LINK_MS = 600_000;

/** Creates a single-use link that opens a page as a person; returns its token and its expiry. */
export async function createAppLink(
  storage: Storage,
  { path, ...person }: VouchedPerson & { readonly path: string },
  at: string,
): Promise<{ readonly token: string; readonly expiresAt: string }> {
  const linkId = generateId();
  const expiresAt = addMs(at, LINK_MS);
  const created = newRecord(APP_LINKS, { linkId, expiresAt });
  await storage.transact({}, () => ({ answer: undefined, create: [created] }));
  return { token: await seal(storage, { ...person, linkId, path, expiresAt }), expiresAt };
}

/**
 * Returns the page that a link opens, without using the link; `undefined` if the token is not one
 * of ours.
 */
export async function readAppLink(storage: Storage, token: string): Promise<string | undefined> {
  const sealed = await readSealed<SealedPerson>(storage, "app", token);
  return sealed?.linkId == null ? undefined : sealed.path ?? undefined;
}

/**
 * Uses a link. Returns the token for the cookie of the browser; `undefined` if the link was used
 * before or has expired, if its key has ended, or if the person was erased since.
 */
export async function useAppLink(
  storage: Storage,
  token: string,
  at: string,
): Promise<string | undefined> {
  const sealed = await openVouched(storage, token, at);
  if (sealed?.linkId == null) return undefined;
  const { linkId, userEmail, userName, keyId } = sealed;
  const refs = { link: { kind: APP_LINKS, key: linkId } };
  const isFirst = await storage.transact(refs, ({ link }) => ({
    answer: link !== undefined,
    remove: ["link"],
  }));
  if (!isFirst) return undefined;
  const expiresAt = addMs(at, APP_COOKIE_SECONDS * 1_000);
  return await seal(storage, { userEmail, userName, keyId, linkId: null, path: null, expiresAt });
}

/** Returns the person in the cookie of a browser that used a link. */
export async function openAppCookie(
  storage: Storage,
  token: string,
  at: string,
): Promise<VouchedPerson & ProvenPerson | undefined> {
  const sealed = await openVouched(storage, token, at);
  return sealed?.linkId === null ? sealed : undefined;
}

/** Opens the token of a person for whom a key still vouches. */
async function openVouched(
  storage: Storage,
  token: string,
  at: string,
): Promise<SealedPerson & ProvenPerson | undefined> {
  const person = await openPerson<SealedPerson>(storage, { purpose: "app", token }, at);
  if (person === undefined) return undefined;
  const { keyId } = person;
  const isVouched = await isLiveKeyId(storage, keyId, at) ||
    keyId !== null && await hasSession(storage, keyId, at);
  return isVouched ? person : undefined;
}

function seal(
  storage: Storage,
  person: SealedPerson & { readonly expiresAt: string },
): Promise<string> {
  return sealPerson(storage, "app", person);
}
