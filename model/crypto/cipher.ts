import { decryptAesGcm, encryptAesGcm } from "@std/crypto/aes-gcm";
import { decodeBase64Url, encodeBase64Url } from "./encoding.ts";

/** Encrypts texts under a key, and decrypts what it has encrypted. */
export interface Cipher {
  /** Returns a token of `A-Za-z0-9_-` from which nobody without the key can tell the text. */
  encrypt(text: string): Promise<string>;
  /** Returns the text of a token; `undefined` for one that was not encrypted under the key. */
  decrypt(token: string): Promise<string | undefined>;
}

const KEY_BYTES = 32;

/** Creates the key of a cipher or of a keyed hash: 256 random bits, base64url without padding. */
export function generateSecretKey(): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(KEY_BYTES)));
}

/** Creates a cipher (AES-256-GCM, NIST SP 800-38D, with random initialisation vectors). */
export async function createCipher(key: string): Promise<Cipher> {
  const secret = await crypto.subtle.importKey("raw", decodeBase64Url(key), "AES-GCM", false, [
    "encrypt",
    "decrypt",
  ]);
  return {
    encrypt: async (text) =>
      encodeBase64Url(await encryptAesGcm(secret, new TextEncoder().encode(text))),
    async decrypt(token) {
      try {
        const bytes = decodeBase64Url(token);
        // Several texts decode to the same bytes; only the one that was issued is a token.
        if (encodeBase64Url(bytes) !== token) return undefined;
        return new TextDecoder().decode(await decryptAesGcm(secret, bytes));
      } catch {
        return undefined;
      }
    },
  };
}

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
