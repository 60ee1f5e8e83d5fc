// The encoders of the standard library need `ArrayBuffer.prototype.transfer`, which Node 20 lacks.

/** Bytes, or a text that is encoded as UTF-8 first. */
export type Encodable = ArrayBuffer | Uint8Array | string;

const utf8 = new TextEncoder();

// This many arguments fit into a call, and a multiple of three lets the encoded parts be joined.
const BYTES_AT_ONCE = 0x6000;

/** Encodes bytes as base64 (RFC 4648, section 4). */
export function encodeBase64(content: Encodable): string {
  const bytes = bytesOf(content);
  let text = "";
  for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + BYTES_AT_ONCE)));
  }
  return text;
}

/** Decodes base64. Throws a `DOMException` for invalid text. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

/** Encodes a few bytes as base64url without padding (RFC 4648, section 5). */
export function encodeBase64Url(content: Encodable): string {
  return encodeBase64(content).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Decodes base64url. Throws a `DOMException` for invalid text. */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return decodeBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
}

/** Encodes bytes as lower-case hexadecimal (RFC 4648, section 8). */
export function encodeHex(content: Encodable): string {
  return Array.from(bytesOf(content), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Returns the SHA-256 (FIPS 180-4) of a text in UTF-8, as base64. Web Crypto is slightly slower
 * than `node:crypto`, but needs no loading.
 */
export async function sha256(text: string): Promise<string> {
  return encodeBase64(await crypto.subtle.digest("SHA-256", utf8.encode(text)));
}

function bytesOf(content: Encodable): Uint8Array {
  if (typeof content === "string") return utf8.encode(content);
  return content instanceof Uint8Array ? content : new Uint8Array(content);
}
