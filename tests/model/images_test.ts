import { assert, assertEquals, assertMatch } from "@std/assert";
import { concat } from "../../std.ts";
import { describe, it } from "@std/testing/bdd";
import { type CleanImage, cleanImage } from "../../model/images/clean_image.ts";
import { sizeOfImage } from "../../model/images/image.ts";
import { ascii, drawPng, IMAGES, SECRET, tell } from "../_support/images.ts";
import { forEachRow } from "../_support/rows.ts";

const latin1 = new TextDecoder("latin1");

async function clean(file: Uint8Array<ArrayBuffer>): Promise<CleanImage> {
  const cleaned = await cleanImage(file);
  assert(typeof cleaned !== "string", `${cleaned}`);
  return cleaned;
}

describe("cleanImage", () => {
  it("knows each type and size by the bytes, and changes nothing of a clean image", () =>
    forEachRow(Object.entries(IMAGES), async ([expected, file]) => {
      const { imageId, type, width, height, bytes } = await clean(file);
      const size = expected === "image/gif" ? [1, 1] : [8, 6];
      assertEquals([type, width, height], [expected, ...size]);
      assertEquals(sizeOfImage(imageId), { width, height });
      assertEquals(bytes, file);
      assertMatch(imageId, /^[0-9a-f]{16}-\d+x\d+\.(?:png|jpg|gif|webp)$/);
    }));

  it("removes places, times, comments, previews and what follows, and keeps the picture", () =>
    forEachRow(Object.keys(IMAGES), async (type) => {
      const { bytes, imageId } = await clean(tell(type));
      const text = latin1.decode(bytes);
      assert(!text.includes(SECRET) && !text.includes("script"));
      assertEquals((await clean(bytes)).bytes, bytes);
      assertEquals((await clean(tell(type))).imageId, imageId);
      if (type === "image/webp") {
        // The flags for Exif and XMP are cleared.
        assertEquals(bytes[20] & 0x0c, 0);
        assertEquals(bytes.length, IMAGES[type].length + 18);
      } else if (type === "image/gif") assertEquals(bytes, IMAGES[type]);
    }));

  it("keeps the orientation of a photo, and has the size that is shown", () =>
    forEachRow(["image/jpeg", "image/png"], async (type) => {
      for (let orientation = 1; orientation <= 8; orientation++) {
        const { bytes, width, height } = await clean(tell(type, orientation));
        assertEquals([width, height], orientation < 5 ? [8, 6] : [6, 8]);
        const at = latin1.decode(bytes).indexOf("MM\0*");
        assertEquals(at < 0 ? 1 : bytes[at + 19], orientation);
        if (orientation === 1 && type === "image/png") assertEquals(bytes, IMAGES[type]);
      }
    }));

  it("refuses what is no image, is damaged, lies about its length or is too large", () =>
    forEachRow<[string, Uint8Array<ArrayBuffer>]>([
      ["no PNG", ascii("<svg xmlns='http://www.w3.org/2000/svg'/>")],
      ["no PNG", ascii("<html>")],
      ["no PNG", new Uint8Array()],
      ["no PNG", ascii("GIF88a")],
      ["30000 × 30000 pixels", drawPng(30_000, 30_000)],
      ["0 × 10 pixels", drawPng(0, 10)],
      ...Object.values(IMAGES).flatMap((file) =>
        [0.3, 0.6, 0.99].map((part) =>
          ["damaged", file.slice(0, Math.floor(file.length * part))] as [string, typeof file]
        )
      ),
      ["damaged", changed(IMAGES["image/jpeg"], 22, 0xff)],
      ["damaged", changed(IMAGES["image/png"], 8, 0x7f)],
      ["damaged", changed(IMAGES["image/png"], 17, 0x01)],
      ["damaged", changed(IMAGES["image/webp"], 6, 0xff)],
      ["damaged", changed(tell("image/webp"), 24, 0xff)],
    ], async ([reason, file]) => {
      const refused = await cleanImage(file);
      assert(typeof refused === "string" && refused.includes(reason), `${reason}: ${refused}`);
    }));

  it("neither fails nor takes another type for what is damaged anywhere", () =>
    forEachRow(Object.keys(IMAGES), async (type) => {
      const original = tell(type);
      const start = latin1.decode(original.subarray(0, 3));
      let state = 1;
      const random = (limit: number) => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return state % limit;
      };
      let taken = 0;
      for (let n = 0; n < 2_000; n++) {
        let file = original.slice(0, n % 3 === 0 ? random(original.length) : undefined);
        for (let i = 0; i <= n % 4 && file.length > 0; i++) file[random(file.length)] = random(256);
        if (n % 5 === 0) {
          file = new Uint8Array([...file, ...file.subarray(random(file.length + 1))]);
        }
        const cleaned = await cleanImage(file);
        if (typeof cleaned === "string") continue;
        taken++;
        assertEquals(cleaned.type, type);
        assert(latin1.decode(cleaned.bytes.subarray(0, 3)) === start);
        assertEquals((await clean(cleaned.bytes)).bytes, cleaned.bytes);
      }
      assert(taken > 0);
    }));

  it("refuses a file of a million blocks, whatever they are", () =>
    forEachRow<[string, string, number, number]>([
      ["image/jpeg", "\xff\xfe\0\x02", 20, 0],
      ["image/png", "\0\0\0\0prVt\0\0\0\0", 33, 0],
      ["image/gif", "!\xfe\0", 19, 0],
      ["image/webp", "JUNK\0\0\0\0", 12, 4],
    ], async ([type, block, at, length]) => {
      const plain = IMAGES[type];
      const blocks = Uint8Array.from(block.repeat(100_000), (char) => char.charCodeAt(0));
      const file = concat([plain.subarray(0, at), blocks, plain.subarray(at)]);
      if (length > 0) new DataView(file.buffer).setUint32(length, file.length - 8, true);
      assertEquals(typeof await cleanImage(file), "string");
    }));

  it("refuses an animated WebP whose frames have too many blocks together", async () => {
    const frames = (count: number, blocks: number) => {
      const inner = Array.from({ length: blocks }, () => chunk("ALPH"));
      return Array.from({ length: count }, () => chunk("ANMF", new Uint8Array(16), ...inner));
    };
    const canvas = chunk("VP8X", Uint8Array.of(2, 0, 0, 0, 7, 0, 0, 5, 0, 0));
    const animation = (count: number, blocks: number) => {
      const name = new TextEncoder().encode("WEBP");
      return chunk("RIFF", name, canvas, ...frames(count, blocks));
    };
    assertEquals((await clean(animation(3, 100))).width, 8);
    assertEquals(typeof await cleanImage(animation(3, 9_000)), "string");
  });
});

function chunk(type: string, ...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const head = new Uint8Array(8);
  head.set(new TextEncoder().encode(type));
  const content = concat([...parts]);
  new DataView(head.buffer).setUint32(4, content.length, true);
  return concat([head, content]);
}

function changed(file: Uint8Array<ArrayBuffer>, at: number, value: number) {
  const copy = file.slice();
  copy[at] = value;
  return copy;
}
