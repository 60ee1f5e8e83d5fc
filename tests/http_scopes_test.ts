import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { SCOPES } from "../model/api_key.ts";
import { BOARDS } from "./_boards.ts";
import { PROMISED } from "./_promised.ts";
import { assertProblem, createService } from "./_service.ts";

const PARAMS: Readonly<Record<string, string>> = {
  "{boardId}": "ideas",
  "{userEmail}": "ann@example.com",
  "{keyId}": "k1",
};
// HEAD is derived from GET.
const OPERATIONS = [...PROMISED, ["HEAD", `${BOARDS}/{boardId}`, "boards:read"] as const];

describe("scopes", () => {
  for (const [method, template, scope] of OPERATIONS) {
    const path = template.replace(/{\w+}/, (param) => PARAMS[param]);
    if (scope === null) {
      it(`${method} ${path} needs no key`, async () => {
        const response = await createService().send(method, path, { key: null });
        assertEquals(response.status, 200);
        await response.body?.cancel();
      });
      continue;
    }
    it(`${method} ${path} needs a key of the scope ${scope}, and of no other`, async () => {
      const service = createService();
      const without = await service.send(method, path, { key: null });
      assertEquals(without.status, 401);
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
