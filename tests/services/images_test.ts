import { concat } from "../../std.ts";
import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openFileStorage } from "../../adapters/file.ts";
import { openMemoryStorage } from "../../adapters/memory.ts";
import type { Storage } from "../../adapters/storage.ts";
import { cleanImage } from "../../model/images/clean_image.ts";
import { IMAGE_PARTS, IMAGE_UPLOADS, IMAGES } from "../../model/kinds.ts";
import {
  deleteImage,
  getImageTotals,
  listImages,
  readImage,
  storeImage,
} from "../../services/images/images.ts";
import { createKey } from "../../services/keys/api_keys.ts";
import { withFolder } from "../_support/folder.ts";
import { drawPng } from "../_support/images.ts";
import { startProcess, waitUntilServing } from "../_support/process.ts";
import { minute } from "../_support/samples.ts";
import { insertRecord } from "../../services/records.ts";
import { START } from "../_support/service.ts";
import { createWebhookService } from "../_support/webhooks.ts";
import { STORAGES } from "../_support/storages.ts";

const ROUNDS = Number(Deno.env.get("BOARDCAST_TORTURE_ROUNDS") ?? 1);
const MAX_BYTES = 200 * 1024 * 1024;

function hoursLater(hours: number): string {
  return new Date(Date.parse(START) + hours * 3_600_000).toISOString();
}

async function add(
  storage: Storage,
  file: Uint8Array<ArrayBuffer>,
  { maxBytes = MAX_BYTES, at = minute(0) } = {},
) {
  const cleaned = await cleanImage(file);
  assert(typeof cleaned !== "string");
  return await storeImage(storage, cleaned, { maxBytes, at });
}

/** Checks that every image is complete, and that the counts agree with the images. */
async function assertWhole(storage: Storage): Promise<number> {
  const images = await storage.list(IMAGES, { limit: 1_000 });
  let [bytes, parts] = [0, 0];
  for (const image of images) {
    const content = concat(await Array.fromAsync(readImage(storage, image)));
    const cleaned = await cleanImage(content);
    assert(typeof cleaned !== "string" && cleaned.imageId === image.imageId);
    bytes += content.length;
    parts += image.parts;
  }
  assertEquals(await getImageTotals(storage), { count: images.length, bytes });
  const uploads = await storage.list(IMAGE_UPLOADS, { limit: 1_000 });
  if (uploads.length === 0) {
    assertEquals((await storage.list(IMAGE_PARTS, { limit: 1_000 })).length, parts);
  }
  return images.length;
}

describe("images", () => {
  for (const [name, withStorage] of STORAGES) {
    it(`are kept whole in ${name}, from 1 byte to 5 MiB, and by two processes at once`, () =>
      withStorage(async (storage, another) => {
        const sizes = [1, 1_000, 184_000, 400_000, 5 * 1024 * 1024 - 100];
        const files = sizes.map((bytes, n) => drawPng(n + 1, 9, { bytes }));
        await Promise.all(files.map((file) => add(storage, file)));
        const again = await Promise.all(files.map((file) => add(another, file)));
        assert(again.every((stored) => stored !== "full" && !stored.isNew));
        await Promise.all(
          [storage, another].map((one) => add(one, drawPng(50, 50, { bytes: 300_000 }))),
        );
        assertEquals(await assertWhole(another), files.length + 1);
        const [{ imageId }] = await listImages(storage, { limit: 1 });
        const deleted = await Promise.all(
          [storage, another].map((one) => deleteImage(one, imageId, minute(1))),
        );
        assertEquals(deleted.toSorted(), [false, true]);
        assertEquals(await assertWhole(storage), files.length);
      }));
  }

  it("have no more bytes than they may, though many come at once", async () => {
    const storage = openMemoryStorage();
    const files = Array.from({ length: 9 }, (_, n) => drawPng(n + 1, 9, { bytes: 1_000 }));
    // The header of each image takes some bytes as well.
    const stored = await Promise.all(files.map((file) => add(storage, file, { maxBytes: 5_000 })));
    assertEquals(stored.filter((one) => one === "full").length, 5);
    assertEquals(await assertWhole(storage), 4);
  });

  it("leave nothing behind an hour after an upload that was never finished", async () => {
    const service = createWebhookService();
    const { storage } = service;
    const upload = { uploadId: "abandoned", parts: 2, expiresAt: hoursLater(1) };
    await insertRecord(storage, IMAGE_UPLOADS, upload);
    for (const part of ["0000", "0001"]) {
      await insertRecord(storage, IMAGE_PARTS, { partId: `abandoned/${part}`, data: "AA==" });
    }
    await service.deliver();
    assertEquals((await storage.list(IMAGE_PARTS, { limit: 9 })).length, 2);
    service.advance(2 * 3_600_000);
    await service.deliver();
    assertEquals(await storage.list(IMAGE_PARTS, { limit: 9 }), []);
    assertEquals(await storage.list(IMAGE_UPLOADS, { limit: 9 }), []);
  });

  it("are whole or not there after kill -9 in the middle of 200 uploads, and counted once", () =>
    withFolder(async (folder) => {
      const data = `file:${folder}/data`;
      const first = await openFileStorage(`${folder}/data`);
      const { secret: key } = await createKey(
        first,
        { name: "Key", scopes: ["*"], expiresAt: null },
        minute(0),
      );
      await first.close();
      for (let round = 0; round < ROUNDS; round++) {
        const args = ["serve", "--storage", data, "--port", "0", "--rate-limit", "off"];
        const server = await waitUntilServing(startProcess(args), key);
        let taken = 0;
        const send = async (n: number) => {
          const body = drawPng(n + 1, round + 1, { bytes: 150_000 + 1_000 * n, seed: n + 1 });
          const headers = { Authorization: `Bearer ${key}`, "Content-Type": "image/png" };
          const url = `${server.url}/api/v1/changelogs/images`;
          const response = await fetch(url, { method: "POST", headers, body });
          await response.body?.cancel();
          if (++taken === 50 + 30 * (round % 4)) server.signal("SIGKILL");
        };
        const lanes = Array.from({ length: 10 }, async (_, lane) => {
          for (let n = lane; n < 200; n += 10) await send(n);
        });
        await Promise.allSettled(lanes);
        await server.status;
        await server[Symbol.asyncDispose]();
        const storage = await openFileStorage(`${folder}/data`);
        assert(await assertWhole(storage) >= taken);
        await storage.close();
      }
      const storage = await openFileStorage(`${folder}/data`);
      // A later upload removes the rest of earlier ones.
      for (let n = 1; n <= 5; n++) {
        const at = new Date(Date.now() + 2 * 3_600_000).toISOString();
        await add(storage, drawPng(n, 99), { at });
      }
      assertEquals(await storage.list(IMAGE_UPLOADS, { limit: 1_000 }), []);
      await assertWhole(storage);
      await storage.close();
    }));
});
