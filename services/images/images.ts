import {
  type ListQuery,
  type NewRecord,
  type Storage,
  StorageError,
} from "../../adapters/storage.ts";
import { decodeBase64, encodeBase64 } from "../../model/crypto/encoding.ts";
import type { Entry } from "../../model/entries/entry.ts";
import type { CleanImage } from "../../model/images/clean_image.ts";
import {
  IMAGE,
  type Image,
  type ImagePart,
  type ImageUpload,
  type ShownImage,
} from "../../model/images/image.ts";
import { IMAGE_PARTS, IMAGE_UPLOADS, IMAGES, SETTINGS } from "../../model/kinds.ts";
import { showRecord } from "../../model/resource.ts";
import { addMs } from "../../model/values/time.ts";
import { generateId } from "../../model/values/record_id.ts";
import { createYielder } from "../../model/turns.ts";
import { readEntries } from "../entries/entries.ts";
import { insertRecord, newRecord, removeRecord } from "../records.ts";

/** The number of images, and their total size in bytes. */
export interface ImageTotals {
  readonly count: number;
  readonly bytes: number;
}

/** The limits and time of storing an image. */
export interface ImageStoring {
  /** The size limit of all images together, in bytes. */
  readonly maxBytes: number;
  /** The time (RFC 3339, UTC, milliseconds). */
  readonly at: string;
}

/** The result of storing an image; `full` if there is no room for it. */
export type StoredImage = { readonly image: Image; readonly isNew: boolean } | "full";

// One decision may create three parts of this size, encoded as base64.
const PART_BYTES = 172 * 1_024;
const PARTS_AT_ONCE = 3;
const UPLOAD_MS = 3_600_000;
const TOTALS = { kind: SETTINGS, key: "images" } as const;
const LEFTOVERS_AT_ONCE = 10;

/** Lists images, the newest first. */
export function listImages(storage: Storage, query: ListQuery): Promise<readonly Image[]> {
  return storage.list(IMAGES, { ...query, index: "byAge", reverse: true });
}

/** Returns an image as the API shows it. */
export function showImage(image: Image): ShownImage {
  return showRecord(IMAGE, image, {
    path: `/changelog/images/${image.imageId}`,
  });
}

/** Finds the entries whose Markdown refers to an image, newest first. */
export async function findEntriesWith(
  storage: Storage,
  imageId: string,
  now: string,
): Promise<readonly Entry[]> {
  const found: Entry[] = [];
  for await (const page of readEntries(storage, { now })) {
    found.push(...page.filter(({ body }) => body.includes(`images/${imageId}`)));
  }
  return found;
}

/** Returns the number and total size of the images, at a cost independent of their number. */
export async function getImageTotals(storage: Storage): Promise<ImageTotals> {
  return readTotals((await storage.get(TOTALS.kind, TOTALS.key))?.value);
}

/**
 * Stores an image unless it is stored already: first its parts, in batches, and finally the record
 * that publishes them and counts their bytes. A later call removes the parts that a crash leaves
 * behind.
 */
export async function storeImage(
  storage: Storage,
  { bytes, imageId, type, width, height }: CleanImage,
  { maxBytes, at }: ImageStoring,
): Promise<StoredImage> {
  const known = await storage.get(IMAGES, imageId);
  if (known !== undefined) return { image: known, isNew: false };
  const isFull = (totals: ImageTotals) => totals.bytes + bytes.length > maxBytes;
  if (isFull(await getImageTotals(storage))) return "full";
  await removeLeftovers(storage, at);
  const uploadId = generateId();
  const parts = Math.ceil(bytes.length / PART_BYTES);
  const begun: ImageUpload = { uploadId, parts, expiresAt: addMs(at, UPLOAD_MS) };
  await insertRecord(storage, IMAGE_UPLOADS, begun);
  const yieldIfBusy = createYielder();
  for (let part = 0; part < parts; part += PARTS_AT_ONCE) {
    const create = createParts(uploadId, bytes, part);
    await storage.transact({}, () => ({ answer: undefined, create }));
    await yieldIfBusy();
  }
  const image: Image = {
    imageId,
    type,
    width,
    height,
    bytes: bytes.length,
    createdAt: at,
    uploadId,
    parts,
  };
  const refs = refsTo(imageId, uploadId);
  const stored = await storage.transact<typeof refs, StoredImage | "lost">(refs, (found) => {
    if (found.image !== undefined) return { answer: { image: found.image, isNew: false } };
    if (found.upload === undefined) return { answer: "lost" };
    const totals = readTotals(found.totals?.value);
    if (isFull(totals)) return { answer: "full" };
    const next = { count: totals.count + 1, bytes: totals.bytes + bytes.length };
    return {
      answer: { image, isNew: true },
      put: { image, totals: writeTotals(next) },
      remove: ["upload"],
    };
  });
  if (stored === "lost") {
    throw new StorageError("unavailable", "An image took so long that its parts were removed");
  }
  if (stored === "full" || !stored.isNew) await removeUpload(storage, begun);
  return stored;
}

/** Creates records for some parts of an image, starting at one of them. */
function createParts(uploadId: string, bytes: Uint8Array, first: number): readonly NewRecord[] {
  const end = Math.min(first + PARTS_AT_ONCE, Math.ceil(bytes.length / PART_BYTES));
  return Array.from({ length: end - first }, (_, i) => {
    const part = first + i;
    const data = encodeBase64(bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES));
    return newRecord<ImagePart>(IMAGE_PARTS, { partId: keyOf(uploadId, part), data });
  });
}

/** Tells whether a published or scheduled entry shows an image. */
export async function isImagePublic(
  storage: Storage,
  imageId: string,
  now: string,
): Promise<boolean> {
  for await (const page of readEntries(storage, { now })) {
    if (page.some(({ publishedAt, body }) => publishedAt !== null && body.includes(imageId))) {
      return true;
    }
  }
  return false;
}

/** Removes an image; returns `false` if there is none. */
export async function deleteImage(
  storage: Storage,
  imageId: string,
  at: string,
): Promise<boolean> {
  const image = await storage.get(IMAGES, imageId);
  if (image === undefined) return false;
  const { uploadId, parts } = image;
  const refs = refsTo(imageId, uploadId);
  const upload: ImageUpload = { uploadId, parts, expiresAt: at };
  const isRemoved = await storage.transact(refs, (found) => {
    if (found.image?.uploadId !== uploadId) return { answer: false };
    const { count, bytes } = readTotals(found.totals?.value);
    const totals = writeTotals({ count: count - 1, bytes: bytes - found.image.bytes });
    return { answer: true, put: { upload, totals }, remove: ["image"] };
  });
  if (isRemoved) await removeUpload(storage, upload);
  return isRemoved;
}

/**
 * Reads the bytes of an image part by part; the consumer's pace sets the pace of reading. Throws if
 * a part is missing, such as after a deletion.
 */
export async function* readImage(
  storage: Storage,
  { imageId, uploadId, parts }: Image,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let part = 0; part < parts; part++) {
    const found = await storage.get(IMAGE_PARTS, keyOf(uploadId, part));
    if (found === undefined) {
      throw new StorageError(
        "damaged",
        `The image ${imageId} lacks its part ${part + 1} of ${parts}`,
      );
    }
    yield decodeBase64(found.data);
  }
}

/** Removes the parts of unfinished uploads and of deleted images. */
export async function removeLeftovers(storage: Storage, at: string): Promise<void> {
  const query = { index: "byExpiry", limit: LEFTOVERS_AT_ONCE };
  const first = await storage.list(IMAGE_UPLOADS, query);
  const last = await storage.list(IMAGE_UPLOADS, { ...query, reverse: true });
  // An upload stored by a clock that was ahead expires later than any current upload.
  const latest = addMs(at, 2 * UPLOAD_MS);
  for (const upload of [...first, ...last]) {
    const { expiresAt } = upload;
    if (expiresAt <= at || expiresAt > latest) await removeUpload(storage, upload);
  }
}

/** Removes the parts of an upload, then the record that announces them. */
async function removeUpload(
  storage: Storage,
  { uploadId, parts }: ImageUpload,
): Promise<void> {
  for (let part = 0; part < parts; part++) {
    await removeRecord(storage, IMAGE_PARTS, keyOf(uploadId, part));
  }
  await removeRecord(storage, IMAGE_UPLOADS, uploadId);
}

function keyOf(uploadId: string, part: number): string {
  return `${uploadId}/${`${part}`.padStart(4, "0")}`;
}

function refsTo(imageId: string, uploadId: string) {
  return {
    image: { kind: IMAGES, key: imageId },
    upload: { kind: IMAGE_UPLOADS, key: uploadId },
    totals: TOTALS,
  };
}

function readTotals(text = "0 0"): ImageTotals {
  const [count, bytes] = text.split(" ").map(Number);
  return { count, bytes };
}

function writeTotals({ count, bytes }: ImageTotals) {
  return { settingId: TOTALS.key, value: `${count} ${bytes}` };
}
