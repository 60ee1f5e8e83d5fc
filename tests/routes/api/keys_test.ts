import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { ShownKey } from "../../../model/keys/api_key.ts";
import { isSecret } from "../../../model/crypto/key_secret.ts";
import { API_KEYS } from "../../../mod.ts";
import { forEachRow } from "../../_support/rows.ts";
import { assertOutcomes, assertProblem, createService, outcomeOf } from "../../_support/service.ts";
import { readJson, type Sent, START, type TestService } from "../../_support/service.ts";

const DAY_MS = 86_400_000;
const DAY_LATER = "2026-11-22T10:00:00.000Z";
const TWO_DAYS_LATER = "2026-11-23T10:00:00.000Z";

/** A new key with its secret. */
type NewKey = ShownKey & { readonly key: string };

function create({ call }: TestService, fields: Record<string, unknown> = {}): Promise<NewKey> {
  return call("POST", "keys", { name: "Key", ...fields });
}

async function rotate({ send }: TestService, { keyId }: ShownKey, sent?: Sent): Promise<NewKey> {
  return await readJson(await send("POST", `keys/${keyId}/rotate`, sent), 201);
}

async function list({ call }: TestService): Promise<readonly ShownKey[]> {
  return (await call<{ data: ShownKey[] }>("GET", "keys")).data;
}

/** Tells for each key whether it is accepted. */
function work({ send }: TestService, ...keys: readonly { key: string }[]): Promise<boolean[]> {
  return Promise.all(keys.map(async (sent) => (await send("GET", "boards", sent)).status === 200));
}

describe("a new key", () => {
  it("is shown once with all members, works at once, and is found by its digest", async () => {
    const service = createService();
    const { key, ...shown } = await create(service, { name: " Web app " });
    const bytes = new TextEncoder().encode(key);
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
    assertEquals(shown, {
      keyId: hash.slice(0, 16),
      name: "Web app",
      hint: key.slice(0, 7),
      scopes: ["boards:read", "subscriptions:write"],
      createdBy: "operator",
      createdById: "operator",
      createdAt: START,
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
    });
    assertEquals(await list(service), [shown]);
    assertEquals([isSecret(key), await work(service, { key })], [true, [true]]);
    const stored = JSON.stringify(await service.storage.list(API_KEYS, { limit: 9 }));
    assertEquals([stored.includes(key.slice(7)), stored.includes(hash)], [false, true]);
  });

  it("has the scopes and the end that were asked for", async () => {
    const key = { scopes: " keys:write  entries:read  keys:write ", expiresIn: "1d" };
    const { scopes, expiresAt } = await create(createService(), key);
    assertEquals([scopes, expiresAt], [["entries:read", "keys:write"], DAY_LATER]);
    const end = { expiresAt: "2026-11-22t11:00:00+01:00", expiresIn: null };
    assertEquals((await create(createService(), end)).expiresAt, DAY_LATER);
  });

  it("is 422, and not made, where a value is bad", async () => {
    const service = createService();
    await forEachRow([
      [{ name: null, scopes: "" }, "name:required scopes:invalid_value"],
      [{ scopes: "a,b", expiresIn: "0s" }, "scopes:invalid_value expiresIn:invalid_value"],
      [{ expiresIn: 60 }, "expiresIn:invalid_type"],
      [{ expiresAt: START }, "expiresAt:invalid_value"],
      [{ expiresAt: DAY_LATER, expiresIn: "1d" }, "expiresIn:invalid_value"],
    ], async ([fields, errors]) => {
      const response = await service.send("POST", "keys", { json: { name: "Key", ...fields } });
      assertEquals(await outcomeOf(response), `422 ${errors}`);
    });
    assertEquals(await list(service), []);
  });

  it("has no scope that its creator lacks", async () => {
    const service = createService();
    const key = await service.createKey(["keys:write", "boards:read"]);
    const refused = "403 insufficient_scope";
    await assertOutcomes(service, [
      ["POST", "keys", { json: { name: "A", scopes: "*" }, key }, refused],
      ["POST", "keys", { json: { name: "A", scopes: "keys:write boards:write" }, key }, refused],
      ["POST", "keys", { json: { name: "A" }, key }, refused],
      ["POST", "keys", { json: { name: "A", scopes: "boards:read" }, key }, "201"],
    ]);
    assertEquals((await list(service)).length, 2);
  });
});

describe("the rotation of a key", () => {
  it("issues a successor of the same name, scopes and lifetime, and ends the old key", async () => {
    const service = createService();
    const old = await create(service, { name: "App", scopes: "boards:read", expiresIn: "2d" });
    service.advance(DAY_MS);
    const next = await rotate(service, old);
    const times = { createdAt: DAY_LATER, expiresAt: "2026-11-24T10:00:00.000Z" };
    const { keyId, key, hint } = next;
    assertEquals({ ...old, ...times, keyId, key, hint }, next);
    assert(next.keyId !== old.keyId && isSecret(next.key));
    assertEquals(await work(service, old, next), [false, true]);
    const { revokedAt } = (await list(service)).find(({ keyId }) => keyId === old.keyId)!;
    assertEquals(revokedAt, DAY_LATER);
  });

  it("lets the old key live on for the overlap, but not longer than it would have", async () => {
    await forEachRow([[{}, DAY_MS], [{ expiresIn: "1h" }, 3_600_000]], async ([fields, leftMs]) => {
      const service = createService();
      const old = await create(service, fields);
      await rotate(service, old, { form: { overlap: "24h" } });
      service.advance(leftMs - 1);
      assertEquals(await work(service, old), [true]);
      service.advance(1);
      assertEquals(await work(service, old), [false]);
    });
  });

  it("can be made by the key itself, but of no key that holds more", async () => {
    const service = createService();
    const key = await service.createKey(["keys:write", "boards:read"]);
    const [own] = await list(service);
    const other = await create(service, { scopes: "boards:read boards:write" });
    const refused = await service.send("POST", `keys/${other.keyId}/rotate`, { key });
    assert(refused.headers.get("www-authenticate")?.endsWith('scope="boards:write"'));
    assertEquals(await outcomeOf(refused), "403 insufficient_scope");
    const next = await rotate(service, own, { key });
    assertEquals(await work(service, { key }, next), [false, true]);
  });

  it("can be made again when the secret of the successor was lost and that revoked", async () => {
    const service = createService();
    const old = await create(service);
    const lost = await rotate(service, old, { form: { overlap: "24h" } });
    await service.send("DELETE", `keys/${lost.keyId}`);
    const next = await rotate(service, old);
    assertEquals(await work(service, old, lost, next), [false, false, true]);
  });

  it("can be undone when the secret was lost: the old key ends no sooner, and rotates again", async () => {
    await forEachRow([[{}, null], [{ expiresIn: "2d" }, TWO_DAYS_LATER]], async ([fields, end]) => {
      const service = createService();
      const old = await create(service, fields);
      const lost = await rotate(service, old, { form: { overlap: "1h" } });
      await assertOutcomes(service, [
        ["DELETE", `keys/${lost.keyId}?restore=${lost.keyId}`, {}, "422 restore:invalid_value"],
        ["DELETE", `keys/${lost.keyId}?restore=none`, {}, "422 restore:invalid_value"],
        ["DELETE", `keys/none?restore=${old.keyId}`, {}, "404 key_not_found"],
      ]);
      assertEquals(await work(service, old, lost), [true, true]);
      await assertOutcomes(service, [
        ["DELETE", `keys/${lost.keyId}?restore=${old.keyId}`, {}, "204"],
        ["DELETE", `keys/${lost.keyId}?restore=${old.keyId}`, {}, "422 restore:invalid_value"],
      ]);
      const stored = (await list(service)).find(({ keyId }) => keyId === old.keyId);
      assertEquals(stored?.expiresAt, end);
      service.advance(DAY_MS);
      assertEquals(await work(service, old, lost), [true, false]);
      assertEquals(await work(service, await rotate(service, old), old), [true, false]);
    });
  });

  it("can't be undone once the old key has ended, nor by a caller that holds less", async () => {
    const service = createService();
    const old = await create(service, { scopes: "boards:read boards:write" });
    const next = await rotate(service, old, { form: { overlap: "1h" } });
    const key = await service.createKey(["keys:write", "boards:read"]);
    const path = `keys/${next.keyId}?restore=${old.keyId}`;
    assertEquals(
      await outcomeOf(await service.send("DELETE", path, { key })),
      "403 insufficient_scope",
    );
    service.advance(3_600_000);
    await assertOutcomes(service, [["DELETE", path, {}, "422 restore:invalid_value"]]);
    assertEquals(await work(service, old, next), [false, true]);
  });

  it("is 404 when the key is unknown, ended, or has a successor", async () => {
    const service = createService();
    const [ended, succeeded] = [await create(service, { expiresIn: "1s" }), await create(service)];
    await rotate(service, succeeded, { form: { overlap: "24h" } });
    service.advance(1_000);
    await forEachRow([
      ["none", "There is no API key with this keyId"],
      [ended.keyId, "The API key was revoked or has expired; create a new one"],
      [succeeded.keyId, "The API key has a successor already; rotate that one"],
    ], async ([keyId, expected]) => {
      const response = await service.send("POST", `keys/${keyId}/rotate`);
      assertEquals((await assertProblem(response, 404, "key_not_found")).detail, expected);
    });
  });
});

describe("the revocation of a key", () => {
  it("holds at once, leaves the key in the list, and can be repeated", async () => {
    const service = createService();
    const { key, keyId } = await create(service);
    assertEquals(await work(service, { key }), [true]);
    await assertOutcomes(service, [
      ["DELETE", `keys/${keyId}`, {}, "204"],
      ["GET", "boards", { key }, "401 invalid_token"],
      ["DELETE", "keys/none", {}, "404 key_not_found"],
    ]);
    service.advance(1_000);
    await assertOutcomes(service, [["DELETE", `keys/${keyId}`, {}, "204"]]);
    assertEquals((await list(service)).map(({ revokedAt }) => revokedAt), [START]);
  });
});
