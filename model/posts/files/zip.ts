import { Refusal } from "../../values/refusal.ts";

/** The refusal of an archive with a file beyond the size limit. */
const TOO_LARGE = new Refusal("too_long", "the archive has a file that is too large to be read");
const DAMAGED = new Refusal(
  "invalid_value",
  "the archive is damaged, or of a kind that is not known",
);

const END_OF_DIRECTORY = 0x06054b50;
const END_LENGTH = 22;
const MAX_COMMENT_LENGTH = 65_535;
const ENTRY = 0x02014b50;
const ENTRY_LENGTH = 46;
const LOCAL_LENGTH = 30;
const STORED = 0;
const DEFLATED = 8;
const MAX_ENTRIES = 1_000;

/** Tells whether a file starts with the signature of a ZIP archive. */
export function isZip(start: Uint8Array): boolean {
  return [0x50, 0x4b, 0x03, 0x04].every((byte, at) => start[at] === byte);
}

/**
 * Reads the files with some names, in any folder of a ZIP archive (PKWARE APPNOTE, without ZIP64
 * and encryption). Refuses an unreadable archive, and a file beyond `maxBytes`.
 */
export async function readZip(
  archive: Uint8Array<ArrayBuffer>,
  { names, maxBytes }: { readonly names: readonly string[]; readonly maxBytes: number },
): Promise<ReadonlyMap<string, Uint8Array> | Refusal> {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  const files = new Map<string, Uint8Array>();
  try {
    const end = findEnd(view);
    if (end === undefined) return DAMAGED;
    const count = Math.min(view.getUint16(end + 10, true), MAX_ENTRIES);
    let at = view.getUint32(end + 16, true);
    for (let index = 0; index < count; index++) {
      if (view.getUint32(at, true) !== ENTRY) return DAMAGED;
      const nameLength = view.getUint16(at + 28, true);
      const path = new TextDecoder().decode(
        archive.subarray(at + ENTRY_LENGTH, at + ENTRY_LENGTH + nameLength),
      );
      const name = path.slice(path.lastIndexOf("/") + 1);
      if (names.includes(name) && !files.has(name)) {
        const content = await readFile(archive, view, { at, maxBytes });
        if (content instanceof Refusal) return content;
        files.set(name, content);
      }
      at += ENTRY_LENGTH + nameLength + view.getUint16(at + 30, true) +
        view.getUint16(at + 32, true);
    }
    return files;
  } catch (error) {
    // Offsets beyond the archive's end, and corrupt compressed data, throw these.
    if (error instanceof RangeError || error instanceof TypeError) return DAMAGED;
    throw error;
  }
}

function findEnd(view: DataView): number | undefined {
  const first = Math.max(0, view.byteLength - END_LENGTH - MAX_COMMENT_LENGTH);
  for (let at = view.byteLength - END_LENGTH; at >= first; at--) {
    if (view.getUint32(at, true) === END_OF_DIRECTORY) return at;
  }
}

async function readFile(
  archive: Uint8Array<ArrayBuffer>,
  view: DataView,
  { at, maxBytes }: { readonly at: number; readonly maxBytes: number },
): Promise<Uint8Array | Refusal> {
  const method = view.getUint16(at + 10, true);
  const size = view.getUint32(at + 20, true);
  const local = view.getUint32(at + 42, true);
  const start = local + LOCAL_LENGTH + view.getUint16(local + 26, true) +
    view.getUint16(local + 28, true);
  const packed = archive.subarray(start, start + size);
  if (method === STORED) return packed.length > maxBytes ? TOO_LARGE : packed;
  if (method !== DEFLATED) return DAMAGED;
  const chunks: Uint8Array[] = [];
  let length = 0;
  // The sizes in an archive may be wrong, so the content is counted while it is read.
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > maxBytes) return TOO_LARGE;
    chunks.push(chunk);
  }
  const content = new Uint8Array(length);
  let written = 0;
  for (const chunk of chunks) {
    content.set(chunk, written);
    written += chunk.length;
  }
  return content;
}
