import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { generateKeyText } from "../model/api_key.ts";
import { openMemoryStorage } from "../mod.ts";
import { BOARDS } from "./_boards.ts";
import { createService } from "./_service.ts";

describe("use of keys", () => {
  it("a key notes the minute in which it was last used", async () => {
    const service = createService();
    const key = await service.createKey(["*"]);
    async function lastUsedAt() {
      return (await service.storage.apiKeys.list({ limit: 1 }))[0].lastUsedAt;
    }
    assertEquals(await lastUsedAt(), null);
    service.advance(90_500);
    await service.send("GET", BOARDS, { key });
    assertEquals(await lastUsedAt(), "2026-11-21T10:01:00.000Z");
    service.advance(20_000);
    await service.send("GET", BOARDS, { key });
    assertEquals(await lastUsedAt(), "2026-11-21T10:01:00.000Z");
    service.advance(60_000);
    await service.send("GET", BOARDS, { key });
    assertEquals(await lastUsedAt(), "2026-11-21T10:02:00.000Z");
  });

  it("the use of a key is noted once a minute, unless it has been noted by another", async () => {
    const storage = openMemoryStorage();
    const { touch } = storage.apiKeys;
    const noted: string[] = [];
    storage.apiKeys.touch = (keyId, minute) => {
      noted.push(minute);
      return touch(keyId, minute);
    };
    const [service, other] = [createService({ storage }), createService({ storage })];
    const key = await service.createKey(["*"]);
    for (const asked of [service, service, other]) await asked.send("GET", BOARDS, { key });
    service.advance(60_000);
    for (const asked of [service, service]) await asked.send("GET", BOARDS, { key });
    assertEquals(noted, ["2026-11-21T10:00:00.000Z", "2026-11-21T10:01:00.000Z"]);
  });

  it("the use of a key is noted once a minute though storage tells of it late", async () => {
    const service = createService();
    const noted: string[] = [];
    service.storage.apiKeys.touch = (_, minute) => Promise.resolve(void noted.push(minute));
    const key = await service.createKey(["*"]);
    await service.send("GET", BOARDS, { key });
    service.advance(59_999);
    await service.send("GET", BOARDS, { key });
    service.advance(1);
    for (let i = 0; i < 3; i++) await service.send("GET", BOARDS, { key });
    assertEquals(noted, ["2026-11-21T10:00:00.000Z", "2026-11-21T10:01:00.000Z"]);
  });

  it("a token is digested once, whether it is accepted or refused", async () => {
    const service = createService();
    const tokens = [await service.createKey(["*"]), generateKeyText()];
    const { digest } = crypto.subtle;
    let digests = 0;
    crypto.subtle.digest = (...given) => {
      digests++;
      return digest.apply(crypto.subtle, given);
    };
    try {
      for (const key of [...tokens, ...tokens]) await service.send("GET", BOARDS, { key });
    } finally {
      crypto.subtle.digest = digest;
    }
    assertEquals(digests, 2);
  });

  const failure = new Error("disk full");
  const FAILING_NOTES: Readonly<Record<string, () => Promise<void>>> = {
    rejects: () => Promise.reject(failure),
    throws() {
      throw failure;
    },
    "gives no promise": () => undefined as unknown as Promise<void>,
  };
  for (const [how, touch] of Object.entries(FAILING_NOTES)) {
    it(`a key is accepted though storage ${how} when its use is noted`, async () => {
      const service = createService();
      service.storage.apiKeys.touch = touch;
      const key = await service.createKey(["*"]);
      assertEquals((await service.send("GET", BOARDS, { key })).status, 200);
    });
  }

  it("keys are accepted though more than the remembered thousand are in use", async () => {
    const service = createService();
    const first = await service.createKey(["*"]);
    assertEquals((await service.send("GET", BOARDS, { key: first })).status, 200);
    for (let i = 0; i < 1_001; i++) {
      const key = await service.createKey(["boards:read"]);
      assertEquals((await service.send("GET", BOARDS, { key })).status, 200);
    }
    assertEquals((await service.send("GET", BOARDS, { key: first })).status, 200);
  });
});
