const ENCODINGS: Readonly<Record<string, string>> = {
  "255 254": "utf-16le",
  "254 255": "utf-16be",
};
const MARK_LENGTH = 2;

const utf8 = new TextEncoder();

/**
 * Creates a function that turns the chunks of a file into UTF-8 if the file starts with the byte order
 * mark of UTF-16, as what spreadsheets call "Unicode text" does, and else returns them as they are.
 * Called without a chunk, it returns what is left.
 */
export function createTranscoder(): (chunk?: Uint8Array) => Uint8Array {
  let start: Uint8Array | undefined = new Uint8Array();
  let decoder: TextDecoder | undefined;

  return (chunk) => {
    let bytes = chunk ?? new Uint8Array();
    if (start !== undefined) {
      bytes = start.length === 0 ? bytes : Uint8Array.of(...start, ...bytes);
      start = bytes;
      // The mark may come in two chunks.
      if (bytes.length < MARK_LENGTH && chunk !== undefined) return new Uint8Array();
      const encoding = ENCODINGS[bytes.slice(0, MARK_LENGTH).join(" ")];
      if (encoding !== undefined) decoder = new TextDecoder(encoding);
      start = undefined;
    }
    return decoder ? utf8.encode(decoder.decode(bytes, { stream: chunk !== undefined })) : bytes;
  };
}
