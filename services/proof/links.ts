import type { Storage } from "../../adapters/storage.ts";
import { ERASURES } from "../../model/kinds.ts";
import { PROOF_VALID_MS } from "../../model/proof/pending.ts";
import { addMs } from "../../model/values/time.ts";
import { openLinkCipher } from "../subscriptions/unsubscribe_links.ts";
import { mailboxIdOf } from "./mailboxes.ts";

/**
 * The content of a link that proves an address: whoever opens it has read a mail to that address.
 */
export interface ProofLink {
  /** The normal form of the address. */
  readonly userEmail: string;
  /** When it was mailed (RFC 3339, UTC, milliseconds). */
  readonly mailedAt: string;
  /** When the mailbox was last erased before that: an erasure ends all links of before. */
  readonly erasedAt: string | null;
  /** Tells one state of the subscription from another. */
  readonly state: string;
}

/** The setting with the key of links. */
export const LINK_KEY = "confirmKey";

/** Seals a link; returns its token. */
export async function sealLink(storage: Storage, link: ProofLink): Promise<string> {
  return await (await openLinkCipher(storage, LINK_KEY)).encrypt(JSON.stringify(link));
}

/**
 * Opens a token, with a key that may have been replaced since; `undefined`: it is not one of ours.
 */
export async function openLink(storage: Storage, token: string): Promise<ProofLink | undefined> {
  const text = await (await openLinkCipher(storage, LINK_KEY)).decrypt(token);
  return text === undefined ? undefined : JSON.parse(text);
}

/** Tells whether a link holds still: for seven days, and not beyond an erasure. */
export async function isLinkValid(
  storage: Storage,
  { userEmail, mailedAt, erasedAt }: ProofLink,
  at: string,
): Promise<boolean> {
  if (at >= addMs(mailedAt, PROOF_VALID_MS)) return false;
  return await erasureOf(storage, userEmail) === erasedAt;
}

/** Returns when a mailbox was last erased; `null`: never. */
export async function erasureOf(storage: Storage, userEmail: string): Promise<string | null> {
  const erasure = await storage.get(ERASURES, await mailboxIdOf(storage, userEmail));
  return erasure?.erasedAt ?? null;
}
