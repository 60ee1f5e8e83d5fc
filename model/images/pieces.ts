import { concat } from "../../std.ts";

/** Collects the parts of a file that are kept, in order. */
export interface Pieces {
  /** Keeps the bytes between two offsets. */
  keep(from: number, to: number): void;
  /** Appends other bytes. */
  put(bytes: Uint8Array): void;
  join(): Uint8Array<ArrayBuffer>;
}

/**
 * Cleans a file of a known type by removing everything but its pixels; returns `undefined` if it is
 * damaged.
 */
export type CleanFile = (file: Uint8Array<ArrayBuffer>) => CleanedFile | undefined;

/** The cleaned file, and the displayed size of its picture in pixels. */
export interface CleanedFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly width: number;
  readonly height: number;
}

/** Limit of blocks in a file: more than programs write, and few enough for one turn. */
export const MAX_BLOCKS = 20_000;

/** Collects pieces of a file. Joins adjacent ones, because there may be a million. */
export function createPieces(file: Uint8Array<ArrayBuffer>): Pieces {
  const pieces: Uint8Array[] = [];
  let from = 0;
  let to = 0;
  function flush(): void {
    if (to > from) pieces.push(file.subarray(from, to));
  }
  return {
    keep(start, end) {
      if (start !== to) {
        flush();
        from = start;
      }
      to = end;
    },
    put(bytes) {
      flush();
      from = to = -1;
      pieces.push(bytes);
    },
    join() {
      flush();
      from = to = -1;
      return concat(pieces);
    },
  };
}

/** Tells whether a file has an ASCII text at an offset. */
export function hasText(file: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (file[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

/** Returns a view for reading numbers from a file. */
export function viewOf({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
