import { decodeBase64Url, encodeBase64Url } from "./encoding.ts";

/** Returns the hash of a text, from which nobody without the key can tell the text. */
export type KeyedHash = (text: string) => Promise<string>;

/** Creates a hash (HMAC-SHA-256, RFC 2104, as base64url) with a key in base64url. */
export async function createKeyedHash(key: string): Promise<KeyedHash> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const secret = await crypto.subtle.importKey("raw", decodeBase64Url(key), algorithm, false, [
    "sign",
  ]);
  return async (text) => {
    return encodeBase64Url(
      await crypto.subtle.sign("HMAC", secret, new TextEncoder().encode(text)),
    );
  };
}
