import { assert, assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { isKeyText, SCOPES } from "../model/api_key.ts";
import { create, KEYS, list, works } from "./_keys.ts";
import { assertProblem, assertRefused, createService, START } from "./_service.ts";

const DAY_LATER = "2026-11-22T10:00:00.000Z";

describe("creating a key", () => {
  it("a key is shown once, with all members, and works at once", async () => {
    const service = createService();
    const { key, ...shown } = await create(service, { name: " Web app " });
    assert(isKeyText(key));
    assertMatch(shown.keyId, /^[A-Za-z0-9]+$/);
    assertEquals(shown, {
      keyId: shown.keyId,
      name: "Web app",
      hint: key.slice(0, 7),
      scopes: ["boards:read", "subscriptions:write"],
      createdAt: START,
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
    });
    assertEquals(await list(service), [shown]);
    assertEquals(await works(service, key), true);
  });

  it("a key is refused that would have ended by the time its body is complete", async () => {
    const service = createService();
    const expiresAt = new Date(Date.parse(START) + 5_000).toISOString();
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull(controller) {
        service.advance(8_000);
        controller.enqueue(new TextEncoder().encode(JSON.stringify({ name: "Late", expiresAt })));
        controller.close();
      },
    }, { highWaterMark: 0 });
    const headers = { "content-type": "application/json" };
    const response = await service.send("POST", KEYS, { body, headers });
    await assertRefused(response, { expiresAt: "invalid_value" });
    assertEquals(await list(service), []);
  });

  it("neither text nor hash of a key is ever listed", async () => {
    const service = createService();
    const { key } = await create(service);
    const [{ hash }] = await service.storage.apiKeys.list({ limit: 1 });
    const text = await (await service.send("GET", KEYS)).text();
    assertEquals([text.includes(key), text.includes(key.slice(7)), text.includes(hash)], [
      false,
      false,
      false,
    ]);
  });

  for (
    const scopes of [
      ...SCOPES,
      "boards:read boards:write",
      " keys:write  keys:write ",
      "* boards:read",
    ]
  ) {
    it(`a key has the scopes "${scopes}" when these are asked for`, async () => {
      const created = await create(createService(), { scopes });
      const named = scopes.split(" ").filter((scope) => scope !== "");
      assertEquals([...created.scopes].sort(), [...new Set(named)].sort());
    });
  }

  for (
    const [json, expiresAt] of [
      [{ expiresIn: "1d" }, DAY_LATER],
      [{ expiresIn: "24h" }, DAY_LATER],
      [{ expiresIn: "1440m" }, DAY_LATER],
      [{ expiresIn: "86400s" }, DAY_LATER],
      [{ expiresAt: DAY_LATER }, DAY_LATER],
      [{ expiresAt: "2026-11-22t11:00:00+01:00" }, DAY_LATER],
      [{ expiresAt: "2026-11-21T10:00:00.001Z" }, "2026-11-21T10:00:00.001Z"],
      [{ expiresAt: null, expiresIn: null }, null],
    ] as const
  ) {
    it(`a key expires at ${expiresAt} when it is asked for with ${JSON.stringify(json)}`, async () => {
      assertEquals((await create(createService(), json)).expiresAt, expiresAt);
    });
  }

  const REFUSED: readonly [json: Record<string, unknown>, errors: Record<string, string>][] = [
    [{ name: undefined }, { name: "required" }],
    [{ name: "" }, { name: "invalid_value" }],
    [{ scopes: "", expiresIn: "" }, { scopes: "invalid_value", expiresIn: "invalid_value" }],
    [{ name: "x".repeat(201) }, { name: "too_long" }],
    [{ scopes: "boards:read nothing" }, { scopes: "invalid_value" }],
    [{ scopes: "boards:read,boards:write" }, { scopes: "invalid_value" }],
    [{ scopes: " " }, { scopes: "invalid_value" }],
    [{ scopes: ["*"] }, { scopes: "invalid_type" }],
    [{ expiresIn: "90" }, { expiresIn: "invalid_value" }],
    [{ expiresIn: "1.5h" }, { expiresIn: "invalid_value" }],
    [{ expiresIn: "-1d" }, { expiresIn: "invalid_value" }],
    [{ expiresIn: "0s" }, { expiresIn: "invalid_value" }],
    [{ expiresIn: 60 }, { expiresIn: "invalid_type" }],
    [{ expiresIn: "36501d" }, { expiresIn: "invalid_value" }],
    [{ expiresAt: START }, { expiresAt: "invalid_value" }],
    [{ expiresAt: "2026-11-22" }, { expiresAt: "invalid_value" }],
    [{ expiresAt: "2027-02-29T00:00:00Z" }, { expiresAt: "invalid_value" }],
    [{ expiresAt: DAY_LATER, expiresIn: "1d" }, { expiresIn: "invalid_value" }],
    [{ expiresAt: START, expiresIn: "1d" }, {
      expiresAt: "invalid_value",
      expiresIn: "invalid_value",
    }],
    [{ name: null, scopes: "x", expiresAt: START, expiresIn: "0d" }, {
      name: "required",
      scopes: "invalid_value",
      expiresAt: "invalid_value",
      expiresIn: "invalid_value",
    }],
  ];
  for (const [json, errors] of REFUSED) {
    it(`a key is 422, all at once, when it is asked for with ${JSON.stringify(json).slice(0, 60)}`, async () => {
      const service = createService();
      const response = await service.send("POST", KEYS, { json: { name: "Key", ...json } });
      await assertRefused(response, errors);
      assertEquals(await list(service), []);
    });
  }

  for (const scopes of ["boards:write", "*", "keys:write subscriptions:read", undefined]) {
    it(`nobody can grant a scope that they lack, like ${scopes}`, async () => {
      const service = createService();
      const key = await service.createKey(["keys:write", "boards:read"]);
      const json = { name: "Key", scopes };
      await assertProblem(
        await service.send("POST", KEYS, { json, key }),
        403,
        "insufficient_scope",
      );
      assertEquals((await list(service)).length, 1);
    });
  }

  it("a scope that the caller holds can be granted", async () => {
    const service = createService();
    const key = await service.createKey(["keys:write", "boards:read"]);
    assertEquals((await create(service, { scopes: "boards:read" }, key)).scopes, ["boards:read"]);
  });
});
