import { assert } from "@std/assert";
import { it } from "@std/testing/bdd";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { forEachRow } from "./_rows.ts";
import { createService, FORM, readJson } from "./_service.ts";

const COUNT = 500;
const PADDING = "+".repeat(15_000);

/** What is in use on the heap when all garbage is collected. */
function heapUsedMb(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return Deno.memoryUsage().heapUsed / 1e6;
}

// Engines have a part of a text keep all of the text in memory that it was cut from.
it("what is stored keeps no more in memory than itself", async () => {
  await forEachRow([
    [
      "PUT",
      "changelogs/subscribe",
      200,
      "subscribe=true&userEmail=ID@example.com&userName=With a long name ID",
    ],
    ["POST", "boards", 201, "boardId=a-board-with-number-ID&name=With a long name ID"],
    ["POST", "keys", 201, "name=With a long name ID"],
  ], async ([method, path, status, form]) => {
    const { send, storage } = createService();
    const before = heapUsedMb();
    for (let index = 0; index < COUNT; index++) {
      const body = form.replaceAll("ID", `${index}`) + PADDING;
      await readJson(await send(method, path, { body, headers: { "content-type": FORM } }), status);
    }
    // The bodies have 7.5 MB together.
    const grownMb = heapUsedMb() - before;
    assert(grownMb < 3, `${grownMb} MB more`);
    await storage.close();
  });
});
