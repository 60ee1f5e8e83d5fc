/** The digits of base62, in ascending order of value. */
export const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * Returns `length` random characters from `alphabet` (at most 256), drawn uniformly by the
 * platform's cryptographic generator.
 */
export function randomText(length: number, alphabet: string = BASE62): string {
  // Bytes from this multiple of the alphabet's size on would favour its first characters.
  const fair = 256 - (256 % alphabet.length);
  let text = "";
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      if (byte < fair && text.length < length) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}
