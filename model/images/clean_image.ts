import { encodeHex } from "../crypto/encoding.ts";
import { cleanGif } from "./gif.ts";
import { type ImageType, writeImageId } from "./image.ts";
import { cleanJpeg } from "./jpeg.ts";
import { type CleanFile, hasText } from "./pieces.ts";
import { cleanPng, isPng } from "./png.ts";
import { cleanWebp } from "./webp.ts";

/** An image as it is kept. */
export interface CleanImage {
  /** The start of the hash of its bytes, with its size and kind. */
  readonly imageId: string;
  readonly type: ImageType;
  /** How large it is shown, in pixels. */
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

// What browsers of phones can still show, and its area as photos have it at most.
const MAX_SIDE = 65_535;
const MAX_PIXELS = 64_000_000;
const HASH_BYTES = 8;

/**
 * Judges an image by its bytes, whatever it is called, and removes where, when and by what it was taken.
 * Cleaned once more, it stays the same. Returns why it can't be taken, for people, if it can't.
 */
export async function cleanImage(file: Uint8Array<ArrayBuffer>): Promise<CleanImage | string> {
  const found = typeOf(file);
  if (found === undefined) return "The body is no PNG, JPEG, GIF or WebP";
  const [type, clean] = found;
  const cleaned = clean(file);
  if (cleaned === undefined) return `The ${type.slice(6).toUpperCase()} is damaged or cut short`;
  const { width, height, bytes } = cleaned;
  const isShown = width > 0 && height > 0 && Math.max(width, height) <= MAX_SIDE;
  if (!isShown || width * height > MAX_PIXELS) {
    return `The image has ${width} × ${height} pixels; at most ${MAX_PIXELS} are taken`;
  }
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  const hash = encodeHex(digest.slice(0, HASH_BYTES));
  return { imageId: writeImageId({ hash, width, height, type }), type, width, height, bytes };
}

function typeOf(file: Uint8Array): readonly [ImageType, CleanFile] | undefined {
  if (isPng(file)) return ["image/png", cleanPng];
  if (hasText(file, 0, "\xff\xd8\xff")) return ["image/jpeg", cleanJpeg];
  if (hasText(file, 0, "GIF87a") || hasText(file, 0, "GIF89a")) return ["image/gif", cleanGif];
  const isWebp = hasText(file, 0, "RIFF") && hasText(file, 8, "WEBP");
  return isWebp ? ["image/webp", cleanWebp] : undefined;
}
