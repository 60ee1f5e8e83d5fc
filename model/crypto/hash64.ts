const PRIME = 0x1b3;
const utf8 = new TextEncoder();

/**
 * Returns the 64-bit FNV-1a hash (Fowler, Noll and Vo) of bytes, or of a text in UTF-8, as 16
 * hexadecimal digits. It identifies versions of a record. Unlike the digests of Web Crypto, it is
 * synchronous, and not resistant to deliberate collisions.
 */
export function hash64(content: string | Uint8Array): string {
  const bytes = typeof content === "string" ? utf8.encode(content) : content;
  let low = 0x84222325;
  let high = 0xcbf29ce4;
  for (let i = 0; i < bytes.length; i++) {
    // Multiplies by the prime, 2^40 + 0x1b3, in parts that fit into 32-bit integers.
    low ^= bytes[i];
    const first = (low & 0xffff) * PRIME;
    const second = (low >>> 16) * PRIME + (first >>> 16);
    high = Math.imul(high, PRIME) + (low << 8) + (second >>> 16) | 0;
    low = second << 16 | first & 0xffff;
  }
  return [high, low].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
}
