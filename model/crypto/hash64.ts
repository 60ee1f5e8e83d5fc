const PRIME = 0x1b3;
const utf8 = new TextEncoder();

/**
 * Returns FNV-1a (Fowler, Noll and Vo) of 64 bits of bytes, or of a text in UTF-8, as 16 hexadecimal
 * digits: what tells versions of a record apart. Computed at once, unlike the digests of Web Crypto,
 * and no protection against somebody who looks for collisions.
 */
export function hash64(content: string | Uint8Array): string {
  const bytes = typeof content === "string" ? utf8.encode(content) : content;
  let low = 0x84222325;
  let high = 0xcbf29ce4;
  for (let i = 0; i < bytes.length; i++) {
    // The product with the prime, 2^40 + 0x1b3, in parts that fit into integers of 32 bits.
    low ^= bytes[i];
    const first = (low & 0xffff) * PRIME;
    const second = (low >>> 16) * PRIME + (first >>> 16);
    high = Math.imul(high, PRIME) + (low << 8) + (second >>> 16) | 0;
    low = second << 16 | first & 0xffff;
  }
  return [high, low].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
}
