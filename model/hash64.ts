/**
 * Returns a 64-bit hash of a text, in base 36: what tells versions of a record apart. Two lanes of
 * multiply and rotate, each mixed at the end. Computed at once, unlike the digests of Web Crypto, and
 * no protection against somebody who looks for collisions.
 */
export function hash64(text: string): string {
  let low = 0x9e3779b9;
  let high = 0x85ebca6b;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    low = Math.imul(low ^ unit, 0x01000193);
    low ^= low >>> 15;
    high = Math.imul(high << 5 | high >>> 27, 0xcc9e2d51) ^ Math.imul(unit + 1, 0x1b873593);
  }
  return mix(low ^ text.length).toString(36).padStart(7, "0") +
    mix(high ^ low).toString(36).padStart(7, "0");
}

function mix(value: number): number {
  let mixed = Math.imul(value ^ value >>> 16, 0x7feb352d);
  mixed = Math.imul(mixed ^ mixed >>> 15, 0x846ca68b);
  return (mixed ^ mixed >>> 16) >>> 0;
}
