import { encodeHex } from "../crypto/encoding.ts";
import { cleanGif } from "./gif.ts";
import { type ImageType, writeImageId } from "./image.ts";
import { cleanJpeg } from "./jpeg.ts";
import { type CleanFile, hasText } from "./pieces.ts";
import { cleanPng, isPng } from "./png.ts";
import { cleanWebp } from "./webp.ts";

/** An image in the form in which it is stored. */
export interface CleanImage {
  /** The start of the hash of its bytes, with its size and type. */
  readonly imageId: string;
  readonly type: ImageType;
  /** The displayed width, in pixels. */
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

// Limits of size and area: what mobile browsers can still show, and photos need.
const MAX_SIDE = 65_535;
const MAX_PIXELS = 64_000_000;
const HASH_BYTES = 8;

/**
 * Checks an image by its bytes, regardless of its name, and removes metadata about place, time and
 * camera. Cleaning the result again does not change it. Returns a reason for people if the image is
 * refused.
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
