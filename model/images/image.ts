import { count, hidden, oneOf, text, time } from "../declare.ts";
import type { Resource, ShownOf, StoredOf } from "../resource.ts";

/** A part of an image's bytes. */
export interface ImagePart {
  /** The identifiers of the upload and of the part in it. */
  readonly partId: string;
  /** The bytes in base64. */
  readonly data: string;
}

/**
 * Parts without an image, during an upload or after a deletion; removed once they can't get one.
 */
export interface ImageUpload {
  readonly uploadId: string;
  readonly parts: number;
  /** The time after which the upload is abandoned (RFC 3339, UTC, milliseconds). */
  readonly expiresAt: string;
}

/** The media types of images, by the endings of their identifiers. */
export const IMAGE_TYPES = {
  png: "image/png",
  jpg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
} as const;

/** The media type of an image. */
export type ImageType = typeof IMAGE_TYPES[keyof typeof IMAGE_TYPES];

/** The pattern of the identifiers of images. */
export const IMAGE_ID_PATTERN: string = `^[0-9a-f]{16}-[1-9]\\d{0,4}x[1-9]\\d{0,4}\\.(?:${
  Object.keys(IMAGE_TYPES).join("|")
})$`;

const IMAGE_ID = new RegExp(IMAGE_ID_PATTERN);
// Matches a reference in Markdown, and in the API.
const REFERENCE = /^(?:\/changelog\/)?images\/([^/]+)$/;
const EXAMPLE_ID = "9f86d081884c7d65-1200x800.png";

/** The fields of an image. @internal */
export const IMAGE = {
  name: "images",
  key: "imageId",
  title: "Image",
  description: "An image for entries: `![text](images/ID)` in Markdown.",
  fields: {
    imageId: text("The start of the hash of its bytes, with its size and type.", EXAMPLE_ID, {
      rules: { pattern: IMAGE_ID_PATTERN },
    }),
    path: text(
      "Where it is shown, behind the address of the server.",
      `/changelog/images/${EXAMPLE_ID}`,
      { computed: true },
    ),
    type: oneOf(Object.values(IMAGE_TYPES), "What its bytes are.", { example: "image/png" }),
    width: count("How wide it is shown, in pixels.", 1200),
    height: count("How high it is shown, in pixels.", 800),
    bytes: count("How many bytes it has, without what was removed.", 150_000),
    createdAt: time("When it was stored."),
    // The start of its parts' keys, and the number of parts.
    uploadId: hidden("text"),
    parts: hidden("integer"),
  },
  indexes: { byAge: { by: "createdAt" } },
} as const satisfies Resource;

/** A stored image without its bytes. */
export type Image = StoredOf<typeof IMAGE.fields>;

/** An image as the API shows it. */
export type ShownImage = ShownOf<typeof IMAGE.fields>;

/** Tells whether a text is a valid identifier of an image. */
export function isImageId(text: string): boolean {
  return IMAGE_ID.test(text);
}

/**
 * Returns the identifier of an image from a destination in Markdown; `undefined` for any other
 * destination.
 */
export function readImageReference(destination: string): string | undefined {
  const [, imageId = ""] = REFERENCE.exec(destination) ?? [];
  return isImageId(imageId) ? imageId : undefined;
}

/** Returns the displayed size of an image in pixels, from its identifier. */
export function sizeOfImage(
  imageId: string,
): { readonly width: number; readonly height: number } {
  const [width, height] = imageId.slice(imageId.indexOf("-") + 1).split(/[x.]/).map(Number);
  return { width, height };
}

/** Returns the identifier of an image. */
export function writeImageId(
  { hash, width, height, type }: Pick<Image, "width" | "height" | "type"> & {
    readonly hash: string;
  },
): string {
  const [kind] = Object.entries(IMAGE_TYPES).find(([, name]) => name === type)!;
  return `${hash}-${width}x${height}.${kind}`;
}
