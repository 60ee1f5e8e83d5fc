const POLYNOMIAL = 0x82f63b78;
const SLICES = 8;
const TABLE = createTable();

/**
 * Returns the CRC-32C (RFC 3720, appendix B.4) of `bytes` from `start` to `end`, or of what
 * came before and them, where `previous` is the result for what came before.
 */
export function crc32c(
  bytes: Uint8Array,
  start: number,
  options: { readonly end?: number; readonly previous?: number } = {},
): number {
  const end = options.end ?? bytes.length;
  let crc = ~(options.previous ?? 0);
  let i = start;
  // Eight bytes a round, each looked up in the table of its distance from the end of the round.
  for (const last = end - SLICES; i <= last; i += SLICES) {
    crc ^= bytes[i] | bytes[i + 1] << 8 | bytes[i + 2] << 16 | bytes[i + 3] << 24;
    crc = TABLE[1792 + (crc & 255)] ^ TABLE[1536 + (crc >>> 8 & 255)] ^
      TABLE[1280 + (crc >>> 16 & 255)] ^ TABLE[1024 + (crc >>> 24)] ^
      TABLE[768 + bytes[i + 4]] ^ TABLE[512 + bytes[i + 5]] ^
      TABLE[256 + bytes[i + 6]] ^ TABLE[bytes[i + 7]];
  }
  for (; i < end; i++) crc = crc >>> 8 ^ TABLE[(crc ^ bytes[i]) & 255];
  return ~crc >>> 0;
}

/** Writes a checksum as eight lower-case hexadecimal digits. */
export function formatCrc(crc: number): string {
  return crc.toString(16).padStart(8, "0");
}

function createTable(): Int32Array {
  const table = new Int32Array(256 * SLICES);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc >>> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
    table[byte] = crc;
  }
  for (let i = 256; i < table.length; i++) {
    const crc = table[i - 256];
    table[i] = crc >>> 8 ^ table[crc & 255];
  }
  return table;
}
