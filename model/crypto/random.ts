/** The digits of base62, in ascending order of value. */
export const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * Returns `length` characters, each drawn uniformly from `alphabet` (at most 256 characters)
 * by the platform's cryptographic random number generator.
 */
export function randomText(length: number, alphabet: string = BASE62): string {
  // Bytes at or above the largest multiple of the alphabet's size would favour its start.
  const fair = 256 - (256 % alphabet.length);
  let text = "";
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      if (byte < fair && text.length < length) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}
