import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { showFirstKey } from "../commands/_first_key.ts";
import { openMemoryStorage, type Storage } from "../mod.ts";
import { hashSecret } from "../model/api_key.ts";
import { createKey, findKey, listKeys } from "../services/api_keys.ts";

const AT = "2020-01-01T00:00:00.000Z";

/** Starts a server on storage, as far as its first key goes. */
async function start(storage: Storage, out?: () => void) {
  let written = "";
  const warnings: string[] = [];
  await showFirstKey(storage, {
    out: out ?? ((text) => written += text),
    warn: (message) => warnings.push(message),
    baseUrl: "http://127.0.0.1:8000/feedback",
  });
  return { written, warnings };
}

describe("the first key", () => {
  it("is made on storage without keys, shown once with two calls, and holds every scope", async () => {
    const storage = openMemoryStorage();
    // Of several servers that start at the same time, one makes it.
    const starts = await Promise.all([start(storage), start(storage), start(storage)]);
    const [written, ...others] = starts.map(({ written }) => written).filter((text) => text !== "");
    assertEquals([others, await start(storage)], [[], { written: "", warnings: [] }]);
    const [secret] = /bc_[0-9A-Za-z]{36}/.exec(written) ?? [""];
    assertEquals((await findKey(storage, await hashSecret(secret)))?.scopes, ["*"]);
    const call = "curl -X PUT http://127.0.0.1:8000/feedback/api/v1/changelogs/subscribe";
    assertStringIncludes(written, call);
    assertEquals((await listKeys(storage, { limit: 10 })).length, 1);
  });

  it("is not made beside another key; a warning says where none is accepted", async () => {
    for (const [expiresAt, count] of [[null, 0], ["2020-01-02T00:00:00.000Z", 1]] as const) {
      const storage = openMemoryStorage();
      const request = { name: "Key", scopes: ["boards:read"], expiresAt } as const;
      await createKey(storage, request, AT);
      const { written, warnings } = await start(storage);
      assertEquals([written, warnings.length], ["", count]);
      assert(warnings.every((text) => text.includes("create one with boardcast keys")));
    }
  });

  it("is revoked, and the start fails, where it can't be shown", async () => {
    const storage = openMemoryStorage();
    const fail = () => assert(false);
    await assertRejects(() => start(storage, fail), Error, "cannot show the first API key");
    const [key] = await listKeys(storage, { limit: 1 });
    assertEquals(typeof key.revokedAt, "string");
  });
});
