import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { isKeyText } from "../model/api_key.ts";
import { create, KEYS, list, type NewKey, works } from "./_keys.ts";
import {
  assertProblem,
  assertRefused,
  createService,
  readJson,
  type Sent,
  START,
} from "./_service.ts";

describe("rotating a key", () => {
  it("the old key ends at once when there is no overlap", async () => {
    const service = createService();
    const old = await create(service, { name: "App", scopes: "boards:read" });
    service.advance(1_000);
    const path = `${KEYS}/${old.keyId}/rotate`;
    const next = await readJson<NewKey>(await service.send("POST", path), 201);
    assertEquals([next.name, next.scopes, next.expiresAt], ["App", ["boards:read"], null]);
    assert(next.keyId !== old.keyId && next.key !== old.key && isKeyText(next.key));
    assertEquals([await works(service, old.key), await works(service, next.key)], [false, true]);
    const listed = (await list(service)).find(({ keyId }) => keyId === old.keyId);
    assertEquals(listed?.revokedAt, "2026-11-21T10:00:01.000Z");
  });

  it("the old key lives on for the overlap", async () => {
    const service = createService();
    const old = await create(service);
    const path = `${KEYS}/${old.keyId}/rotate`;
    const next = await readJson<NewKey>(
      await service.send("POST", path, { form: { overlap: "24h" } }),
      201,
    );
    service.advance(24 * 3_600_000 - 1);
    assertEquals([await works(service, old.key), await works(service, next.key)], [true, true]);
    service.advance(1);
    assertEquals([await works(service, old.key), await works(service, next.key)], [false, true]);
  });

  const WITHOUT_OVERLAP: readonly Sent[] = [
    {},
    { headers: { "content-length": "0" } },
    { body: "", headers: { "content-type": "application/x-www-form-urlencoded" } },
    { body: "", headers: { "content-type": "application/json" } },
    { headers: { "content-length": "0", "content-type": "application/octet-stream" } },
    { headers: { "content-type": "application/octet-stream" } },
    { form: { overlap: "" } },
    { form: { overlap: "0" } },
    { form: { overlap: "0s" } },
    { json: {} },
    { json: { overlap: null } },
  ];
  for (const sent of WITHOUT_OVERLAP) {
    it(`there is no overlap when the request has ${JSON.stringify(sent)}`, async () => {
      const service = createService();
      const old = await create(service);
      await readJson(await service.send("POST", `${KEYS}/${old.keyId}/rotate`, sent), 201);
      assertEquals(await works(service, old.key), false);
    });
  }

  it("a rotation is taken when the server made an empty body of none", async () => {
    const service = createService();
    const old = await create(service);
    const body = new Blob([]).stream();
    await readJson(await service.send("POST", `${KEYS}/${old.keyId}/rotate`, { body }), 201);
  });

  it("overlap is taken from a chunked body beside a Content-Length of 0", async () => {
    const service = createService();
    const old = await create(service);
    const response = await service.send("POST", `${KEYS}/${old.keyId}/rotate`, {
      body: new Blob(["overlap=24h"]).stream(),
      headers: {
        "content-length": "0",
        "content-type": "application/x-www-form-urlencoded",
        "transfer-encoding": "chunked",
      },
    });
    await readJson(response, 201);
    assertEquals(await works(service, old.key), true);
  });

  it("a rotation is 415 when it has no body but a Content-Encoding", async () => {
    const service = createService();
    const { keyId } = await create(service);
    const headers = { "content-encoding": "gzip" };
    const response = await service.send("POST", `${KEYS}/${keyId}/rotate`, { headers });
    await assertProblem(response, 415, "unsupported_media_type");
  });

  const NOT_TAKEN: readonly Record<string, string>[] = [
    {},
    { "content-length": "11" },
    { "content-length": "0", "transfer-encoding": "chunked" },
    { "content-type": "text/plain" },
    { "content-type": "text/plain", "content-length": "11" },
  ];
  for (const headers of NOT_TAKEN) {
    it(`a rotation is 415 when its body comes with ${JSON.stringify(headers)} alone`, async () => {
      const service = createService();
      const old = await create(service);
      const body = new Blob(["overlap=24h"]).stream();
      const sent = { body, headers };
      const response = await service.send("POST", `${KEYS}/${old.keyId}/rotate`, sent);
      await assertProblem(response, 415, "unsupported_media_type");
      assertEquals(await works(service, old.key), true);
    });
  }

  const UNREADABLE: readonly (readonly [what: string, body: Uint8Array<ArrayBuffer>])[] = [
    ["too long", new Uint8Array(20_000).fill(0x61)],
    ["not UTF-8", Uint8Array.of(0xff)],
  ];
  for (const [what, body] of UNREADABLE) {
    for (const length of [[], [["content-length", `${body.length}`]]]) {
      const headers = Object.fromEntries([["content-type", "image/png"], ...length]);
      it(`a rotation is 415 when a body of another type is ${what} (${length.length})`, async () => {
        const service = createService();
        const old = await create(service);
        const response = await service.send("POST", `${KEYS}/${old.keyId}/rotate`, {
          body: new Blob([body]).stream(),
          headers,
        });
        await assertProblem(response, 415, "unsupported_media_type");
        assertEquals(await works(service, old.key), true);
      });
    }
  }

  it("a rotation is 415 by its Content-Type and Content-Length alone", async () => {
    const service = createService();
    const { keyId } = await create(service);
    let pulled = false;
    const body = new ReadableStream({ pull: () => void (pulled = true) }, { highWaterMark: 0 });
    const headers = { "content-type": "text/plain", "content-length": "1" };
    const response = await service.send("POST", `${KEYS}/${keyId}/rotate`, { body, headers });
    await assertProblem(response, 415, "unsupported_media_type");
    assertEquals(pulled, false);
  });

  it("a rotation is 408 when it does not show in time whether it has a body", async () => {
    const service = createService({ bodyTimeoutMs: 20 });
    const old = await create(service);
    const body = new ReadableStream();
    const response = await service.send("POST", `${KEYS}/${old.keyId}/rotate`, { body });
    assertEquals(response.headers.get("connection"), "close");
    await assertProblem(response, 408, "request_timeout");
    assertEquals(await works(service, old.key), true);
  });

  for (const overlap of ["24", "1w", "-1h", " 1h", "1h ", "1 h", "١h", "9999999999s"]) {
    it(`a rotation is 422 when overlap is "${overlap}"`, async () => {
      const service = createService();
      const old = await create(service);
      const response = await service.send("POST", `${KEYS}/${old.keyId}/rotate`, {
        form: { overlap },
      });
      await assertRefused(response, { overlap: "invalid_value" });
      assertEquals(await works(service, old.key), true);
    });
  }

  it("the new key lives as long as the old one did", async () => {
    const service = createService();
    const old = await create(service, { expiresIn: "2d" });
    service.advance(24 * 3_600_000);
    const path = `${KEYS}/${old.keyId}/rotate`;
    const next = await readJson<NewKey>(await service.send("POST", path), 201);
    assertEquals(next.expiresAt, "2026-11-24T10:00:00.000Z");
  });

  it("the new key works when the old one was to end in the year 9999", async () => {
    const service = createService();
    const old = await create(service, { expiresAt: "9999-12-31T23:59:59Z" });
    service.advance(60_000);
    const path = `${KEYS}/${old.keyId}/rotate`;
    const next = await readJson<NewKey>(await service.send("POST", path), 201);
    assertEquals(next.expiresAt, "9999-12-31T23:59:59.999Z");
    assertEquals(await works(service, next.key), true);
  });

  it("a key can rotate itself, but none of more scopes", async () => {
    const service = createService();
    const key = await service.createKey(["keys:write"]);
    const [{ keyId }] = await list(service);
    const strong = await create(service, { scopes: "*" });
    const refused = await service.send("POST", `${KEYS}/${strong.keyId}/rotate`, { key });
    await assertProblem(refused, 403, "insufficient_scope");
    const next = await readJson<NewKey>(
      await service.send("POST", `${KEYS}/${keyId}/rotate`, { key }),
      201,
    );
    const again = await service.send("POST", `${KEYS}/${next.keyId}/rotate`, { key });
    await assertProblem(again, 401, "invalid_token");
  });

  it("nobody can rotate a key that holds one scope more than theirs", async () => {
    const service = createService();
    const key = await service.createKey(["keys:write", "boards:read"]);
    for (const scopes of ["boards:read boards:write", "boards:write keys:write"]) {
      const { key: text, keyId } = await create(service, { scopes });
      const refused = await service.send("POST", `${KEYS}/${keyId}/rotate`, { key });
      const challenge = refused.headers.get("www-authenticate");
      assert(challenge?.endsWith('scope="boards:write"'), `${challenge}`);
      await assertProblem(refused, 403, "insufficient_scope");
      assert((await service.send("GET", KEYS, { key: text })).status !== 401);
    }
  });

  it("a rotation is 404 when the key is unknown, revoked or expired", async () => {
    const service = createService();
    const revoked = await create(service);
    const expired = await create(service, { expiresIn: "1s" });
    await service.send("DELETE", `${KEYS}/${revoked.keyId}`);
    service.advance(1_000);
    for (const keyId of ["none", revoked.keyId, expired.keyId]) {
      const response = await service.send("POST", `${KEYS}/${keyId}/rotate`);
      await assertProblem(response, 404, "key_not_found");
    }
    assertEquals((await list(service)).length, 2);
  });
});

describe("revoking a key", () => {
  it("a key is refused at once, stays in the list, and can be revoked again", async () => {
    const service = createService();
    const { key, keyId } = await create(service);
    assertEquals(await works(service, key), true);
    for (let i = 0; i < 2; i++) {
      const response = await service.send("DELETE", `${KEYS}/${keyId}`);
      assertEquals([response.status, await response.text()], [204, ""]);
      assertEquals(await works(service, key), false);
      service.advance(1_000);
    }
    assertEquals((await list(service)).map(({ revokedAt }) => revokedAt), [START]);
  });

  it("a revocation is 404 when the key is unknown", async () => {
    const response = await createService().send("DELETE", `${KEYS}/none`);
    await assertProblem(response, 404, "key_not_found");
  });
});
