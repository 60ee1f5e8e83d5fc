import { type CleanedFile, hasText, viewOf } from "./pieces.ts";

const ORIENTATION = 0x0112;

/**
 * Reads the orientation, 1 to 8, from Exif (a TIFF of one directory); `undefined` if there is none.
 */
export function readOrientation(tiff: Uint8Array<ArrayBuffer>): number | undefined {
  if (tiff.length < 14) return undefined;
  const isLittle = hasText(tiff, 0, "II");
  const view = viewOf(tiff);
  const start = view.getUint32(4, isLittle);
  if (start > tiff.length - 2) return undefined;
  const count = view.getUint16(start, isLittle);
  for (let n = 0, at = start + 2; n < count && at + 12 <= tiff.length; n++, at += 12) {
    if (view.getUint16(at, isLittle) !== ORIENTATION) continue;
    const value = view.getUint16(at + 8, isLittle);
    return value >= 1 && value <= 8 ? value : undefined;
  }
}

/** Writes a TIFF of Exif with the orientation only. */
export function writeOrientation(orientation: number): readonly number[] {
  const entry = [1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0];
  return [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, ...entry, 0, 0, 0, 0];
}

/** Returns the displayed size of an image; orientations from 5 on swap width and height. */
export function turn(
  { width, height }: Pick<CleanedFile, "width" | "height">,
  orientation: number,
): Pick<CleanedFile, "width" | "height"> {
  return orientation < 5 ? { width, height } : { width: height, height: width };
}
