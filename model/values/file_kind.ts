import { concat } from "../../std.ts";
import { Refusal, UnusableFile } from "./refusal.ts";

// Signatures of files that are not text, each with advice.
const KINDS: readonly (readonly [start: readonly number[], detail: string])[] = [
  [[0x1f, 0x8b], "it is compressed by gzip: unpack it first (gunzip, or zcat FILE.gz | … -)"],
  [
    [0x50, 0x4b, 0x03, 0x04],
    "it is a workbook (.xlsx) or another archive: save the sheet as CSV in UTF-8, or unpack it first",
  ],
  [[0xd0, 0xcf, 0x11, 0xe0], "it is a workbook (.xls): save the sheet as CSV in UTF-8"],
];
const INSPECTED_BYTES = 4;

/** Length of the byte order mark of UTF-16. */
export const MARK_BYTES = 2;
const MARKS: Readonly<Record<string, string>> = { "255 254": "utf-16le", "254 255": "utf-16be" };

/** Returns the variant of UTF-16 whose byte order mark a file starts with. */
export function encodingOfMark(start: Uint8Array): string | undefined {
  return MARKS[start.subarray(0, MARK_BYTES).join(" ")];
}

/**
 * Passes on the chunks of a text file. For any other signature, throws an {@linkcode UnusableFile}
 * with advice.
 */
export async function* expectText(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let start: Uint8Array | undefined = new Uint8Array();
  for await (const chunk of chunks) {
    if (start === undefined) {
      yield chunk;
      continue;
    }
    const bytes: Uint8Array = concat([start, chunk]);
    start = bytes;
    if (bytes.length < INSPECTED_BYTES) continue;
    inspect(bytes);
    start = undefined;
    yield bytes;
  }
  if (start !== undefined) yield start;
}

/** Returns a refusal if the first line shows that the file is not line by line. */
export function refuseArray(text: string): Refusal | undefined {
  return /^\s*\[\s*(?:[[{"\]]|$)/.test(text)
    ? new Refusal(
      "invalid_value",
      "the file is a JSON array: write one object a line (jq -c '.[]' FILE)",
    )
    : undefined;
}

function inspect(bytes: Uint8Array): void {
  const kind = KINDS.find(([start]) => start.every((byte, at) => bytes[at] === byte));
  if (kind !== undefined) throw new UnusableFile(`the file can't be read: ${kind[1]}`);
}
