import type { Storage } from "../../adapters/storage.ts";
import { hashSecret } from "../../model/crypto/key_secret.ts";
import { openAddressHash } from "../privacy/erased.ts";

/** A person at an OpenID Connect provider. */
export interface Identity {
  /** The issuer, as it is configured. */
  readonly issuer: string;
  /** The identifier of the person there: the claim `sub`. */
  readonly subject: string;
}

/** Returns the key of the record that binds a member to an identity. */
export function bindingIdOf({ issuer, subject }: Identity): Promise<string> {
  return hashSecret(JSON.stringify([issuer, subject]));
}

/** Returns the keyed hashes of an address and, if there is one, of an identity. */
export async function tracesOf(
  storage: Storage,
  { userEmail, identity }: {
    readonly userEmail: string;
    readonly identity: Identity | undefined;
  },
): Promise<readonly string[]> {
  const hash = await openAddressHash(storage);
  // The words in front keep these hashes apart from those of erased readers.
  return [
    hash(`member ${userEmail}`),
    ...identity === undefined
      ? []
      : [hash(`member ${JSON.stringify([identity.issuer, identity.subject])}`)],
  ];
}
