const POLYNOMIAL = 0xedb88320;
/** Number of bytes per step. */
const SLICES = 8;
const TABLES: readonly Int32Array[] = createTables();

/**
 * Returns the CRC-32 (ISO/IEC 13239, as in gzip) of bytes; `before` is the CRC-32 of preceding
 * bytes. Uses tables for eight bytes at a time (M. E. Kounavis and F. L. Berry, 2008, "Novel Table
 * Lookup-Based Algorithms for High-Performance CRC Generation"), because loading `node:zlib` takes
 * longer than the whole start of a process.
 */
export function crc32(bytes: Uint8Array, before = 0): number {
  const [t0, t1, t2, t3, t4, t5, t6, t7] = TABLES;
  let crc = ~before;
  let at = 0;
  for (const end = bytes.length - SLICES; at <= end; at += SLICES) {
    crc ^= bytes[at] | bytes[at + 1] << 8 | bytes[at + 2] << 16 | bytes[at + 3] << 24;
    crc = t7[crc & 0xff] ^ t6[crc >>> 8 & 0xff] ^ t5[crc >>> 16 & 0xff] ^ t4[crc >>> 24] ^
      t3[bytes[at + 4]] ^ t2[bytes[at + 5]] ^ t1[bytes[at + 6]] ^ t0[bytes[at + 7]];
  }
  for (; at < bytes.length; at++) crc = crc >>> 8 ^ t0[(crc ^ bytes[at]) & 0xff];
  return ~crc >>> 0;
}

/** The first table holds the CRC of each byte. Each further table appends one zero byte. */
function createTables(): readonly Int32Array[] {
  const tables = Array.from({ length: SLICES }, () => new Int32Array(256));
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc >>> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
    tables[0][byte] = crc;
  }
  for (let slice = 1; slice < SLICES; slice++) {
    for (let byte = 0; byte < 256; byte++) {
      const crc = tables[slice - 1][byte];
      tables[slice][byte] = crc >>> 8 ^ tables[0][crc & 0xff];
    }
  }
  return tables;
}
