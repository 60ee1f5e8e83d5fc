import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { showFirstKey } from "../commands/_first_key.ts";
import { ClosedOutput } from "../commands/_io.ts";
import { openMemoryStorage, type Storage } from "../mod.ts";
import { createKey, findKey, listKeys, revokeKey } from "../services/api_keys.ts";
import { hashSecret } from "../model/api_key.ts";

const AT = "2020-01-01T00:00:00.000Z";
const REQUEST = { name: "Key", scopes: ["boards:read"], expiresAt: null } as const;

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
    const { written, warnings } = await start(storage);
    assertEquals(warnings, []);
    const [secret] = /bc_[0-9A-Za-z]{36}/.exec(written) ?? [""];
    assertEquals((await findKey(storage, await hashSecret(secret)))?.scopes, ["*"]);
    assertMatch(
      written,
      /curl -X PUT http:\/\/127\.0\.0\.1:8000\/feedback\/api\/v1\/changelogs\/subscribe/,
    );
    assertEquals(await start(storage), { written: "", warnings: [] });
  });

  it("is made by one of several servers that start at the same time", async () => {
    const storage = openMemoryStorage();
    const starts = await Promise.all([start(storage), start(storage), start(storage)]);
    assertEquals(starts.filter(({ written }) => written !== "").length, 1);
    assertEquals((await listKeys(storage, { limit: 10 })).length, 1);
  });

  it("is not made beside another key; a warning says where none is accepted", async () => {
    const rows = [[null, false, 0], ["2020-01-02T00:00:00.000Z", false, 1], [
      null,
      true,
      1,
    ]] as const;
    for (const [expiresAt, isRevoked, count] of rows) {
      const storage = openMemoryStorage();
      const { key } = await createKey(storage, { ...REQUEST, expiresAt }, AT);
      if (isRevoked) await revokeKey(storage, key.keyId, AT);
      const { written, warnings } = await start(storage);
      assertEquals([written, warnings.length], ["", count]);
      for (const text of warnings) assertStringIncludes(text, "create one with boardcast keys");
    }
  });

  it("is revoked, and the start fails, where it can't be shown", async () => {
    for (const error of [new ClosedOutput("gone"), new Error("disk full")]) {
      const storage = openMemoryStorage();
      const fail = () => {
        throw error;
      };
      await assertRejects(() => start(storage, fail), Error, "cannot show the first API key");
      const [key] = await listKeys(storage, { limit: 1 });
      assertEquals(typeof key.revokedAt, "string");
    }
  });
});
