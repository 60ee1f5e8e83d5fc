import type { Storage } from "../../adapters/storage.ts";
import { addMs } from "../../model/values/time.ts";
import { openPerson, type ProvenPerson, sealPerson } from "../privacy/sealed.ts";

/** The time for which a browser's cookie identifies a person, in seconds. */
export const REMEMBERED_SECONDS: number = 90 * 86_400;

/** Seals an address for the cookie of a browser. */
export function sealBrowser(storage: Storage, userEmail: string, at: string): Promise<string> {
  const expiresAt = addMs(at, REMEMBERED_SECONDS * 1_000);
  return sealPerson(storage, "browser", { userEmail, expiresAt });
}

/**
 * Returns the person in a cookie; `undefined` if the cookie is not ours, has expired or was ended.
 */
export function openBrowser(
  storage: Storage,
  token: string,
  at: string,
): Promise<ProvenPerson | undefined> {
  return openPerson(storage, { purpose: "browser", token }, at);
}
