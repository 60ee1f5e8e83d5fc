import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { isMoving } from "../../studio/writing/moving.js";
import { forEachRow } from "../_support/rows.ts";

const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const png = (...chunks: readonly string[]) =>
  bytes(`\x89PNG\r\n\x1a\n${chunks.map((name) => `\0\0\0\x04${name}abcdCRC0`).join("")}`);
const webp = (flags: number) =>
  bytes(`RIFF\x20\0\0\0WEBPVP8X\x0a\0\0\0${String.fromCharCode(flags)}\0\0\0`);

describe("a picture", () => {
  it("is sent as it is where it moves, whatever its kind", () =>
    forEachRow([
      ["GIF", bytes("GIF89a"), true],
      ["APNG", png("IHDR", "acTL", "IDAT"), true],
      ["PNG", png("IHDR", "IDAT", "acTL"), false],
      ["animated WebP", webp(0x12), true],
      ["WebP with transparency", webp(0x10), false],
      ["lossy WebP", bytes("RIFF\x20\0\0\0WEBPVP8 abcdefghij"), false],
      ["JPEG", bytes("\xff\xd8\xff\xe0"), false],
    ], ([, head, expected]) => assertEquals(isMoving(head as Uint8Array), expected)));
});
