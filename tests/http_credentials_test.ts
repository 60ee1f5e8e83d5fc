import { assert, assertEquals, assertThrows } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { generateKeyText } from "../model/api_key.ts";
import { createHandler, openMemoryStorage } from "../mod.ts";
import { BOARDS } from "./_boards.ts";
import { assertProblem, createService, OPERATOR_KEY, START, type TestService } from "./_service.ts";

const REALM = 'Bearer realm="boardcast"';

function authorized(authorization: string) {
  return createService().send("GET", BOARDS, { key: null, headers: { authorization } });
}

describe("credentials", () => {
  for (const value of ["", "Basic YTpi", "Digest a=b", "Bearerx", `Bearer:${OPERATOR_KEY}`, "x"]) {
    it(`credentials are missing when the header is "${value}"`, async () => {
      const response = await authorized(value);
      assertEquals(response.headers.get("www-authenticate"), REALM);
      await assertProblem(response, 401, "missing_credentials");
    });
  }

  it("credentials are missing when there is no header", async () => {
    const response = await createService().send("GET", BOARDS, { key: null });
    assertEquals(response.headers.get("www-authenticate"), REALM);
    await assertProblem(response, 401, "missing_credentials");
  });

  for (
    const value of [
      "Bearer",
      "bearer   ",
      "Bearer a b",
      "Bearer a,b",
      "Bearer a, Bearer b",
      `Bearer ${OPERATOR_KEY}, Bearer ${OPERATOR_KEY}`,
      `Basic YTpi, Bearer ${OPERATOR_KEY}`,
      `Bearer ${OPERATOR_KEY}, Basic YTpi`,
      "Bearer é",
      'Bearer "quoted"',
      "Bearer a=b",
      "Bearer =",
      "Bearer <API_KEY>",
      `Bearer\t${OPERATOR_KEY}`,
    ]
  ) {
    it(`credentials are malformed when the header is ${value}`, async () => {
      const response = await authorized(value);
      assertEquals(response.headers.get("www-authenticate"), `${REALM}, error="invalid_request"`);
      await assertProblem(response, 400, "malformed_credentials");
    });
  }

  for (const scheme of ["Bearer ", "bearer ", "BEARER ", "bEaReR     "]) {
    it(`credentials are accepted when the scheme is written "${scheme}"`, async () => {
      assertEquals((await authorized(scheme + OPERATOR_KEY)).status, 200);
    });
  }

  it("unknown, mistyped, expired and revoked keys get the same answer", async () => {
    const service = createService();
    const expired = await service.createKey(["*"], { expiresAt: "2026-11-21T10:00:01.000Z" });
    const revoked = await service.createKey(["*"]);
    assertEquals((await service.send("GET", BOARDS, { key: expired })).status, 200);
    assertEquals((await service.send("GET", BOARDS, { key: revoked })).status, 200);
    service.advance(1_000);
    for (const { keyId } of await service.storage.apiKeys.list({ limit: 9 })) {
      await service.storage.apiKeys.revoke(keyId, START);
    }
    const mistyped = generateKeyText().replace(/.$/, (last) => last === "0" ? "1" : "0");
    const answers = await Promise.all(
      [expired, revoked, generateKeyText(), mistyped, "x", `${OPERATOR_KEY}x`].map(async (key) => {
        const headers = { "x-request-id": "same" };
        const response = await service.send("GET", BOARDS, { key, headers });
        return [response.status, Object.fromEntries(response.headers), await response.text()];
      }),
    );
    for (const answer of answers) assertEquals(answer, answers[0]);
    const response = await service.send("GET", BOARDS, { key: expired });
    assertEquals(response.headers.get("www-authenticate"), `${REALM}, error="invalid_token"`);
    await assertProblem(response, 401, "invalid_token");
  });

  it("a key is refused from the very millisecond in which it expires", async () => {
    const service = createService();
    const key = await service.createKey(["*"], { expiresAt: "2026-11-21T10:00:00.500Z" });
    service.advance(499);
    assertEquals((await service.send("GET", BOARDS, { key })).status, 200);
    service.advance(1);
    await assertProblem(await service.send("GET", BOARDS, { key }), 401, "invalid_token");
  });

  const ENDS: Readonly<Record<string, (service: TestService, keyId: string) => unknown>> = {
    async revoked({ advance, storage }, keyId) {
      advance(1);
      await storage.apiKeys.revoke(keyId, START);
    },
    expired: ({ advance }) => advance(10_000),
  };
  for (
    const [method, path] of [
      ["POST", BOARDS],
      ["PATCH", `${BOARDS}/ideas`],
      ["PUT", "/api/v1/changelogs/subscribe"],
      ["POST", "/api/v1/keys"],
    ]
  ) {
    for (const [how, end] of Object.entries(ENDS)) {
      it(`a key is refused when it is ${how} while the body of a ${method} to ${path} arrives`, async () => {
        const service = createService();
        const key = await service.createKey(["*"], { expiresAt: "2026-11-21T10:00:10.000Z" });
        const [{ keyId }] = await service.storage.apiKeys.list({ limit: 1 });
        const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
        const headers = { "content-type": "application/x-www-form-urlencoded" };
        const response = service.send(method, path, { key, headers, body: readable });
        const body = writable.getWriter();
        const form = "name=Ideas&userEmail=ann%40example.com&subscribe=true";
        await body.write(new TextEncoder().encode(form));
        await end(service, keyId);
        await body.close();
        await assertProblem(await response, 401, "invalid_token");
        const { boards, subscriptions, apiKeys } = service.storage;
        const kept = [boards, subscriptions, apiKeys].map(async (table) =>
          (await table.list({ limit: 9 })).length
        );
        assertEquals(await Promise.all(kept), [0, 0, 1]);
      });
    }
  }

  it("a mistyped key is refused without a look-up", async () => {
    const { send, storage: { apiKeys } } = createService({ operatorKey: undefined });
    let lookups = 0;
    apiKeys.findByHash = () => Promise.resolve(void lookups++);
    for (const key of ["x".repeat(39), `bc_${"0".repeat(36)}`, OPERATOR_KEY]) {
      await assertProblem(await send("GET", BOARDS, { key }), 401, "invalid_token");
    }
    assertEquals(lookups, 0);
    const unknown = await send("GET", BOARDS, { key: generateKeyText() });
    await assertProblem(unknown, 401, "invalid_token");
    assertEquals(lookups, 1);
  });

  it("the operator's own key is never written to storage", async () => {
    const service = createService();
    assertEquals((await service.send("GET", BOARDS)).status, 200);
    assertEquals(await service.storage.apiKeys.list({ limit: 9 }), []);
  });

  for (
    const [reason, operatorKey] of [
      ["has 23 characters", "x".repeat(23)],
      ["has the form of an issued key and a wrong checksum", `bc_${"0".repeat(36)}`],
      ["can't stand in a header", "a key with spaces in it, too"],
    ]
  ) {
    it(`an operator's key is not taken when it ${reason}`, () => {
      const storage = openMemoryStorage();
      const error = assertThrows(() => createHandler({ storage, operatorKey }), TypeError);
      assert(!error.message.includes(operatorKey));
    });
  }

  it("an operator's key is taken when it has the form of an issued key and the checksum", async () => {
    const operatorKey = generateKeyText();
    const { send } = createService({ operatorKey });
    assertEquals((await send("GET", BOARDS, { key: operatorKey })).status, 200);
  });
});
