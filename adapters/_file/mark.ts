import { ignore, writeFully } from "./disk.ts";
import type { Folder } from "./folder.ts";
import { checkHeader, damaged, encodeLine, FORMAT_VERSION, isIntact, lineError } from "./lines.ts";
import { readChunks } from "./lines.ts";

/** What a folder is known to hold, kept outside of the files that hold it. */
export interface HighWaterMark {
  /** What all files of the folder have in common. */
  readonly store: string;
  /** A transaction that was acknowledged, as all before it were. */
  readonly seq: number;
}

const NAME = "high-water-mark.json";

/** Returns the mark of a folder; `undefined` if it has none. */
export function readMark(folder: Pick<Folder, "read">): Promise<HighWaterMark | undefined> {
  return folder.read(NAME, async (file, path) => {
    let mark: HighWaterMark | undefined;
    try {
      for await (const bytes of readChunks(file)) {
        const line = bytes.subarray(0, -1);
        const content = JSON.parse(line.toString("utf8"));
        checkHeader(path, content, "high-water mark");
        if (!isIntact(bytes, 0, line.length)) throw new Error("its checksum does not match");
        mark = content;
      }
    } catch (cause) {
      throw lineError(path, 1, cause);
    }
    if (mark === undefined) throw damaged(path, "it is empty");
    return mark;
  }).catch(ignore("ENOENT"));
}

/** Replaces the mark of a folder. */
export async function writeMark(folder: Folder, { store, seq }: HighWaterMark): Promise<void> {
  const line = encodeLine({ boardcast: "high-water mark", version: FORMAT_VERSION, store, seq });
  const { file, publish } = await folder.prepare(NAME, (file) => writeFully(file, line));
  await publish();
  await file.close().catch(() => {});
}

/** Throws if a folder holds less than its mark says was acknowledged. */
export function checkMark(
  { store, seq }: { readonly store: string | undefined; readonly seq: number },
  mark: HighWaterMark | undefined,
): void {
  if (mark === undefined || (store === mark.store && seq >= mark.seq)) return;
  if (store !== undefined && store !== mark.store) {
    throw damaged(NAME, "it belongs to another folder");
  }
  throw damaged(
    NAME,
    `change number ${mark.seq} was acknowledged, and the last one in the folder is number ${seq}, so ` +
      "that a file is missing or older than it was; to go on with what is here, remove this file",
  );
}
