import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { type Scope, SCOPES } from "../model/api_key.ts";
import { BOARDS } from "./_boards.ts";
import { assertProblem, createService } from "./_service.ts";

const OPERATIONS: readonly [method: string, path: string, scope: Scope][] = [
  ["GET", BOARDS, "boards:read"],
  ["POST", BOARDS, "boards:write"],
  ["GET", `${BOARDS}/ideas`, "boards:read"],
  ["HEAD", `${BOARDS}/ideas`, "boards:read"],
  ["PATCH", `${BOARDS}/ideas`, "boards:write"],
  ["DELETE", `${BOARDS}/ideas`, "boards:write"],
  ["PUT", "/api/v1/changelogs/subscribe", "subscriptions:write"],
  ["GET", "/api/v1/changelogs/subscribers", "subscriptions:read"],
  ["GET", "/api/v1/changelogs/subscribers/ann@example.com", "subscriptions:read"],
  ["DELETE", "/api/v1/changelogs/subscribers/ann@example.com", "subscriptions:write"],
  ["GET", "/api/v1/keys", "keys:write"],
  ["POST", "/api/v1/keys", "keys:write"],
  ["POST", "/api/v1/keys/k1/rotate", "keys:write"],
  ["DELETE", "/api/v1/keys/k1", "keys:write"],
];

describe("scopes", () => {
  for (const [method, path, scope] of OPERATIONS) {
    it(`${method} ${path} needs the scope ${scope}, and no other`, async () => {
      const service = createService();
      const others = SCOPES.filter((other) => other !== scope && other !== "*");
      const refused = await service.send(method, path, { key: await service.createKey(others) });
      assertEquals([refused.status, refused.headers.get("www-authenticate")], [
        403,
        `Bearer realm="boardcast", error="insufficient_scope", scope="${scope}"`,
      ]);
      if (method !== "HEAD") await assertProblem(refused, 403, "insufficient_scope");
      for (const scopes of [[scope], ["*"]] as const) {
        const response = await service.send(method, path, { key: await service.createKey(scopes) });
        assert(![401, 403].includes(response.status), `${response.status}`);
        await response.body?.cancel();
      }
    });
  }

  it("scope is judged before the body, and credentials before scope", async () => {
    const service = createService();
    const key = await service.createKey(["boards:read"]);
    const body = "x".repeat(20_000);
    const path = "/api/v1/changelogs/subscribe";
    const sent = { body, headers: { "content-type": "text/plain" } };
    const without = await service.send("PUT", path, { ...sent, key: null });
    await assertProblem(without, 401, "missing_credentials");
    const lacking = await service.send("PUT", path, { ...sent, key });
    await assertProblem(lacking, 403, "insufficient_scope");
    await assertProblem(await service.send("PUT", path, sent), 415, "unsupported_media_type");
  });

  it("nothing of a body is read before the caller is known", async () => {
    let pulled = false;
    const body = new ReadableStream({
      pull(controller) {
        pulled = true;
        controller.close();
      },
    }, { highWaterMark: 0 });
    const { send } = createService();
    await send("PUT", "/api/v1/changelogs/subscribe", { key: null, body });
    assertEquals(pulled, false);
  });
});
