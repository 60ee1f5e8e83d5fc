import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { type Scope, SCOPES } from "../../../model/keys/api_key.ts";
import { generateSecret } from "../../../model/crypto/key_secret.ts";
import { API_KEYS, openMemoryStorage, type Storage, SUBSCRIPTIONS } from "../../../mod.ts";
import { revokeKey } from "../../../services/keys/api_keys.ts";
import { PROMISED } from "../../_support/promised.ts";
import { forEachRow } from "../../_support/rows.ts";
import {
  assertOutcomes,
  createService,
  FORM,
  OPERATOR_KEY,
  outcomeOf,
} from "../../_support/service.ts";
import { withMonotonicClock } from "../../_support/waiting.ts";
import { START, type TestService, VALID_FORM } from "../../_support/service.ts";

const REALM = 'Bearer realm="boardcast"';
const SOON = "2026-11-21T10:00:01.000Z";
const SUBSCRIBE = "changelogs/subscribe";

/** Sends a request with an `Authorization` header; returns its outcome and the challenge. */
async function outcomeWith(authorization: string): Promise<readonly (string | null)[]> {
  const sent = { key: null, headers: { authorization } };
  const response = await createService().send("GET", "boards", sent);
  return [await outcomeOf(response), response.headers.get("www-authenticate")];
}

/** Returns storage in memory that calls a function before it reads a key. */
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

/** Returns the further scopes that an operation needs because its response is about people. */
function alsoAsked(method: string, template: string): readonly Scope[] {
  const tellsOfOne = template.endsWith("/subscribers/{userEmail}") && method !== "GET";
  const tellsOfMany = method === "GET" &&
    /\/(?:failures|votes|votes\/summary|reports|posts\/export)$/.test(template);
  const leavesOut = /\/(?:domains\/{domain}|posts\/votes)$/.test(template) ||
    method === "DELETE" && template.endsWith("/reports");
  if (template.endsWith("/posts/import")) return ["subscriptions:write"];
  return tellsOfOne || tellsOfMany || leavesOut ? ["subscriptions:read"] : [];
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
      ...["Bearer a=b", `Bearer\t${OPERATOR_KEY}`],
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

  it("are 403 insufficient_scope unless the key has the promised scope of the operation", async () => {
    const service = createService();
    const all = SCOPES.filter((scope) => scope !== "*");
    const keys: Record<string, string> = { "*": await service.createKey(["*"]) };
    for (const scope of all) {
      keys[scope] = await service.createKey([scope]);
      keys[`not ${scope}`] = await service.createKey(all.filter((other) => other !== scope));
    }
    await forEachRow(PROMISED, async ([method, template, scope]) => {
      const path = template.replaceAll(/{\w+}/g, "none");
      const open = await service.send(method, path, { key: null });
      if (scope === null) return assert(![401, 403].includes(open.status));
      assertEquals(open.status, 401);
      if (scope === "any") return;
      const refused = await service.send(method, path, { key: keys[`not ${scope}`] });
      const challenge = `${REALM}, error="insufficient_scope", scope="${scope}"`;
      assertEquals(refused.headers.get("www-authenticate"), challenge);
      assertEquals(await outcomeOf(refused), "403 insufficient_scope");
      const own = await service.createKey([scope, ...alsoAsked(method, template)]);
      for (const key of [own, keys["*"]]) {
        const { status } = await service.send(method, path, { key });
        assert(![401, 403].includes(status), `${status}`);
      }
    });
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
    const key = generateSecret();
    const response = await createService({ operatorKey: key }).send("GET", "keys", { key });
    assertEquals(await response.json(), { data: [], nextCursor: null });
  });

  it("are looked up once, whatever the clock does while the body arrives", async () => {
    let lookUps = 0;
    const service = createService({ storage: withKeyReads(() => lookUps++) });
    const key = await service.createKey(["*"]);
    const body = new ReadableStream({
      pull(controller) {
        service.advance(600);
        controller.enqueue(new TextEncoder().encode(VALID_FORM));
        controller.close();
      },
    }, { highWaterMark: 0 });
    const sent = { key, body, headers: { "content-type": FORM } };
    // The body counts as held back once the monotonic clock has moved on.
    await withMonotonicClock(async () => {
      assertEquals((await service.send("PUT", SUBSCRIBE, sent)).status, 200);
    });
    assertEquals(lookUps, 1);
  });

  /** Returns a body whose end is held back until a promise resolves. */
  function heldBack(
    service: TestService,
    { end, text, advance }: {
      readonly end: (service: TestService) => unknown;
      readonly text: string;
      readonly advance: (durationMs: number) => void;
    },
  ) {
    return new ReadableStream({
      async pull(controller) {
        await end(service);
        service.advance(600);
        advance(60);
        if (text !== "") controller.enqueue(new TextEncoder().encode(text));
        controller.close();
      },
    }, { highWaterMark: 0 });
  }

  it("are refused when the key is revoked, or expires, while the body is held back", async () => {
    await forEachRow([revoke, ({ advance }: TestService) => advance(400)], async (end) => {
      const service = createService();
      const key = await service.createKey(["*"], SOON);
      await withMonotonicClock(async (advance) => {
        const body = heldBack(service, { end, text: VALID_FORM, advance });
        const sent = { key, body, headers: { "content-type": FORM } };
        const outcome = await outcomeOf(await service.send("PUT", SUBSCRIBE, sent));
        assertEquals(outcome, "401 invalid_token");
      });
      assertEquals(await service.storage.list(SUBSCRIPTIONS, { limit: 1 }), []);
    });
  });

  it("are refused when the key is revoked while a body that may be absent is held back", async () => {
    const service = createService();
    const key = await service.createKey(["*"], SOON);
    await withMonotonicClock(async (advance) => {
      const body = heldBack(service, { end: revoke, text: "", advance });
      const sent = { key, body, headers: { "content-type": "text/plain" } };
      const path = "keys/0123456789abcdef/rotate";
      assertEquals(await outcomeOf(await service.send("POST", path, sent)), "401 invalid_token");
    });
  });
});

describe("the checks of a request", () => {
  it("come in the promised order, one fault after the other", async () => {
    const service = createService({ rateLimit: { requests: 1, windowSeconds: 60 } });
    const writer = await service.createKey(["subscriptions:write"]);
    const busy = await service.createKey(["subscriptions:write"]);
    for (let i = 0; i < 2; i++) await service.send("PUT", SUBSCRIBE, { key: busy });
    const reader = await service.createKey(["boards:read"]);
    const long = "x".repeat(20_000);
    const bad = { headers: { "content-type": "text/plain" }, body: long };
    await assertOutcomes(service, [
      ["FOO", `${SUBSCRIBE}/x`, { ...bad, key: "a b" }, "404 not_found"],
      ["FOO", SUBSCRIBE, { ...bad, key: "a b" }, "405 method_not_allowed"],
      ["PUT", SUBSCRIBE, { ...bad, key: "a b" }, "400 malformed_credentials"],
      ["PUT", SUBSCRIBE, { ...bad, key: null }, "401 missing_credentials"],
      ["PUT", SUBSCRIBE, { ...bad, key: reader }, "403 insufficient_scope"],
      ["PUT", SUBSCRIBE, { ...bad, key: busy }, "429 rate_limited"],
      ["PUT", SUBSCRIBE, { ...bad, key: writer }, "415 unsupported_media_type"],
    ]);
    const free = createService();
    await free.storage.close();
    const headers = { "content-type": FORM };
    await assertOutcomes(free, [
      ["PUT", SUBSCRIBE, { headers, body: `userEmail=%zz&${long}` }, "413 body_too_large"],
      ["PUT", SUBSCRIBE, { headers, body: "userEmail=%zz&subscribe=x" }, "400 malformed_body"],
      ["PUT", SUBSCRIBE, { headers, body: "subscribe=true" }, "422 userEmail:required"],
      ["PUT", SUBSCRIBE, { headers, body: VALID_FORM }, "503 storage_unavailable"],
    ]);
  });

  it("read nothing of a body before the caller is known", async () => {
    let pulled = false;
    const { send } = createService();
    for (const key of [null, "a b", generateSecret()]) {
      const source = { pull: () => void (pulled = true) };
      const body = new ReadableStream(source, { highWaterMark: 0 });
      await send("PUT", SUBSCRIBE, { key, body });
    }
    assertEquals(pulled, false);
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
    assertEquals([...new Set(recorded)], [null, START, "2026-11-21T10:01:00.000Z"]);
  });

  it("is stored once in a minute when storage takes longer than the next requests", async () => {
    const storage = openMemoryStorage();
    let stored = 0;
    const service = createService({
      storage: {
        ...storage,
        transact(refs, decide) {
          if (Object.values(refs).some(({ kind }) => kind.name === API_KEYS.name)) stored++;
          return stored > 1 ? new Promise(() => {}) : storage.transact(refs, decide);
        },
      },
    });
    const key = await service.createKey(["boards:read"]);
    stored = 1;
    for (let request = 0; request < 3; request++) await service.send("GET", "boards", { key });
    assertEquals(stored, 2);
  });

  it("is no condition of the request, which goes on though storage can't record it", async () => {
    const storage = openMemoryStorage();
    const { createKey, send } = createService({ storage });
    const key = await createKey(["*"]);
    storage.transact = () => Promise.reject(new Error("disk full"));
    assertEquals((await send("GET", "boards", { key })).status, 200);
  });
});
