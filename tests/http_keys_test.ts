import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { isSecret, SCOPES } from "../model/api_key.ts";
import { API_KEYS } from "../mod.ts";
import { createKey, FORM, KEYS_PATH, listKeys, rotateKey, works } from "./_calls.ts";
import { forEachRow } from "./_rows.ts";
import { assertProblem, assertRefused, createService, type Sent, START } from "./_service.ts";

const DAY_MS = 86_400_000;
const DAY_LATER = "2026-11-22T10:00:00.000Z";

describe("a new key", () => {
  it("is shown once with all members, works at once, and is found by its digest", async () => {
    const service = createService();
    const { key, ...shown } = await createKey(service, { name: " Web app " });
    assert(isSecret(key));
    const bytes = new Uint8Array(
      await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key)),
    );
    assertEquals(shown, {
      keyId: bytes.toHex().slice(0, 16),
      name: "Web app",
      hint: key.slice(0, 7),
      scopes: ["boards:read", "subscriptions:write"],
      createdAt: START,
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
    });
    assertEquals(await listKeys(service), [shown]);
    assertEquals(await works(service, key), true);
    const stored = await service.storage.list(API_KEYS, { limit: 9 });
    assertEquals(JSON.stringify(stored).includes(key.slice(7)), false);
    const listed = await (await service.send("GET", KEYS_PATH)).text();
    assertEquals([listed.includes(key.slice(7)), listed.includes(stored[0].hash)], [false, false]);
  });

  it("has the scopes and the end that were asked for", async () => {
    await forEachRow(SCOPES, async (scope) => {
      assertEquals((await createKey(createService(), { scopes: scope })).scopes, [scope]);
    });
    const { scopes } = await createKey(createService(), { scopes: " keys:write  *  keys:write " });
    assertEquals(scopes.toSorted(), ["*", "keys:write"]);
    await forEachRow([
      ...["1d", "24h", "1440m", "86400s"].map((expiresIn) => [{ expiresIn }, DAY_LATER] as const),
      [{ expiresAt: DAY_LATER }, DAY_LATER],
      [{ expiresAt: "2026-11-22t11:00:00+01:00" }, DAY_LATER],
      [{ expiresAt: "2026-11-21T10:00:00.001Z" }, "2026-11-21T10:00:00.001Z"],
      [{ expiresAt: null, expiresIn: null, scopes: null }, null],
    ], async ([json, expiresAt]) => {
      assertEquals((await createKey(createService(), json)).expiresAt, expiresAt);
    });
  });

  it("is 422, and not made, where a value is bad", async () => {
    const service = createService();
    const INVALID = "invalid_value";
    await forEachRow([
      [{ name: undefined }, { name: "required" }],
      [{ scopes: "", expiresIn: "" }, { scopes: INVALID, expiresIn: INVALID }],
      [{ scopes: "boards:read,boards:write" }, { scopes: INVALID }],
      [{ expiresIn: "0s" }, { expiresIn: INVALID }],
      [{ expiresIn: 60 }, { expiresIn: "invalid_type" }],
      [{ expiresAt: START }, { expiresAt: INVALID }],
      [{ expiresAt: DAY_LATER, expiresIn: "1d" }, { expiresIn: INVALID }],
      [{ expiresAt: START, expiresIn: "1d" }, { expiresAt: INVALID, expiresIn: INVALID }],
      [{ name: null, scopes: "x", expiresAt: START, expiresIn: "0d" }, {
        name: "required",
        scopes: INVALID,
        expiresAt: INVALID,
        expiresIn: INVALID,
      }],
    ], async ([json, errors]) => {
      const response = await service.send("POST", KEYS_PATH, { json: { name: "Key", ...json } });
      await assertRefused(response, errors);
    });
    // It would have ended by the time its body is there.
    const expiresAt = "2026-11-21T10:00:05.000Z";
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        service.advance(8_000);
        controller.enqueue(new TextEncoder().encode(JSON.stringify({ name: "Late", expiresAt })));
        controller.close();
      },
    }, { highWaterMark: 0 });
    const headers = { "content-type": "application/json" };
    const late = await service.send("POST", KEYS_PATH, { body, headers });
    await assertRefused(late, { expiresAt: INVALID });
    assertEquals(await listKeys(service), []);
  });

  it("has no scope that its creator lacks", async () => {
    const service = createService();
    const key = await service.createKey(["keys:write", "boards:read"]);
    const foreign = ["boards:write", "*", "keys:write subscriptions:read", undefined];
    await forEachRow(foreign, async (scopes) => {
      const json = { name: "Key", scopes };
      const response = await service.send("POST", KEYS_PATH, { json, key });
      await assertProblem(response, 403, "insufficient_scope");
    });
    assertEquals((await listKeys(service)).length, 1);
    const { scopes } = await createKey(service, { scopes: "boards:read" }, key);
    assertEquals(scopes, ["boards:read"]);
  });
});

describe("the list of keys", () => {
  it("has the newest first, with those that ended", async () => {
    const service = createService();
    for (const name of ["old", "new", "newest"]) {
      const { keyId } = await createKey(service, { name, expiresIn: "1s" });
      if (name === "new") await service.send("DELETE", `${KEYS_PATH}/${keyId}`);
      service.advance(1_000);
    }
    const listed = await listKeys(service);
    assertEquals(listed.map(({ name }) => name), ["newest", "new", "old"]);
    assertEquals(listed.map(({ revokedAt }) => revokedAt !== null), [false, true, false]);
  });
});

describe("the rotation of a key", () => {
  it("issues a successor of the same name, scopes and lifetime", async () => {
    const service = createService();
    const old = await createKey(service, { name: "App", scopes: "boards:read", expiresIn: "2d" });
    service.advance(DAY_MS);
    const next = await rotateKey(service, old);
    assertEquals([next.name, next.scopes, next.createdAt, next.expiresAt], [
      ...["App", ["boards:read"], DAY_LATER, "2026-11-24T10:00:00.000Z"],
    ]);
    assert(next.keyId !== old.keyId && isSecret(next.key) && next.key !== old.key);
    assertEquals([await works(service, old.key), await works(service, next.key)], [false, true]);
    const { revokedAt } = (await listKeys(service)).find(({ keyId }) => keyId === old.keyId)!;
    assertEquals(revokedAt, DAY_LATER);
  });

  it("lets the old key live on for the overlap", async () => {
    await forEachRow([{}, { expiresIn: "2d" }], async (rest) => {
      const service = createService();
      const old = await createKey(service, rest);
      const next = await rotateKey(service, old, { form: { overlap: "24h" } });
      service.advance(DAY_MS - 1);
      assertEquals([await works(service, old.key), await works(service, next.key)], [true, true]);
      service.advance(1);
      assertEquals([await works(service, old.key), await works(service, next.key)], [false, true]);
    });
    // An overlap makes no key live longer.
    const service = createService();
    const old = await createKey(service, { expiresIn: "1h" });
    await rotateKey(service, old, { form: { overlap: "24h" } });
    service.advance(3_600_000);
    assertEquals(await works(service, old.key), false);
  });

  it("has no overlap where none is sent, with any sort of empty body", async () => {
    const sents: readonly Sent[] = [
      {},
      ...["0", ""].map((overlap) => ({ form: { overlap } })),
      ...[{}, { overlap: null }].map((json) => ({ json })),
      ...[FORM, "application/json", "image/png"].flatMap((type): readonly Sent[] => [
        { body: "", headers: { "content-type": type } },
        { headers: { "content-type": type, "content-length": "0" } },
        { headers: { "content-type": type } },
      ]),
      { headers: { "content-length": "0" } },
      { body: new Blob([]).stream() },
    ];
    await forEachRow(sents, async (sent) => {
      const service = createService();
      const old = await createKey(service);
      await rotateKey(service, old, sent);
      assertEquals(await works(service, old.key), false);
    });
  });

  it("takes the overlap from a chunked body beside a Content-Length of 0", async () => {
    const service = createService();
    const old = await createKey(service);
    await rotateKey(service, old, {
      body: new Blob(["overlap=24h"]).stream(),
      headers: { "content-length": "0", "content-type": FORM, "transfer-encoding": "chunked" },
    });
    assertEquals(await works(service, old.key), true);
  });

  it("is refused, and nothing ends, where the body is not acceptable", async () => {
    const service = createService({ bodyTimeoutMs: 20 });
    const old = await createKey(service);
    const form = (text: string | Uint8Array<ArrayBuffer>) => new Blob([text]).stream();
    const type = (contentType: string) => ({ "content-type": contentType });
    const typed = { ...type("image/png"), "content-length": "20000" };
    await forEachRow([
      [415, "unsupported_media_type", { body: form("overlap=24h") }],
      [415, "unsupported_media_type", { headers: { "content-encoding": "gzip" } }],
      [415, "unsupported_media_type", { body: form("overlap=24h"), headers: type("text/plain") }],
      [415, "unsupported_media_type", {
        body: form("x".repeat(20_000)),
        headers: type("image/png"),
      }],
      [415, "unsupported_media_type", { body: form(Uint8Array.of(0xff)), headers: type("x") }],
      [415, "unsupported_media_type", { body: new ReadableStream(), headers: typed }],
      [408, "request_timeout", { body: new ReadableStream() }],
      ...["24", "1w", "-1h", " 1h", "1 h", "١h", "9999999999s"]
        .map((overlap) => [422, "validation_failed", { form: { overlap } }] as const),
    ], async ([status, code, sent]) => {
      const response = await service.send("POST", `${KEYS_PATH}/${old.keyId}/rotate`, sent);
      assertEquals(response.headers.has("connection"), status === 408);
      await assertProblem(response, status, code);
    });
    assertEquals([await works(service, old.key), (await listKeys(service)).length], [true, 1]);
  });

  it("can be made by the key itself, but of no key that holds more", async () => {
    const service = createService();
    const key = await service.createKey(["keys:write", "boards:read"]);
    const [own] = await listKeys(service);
    await forEachRow(["*", "boards:read boards:write", "boards:write"], async (scopes) => {
      const other = await createKey(service, { scopes });
      const path = `${KEYS_PATH}/${other.keyId}/rotate`;
      const refused = await service.send("POST", path, { key });
      const missing = scopes.split(" ").at(-1);
      const challenge = refused.headers.get("www-authenticate");
      assert(challenge?.endsWith(`scope="${missing}"`), `${challenge}`);
      await assertProblem(refused, 403, "insufficient_scope");
    });
    const next = await rotateKey(service, own, { key });
    assertEquals([await works(service, key), await works(service, next.key)], [false, true]);
  });

  it("is 404 when the key is unknown, ended, or has a successor", async () => {
    const service = createService();
    const revoked = await createKey(service);
    const expired = await createKey(service, { expiresIn: "1s" });
    const succeeded = await createKey(service);
    await service.send("DELETE", `${KEYS_PATH}/${revoked.keyId}`);
    await rotateKey(service, succeeded, { form: { overlap: "24h" } });
    service.advance(1_000);
    const ended = "The API key was revoked or has expired; create a new one";
    await forEachRow([
      ["none", "There is no API key with this keyId"],
      [revoked.keyId, ended],
      [expired.keyId, ended],
      [succeeded.keyId, "The API key has a successor already; rotate that one"],
    ], async ([keyId, expected]) => {
      const response = await service.send("POST", `${KEYS_PATH}/${keyId}/rotate`);
      assertEquals((await assertProblem(response, 404, "key_not_found")).detail, expected);
    });
    assertEquals((await listKeys(service)).length, 4);
  });

  it("is made once, however many are asked for at the same time", async () => {
    const service = createService();
    const old = await createKey(service);
    const path = `${KEYS_PATH}/${old.keyId}/rotate`;
    const form = { overlap: "1h" };
    const answers = await Promise.all([1, 2, 3].map(() => service.send("POST", path, { form })));
    assertEquals(answers.map(({ status }) => status).sort(), [201, 404, 404]);
    assertEquals((await listKeys(service)).length, 2);
  });
});

describe("the revocation of a key", () => {
  it("holds at once, leaves the key in the list, and can be repeated", async () => {
    const service = createService();
    const { key, keyId } = await createKey(service);
    assertEquals(await works(service, key), true);
    for (let i = 0; i < 2; i++) {
      const response = await service.send("DELETE", `${KEYS_PATH}/${keyId}`);
      assertEquals([response.status, await response.text()], [204, ""]);
      assertEquals(await works(service, key), false);
      service.advance(1_000);
    }
    assertEquals((await listKeys(service)).map(({ revokedAt }) => revokedAt), [START]);
    const unknown = await service.send("DELETE", `${KEYS_PATH}/none`);
    await assertProblem(unknown, 404, "key_not_found");
  });
});
