import { concat } from "../../std.ts";

/** What of a file is kept, in its order. */
export interface Pieces {
  /** Keeps what stands from one offset to another. */
  keep(from: number, to: number): void;
  /** Puts other bytes there. */
  put(bytes: Uint8Array): void;
  join(): Uint8Array<ArrayBuffer>;
}

/** A file of a known type without what is no part of its pixels; `undefined` where it is damaged. */
export type CleanFile = (file: Uint8Array<ArrayBuffer>) => CleanedFile | undefined;

/** What is left of a file, and how large its picture is shown, in pixels. */
export interface CleanedFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly width: number;
  readonly height: number;
}

/** The most blocks in a file: more than programs write, and few enough for one turn. */
export const MAX_BLOCKS = 20_000;

/** Collects pieces of a file; neighbours are one piece, as there may be a million. */
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

/** Tells whether ASCII text stands at an offset. */
export function hasText(file: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (file[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

/** Returns a view of the numbers in a file. */
export function viewOf({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
