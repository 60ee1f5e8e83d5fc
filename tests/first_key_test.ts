import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createFirstKey } from "../commands/_first_key.ts";
import { openMemoryStorage } from "../mod.ts";
import { sampleKey } from "./_contract/samples.ts";

describe("the first key", () => {
  const PAST = "2020-01-01T00:00:00.000Z";
  for (
    const [rest, warnings] of [
      [{}, 0],
      [{ revokedAt: PAST }, 1],
      [{ expiresAt: PAST }, 1],
      [{ expiresAt: "9999-12-31T23:59:59.999Z" }, 0],
    ] as const
  ) {
    it(`is not made where there is a key, like ${JSON.stringify(rest)}`, async () => {
      const { apiKeys } = openMemoryStorage();
      await apiKeys.create(sampleKey("other", rest));
      const written: string[] = [];
      const warned: string[] = [];
      await createFirstKey(apiKeys, {
        out: (text) => written.push(text),
        warn: (message) => warned.push(message),
        baseUrl: "http://localhost",
      });
      const keys = await apiKeys.list({ limit: 9 });
      assertEquals([written, keys.map(({ keyId }) => keyId)], [[], ["other"]]);
      assertEquals(warned.length, warnings);
      for (const warning of warned) assertStringIncludes(warning, "create one with boardcast keys");
    });
  }

  for (const [count, warnings] of [[3, 1], [100, 0]]) {
    it(`is missed where none of ${count} keys is accepted, unless they are too many to tell`, async () => {
      const { apiKeys } = openMemoryStorage();
      for (let i = 0; i < count; i++) await apiKeys.create(sampleKey(`k${i}`, { revokedAt: PAST }));
      const warned: string[] = [];
      await createFirstKey(apiKeys, {
        out: () => {},
        warn: (message) => warned.push(message),
        baseUrl: "http://localhost",
      });
      assertEquals(warned.length, warnings);
    });
  }

  it("is not missed where one of several keys is accepted", async () => {
    const { apiKeys } = openMemoryStorage();
    await apiKeys.create(sampleKey("a", { revokedAt: PAST }));
    await apiKeys.create(sampleKey("b"));
    const refuse = (text: string) => {
      throw new Error(text);
    };
    await createFirstKey(apiKeys, { out: refuse, warn: refuse, baseUrl: "http://localhost" });
  });

  it("is made where there is none", async () => {
    const { apiKeys } = openMemoryStorage();
    let written = "";
    const out = (text: string) => void (written += text);
    await createFirstKey(apiKeys, { out, warn: () => {}, baseUrl: "http://localhost" });
    assertMatch(written, / bc_[0-9A-Za-z]{36}\n/);
    assertEquals((await apiKeys.list({ limit: 9 })).map(({ scopes }) => scopes), [["*"]]);
  });
});
