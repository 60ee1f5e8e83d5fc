import { deflateRawSync } from "node:zlib";

const utf8 = new TextEncoder();

/** Writes a ZIP archive of deflated files. */
export function zip(files: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const [path, text] of Object.entries(files)) {
    const name = utf8.encode(path);
    const raw = utf8.encode(text);
    const packed = deflateRawSync(raw);
    const common = new DataView(new ArrayBuffer(26));
    common.setUint16(0, 20, true);
    common.setUint16(4, 8, true);
    common.setUint32(14, packed.length, true);
    common.setUint32(18, raw.length, true);
    common.setUint16(22, name.length, true);
    const head = new Uint8Array(common.buffer);
    const local = [Uint8Array.of(0x50, 0x4b, 3, 4), head, name, packed];
    const end = new DataView(new ArrayBuffer(14));
    end.setUint32(10, offset, true);
    directory.push(
      ...[Uint8Array.of(0x50, 0x4b, 1, 2, 20, 0), head, new Uint8Array(end.buffer), name],
    );
    parts.push(...local);
    offset += local.reduce((sum, { length }) => sum + length, 0);
  }
  const last = new DataView(new ArrayBuffer(22));
  last.setUint32(0, 0x06054b50, true);
  last.setUint16(10, Object.keys(files).length, true);
  last.setUint32(16, offset, true);
  const all = [...parts, ...directory, new Uint8Array(last.buffer)];
  const archive = new Uint8Array(all.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of all) {
    archive.set(part, at);
    at += part.length;
  }
  return archive;
}
