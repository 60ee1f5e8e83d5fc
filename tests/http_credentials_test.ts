import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { generateSecret } from "../model/api_key.ts";
import { API_KEYS, openMemoryStorage, type Storage, SUBSCRIPTIONS } from "../mod.ts";
import { revokeKey } from "../services/api_keys.ts";
import { forEachRow } from "./_rows.ts";
import { assertOutcomes, createService, FORM, OPERATOR_KEY, outcomeOf } from "./_service.ts";
import { START, type TestService, VALID_FORM } from "./_service.ts";

const REALM = 'Bearer realm="boardcast"';
const SOON = "2026-11-21T10:00:01.000Z";

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

/** Revokes the one key of a service. */
async function revoke({ storage }: TestService): Promise<void> {
  const [{ keyId }] = await storage.list(API_KEYS, { limit: 1 });
  await revokeKey(storage, keyId, START);
}

describe("credentials", () => {
  it("are 401 missing_credentials without a bearer token in the header", async () => {
    await forEachRow(["", "Basic YTpi", "Bearerx", `Bearer:${OPERATOR_KEY}`], async (value) => {
      assertEquals(await outcomeWith(value), ["401 missing_credentials", REALM]);
    });
    const form = { access_token: OPERATOR_KEY, name: "A" };
    const path = `boards?access_token=${OPERATOR_KEY}`;
    const calls = [["POST", path, { key: null, form }, "401 missing_credentials"]] as const;
    await assertOutcomes(createService(), calls);
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
    const [expired, revoked] = [createService(), createService()];
    const [first, second] = [await expired.createKey(["*"], SOON), await revoked.createKey(["*"])];
    await revoke(revoked);
    expired.advance(999);
    assertEquals((await expired.send("GET", "boards", { key: first })).status, 200);
    expired.advance(1);
    const mistyped = second.replace(/.$/, (last) => last === "0" ? "1" : "0");
    const answers = new Set<string>();
    await forEachRow([
      [expired, first],
      [revoked, second],
      [revoked, mistyped],
      [revoked, generateSecret()],
      [revoked, "x"],
    ], async ([{ send }, key]) => {
      const response = await send("GET", "boards", { key, headers: { "x-request-id": "same" } });
      const challenge = response.headers.get("www-authenticate");
      assertEquals([response.status, challenge], [401, `${REALM}, error="invalid_token"`]);
      answers.add(JSON.stringify([...response.headers, await response.text()]));
    });
    assertEquals(answers.size, 1);
  });

  it("are refused without a look-up where the checksum is wrong", async () => {
    let lookUps = 0;
    const { send } = createService({ storage: withKeyReads(() => lookUps++) });
    await forEachRow([[`bc_${"0".repeat(36)}`, 0], [generateSecret(), 1]], async ([key, count]) => {
      assertEquals((await send("GET", "boards", { key })).status, 401);
      assertEquals(lookUps, count);
    });
  });

  it("are those of the operator's own key, which is never stored", async () => {
    const operatorKey = generateSecret();
    const { send, storage } = createService({ operatorKey });
    assertEquals((await send("GET", "keys", { key: operatorKey })).status, 200);
    assertEquals(await storage.list(API_KEYS, { limit: 9 }), []);
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
    const moments = ["look-up", "body"] as const;
    const ends: (readonly [how: (service: TestService) => unknown, when: string])[] = moments
      .flatMap((when) => [[revoke, when], [({ advance }) => advance(1_000), when]] as const);
    await forEachRow(ends, async ([end, when]) => {
      async function pass(moment: string): Promise<void> {
        if (moment === when) await end(service);
        if (moment === when) service.advance(600);
      }
      const service = createService({ storage: withKeyReads(() => pass("look-up")) });
      const key = await service.createKey(["*"], SOON);
      const body = new ReadableStream({
        async pull(controller) {
          await pass("body");
          controller.enqueue(new TextEncoder().encode(VALID_FORM));
          controller.close();
        },
      }, { highWaterMark: 0 });
      const sent = { key, body, headers: { "content-type": FORM } };
      const response = await service.send("PUT", "changelogs/subscribe", sent);
      assertEquals(await outcomeOf(response), "401 invalid_token");
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
    assertEquals(recorded, [null, START, "2026-11-21T10:01:00.000Z"]);
  });

  it("is no condition of the request, which goes on though storage can't record it", async () => {
    const storage = openMemoryStorage();
    const { createKey, send } = createService({ storage });
    const key = await createKey(["*"]);
    storage.transact = () => Promise.reject(new Error("disk full"));
    assertEquals((await send("GET", "boards", { key })).status, 200);
  });
});
