import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { generateSecret, SCOPES } from "../model/api_key.ts";
import { BOARDS_PATH, FORM, SUBSCRIBE_PATH, VALID_FORM } from "./_calls.ts";
import { PROMISED } from "./_promised.ts";
import { forEachRow } from "./_rows.ts";
import { assertProblem, createService, type Sent } from "./_service.ts";

describe("a scope", () => {
  it("is needed by each operation that is promised to need it, and no other helps", async () => {
    const service = createService();
    await forEachRow([
      ...PROMISED,
      ["HEAD", `${BOARDS_PATH}/{boardId}`, "boards:read"] as const,
    ], async ([method, template, scope]) => {
      const path = template.replaceAll(/{\w+}/g, "none");
      const without = await service.send(method, path, { key: null });
      if (scope === null) return assert([200, 302].includes(without.status));
      assertEquals(without.status, 401);
      const others = SCOPES.filter((other) => other !== scope && other !== "*");
      const refused = await service.send(method, path, { key: await service.createKey(others) });
      const challenge = `Bearer realm="boardcast", error="insufficient_scope", scope="${scope}"`;
      assertEquals([refused.status, refused.headers.get("www-authenticate")], [403, challenge]);
      if (method !== "HEAD") await assertProblem(refused, 403, "insufficient_scope");
      for (const held of [scope, "*"] as const) {
        const { status } = await service.send(method, path, {
          key: await service.createKey([held]),
        });
        assert(![401, 403].includes(status), `${status}`);
      }
    });
  });
});

describe("the checks of a request", () => {
  it("come in the promised order: what is wrong is told one after the other", async () => {
    const service = createService({ rateLimit: { requests: 1, windowSeconds: 60 } });
    const writer = await service.createKey(["subscriptions:write"]);
    const busy = await service.createKey(["subscriptions:write"]);
    for (let i = 0; i < 2; i++) await service.send("PUT", SUBSCRIBE_PATH, { key: busy });
    const reader = await service.createKey(["boards:read"]);
    const long = "x".repeat(20_000);
    const bad = { headers: { "content-type": "text/plain" }, body: long };
    const form = { "content-type": FORM };
    const steps: readonly [method: string, path: string, sent: Sent, code: string][] = [
      ["FOO", `${SUBSCRIBE_PATH}/x`, { ...bad, key: "a b" }, "not_found"],
      ["FOO", SUBSCRIBE_PATH, { ...bad, key: "a b" }, "method_not_allowed"],
      ["PUT", SUBSCRIBE_PATH, { ...bad, key: "a b" }, "malformed_credentials"],
      ["PUT", SUBSCRIBE_PATH, { ...bad, key: null }, "missing_credentials"],
      ["PUT", SUBSCRIBE_PATH, { ...bad, key: reader }, "insufficient_scope"],
      ["PUT", SUBSCRIBE_PATH, { ...bad, key: busy }, "rate_limited"],
      ["PUT", SUBSCRIBE_PATH, { ...bad, key: writer }, "unsupported_media_type"],
    ];
    await forEachRow(steps, async ([method, path, sent, code]) => {
      assertEquals((await (await service.send(method, path, sent)).json()).code, code);
    });
    const free = createService();
    await free.storage.close();
    const last: readonly [body: string, code: string][] = [
      [`userEmail=%zz&${long}`, "body_too_large"],
      ["userEmail=%zz&subscribe=x", "malformed_body"],
      ["userEmail=a&subscribe=x", "validation_failed"],
      [VALID_FORM, "storage_unavailable"],
    ];
    await forEachRow(last, async ([body, code]) => {
      const response = await free.send("PUT", SUBSCRIBE_PATH, { body, headers: form });
      assertEquals((await response.json()).code, code);
    });
  });

  it("read nothing of a body before the caller is known", async () => {
    let pulled = false;
    const { send } = createService();
    const body = () =>
      new ReadableStream({ pull: () => void (pulled = true) }, { highWaterMark: 0 });
    for (const key of [null, "a b", generateSecret()]) {
      await send("PUT", SUBSCRIBE_PATH, { key, body: body() });
    }
    assertEquals(pulled, false);
  });
});
