// A text that is kept must not keep the longer one in memory that it was cut from.
import { assert } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { csvRows } from "../commands/_transfer/rows.ts";
import { FORM, PATH } from "./_bodies.ts";
import { createService, type TestService } from "./_service.ts";

const COUNT = 2_000;
const PADDING_BYTES = 15_000;

/** What is in use on the heap when all garbage is collected. */
function heapUsedMb(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return Deno.memoryUsage().heapUsed / 1e6;
}

/** Has many texts kept, each cut from one with 15 kB of padding, which together have 30 MB. */
async function assertSmall(keep: (index: number) => unknown): Promise<void> {
  const before = heapUsedMb();
  for (let index = 0; index < COUNT; index++) await keep(index);
  const grownMb = heapUsedMb() - before;
  assert(grownMb < 10, `${grownMb} MB more`);
}

function put({ send }: TestService, contentType: string, body: string): Promise<Response> {
  return send("PUT", PATH, { body, headers: { "content-type": contentType } });
}

describe("memory", () => {
  const spaces = " ".repeat(PADDING_BYTES);
  const name = "AnnWithALongName";

  it("is not taken by the form that a record came in", async () => {
    const service = createService();
    const padding = "x".repeat(PADDING_BYTES);
    await assertSmall((index) => {
      const fields = `userEmail=user${index}@example.com&userName=${name}${index}&subscribe=true`;
      return put(service, FORM, `${fields}&x=${padding}`);
    });
    assert(await service.storage.subscriptions.get("user0@example.com"), "still kept");
  });

  it("is not taken by the form that a board or a key came in", async () => {
    const { send, storage } = createService();
    const padding = "x".repeat(PADDING_BYTES);
    for (const path of ["/api/v1/boards", "/api/v1/keys"]) {
      await assertSmall((index) => {
        const body = `boardId=a-board-with-number-${index}&name=${name}${index}&x=${padding}`;
        return send("POST", path, { body, headers: { "content-type": FORM } });
      });
    }
    assert(await storage.boards.get("a-board-with-number-0"), "still kept");
  });

  it("is not taken by the white space around a name", async () => {
    const service = createService();
    await assertSmall((index) => {
      const userEmail = `user${index}@example.com`;
      const json = { userEmail, userName: `${spaces}${name}${index}`, subscribe: true };
      return put(service, "application/json", JSON.stringify(json));
    });
    assert(await service.storage.subscriptions.get("user0@example.com"), "still kept");
  });

  it("is not taken by the row of CSV that an address and a name came in", async () => {
    const rows: unknown[] = [];
    const format = csvRows(() => {});
    format.read("userEmail,userName,subscribed,notes", 1);
    const notes = "x".repeat(PADDING_BYTES);
    await assertSmall((index) => {
      const record = `user${index}@example.com,${name}${index},true,${notes}`;
      // As it is read from a file.
      rows.push(format.read(new TextDecoder().decode(new TextEncoder().encode(record)), 2));
    });
    assert(rows.length === COUNT, "still kept");
  });
});
