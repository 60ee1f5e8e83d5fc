import type { Storage } from "../../adapters/storage.ts";
import { PROOF_VALID_MS } from "../../model/proof/pending.ts";
import { addMs } from "../../model/values/time.ts";
import { openCipher, readSealed } from "../privacy/sealed.ts";
import { erasureOf } from "../privacy/erased.ts";

/**
 * The content of a link that proves an address: a person who opens it has read mail to that
 * address.
 */
export interface ProofLink {
  /** The normal form of the address. */
  readonly userEmail: string;
  /** The time of the mail (RFC 3339, UTC, milliseconds). */
  readonly mailedAt: string;
  /** The last erasure of the mailbox before the mail: a later erasure ends the link. */
  readonly erasedAt: string | null;
  /** Identifies the state of the subscription. */
  readonly state: string;
  /** The item for which the mail was sent; `null`: none. Earlier links lack it. */
  readonly itemId?: string | null;
}

/** Seals a link; returns its token. */
export async function sealLink(storage: Storage, link: ProofLink): Promise<string> {
  return (await openCipher(storage, "proof")).encrypt(JSON.stringify(link));
}

/**
 * Opens a token, also if its key was replaced since; `undefined` if the token is not one of ours.
 */
export function openLink(storage: Storage, token: string): Promise<ProofLink | undefined> {
  return readSealed(storage, "proof", token);
}

/** Tells whether a link is still valid: for seven days, and until an erasure. */
export async function isLinkValid(
  storage: Storage,
  { userEmail, mailedAt, erasedAt }: ProofLink,
  at: string,
): Promise<boolean> {
  if (at >= addMs(mailedAt, PROOF_VALID_MS)) return false;
  return await erasureOf(storage, userEmail) === erasedAt;
}
