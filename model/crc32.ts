const POLYNOMIAL = 0xedb88320;

/**
 * Returns the CRC-32 (ISO/IEC 13239, as in gzip) of an ASCII text. Keys are short and seldom
 * checked, so a table would cost more than it saves.
 */
export function crc32(text: string): number {
  let crc = ~0;
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i);
    for (let bit = 0; bit < 8; bit++) crc = crc >>> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
  }
  return ~crc >>> 0;
}
