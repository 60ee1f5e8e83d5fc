import {
  type CleanedFile,
  type CleanFile,
  createPieces,
  hasText,
  MAX_BLOCKS,
  viewOf,
} from "./pieces.ts";

type Size = Omit<CleanedFile, "bytes">;

// RFC 9649, section 2.
const RIFF_BYTES = 12;
const CHUNK_HEAD_BYTES = 8;
const FRAME_HEAD_BYTES = 16;
const KEPT = ["VP8X", "ICCP", "ANIM", "ANMF", "ALPH", "VP8 ", "VP8L"];
const IN_FRAMES = ["ALPH", "VP8 ", "VP8L"];
/** The flags of removed chunks: Exif and XMP. */
const REMOVED_FLAGS = 0x0c;
const ANIMATED = 0x02;
const latin1 = new TextDecoder("latin1");

interface Chunk {
  readonly type: string;
  /**
   * The offset of the chunk's header; `start` and `next` are the offsets of its content and of the
   * next chunk.
   */
  readonly at: number;
  readonly start: number;
  readonly length: number;
  readonly next: number;
}

/** Removes Exif, XMP, unknown chunks and trailing bytes from a WebP. */
export const cleanWebp: CleanFile = (file) => {
  const view = viewOf(file);
  const end = CHUNK_HEAD_BYTES + (file.length < RIFF_BYTES ? Infinity : view.getUint32(4, true));
  const budget = { left: MAX_BLOCKS };
  const chunks = end <= file.length ? readChunks(file, [RIFF_BYTES, end], budget) : undefined;
  if (chunks === undefined || chunks.length === 0) return undefined;
  const pieces = createPieces(file);
  const [first] = chunks;
  const isExtended = first.type === "VP8X" && first.length >= 10;
  const canvas = isExtended ? canvasOf(view, first.start) : undefined;
  const isAnimated = isExtended && (file[first.start] & ANIMATED) > 0;
  let picture: Size | undefined;
  for (const chunk of chunks) {
    const { type, at, start, length, next } = chunk;
    if (!KEPT.includes(type)) continue;
    if (type === "VP8X") {
      if (chunk !== first || !isExtended) return undefined;
      const copy = file.slice(at, next);
      copy[CHUNK_HEAD_BYTES] &= ~REMOVED_FLAGS;
      pieces.put(copy);
      continue;
    }
    pieces.keep(at, next);
    if (type === "VP8 " || type === "VP8L") {
      picture ??= sizeOf(file, chunk);
      if (picture === undefined || isAnimated) return undefined;
    } else if (type === "ANMF") {
      const inner = readChunks(file, [start + FRAME_HEAD_BYTES, start + length], budget);
      if (!inner?.length || !inner.every(({ type }) => IN_FRAMES.includes(type))) return undefined;
      if (isAnimated) picture ??= canvas;
    }
  }
  const shown = canvas ?? picture;
  const hasDeclaredSize = picture?.width === shown?.width && picture?.height === shown?.height;
  if (picture === undefined || shown === undefined || !hasDeclaredSize) return undefined;
  const content = pieces.join();
  const bytes = new Uint8Array(RIFF_BYTES + content.length);
  bytes.set(file.subarray(0, RIFF_BYTES));
  bytes.set(content, RIFF_BYTES);
  viewOf(bytes).setUint32(4, bytes.length - CHUNK_HEAD_BYTES, true);
  return { bytes, ...shown };
};

/**
 * Reads the chunks between two offsets; `undefined` if a chunk extends beyond the end, or if the
 * file has too many chunks.
 */
function readChunks(
  file: Uint8Array<ArrayBuffer>,
  [from, end]: readonly [from: number, end: number],
  budget: { left: number },
): readonly Chunk[] | undefined {
  const view = viewOf(file);
  const chunks: Chunk[] = [];
  for (let at = from; at < end;) {
    if (at + CHUNK_HEAD_BYTES > end) return undefined;
    const start = at + CHUNK_HEAD_BYTES;
    const length = view.getUint32(at + 4, true);
    const next = start + length + length % 2;
    if (next > end || budget.left-- === 0) return undefined;
    chunks.push({ type: latin1.decode(file.subarray(at, at + 4)), at, start, length, next });
    at = next;
  }
  return chunks;
}

function canvasOf(view: DataView, start: number): Size {
  const side = (at: number) => 1 + view.getUint16(at, true) + 0x10000 * view.getUint8(at + 2);
  return { width: side(start + 4), height: side(start + 7) };
}

/**
 * Reads the size of a picture: lossy (RFC 6386, section 9.1) or lossless (RFC 9649, section 3.4).
 */
function sizeOf(file: Uint8Array<ArrayBuffer>, { type, start, length }: Chunk): Size | undefined {
  const view = viewOf(file);
  if (type === "VP8L") {
    if (length < 5 || file[start] !== 0x2f) return undefined;
    const bits = view.getUint32(start + 1, true);
    if (bits >>> 29 !== 0) return undefined;
    return { width: 1 + (bits & 0x3fff), height: 1 + (bits >>> 14 & 0x3fff) };
  }
  const isKeyFrame = length >= 10 && (file[start] & 1) === 0;
  if (!isKeyFrame || !hasText(file, start + 3, "\x9d\x01\x2a")) return undefined;
  return {
    width: view.getUint16(start + 6, true) & 0x3fff,
    height: view.getUint16(start + 8, true) & 0x3fff,
  };
}
