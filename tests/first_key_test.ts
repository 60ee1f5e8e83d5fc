import { assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createFirstKey } from "../commands/_first_key.ts";
import { openMemoryStorage } from "../mod.ts";
import { sampleKey } from "./_contract/samples.ts";

describe("the first key", () => {
  for (const rest of [{}, { revokedAt: "2026-11-21T10:00:00.000Z" }]) {
    it(`is not made where there is a key, like ${JSON.stringify(rest)}`, async () => {
      const { apiKeys } = openMemoryStorage();
      await apiKeys.create(sampleKey("other", rest));
      let written = "";
      const write = (text: string) => void (written += text);
      await createFirstKey(apiKeys, { out: write, err: write }, "http://localhost");
      const keys = await apiKeys.list({ limit: 9 });
      assertEquals([written, keys.map(({ keyId }) => keyId)], ["", ["other"]]);
    });
  }

  it("is made where there is none", async () => {
    const { apiKeys } = openMemoryStorage();
    let written = "";
    const out = (text: string) => void (written += text);
    await createFirstKey(apiKeys, { out, err: () => {} }, "http://localhost");
    assertMatch(written, / bc_[0-9A-Za-z]{36}\n/);
    assertEquals((await apiKeys.list({ limit: 9 })).map(({ scopes }) => scopes), [["*"]]);
  });
});
