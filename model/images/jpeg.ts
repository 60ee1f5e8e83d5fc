import { readOrientation, turn, writeOrientation } from "./orientation.ts";
import { type CleanFile, createPieces, hasText, MAX_BLOCKS, viewOf } from "./pieces.ts";

// ITU-T T.81, table B.1.
const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
const APP0 = 0xe0;
const APP1 = 0xe1;
/** Frames that browsers show: baseline, extended and progressive. */
const FRAMES = [0xc0, 0xc1, 0xc2];
/** Frames in compressions that no browser knows. */
const OTHER_FRAMES = [0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf];
/** Markers of tables, and of the restart interval. */
const TABLES = [0xc4, 0xdb, 0xdd];
/** Signatures of the segments that define colours, by marker. */
const COLOUR: Readonly<Record<number, string>> = { 0xe2: "ICC_PROFILE\0", 0xee: "Adobe" };
const JFIF_BYTES = 18;

/**
 * Removes everything from a JPEG but its picture, colours and orientation: place, camera, comments,
 * previews and trailing bytes. The pixels stay untouched.
 */
export const cleanJpeg: CleanFile = (file) => {
  const view = viewOf(file);
  const head = createPieces(file);
  const rest = createPieces(file);
  let size: { readonly width: number; readonly height: number } | undefined;
  let orientation = 1;
  let hasScan = false;
  head.keep(0, 2);
  let blocks = 0;
  for (let at = 2; at + 2 <= file.length;) {
    if (file[at] !== 0xff || ++blocks > MAX_BLOCKS) return undefined;
    const marker = file[at + 1];
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (marker === EOI) {
      if (size === undefined || !hasScan) return undefined;
      rest.keep(at, at + 2);
      if (orientation > 1) head.put(writeExif(orientation));
      head.put(rest.join());
      return { bytes: head.join(), ...turn(size, orientation) };
    }
    const hasLength = marker > SOI || (marker >= 0xc0 && marker < 0xd0);
    if (!hasLength || at + 4 > file.length) return undefined;
    const length = view.getUint16(at + 2);
    const end = at + 2 + length;
    if (length < 2 || end > file.length || OTHER_FRAMES.includes(marker)) return undefined;
    let next = end;
    if (FRAMES.includes(marker)) {
      if (size !== undefined || length < 11 || length !== 8 + 3 * file[at + 9]) return undefined;
      size = { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
      rest.keep(at, end);
    } else if (marker === SOS) {
      if (size === undefined) return undefined;
      hasScan = true;
      next = endOfScan(file, end);
      rest.keep(at, next);
    } else if (TABLES.includes(marker)) {
      rest.keep(at, end);
    } else if (marker === APP0 && at === 2 && length >= 16 && hasText(file, at + 4, "JFIF\0")) {
      head.put(writeJfif(file.subarray(at, at + JFIF_BYTES)));
    } else if (marker === APP1 && hasText(file, at + 4, "Exif\0\0")) {
      orientation = readOrientation(file.subarray(at + 10, end)) ?? orientation;
    } else if (COLOUR[marker] !== undefined && hasText(file, at + 4, COLOUR[marker])) {
      rest.keep(at, end);
    }
    at = next;
  }
  return undefined;
};

/** Finds the marker that ends a scan's data; the data may contain restart markers. */
function endOfScan(file: Uint8Array, start: number): number {
  for (let at = start; at < file.length - 1; at++) {
    if (file[at] !== 0xff) continue;
    const next = file[at + 1];
    const isData = next === 0 || next === 0xff || (next >= 0xd0 && next <= 0xd7);
    if (!isData) return at;
  }
  return file.length;
}

/** Writes the header of JFIF without a thumbnail. */
function writeJfif(segment: Uint8Array): Uint8Array {
  const head = segment.slice();
  head.set([0, JFIF_BYTES - 2], 2);
  head.set([0, 0], JFIF_BYTES - 2);
  return head;
}

/** Writes a segment of Exif with the orientation only. */
function writeExif(orientation: number): Uint8Array {
  const exif = [0x45, 0x78, 0x69, 0x66, 0, 0, ...writeOrientation(orientation)];
  return Uint8Array.of(0xff, APP1, 0, exif.length + 2, ...exif);
}
