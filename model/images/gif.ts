import { type CleanFile, createPieces, hasText, MAX_BLOCKS, viewOf } from "./pieces.ts";

// GIF89a, section 17 on.
const IMAGE = 0x2c;
const EXTENSION = 0x21;
const TRAILER = 0x3b;
const GRAPHIC_CONTROL = 0xf9;
const APPLICATION = 0xff;
const HEADER_BYTES = 13;
/** Application extensions that contain the number of repetitions of an animation. */
const LOOPS = ["NETSCAPE2.0", "ANIMEXTS1.0"];

/**
 * Removes comments, texts, application data and trailing bytes from a GIF. The frames of an
 * animation, their durations and its repetitions stay.
 */
export const cleanGif: CleanFile = (file) => {
  if (file.length < HEADER_BYTES) return undefined;
  const view = viewOf(file);
  const pieces = createPieces(file);
  let at = HEADER_BYTES + tableBytes(file[10]);
  pieces.keep(0, at);
  let hasPixels = false;
  let blocks = 0;
  while (at < file.length) {
    const start = at;
    const block = file[at];
    if (block === TRAILER) {
      pieces.keep(at, at + 1);
      const size = { width: view.getUint16(6, true), height: view.getUint16(8, true) };
      return hasPixels ? { bytes: pieces.join(), ...size } : undefined;
    }
    if (block === IMAGE) {
      if (at + 10 > file.length) return undefined;
      at = endOfBlocks(file, at + 10 + tableBytes(file[at + 9]) + 1);
      hasPixels = true;
      pieces.keep(start, at);
    } else if (block === EXTENSION) {
      at = endOfBlocks(file, at + 2);
      const label = file[start + 1];
      const isLoop = label === APPLICATION && LOOPS.some((name) => hasText(file, start + 3, name));
      if (label === GRAPHIC_CONTROL || isLoop) pieces.keep(start, at);
    } else return undefined;
    if (at > file.length || ++blocks > MAX_BLOCKS) return undefined;
  }
  return undefined;
};

/** Returns the size of a colour table in bytes, from the flags before it. */
function tableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

/**
 * Returns the offset after a chain of blocks; an offset beyond the file if the chain has no end.
 */
function endOfBlocks(file: Uint8Array, start: number): number {
  let at = start;
  while (at < file.length && file[at] > 0) at += file[at] + 1;
  return at + 1;
}
