import { concat } from "../../std.ts";
import { crc32 } from "../../model/crypto/crc32.ts";
import { decodeBase64 } from "../../model/crypto/encoding.ts";

/** A text that no stored image may contain. */
export const SECRET = "48.2082N16.3738E";

// Chromium made these images of 8 × 6 pixels; the GIF has one pixel.
const JPEG =
  "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZG" +
  "NywtQFdBRkxOUlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09P" +
  "T09PT09PT09PT09PT09PT09PT09PT09PT0//wAARCAAGAAgDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAA" +
  "AAT/xAAaEAACAgMAAAAAAAAAAAAAAAAAAQMRAhJR/8QAFQEBAQAAAAAAAAAAAAAAAAAABAb/xAAZEQADAQEBAAAA" +
  "AAAAAAAAAAABAgMAERL/2gAMAwEAAhEDEQA/AIJpspq2SVcAAN3ajemPTqiUkkoRBwDf/9k=";
const WEBP =
  "VlA4IEgAAADwAQCdASoIAAYAAoBCJbAEGATZbAAIYAAA/uqMvdRrmj0DScjWEiswf9JR+6FNBRj7D/47efH5/3KP/h" +
  "9kKo/+CT/4JP4BgAA=";
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAGCAYAAAD+Bd/7AAAAL0lEQVR4AYSMsQkAQAwCQ1byl83PlJ1MKzYKVwh6jSGVBa" +
  "h0heTB/FeKC7PBH94PAAD//+sKch0AAAAGSURBVAMAM1QZlSQsdJ4AAAAASUVORK5CYII=";
const GIF = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

type Bytes = Uint8Array<ArrayBuffer>;

/** An image of each type without metadata. */
export const IMAGES: Readonly<Record<string, Bytes>> = {
  "image/jpeg": decodeBase64(JPEG),
  "image/png": decodeBase64(PNG),
  "image/gif": decodeBase64(GIF),
  "image/webp": riff(decodeBase64(WEBP)),
};

/**
 * Returns the image with every form of metadata that cameras and programs write, and with trailing
 * bytes.
 */
export function tell(type: string, orientation = 6): Bytes {
  const plain = IMAGES[type];
  const tail = ascii(`<script>alert("${SECRET}")</script>`);
  const exif = writeExif(orientation);
  switch (type) {
    case "image/jpeg":
      return concat([
        plain.subarray(0, 20),
        segment(0xe1, concat([ascii("Exif\0\0"), exif])),
        segment(0xe1, ascii(`http://ns.adobe.com/xap/1.0/\0${SECRET}`)),
        segment(0xe2, ascii(`MPF\0${SECRET}`)),
        segment(0xed, ascii(`Photoshop 3.0\0${SECRET}`)),
        segment(0xfe, ascii(SECRET)),
        plain.subarray(20),
        tail,
      ]);
    case "image/png": {
      const names = ["tEXt", "zTXt", "iTXt", "tIME", "prVt"];
      return concat([
        plain.subarray(0, 33),
        ...names.map((name) => chunk(name, ascii(`Comment\0${SECRET}`))),
        chunk("eXIf", exif),
        plain.subarray(33),
        tail,
      ]);
    }
    case "image/gif":
      return concat([
        plain.subarray(0, 19),
        concat([Uint8Array.of(0x21, 0xfe, SECRET.length), ascii(SECRET), Uint8Array.of(0)]),
        concat([
          Uint8Array.of(0x21, 0xff, 11),
          ascii("XMP DataXMP"),
          Uint8Array.of(SECRET.length),
          ascii(SECRET),
          Uint8Array.of(0),
        ]),
        plain.subarray(19),
        tail,
      ]);
    default: {
      const extended = Uint8Array.of(0x0c, 0, 0, 0, 7, 0, 0, 5, 0, 0);
      return concat([
        riff(
          concat([
            webpChunk("VP8X", extended),
            plain.subarray(12),
            webpChunk("EXIF", exif),
            webpChunk("XMP ", ascii(SECRET)),
            webpChunk("JUNK", ascii(SECRET)),
          ]),
        ),
        tail,
      ]);
    }
  }
}

/**
 * Returns a PNG that announces a size in pixels but contains no pixels, with a minimal length in
 * bytes.
 */
export function drawPng(width: number, height: number, { bytes = 0, seed = 1 } = {}): Bytes {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([8, 2], 8);
  const data = new Uint8Array(Math.max(1, bytes));
  let state = seed;
  for (let at = 0; at < data.length; at++) {
    data[at] = state = (state * 1_103_515_245 + 12_345) >>> 8;
  }
  return concat([
    IMAGES["image/png"].subarray(0, 8),
    chunk("IHDR", header),
    chunk("IDAT", data),
    chunk("IEND", new Uint8Array()),
  ]);
}

/** Text in ASCII. */
export function ascii(text: string): Bytes {
  return new TextEncoder().encode(text);
}

function writeExif(orientation: number): Bytes {
  const head = ascii(
    `II*\0\x08\0\0\0\x02\0\x12\x01\x03\0\x01\0\0\0${String.fromCharCode(orientation)}\0\0\0`,
  );
  return concat([head, ascii(`\x25\x88\x04\0\x01\0\0\0\x26\0\0\0\0\0\0\0${SECRET}`)]);
}

function segment(marker: number, content: Bytes): Bytes {
  const length = content.length + 2;
  return concat([Uint8Array.of(0xff, marker, length >> 8, length & 0xff), content]);
}

function chunk(name: string, content: Bytes): Bytes {
  const body = concat([ascii(name), content]);
  const numbers = new DataView(new ArrayBuffer(8));
  numbers.setUint32(0, content.length);
  numbers.setUint32(4, crc32(body));
  const both = new Uint8Array(numbers.buffer);
  return concat([both.subarray(0, 4), body, both.subarray(4)]);
}

function webpChunk(name: string, content: Bytes): Bytes {
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, content.length, true);
  return concat([ascii(name), length, content, new Uint8Array(content.length % 2)]);
}

function riff(content: Bytes): Bytes {
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, content.length + 4, true);
  return concat([ascii("RIFF"), length, ascii("WEBP"), content]);
}
