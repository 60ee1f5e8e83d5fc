import { assert } from "@std/assert";
import { it } from "@std/testing/bdd";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { BOARDS, SUBSCRIPTIONS } from "../mod.ts";
import { BOARDS_PATH, FORM, JSON_TYPE, KEYS_PATH, SUBSCRIBE_PATH } from "./_calls.ts";
import { forEachRow } from "./_rows.ts";
import { createService } from "./_service.ts";

const COUNT = 500;
const PADDING_BYTES = 15_000;
const NAME = "AnnWithALongName";

/** What is in use on the heap when all garbage is collected. */
function heapUsedMb(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return Deno.memoryUsage().heapUsed / 1e6;
}

// Engines have a part of a text keep all of the text in memory that it was cut from.
it("what is stored keeps no more in memory than itself", async () => {
  const spaces = " ".repeat(PADDING_BYTES);
  const padding = "x".repeat(PADDING_BYTES);
  await forEachRow([
    [
      "PUT",
      SUBSCRIBE_PATH,
      FORM,
      (index: number) =>
        `userEmail=user${index}@example.com&userName=${NAME}${index}&subscribe=true&x=${padding}`,
    ],
    ["PUT", SUBSCRIBE_PATH, JSON_TYPE, (index: number) =>
      JSON.stringify({
        userEmail: `user${index}@example.com`,
        userName: `${spaces}${NAME}${index}`,
        subscribe: true,
      })],
    [
      "POST",
      BOARDS_PATH,
      FORM,
      (index: number) =>
        `boardId=a-board-with-number-${index}&name=${NAME}${index}${"+".repeat(PADDING_BYTES)}`,
    ],
    [
      "POST",
      KEYS_PATH,
      FORM,
      (index: number) => `name=${NAME}${index}${"+".repeat(PADDING_BYTES)}`,
    ],
  ], async ([method, path, contentType, bodyOf]) => {
    const { send, storage } = createService();
    const before = heapUsedMb();
    for (let index = 0; index < COUNT; index++) {
      const headers = { "content-type": contentType };
      const { ok } = await send(method, path, { body: bodyOf(index), headers });
      assert(ok, `call ${index} was refused`);
    }
    // The bodies have 7.5 MB together.
    const grownMb = heapUsedMb() - before;
    assert(grownMb < 3, `${grownMb} MB more`);
    const kept = [
      await storage.list(SUBSCRIPTIONS, { limit: 1 }),
      await storage.list(BOARDS, { limit: 1 }),
    ];
    assert(path === KEYS_PATH || kept.flat().length === 1, "still there");
  });
});
