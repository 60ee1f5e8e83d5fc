import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createFirstKey } from "../commands/_first_key.ts";
import { ClosedOutput } from "../commands/_io.ts";
import { openMemoryStorage, StorageError } from "../mod.ts";
import { type ApiKey, isLiveKey } from "../model/api_key.ts";
import { sampleKey } from "./_contract/samples.ts";

const PAST = "2020-01-01T00:00:00.000Z";

/** What comes of a first key where there are some: what is written and warned of, and all keys. */
async function start(keys: readonly ApiKey[]) {
  const { apiKeys } = openMemoryStorage();
  for (const key of keys) await apiKeys.create(key);
  let written = "";
  const warnings: string[] = [];
  await createFirstKey(apiKeys, {
    out: (text) => written += text,
    warn: (message) => warnings.push(message),
    baseUrl: "http://localhost",
  });
  return { written, warnings, kept: await apiKeys.list({ limit: 100 }) };
}

describe("the first key", () => {
  for (
    const [rest, count] of [
      [{}, 0],
      [{ revokedAt: PAST }, 1],
      [{ expiresAt: PAST }, 1],
      [{ expiresAt: "9999-12-31T23:59:59.999Z" }, 0],
    ] as const
  ) {
    it(`is not made where there is a key, like ${JSON.stringify(rest)}`, async () => {
      const { written, warnings, kept } = await start([sampleKey("other", rest)]);
      assertEquals([written, kept.map(({ keyId }) => keyId)], ["", ["other"]]);
      assertEquals(warnings.length, count);
      for (const text of warnings) assertStringIncludes(text, "create one with boardcast keys");
    });
  }

  it("is missed where none of very many keys is accepted, and only then", async () => {
    const keys = Array.from(
      { length: 2_000 },
      (_, i) => sampleKey(`k${i + 1_000}`, { revokedAt: PAST }),
    );
    assertEquals((await start(keys)).warnings.length, 1);
    keys.push(sampleKey("z"));
    assertEquals((await start(keys)).warnings, []);
  });

  it("is not missed where one of several keys is accepted", async () => {
    const { written, warnings } = await start([
      sampleKey("a", { revokedAt: PAST }),
      sampleKey("b"),
    ]);
    assertEquals([written, warnings], ["", []]);
  });

  for (
    const [rest, expected] of [
      [{}, ["the first API key was never used; if nobody has its text, create one"]],
      [{ lastUsedAt: PAST }, []],
    ] as const
  ) {
    it(`is asked about where it is alone, like ${JSON.stringify(rest)}`, async () => {
      const { apiKeys } = openMemoryStorage();
      const output = { out() {}, warn() {}, baseUrl: "http://localhost" };
      await createFirstKey(apiKeys, output);
      const [key] = await apiKeys.list({ limit: 1 });
      const { written, warnings } = await start([{ ...key, ...rest }]);
      assertEquals(written, "");
      assertEquals(warnings.map((text) => text.split(" with", 1)[0]), expected);
    });
  }

  it("is not asked about where there is another one", async () => {
    const { warnings } = await start([sampleKey("first"), sampleKey("second")]);
    assertEquals(warnings, []);
  });

  it("is made by one of the servers that find none at the same time", async () => {
    const { apiKeys } = openMemoryStorage();
    let written = "";
    const output = {
      out: (text: string) => written += text,
      warn() {},
      baseUrl: "http://localhost",
    };
    await Promise.all([createFirstKey(apiKeys, output), createFirstKey(apiKeys, output)]);
    assertEquals(written.match(/ bc_[0-9A-Za-z]{36}\n/g)?.length, 1);
    assertEquals((await apiKeys.list({ limit: 9 })).length, 1);
  });

  it("is not shown where it can't be stored", async () => {
    const { apiKeys } = openMemoryStorage();
    const failure = new StorageError("unavailable", "It is full");
    const failing = { ...apiKeys, create: () => Promise.reject(failure) };
    const output = { out: () => assert(false), warn() {}, baseUrl: "http://localhost" };
    assertEquals(await assertRejects(() => createFirstKey(failing, output)), failure);
  });

  for (
    const [failure, reason] of [
      [new ClosedOutput(), "nobody reads standard output"],
      [new Error("No space left"), "writing failed on standard output"],
    ] as const
  ) {
    it(`is revoked where it can't be shown, as ${reason}`, async () => {
      const { apiKeys } = openMemoryStorage();
      const out = () => {
        throw failure;
      };
      const output = { out, warn() {}, baseUrl: "http://localhost" };
      const error = await assertRejects(() => createFirstKey(apiKeys, output), Error, reason);
      assertEquals(error.cause, failure);
      const [key] = await apiKeys.list({ limit: 9 });
      assertEquals(isLiveKey(key, key.createdAt), false);
    });
  }

  it("is made where there is none", async () => {
    const { written, kept } = await start([]);
    assertMatch(written, / bc_[0-9A-Za-z]{36}\n/);
    assertEquals(kept.map(({ name, scopes }) => [name, scopes]), [["First key", ["*"]]]);
  });
});
