import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { generateSecret, type ShownKey } from "../model/api_key.ts";
import { API_KEYS, openMemoryStorage, type Storage, SUBSCRIPTIONS } from "../mod.ts";
import { revokeKey } from "../services/api_keys.ts";
import { forEachRow } from "./_rows.ts";
import { assertOutcomes, createService, OPERATOR_KEY, outcomeOf, START } from "./_service.ts";

const REALM = 'Bearer realm="boardcast"';

/** Sends a request with such credentials; returns what it came to, and the challenge. */
async function outcomeWith(authorization: string): Promise<readonly (string | null)[]> {
  const sent = { key: null, headers: { authorization } };
  const response = await createService().send("GET", "boards", sent);
  return [await outcomeOf(response), response.headers.get("www-authenticate")];
}

/** Storage in memory whose reads of keys do something first. */
function withKeyReads(beforeRead: () => unknown): Storage {
  const storage = openMemoryStorage();
  return {
    ...storage,
    async get(kind, key) {
      const found = storage.get(kind, key);
      if (kind.name === API_KEYS.name) await beforeRead();
      return await found;
    },
  };
}

describe("credentials", () => {
  it("are 401 missing_credentials without a bearer token in the header", async () => {
    await forEachRow(["", "Basic YTpi", "Bearerx", `Bearer:${OPERATOR_KEY}`], async (value) => {
      assertEquals(await outcomeWith(value), ["401 missing_credentials", REALM]);
    });
    await assertOutcomes(createService(), [
      ["GET", `boards?access_token=${OPERATOR_KEY}`, { key: null }, "401 missing_credentials"],
      [
        "POST",
        "boards",
        { key: null, form: { access_token: OPERATOR_KEY, name: "A" } },
        "401 missing_credentials",
      ],
    ]);
  });

  it("are 400 malformed_credentials unless there is one token68, once", async () => {
    await forEachRow([
      ...["Bearer", "bearer   ", "Bearer a b", "Bearer a, Bearer b", 'Bearer "quoted"', "Bearer é"],
      ...["Bearer a=b", "Bearer <API_KEY>", `Bearer\t${OPERATOR_KEY}`],
      ...[`Basic YTpi, Bearer ${OPERATOR_KEY}`, `Bearer ${OPERATOR_KEY}, Basic YTpi`],
    ], async (value) => {
      const challenge = `${REALM}, error="invalid_request"`;
      assertEquals(await outcomeWith(value), ["400 malformed_credentials", challenge]);
    });
  });

  it("are accepted whatever the case of the scheme and the number of spaces", async () => {
    await forEachRow(["Bearer ", "BEARER ", "bEaReR     "], async (scheme) => {
      assertEquals(await outcomeWith(scheme + OPERATOR_KEY), ["200", null]);
    });
  });

  it("are 401 invalid_token, all alike, when a key is unknown, mistyped, expired or revoked", async () => {
    const service = createService();
    const expired = await service.createKey(["*"], { expiresAt: "2026-11-21T10:00:00.500Z" });
    const revoked = await service.createKey(["*"], { name: "Revoked" });
    const live = await service.createKey(["*"], { name: "Live" });
    service.advance(499);
    const own = [expired, revoked].map((key) => ["GET", "boards", { key }, "200"] as const);
    await assertOutcomes(service, own);
    service.advance(1);
    const { data } = await service.call<{ data: ShownKey[] }>("GET", "keys");
    const { keyId } = data.find(({ name }) => name === "Revoked")!;
    await service.send("DELETE", `keys/${keyId}`);
    const mistyped = live.replace(/.$/, (last) => last === "0" ? "1" : "0");
    const answers = new Set<string>();
    await forEachRow([expired, revoked, mistyped, generateSecret(), "x"], async (key) => {
      const sent = { key, headers: { "x-request-id": "same" } };
      const response = await service.send("GET", "boards", sent);
      const challenge = response.headers.get("www-authenticate");
      assertEquals([response.status, challenge], [401, `${REALM}, error="invalid_token"`]);
      answers.add(JSON.stringify([...response.headers, await response.text()]));
    });
    assertEquals(answers.size, 1);
  });

  it("are refused without a look-up where the checksum is wrong", async () => {
    let lookUps = 0;
    const service = createService({ storage: withKeyReads(() => lookUps++) });
    for (const key of [`bc_${"0".repeat(36)}`, "x".repeat(39), generateSecret()]) {
      await assertOutcomes(service, [["GET", "boards", { key }, "401 invalid_token"]]);
    }
    assertEquals(lookUps, 1);
  });

  it("are those of the operator's own key, which is never stored", async () => {
    const operatorKey = generateSecret();
    const service = createService({ operatorKey });
    await assertOutcomes(service, [["GET", "keys", { key: operatorKey }, "200"]]);
    assertEquals(await service.storage.list(API_KEYS, { limit: 9 }), []);
  });

  it("are looked up again when the answer could be older than 1 s", async () => {
    // Storage may be 500 ms behind, and takes this long.
    await forEachRow([
      [[500], "200", 1],
      [[501, 500], "200", 2],
      [[-501, 0], "200", 2],
      [[60_000, 60_000, 60_000], "503 storage_unavailable", 3],
    ], async ([tookMs, expected, count]) => {
      let lookUps = 0;
      const storage = withKeyReads(() => service.advance(tookMs[lookUps++]));
      const service = createService({ storage });
      const key = await service.createKey(["*"]);
      const outcome = await outcomeOf(await service.send("GET", "boards", { key }));
      assertEquals([outcome, lookUps], [expected, count]);
    });
  });

  it("are refused when the key ends during the look-up, or while the body arrives", async () => {
    await forEachRow([["revoked", "look-up"], ["revoked", "body"], ["expired", "look-up"], [
      "expired",
      "body",
    ]], async ([how, when]) => {
      async function end(during: string): Promise<void> {
        if (during !== when) return;
        service.advance(1_200);
        const [{ keyId }] = await service.storage.list(API_KEYS, { limit: 1 });
        if (how === "revoked") await revokeKey(service.storage, keyId, START);
      }
      const service = createService({ storage: withKeyReads(() => end("look-up")) });
      const expiresAt = how === "expired" ? "2026-11-21T10:00:01.000Z" : undefined;
      const key = await service.createKey(["*"], { expiresAt });
      const body = new ReadableStream({
        async pull(controller) {
          await end("body");
          controller.enqueue(new TextEncoder().encode("userEmail=ann@a.bc&subscribe=true"));
          controller.close();
        },
      }, { highWaterMark: 0 });
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      const sent = { key, body, headers };
      const path = "changelogs/subscribe";
      await assertOutcomes(service, [["PUT", path, sent, "401 invalid_token"]]);
      assertEquals(await service.storage.list(SUBSCRIPTIONS, { limit: 1 }), []);
    });
  });
});

describe("the use of a key", () => {
  it("is recorded by the minute, once in a minute, however often the key is used", async () => {
    const storage = openMemoryStorage();
    const { transact } = storage;
    const recorded: unknown[] = [];
    storage.transact = async (refs, decide) => {
      const answer = await transact(refs, decide);
      recorded.push((await storage.list(API_KEYS, { limit: 1 }))[0].lastUsedAt);
      return answer;
    };
    const service = createService({ storage });
    const key = await service.createKey(["*"]);
    for (const sinceMs of [30_500, 0, 29_500, 0]) {
      service.advance(sinceMs);
      await service.send("GET", "boards", { key });
    }
    // Another process sees that it has been recorded.
    await createService({ storage, clock: () => Date.parse(START) }).send("GET", "boards", { key });
    assertEquals(recorded, [null, START, "2026-11-21T10:01:00.000Z"]);
  });

  it("is no condition of the request, which goes on though storage can't record it", async () => {
    const storage = openMemoryStorage();
    const service = createService({ storage });
    const key = await service.createKey(["*"]);
    storage.transact = () => Promise.reject(new Error("disk full"));
    await assertOutcomes(service, [["GET", "boards", { key }, "200"]]);
  });
});
