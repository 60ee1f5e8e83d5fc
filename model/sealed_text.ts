/** Seals texts under a key, and opens what it has sealed. */
export interface Sealer {
  /** Returns a token of `A-Za-z0-9_-` from which nobody without the key can tell the text. */
  seal(text: string): Promise<string>;
  /** Returns the text of a token; `undefined` for one that was not sealed under the key. */
  open(token: string): Promise<string | undefined>;
}

const ALGORITHM = "AES-GCM";
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const TOKEN = /^[A-Za-z0-9_-]+$/;

/** Creates the key of a sealer: 256 random bits, base64url without padding. */
export function generateSealKey(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(KEY_BYTES)));
}

/** Creates a sealer (AES-256-GCM, NIST SP 800-38D, with random initialisation vectors). */
export async function createSealer(key: string): Promise<Sealer> {
  const secret = await crypto.subtle.importKey("raw", fromBase64Url(key), ALGORITHM, false, [
    "encrypt",
    "decrypt",
  ]);
  return {
    async seal(text) {
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
      const sealed = await crypto.subtle.encrypt(
        { name: ALGORITHM, iv },
        secret,
        new TextEncoder().encode(text),
      );
      const bytes = new Uint8Array(IV_BYTES + sealed.byteLength);
      bytes.set(iv);
      bytes.set(new Uint8Array(sealed), IV_BYTES);
      return toBase64Url(bytes);
    },
    async open(token) {
      if (!TOKEN.test(token) || token.length % 4 === 1) return undefined;
      const bytes = fromBase64Url(token);
      // Several texts decode to the same bytes; only the one that was issued is a token.
      if (bytes.length < IV_BYTES + TAG_BYTES || toBase64Url(bytes) !== token) return undefined;
      const iv = bytes.subarray(0, IV_BYTES);
      try {
        const opened = await crypto.subtle.decrypt(
          { name: ALGORITHM, iv },
          secret,
          bytes.subarray(IV_BYTES),
        );
        return new TextDecoder().decode(opened);
      } catch {
        return undefined;
      }
    },
  };
}

/** Encodes bytes as base64url without padding (RFC 4648, section 5). */
export function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Decodes base64url. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (char) => char.charCodeAt(0));
}
