import { concat } from "../../std.ts";
import { decodeBase64, encodeBase64 } from "../crypto/encoding.ts";

/** The signed parts of a message. */
export interface SignedMessage {
  /** The header `webhook-id`, which is the same in every attempt. */
  readonly id: string;
  /** The header `webhook-timestamp`: the time of this attempt, in seconds since 1970. */
  readonly timestampSeconds: number;
  /** The exact bytes of the request body. */
  readonly body: Uint8Array;
}

const PREFIX = "whsec_";
const SECRET_BYTES = 32;

/**
 * Generates the secret of a webhook: `whsec_` and 32 random bytes in base64 (Standard Webhooks).
 */
export function generateWebhookSecret(): string {
  return PREFIX + encodeBase64(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));
}

/**
 * Signs a message with each secret, by HMAC-SHA-256 (RFC 2104). Returns the header
 * `webhook-signature` of Standard Webhooks: `v1,` and base64 for each, separated by spaces.
 *
 * ```ts
 * const body = new TextEncoder().encode('{"type":"test"}');
 * const message = { id: "msg_1", timestampSeconds: 1_795_255_200, body };
 * await signWebhook([generateWebhookSecret()], message);
 * ```
 */
export async function signWebhook(
  secrets: readonly string[],
  { id, timestampSeconds, body }: SignedMessage,
): Promise<string> {
  const content = concat([new TextEncoder().encode(`${id}.${timestampSeconds}.`), body]);
  const signatures = secrets.map(async (secret) => {
    const bytes = decodeBase64(secret.slice(PREFIX.length));
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign"]);
    return `v1,${encodeBase64(await crypto.subtle.sign("HMAC", key, content))}`;
  });
  return (await Promise.all(signatures)).join(" ");
}
