import type { Cipher } from "../../model/crypto/cipher.ts";

/** The owner of an unsubscribe link. */
export interface LinkOwner {
  readonly userEmail: string;
  /** Whether the link ends only requests to be told of posts, and no subscription. */
  readonly endsAsksOnly: boolean;
}

// The space keeps this prefix apart from addresses.
const ASKS = "asks ";

/** Returns the link that unsubscribes an address, or ends only its asks. It never expires. */
export function createUnsubscribeLink(
  cipher: Cipher,
  publicUrl: string,
  userEmail: string,
  { endsAsksOnly = false }: Partial<Pick<LinkOwner, "endsAsksOnly">> = {},
): string {
  const token = cipher.encrypt(`${endsAsksOnly ? ASKS : ""}${userEmail}`);
  return `${publicUrl}/unsubscribe/${token}`;
}

/** Returns the owner of a token's link; `undefined` if the token is not ours. */
export function openUnsubscribeToken(cipher: Cipher, token: string): LinkOwner | undefined {
  const text = cipher.decrypt(token);
  if (text === undefined) return undefined;
  const endsAsksOnly = text.startsWith(ASKS);
  return { userEmail: endsAsksOnly ? text.slice(ASKS.length) : text, endsAsksOnly };
}
