import { concat } from "../../std.ts";
import { decodeBase64Url, encodeBase64Url } from "./encoding.ts";

/** Encrypts texts under a key, and decrypts the tokens that it issued. */
export interface Cipher {
  /** Returns a token of `A-Za-z0-9_-`; only the key reveals its text. */
  encrypt(text: string): string;
  /** Returns the text of a token, or `undefined` if it was not encrypted under the key. */
  decrypt(token: string): string | undefined;
}

const KEY_BYTES = 32;
/** The length of an initialisation vector (NIST SP 800-38D, section 5.2.1.1). */
const VECTOR_BYTES = 12;
const TAG_BYTES = 16;
const ALGORITHM = "aes-256-gcm";

/** Creates the key of a cipher or of a keyed hash: 256 random bits, base64url without padding. */
export function generateSecretKey(): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(KEY_BYTES)));
}

/** Creates a cipher (AES-256-GCM, NIST SP 800-38D, with random initialisation vectors). */
export async function createCipher(key: string): Promise<Cipher> {
  const { createCipheriv, createDecipheriv } = await loadCrypto();
  const secret = decodeBase64Url(key);
  return {
    encrypt(text) {
      const iv = crypto.getRandomValues(new Uint8Array(VECTOR_BYTES));
      const cipher = createCipheriv(ALGORITHM, secret, iv);
      const parts = [cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
      return encodeBase64Url(concat([iv, ...parts]));
    },
    decrypt(token) {
      try {
        const bytes = decodeBase64Url(token);
        // Base64 has several texts for the same bytes. Accept only the one that was issued.
        if (encodeBase64Url(bytes) !== token) return undefined;
        const end = bytes.length - TAG_BYTES;
        if (end < VECTOR_BYTES) return undefined;
        const decipher = createDecipheriv(ALGORITHM, secret, bytes.subarray(0, VECTOR_BYTES));
        decipher.setAuthTag(bytes.subarray(end));
        const parts = [decipher.update(bytes.subarray(VECTOR_BYTES, end)), decipher.final()];
        return new TextDecoder().decode(concat(parts));
      } catch {
        return undefined;
      }
    },
  };
}

/** Returns the keyed hash of a text; without the key, the hash reveals nothing about the text. */
export type KeyedHash = (text: string) => string;

/** Creates a hash (HMAC-SHA-256, RFC 2104, as base64url) with a key in base64url. */
export async function createKeyedHash(key: string): Promise<KeyedHash> {
  const { createHmac } = await loadCrypto();
  const secret = decodeBase64Url(key);
  return (text) => createHmac("sha256", secret).update(text).digest("base64url");
}

/** Loads what transactions can call, unlike Web Crypto. Loading takes 11 ms, which starts save. */
function loadCrypto() {
  return import("node:crypto");
}
