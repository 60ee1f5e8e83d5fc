import type { Storage } from "../../adapters/storage.ts";
import { type Cipher, createCipher, generateSecretKey } from "../../model/crypto/cipher.ts";
import { SETTINGS } from "../../model/kinds.ts";
import { getSetting } from "../records.ts";
import { erasureOf } from "./erased.ts";

/** The settings with the keys of sealed texts: each purpose has a key of its own. */
const KEYS = {
  /** Links to unsubscribe, which never end. */
  unsubscribe: "unsubscribeKey",
  /** Links in mails that prove an address. */
  proof: "confirmKey",
  /** Cookies of browsers that remember a person. */
  browser: "browserKey",
  /** Links of apps that hand a person over, and the cookies that follow. */
  app: "appLinkKey",
  /** Texts that wait in storage for the proof of an address, and the times of forms. */
  pending: "pendingKey",
  /** Links to entries that are not public yet. */
  preview: "previewKey",
  /** Cookies of members who are signing in. */
  signIn: "signInKey",
  /** Codes and invitations whose mail waits. */
  teamMail: "teamMailKey",
} as const;

/** The use of a sealed text. */
export type Purpose = keyof typeof KEYS;

/** The setting with the time at which all earlier links and cookies of people ended. */
export const ROTATED_AT = "linksEndedAt";
/** The purposes whose texts prove who a person is. */
const PROVING: readonly Purpose[] = ["proof", "browser", "app"];

/** Opens the cipher for a purpose; the first call creates its key in storage. */
export async function openCipher(storage: Storage, purpose: Purpose): Promise<Cipher> {
  return await createCipher(await getSetting(storage, KEYS[purpose], generateSecretKey));
}

/** Returns a function that opens the cipher of one storage once, and caches it. */
export function createCipherCache(purpose: Purpose): (storage: Storage) => Promise<Cipher> {
  let cipher: Promise<Cipher> | undefined;
  return function getCipher(storage) {
    cipher ??= openCipher(storage, purpose).catch((error) => {
      cipher = undefined;
      throw error;
    });
    return cipher;
  };
}

/** A person whose address a token proves. */
export interface ProvenPerson {
  /** The normal form of the address. */
  readonly userEmail: string;
  /** The last erasure of the mailbox before the token was made: a later erasure ends it. */
  readonly erasedAt: string | null;
}

/** Seals a person, and what else a token says, until a time (RFC 3339, UTC, milliseconds). */
export async function sealPerson(
  storage: Storage,
  purpose: Purpose,
  person: Pick<ProvenPerson, "userEmail"> & { readonly expiresAt: string },
): Promise<string> {
  const erasedAt = await erasureOf(storage, person.userEmail);
  return (await openCipher(storage, purpose)).encrypt(
    JSON.stringify({ ...person, erasedAt }),
  );
}

/** Opens a token, whether it has ended or not; `undefined` if it is not one of ours. */
export async function readSealed<T>(
  storage: Storage,
  purpose: Purpose,
  token: string,
): Promise<T | undefined> {
  const text = (await openCipher(storage, purpose)).decrypt(token);
  return text === undefined ? undefined : JSON.parse(text);
}

/** Opens the token of a person; `undefined` if it is not one of ours, has expired or was ended. */
export async function openPerson<T>(
  storage: Storage,
  { purpose, token }: { readonly purpose: Purpose; readonly token: string },
  at: string,
): Promise<ProvenPerson & T | undefined> {
  type Sealed = ProvenPerson & T & { readonly expiresAt: string };
  const sealed = await readSealed<Sealed>(storage, purpose, token);
  if (sealed === undefined || at >= sealed.expiresAt) return undefined;
  return await erasureOf(storage, sealed.userEmail) === sealed.erasedAt ? sealed : undefined;
}

/**
 * Replaces the keys behind cookies and links that prove who a person is, and so ends all of them,
 * at a time (RFC 3339, UTC, milliseconds).
 */
export async function rotatePeopleKeys(storage: Storage, at: string): Promise<void> {
  const values: Record<string, string> = { [ROTATED_AT]: at };
  for (const purpose of PROVING) values[KEYS[purpose]] = generateSecretKey();
  const names = Object.keys(values);
  const refs = Object.fromEntries(names.map((key) => [key, { kind: SETTINGS, key }]));
  const put = Object.fromEntries(
    names.map((settingId) => [settingId, { settingId, value: values[settingId] }]),
  );
  await storage.transact(refs, () => ({ answer: undefined, put }));
}
