import { crc32 } from "../crypto/crc32.ts";
import { readOrientation, turn, writeOrientation } from "./orientation.ts";
import { type CleanFile, createPieces, hasText, MAX_BLOCKS, viewOf } from "./pieces.ts";

// Chunks that are kept (PNG, third edition, sections 5 and 11); the last three are for animations.
const KEPT =
  "IHDR PLTE IDAT IEND tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV cLLI bKGD hIST pHYs sPLT " +
  "acTL fcTL fdAT";
const KEPT_TYPES = new Set(KEPT.split(" "));
/** The valid bit depths of each colour type. */
const DEPTHS: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};
/** The chunk name `eXIf`. */
const EXIF = [0x65, 0x58, 0x49, 0x66];
const SIGNATURE_BYTES = 8;
const HEADER_BYTES = 13;
const latin1 = new TextDecoder("latin1");

/**
 * Removes texts, times, Exif except the orientation, other chunks without pixels, and trailing
 * bytes from a PNG. The remaining chunks stay untouched.
 */
export const cleanPng: CleanFile = (file) => {
  const view = viewOf(file);
  const pieces = createPieces(file);
  pieces.keep(0, SIGNATURE_BYTES);
  let size: { readonly width: number; readonly height: number } | undefined;
  let orientation: number | undefined;
  let hasPixels = false;
  let blocks = 0;
  for (let at = SIGNATURE_BYTES; at + 12 <= file.length;) {
    const length = view.getUint32(at);
    const end = at + 12 + length;
    if (end > file.length || ++blocks > MAX_BLOCKS) return undefined;
    const type = latin1.decode(file.subarray(at + 4, at + 8));
    const isFirst = size === undefined;
    if (isFirst !== (type === "IHDR")) return undefined;
    if (KEPT_TYPES.has(type)) {
      if (crc32(file.subarray(at + 4, end - 4)) !== view.getUint32(end - 4)) return undefined;
      pieces.keep(at, end);
    } else if (type === "eXIf" && orientation === undefined && !hasPixels) {
      // Browsers ignore Exif after the pixels.
      orientation = readOrientation(file.subarray(at + 8, end - 4)) ?? 1;
      if (orientation > 1) pieces.put(writeExif(orientation));
    }
    if (isFirst) {
      if (length !== HEADER_BYTES || !isHeader(file.subarray(at + 8, end - 4))) return undefined;
      size = { width: view.getUint32(at + 8), height: view.getUint32(at + 12) };
    }
    hasPixels ||= type === "IDAT" && length > 0;
    if (type === "IEND") {
      return hasPixels ? { bytes: pieces.join(), ...turn(size!, orientation ?? 1) } : undefined;
    }
    at = end;
  }
  return undefined;
};

/** Writes a chunk of Exif with the orientation only. */
function writeExif(orientation: number): Uint8Array {
  const content = writeOrientation(orientation);
  const chunk = Uint8Array.of(0, 0, 0, content.length, ...EXIF, ...content, 0, 0, 0, 0);
  viewOf(chunk).setUint32(chunk.length - 4, crc32(chunk.subarray(4, -4)));
  return chunk;
}

function isHeader(header: Uint8Array): boolean {
  const [depth, colour, compression, filter, interlace] = header.subarray(8);
  return DEPTHS[colour]?.includes(depth) === true && compression === 0 && filter === 0 &&
    interlace <= 1;
}

/** Tells whether a file starts with the signature of PNG. */
export function isPng(file: Uint8Array): boolean {
  return hasText(file, 0, "\x89PNG\r\n\x1a\n");
}
