import { encodeBase64 } from "./encoding.ts";

/**
 * Returns the SHA-256 (FIPS 180-4) of a text in UTF-8, as base64 (RFC 4648, section 4). Web Crypto
 * is slightly slower than `node:crypto`, but needs no loading.
 */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return encodeBase64(digest);
}
