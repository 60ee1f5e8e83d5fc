import type { Storage } from "../../adapters/storage.ts";
import { createKeyedHash, generateSecretKey } from "../../model/crypto/cipher.ts";
import { decodeBase64Url, encodeHex } from "../../model/crypto/encoding.ts";
import { TAG_LENGTH } from "../../model/bounces/bounce_event.ts";
import type { Entry } from "../../model/entries/entry.ts";
import { getSetting } from "../records.ts";

/**
 * Creates and checks `Message-ID`s. A returned mail proves by its id which mail it is, because only
 * the owner of the key in storage can compute the id.
 */
export interface MailIds {
  /**
   * Returns the part of a `Message-ID` before the `@`; it is the same for the same mail and person.
   */
  create(mail: string, userEmail: string): Promise<string>;
  /** Tells whether the part before the `@` belongs to a mail to this person. */
  isTo(id: string, userEmail: string): Promise<boolean>;
  /** Tells whether the part before the `@` belongs to this mail, to any person. */
  isOf(id: string, mail: string): Promise<boolean>;
  /** Returns the part of the envelope sender that identifies a person: 32 digits. */
  tagOf(userEmail: string): Promise<string>;
}

const KEY = "mailIdKey";
// This many characters of base64url hold 132 bits of a keyed hash.
const LENGTH = 22;

/** Opens the {@linkcode MailIds} of a storage, and creates their key once. */
export async function openMailIds(storage: Storage): Promise<MailIds> {
  const hash = await createKeyedHash(await getSetting(storage, KEY, generateSecretKey));
  const nameOf = async (mail: string) => (await hash(`mail ${mail}`)).slice(0, LENGTH);
  const sign = async (name: string, userEmail: string) =>
    `${name}.${(await hash(`to ${name} ${userEmail}`)).slice(0, LENGTH)}`;
  return {
    create: async (mail, userEmail) => await sign(await nameOf(mail), userEmail),
    isTo: async (id, userEmail) => await sign(id.slice(0, LENGTH), userEmail) === id,
    isOf: async (id, mail) => id.slice(0, LENGTH) === await nameOf(mail),
    tagOf: async (userEmail) =>
      encodeHex(decodeBase64Url(await hash(`tag ${userEmail}`))).slice(0, TAG_LENGTH),
  };
}

/**
 * Returns a text that identifies the mail of an entry; `test` is a unique text for each test mail.
 */
export function nameEntryMail(
  { entryId, createdAt }: Pick<Entry, "entryId" | "createdAt">,
  test = "",
): string {
  return [entryId, createdAt, test].join(" ");
}
