import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { generateSecret } from "../model/api_key.ts";
import { API_KEYS, type Kind, KINDS, openMemoryStorage } from "../mod.ts";
import { revokeKey } from "../services/api_keys.ts";
import { BOARDS_PATH, KEYS_PATH, listKeys, SUBSCRIBE_PATH } from "./_calls.ts";
import { forEachRow } from "./_rows.ts";
import { assertProblem, createService, OPERATOR_KEY, START } from "./_service.ts";
import type { TestService } from "./_service.ts";

const REALM = 'Bearer realm="boardcast"';

function challengeOf({ headers }: Response): string | null {
  return headers.get("www-authenticate");
}

function sendAuthorized(authorization: string): Promise<Response> {
  return createService().send("GET", BOARDS_PATH, { key: null, headers: { authorization } });
}

/** Storage in memory whose reads of keys do something first. */
function withKeyReads(beforeRead: () => unknown) {
  const storage = openMemoryStorage();
  return {
    ...storage,
    get: (async (kind, key) => {
      const found = storage.get(kind, key);
      if (kind.name === API_KEYS.name) await beforeRead();
      return await found;
    }) as typeof storage.get,
  };
}

describe("credentials", () => {
  it("are 401 missing_credentials without a bearer token in the header", async () => {
    const others = ["", "Basic YTpi", "Digest a=b", "Bearerx", `Bearer:${OPERATOR_KEY}`, "x"];
    await forEachRow(others, async (value) => {
      const response = await sendAuthorized(value);
      assertEquals(challengeOf(response), REALM);
      await assertProblem(response, 401, "missing_credentials");
    });
    const { handler } = createService();
    const url = `http://localhost${BOARDS_PATH}`;
    const body = new URLSearchParams({ access_token: OPERATOR_KEY, name: "Ideas" });
    await forEachRow([
      new Request(url),
      new Request(`${url}?access_token=${OPERATOR_KEY}`),
      new Request(url, { method: "POST", body }),
    ], async (request) => {
      const response = await handler(request);
      assertEquals(challengeOf(response), REALM);
      await assertProblem(response, 401, "missing_credentials");
    });
  });

  it("are 400 malformed_credentials unless there is one token68, once", async () => {
    await forEachRow([
      ...["Bearer", "bearer   ", "Bearer a b", "Bearer a,b", "Bearer a, Bearer b", "Bearer é"],
      ...['Bearer "quoted"', "Bearer a=b", "Bearer =", "Bearer <API_KEY>"],
      ...[`Bearer ${OPERATOR_KEY}, Bearer ${OPERATOR_KEY}`, `Basic YTpi, Bearer ${OPERATOR_KEY}`],
      ...[`Bearer ${OPERATOR_KEY}, Basic YTpi`, `Bearer\t${OPERATOR_KEY}`],
    ], async (value) => {
      const response = await sendAuthorized(value);
      assertEquals(challengeOf(response), `${REALM}, error="invalid_request"`);
      await assertProblem(response, 400, "malformed_credentials");
    });
  });

  it("are accepted whatever the case of the scheme and the number of spaces", async () => {
    await forEachRow(["Bearer ", "bearer ", "BEARER ", "bEaReR     "], async (scheme) => {
      assertEquals((await sendAuthorized(scheme + OPERATOR_KEY)).status, 200);
    });
  });

  it("are 401 invalid_token, all alike, when a key is unknown, mistyped, expired or revoked", async () => {
    const service = createService();
    const { send, storage } = service;
    const expired = await service.createKey(["*"], { expiresAt: "2026-11-21T10:00:00.500Z" });
    const revoked = await service.createKey(["*"], { name: "Revoked" });
    const live = await service.createKey(["*"], { name: "Live" });
    service.advance(499);
    for (const key of [expired, revoked]) {
      assertEquals((await send("GET", BOARDS_PATH, { key })).status, 200);
    }
    service.advance(1);
    for (const { keyId, name } of await listKeys(service)) {
      if (name === "Revoked") await revokeKey(storage, keyId, START);
    }
    const mistyped = live.replace(/.$/, (last) => last === "0" ? "1" : "0");
    const answers = new Set<string>();
    const others = [expired, revoked, mistyped, generateSecret(), "x", `${OPERATOR_KEY}x`];
    await forEachRow(others, async (key) => {
      const response = await send("GET", BOARDS_PATH, { key, headers: { "x-request-id": "same" } });
      assertEquals(challengeOf(response), `${REALM}, error="invalid_token"`);
      const problem = await assertProblem(response, 401, "invalid_token");
      answers.add(JSON.stringify([[...response.headers], problem]));
    });
    assertEquals(answers.size, 1);
    assertEquals((await send("GET", BOARDS_PATH, { key: live })).status, 200);
  });

  it("are refused without a look-up where the checksum is wrong", async () => {
    let lookUps = 0;
    const storage = withKeyReads(() => lookUps++);
    const { send } = createService({ operatorKey: undefined, storage });
    await forEachRow(["x".repeat(39), `bc_${"0".repeat(36)}`, OPERATOR_KEY], async (key) => {
      await assertProblem(await send("GET", BOARDS_PATH, { key }), 401, "invalid_token");
    });
    assertEquals(lookUps, 0);
    const unknown = await send("GET", BOARDS_PATH, { key: generateSecret() });
    await assertProblem(unknown, 401, "invalid_token");
    assertEquals(lookUps, 1);
  });

  it("are those of the operator's own key, which is never stored", async () => {
    const operatorKey = generateSecret();
    const service = createService({ operatorKey });
    assertEquals((await service.send("GET", KEYS_PATH, { key: operatorKey })).status, 200);
    assertEquals(await service.storage.list(API_KEYS, { limit: 9 }), []);
  });

  it("are looked up again when the answer could be older than 1 s", async () => {
    // Storage may be 500 ms behind, and takes this long.
    await forEachRow([
      [[500], 200, 1],
      [[501, 500], 200, 2],
      [[-501, 0], 200, 2],
      [[60_000, 60_000, 0], 200, 3],
      [[60_000, 60_000, 60_000], 503, 3],
    ], async ([tookMs, status, expected]) => {
      let lookUps = 0;
      const storage = withKeyReads(() => service.advance(tookMs[lookUps++]));
      const service = createService({ storage });
      const key = await service.createKey(["*"]);
      const response = await service.send("GET", BOARDS_PATH, { key });
      assertEquals([response.status, lookUps], [status, expected]);
      if (status === 200) return;
      assertEquals(response.headers.get("retry-after"), "1");
      await assertProblem(response, 503, "storage_unavailable");
    });
  });

  it("are refused when the key was revoked or expired during the look-up", async () => {
    const ends: readonly ((service: TestService, keyId: string) => unknown)[] = [
      async ({ storage, advance }, keyId) => {
        await revokeKey(storage, keyId, START);
        advance(1_200);
      },
      ({ advance }) => advance(400),
    ];
    await forEachRow(ends, async (end) => {
      let keyId = "";
      const storage = withKeyReads(() => end(service, keyId));
      const service = createService({ storage });
      const key = await service.createKey(["*"], { expiresAt: "2026-11-21T10:00:00.400Z" });
      [{ keyId }] = await storage.list(API_KEYS, { limit: 1 });
      await assertProblem(await service.send("GET", BOARDS_PATH, { key }), 401, "invalid_token");
    });
  });

  it("are refused when the key ends while the body arrives, and nothing is stored", async () => {
    const ends: readonly ((service: TestService, keyId: string) => unknown)[] = [
      async ({ storage, advance }, keyId) => {
        advance(1);
        await revokeKey(storage, keyId, START);
      },
      ({ advance }) => advance(10_000),
    ];
    const calls: readonly [method: string, path: string, json: unknown][] = [
      ["POST", BOARDS_PATH, { name: "A" }],
      ["PATCH", `${BOARDS_PATH}/ideas`, {}],
      ["PUT", SUBSCRIBE_PATH, { userEmail: "ann@example.com", subscribe: true }],
      ["POST", KEYS_PATH, { name: "A" }],
      ["POST", `${KEYS_PATH}/none/rotate`, {}],
    ];
    for (const end of ends) {
      await forEachRow(calls, async ([method, path, json]) => {
        const service = createService();
        const key = await service.createKey(["*"], { expiresAt: "2026-11-21T10:00:10.000Z" });
        const [{ keyId }] = await service.storage.list(API_KEYS, { limit: 1 });
        const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
        const headers = { "content-type": "application/json" };
        const response = service.send(method, path, { key, headers, body: readable });
        const body = writable.getWriter();
        await body.write(new TextEncoder().encode(JSON.stringify(json)));
        await end(service, keyId);
        await body.close();
        await assertProblem(await response, 401, "invalid_token");
        const counts = KINDS.map(async (kind) =>
          (await service.storage.list(kind as Kind<unknown>, { limit: 9 })).length
        );
        assertEquals((await Promise.all(counts)).reduce((sum, count) => sum + count), 1);
      });
    }
  });
});

describe("the use of a key", () => {
  it("is noted by the minute, once in a minute, however often the key is used", async () => {
    await forEachRow([true, false], async (isSeenAtOnce) => {
      const memory = openMemoryStorage();
      const noted: unknown[] = [];
      const storage = {
        ...memory,
        get: (async (kind, key) => {
          const found = await memory.get(kind, key);
          return isSeenAtOnce ? found : found && { ...found, lastUsedAt: null };
        }) as typeof memory.get,
        transact: (async (refs, decide) => {
          const answer = await memory.transact(refs, decide);
          noted.push((await memory.list(API_KEYS, { limit: 1 }))[0].lastUsedAt);
          return answer;
        }) as typeof memory.transact,
      };
      const service = createService({ storage });
      const other = createService({ storage });
      const key = await service.createKey(["*"]);
      const use = (from: TestService) => from.send("GET", BOARDS_PATH, { key });
      service.advance(30_500);
      for (let i = 0; i < 3; i++) await use(service);
      // Another process sees that it has been noted.
      if (isSeenAtOnce) await use(other);
      service.advance(29_500);
      for (let i = 0; i < 3; i++) await use(service);
      assertEquals(noted, [null, START, "2026-11-21T10:01:00.000Z"]);
    });
  });

  it("is no condition of the request: it goes on though storage can't note it", async () => {
    const failure = new Error("disk full");
    await forEachRow([
      () => Promise.reject(failure),
      () => {
        throw failure;
      },
      () => undefined,
    ], async (fail) => {
      const storage = openMemoryStorage();
      const service = createService({ storage });
      const key = await service.createKey(["*"]);
      Object.assign(storage, { transact: fail });
      assertEquals((await service.send("GET", BOARDS_PATH, { key })).status, 200);
    });
  });
});
