import { ignore, writeFully } from "./disk.ts";
import type { Folder } from "./folder.ts";
import { damaged, encodeLine, FORMAT_VERSION, readChunks, readHeader } from "./lines.ts";

/** The last transaction that a folder is known to have, kept outside its journals and snapshots. */
export interface HighWaterMark {
  /** A random text that all files of the folder share. */
  readonly store: string;
  /** The number of an acknowledged transaction; all before it were acknowledged, too. */
  readonly seq: number;
}

const NAME = "high-water-mark.json";

/** Returns the mark of a folder; `undefined` if it has none. */
export function readMark(folder: Pick<Folder, "read">): Promise<HighWaterMark | undefined> {
  return folder.read(NAME, async (file, path) => {
    for await (const bytes of readChunks(file)) {
      return readHeader<HighWaterMark>(path, bytes.subarray(0, -1), "high-water mark");
    }
    throw damaged(path, "it is empty");
  }).catch(ignore("ENOENT"));
}

/** Replaces the mark of a folder. */
export async function writeMark(folder: Folder, { store, seq }: HighWaterMark): Promise<void> {
  const line = encodeLine({ boardcast: "high-water mark", version: FORMAT_VERSION, store, seq });
  await folder.replace(NAME, (file) => writeFully(file, line));
}

/** Throws if a folder lacks transactions that were acknowledged according to its mark. */
export function checkMark(
  { store, seq }: { readonly store: string | undefined; readonly seq: number },
  mark: HighWaterMark | undefined,
): void {
  if (mark === undefined || (store === mark.store && seq >= mark.seq)) return;
  if (store === undefined) {
    throw damaged(
      NAME,
      "the snapshots and journals of its folder are missing; to begin without their records, remove " +
        "this file",
    );
  }
  if (store !== mark.store) throw damaged(NAME, "it belongs to another folder");
  throw damaged(
    NAME,
    `change number ${mark.seq} was acknowledged, and the last one in the folder is number ${seq}, so ` +
      "that a file is missing or older than it was; to go on with what is here, remove this file",
  );
}
