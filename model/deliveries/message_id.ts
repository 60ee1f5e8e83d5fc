import type { Entry } from "../entries/entry.ts";
import { sha256 } from "../crypto/sha256.ts";

const OWN = /^<?([A-Za-z0-9+/]{43}=)@/;

/**
 * Returns what stands before the `@` in the `Message-ID` of the mail of an entry to one person; `test`
 * is unique where it is a test.
 */
export function mailHash(
  { entryId, createdAt }: Pick<Entry, "entryId" | "createdAt">,
  userEmail: string,
  test: string = "",
): Promise<string> {
  return sha256([entryId, createdAt, userEmail, test].join(" "));
}

/** Returns that of a `Message-ID`; `undefined` for one that isn't ours, as providers replace it. */
export function findMailHash(messageId: string): string | undefined {
  return OWN.exec(messageId)?.[1];
}
