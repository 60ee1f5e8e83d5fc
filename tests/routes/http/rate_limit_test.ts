import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { forEachRow } from "../../_support/rows.ts";
import { createService, outcomeOf, type Sent, type TestService } from "../../_support/service.ts";

/** Sends requests; returns the outcome of the last one, and its rate limit headers. */
async function use(
  { send }: TestService,
  requests: number,
  key?: string,
): Promise<readonly (string | null)[]> {
  for (let i = 1; i < requests; i++) await send("GET", "boards", { key });
  const response = await send("GET", "boards", { key });
  const told = ["ratelimit-policy", "ratelimit", "retry-after"]
    .map((name) => response.headers.get(name));
  return [await outcomeOf(response), ...told];
}

describe("the rate limit", () => {
  it("is 100 requests/s with a burst of 200 by default, and told in headers", async () => {
    const service = createService({ rateLimit: undefined });
    const policy = '"default";q=200;w=2';
    assertEquals(await use(service, 1), ["200", policy, '"default";r=199;t=1', null]);
    assertEquals(await use(service, 199), ["200", policy, '"default";r=0;t=2', null]);
    const refused = ["429 rate_limited", policy, '"default";r=0;t=2', "1"];
    assertEquals(await use(service, 1), refused);
    service.advance(10);
    assertEquals([(await use(service, 1))[0], await use(service, 1)], ["200", refused]);
    service.advance(3_600_000);
    assertEquals([(await use(service, 200))[0], await use(service, 1)], ["200", refused]);
  });

  it("tells when the next request is granted, and whoever asks too early loses nothing", async () => {
    const service = createService({ rateLimit: { requests: 1, windowSeconds: 60 } });
    const policy = '"default";q=2;w=120';
    assertEquals(await use(service, 2), ["200", policy, '"default";r=0;t=120', null]);
    service.advance(30_000);
    assertEquals(await use(service, 1), ["429 rate_limited", policy, '"default";r=0;t=90', "30"]);
    service.advance(30_000);
    assertEquals((await use(service, 1))[0], "200");
  });

  it("is told, and counted, in every response to a known caller with the scope, and no other", async () => {
    const service = createService({ rateLimit: { requests: 9, windowSeconds: 1 } });
    const key = await service.createKey(["boards:read", "boards:write"]);
    const json = { boardId: "ideas", name: "Ideas" };
    let left = 18;
    await forEachRow<readonly [method: string, path: string, sent: Sent, outcome: string]>([
      ["POST", "boards", { json }, "201"],
      ["POST", "boards", {}, "415 unsupported_media_type"],
      ["GET", "keys", {}, "403 insufficient_scope"],
      ["GET", "boards/ideas", { headers: { "if-none-match": "*" } }, "304"],
      ["DELETE", "boards/ideas", {}, "204"],
    ], async ([method, path, sent, outcome]) => {
      const response = await service.send(method, path, { ...sent, key });
      const isCounted = outcome !== "403 insufficient_scope";
      if (isCounted) left--;
      const [, told] = /r=(\d+)/.exec(response.headers.get("ratelimit") ?? "") ?? [];
      assertEquals([await outcomeOf(response), told], [outcome, isCounted ? `${left}` : undefined]);
    });
    const off = createService({ rateLimit: false });
    assertEquals(await use(off, 300), ["200", null, null, null]);
    for (const [path, key] of [["/livez", undefined], ["boards", null]] as const) {
      assertEquals((await service.send("GET", path, { key })).headers.has("ratelimit"), false);
    }
  });

  it("takes nothing where the clock that it was given is set back", async () => {
    const service = createService({ rateLimit: { requests: 5, windowSeconds: 3_600 } });
    await use(service, 1);
    service.advance(-7_200_000);
    assertEquals((await use(service, 9))[0], "200");
  });

  it("grants no second burst where the clock of the machine goes back and forth", async () => {
    const { now } = Date;
    let nowMs = now();
    Date.now = () => nowMs;
    try {
      const rateLimit = { requests: 5, windowSeconds: 3_600 };
      const service = createService({ rateLimit, clock: undefined });
      assertEquals((await use(service, 10))[0], "200");
      for (const jumpMs of [-7_200_000, 7_200_000, 7_200_000]) {
        nowMs += jumpMs;
        assertEquals((await use(service, 1))[0], "429 rate_limited");
      }
    } finally {
      Date.now = now;
    }
  });
});
