import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { generateSecret, SCOPES } from "../model/api_key.ts";
import { PROMISED } from "./_promised.ts";
import { forEachRow } from "./_rows.ts";
import { assertOutcomes, createService, FORM, outcomeOf, VALID_FORM } from "./_service.ts";

const SUBSCRIBE = "changelogs/subscribe";

describe("the checks of a request", () => {
  it("refuse a key without the promised scope of an operation, and no other", async () => {
    const service = createService();
    await forEachRow(PROMISED, async ([method, template, scope]) => {
      const path = template.replaceAll(/{\w+}/g, "none");
      const without = await service.send(method, path, { key: null });
      if (scope === null) return assert([200, 302].includes(without.status));
      assertEquals(without.status, 401);
      const others = SCOPES.filter((other) => other !== scope && other !== "*");
      const refused = await service.send(method, path, { key: await service.createKey(others) });
      const challenge = `Bearer realm="boardcast", error="insufficient_scope", scope="${scope}"`;
      assertEquals(refused.headers.get("www-authenticate"), challenge);
      assertEquals(await outcomeOf(refused), "403 insufficient_scope");
      for (const held of [scope, "*"] as const) {
        const key = await service.createKey([held]);
        const { status } = await service.send(method, path, { key });
        assert(![401, 403].includes(status), `${status}`);
      }
    });
  });

  it("come in the promised order: what is wrong is told one after the other", async () => {
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
