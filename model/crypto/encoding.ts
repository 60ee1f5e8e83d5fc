// The encoders of the standard library need `ArrayBuffer.prototype.transfer`, which Node 20 lacks.

/** Bytes, or a text that is encoded as UTF-8 first. */
export type Encodable = ArrayBuffer | Uint8Array | string;

const utf8 = new TextEncoder();

/** Encodes a few bytes as base64 (RFC 4648, section 4). */
export function encodeBase64(content: Encodable): string {
  return btoa(String.fromCharCode(...bytesOf(content)));
}

/** Decodes base64. Throws a `DOMException` for a text that is none. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

/** Encodes a few bytes as base64url without padding (RFC 4648, section 5). */
export function encodeBase64Url(content: Encodable): string {
  return encodeBase64(content).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Decodes base64url. Throws a `DOMException` for a text that is none. */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return decodeBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
}

/** Encodes bytes in hexadecimal, in lower case (RFC 4648, section 8). */
export function encodeHex(content: Encodable): string {
  return Array.from(bytesOf(content), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function bytesOf(content: Encodable): Uint8Array {
  if (typeof content === "string") return utf8.encode(content);
  return content instanceof Uint8Array ? content : new Uint8Array(content);
}
