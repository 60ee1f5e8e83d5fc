import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage } from "../mod.ts";
import { createRateLimiter } from "../routes/_rate_limit.ts";
import { BOARDS_PATH, SUBSCRIBE_PATH } from "./_calls.ts";
import { forEachRow } from "./_rows.ts";
import { assertProblem, createService, type TestService } from "./_service.ts";

async function use(service: TestService, requests: number, key?: string): Promise<Response> {
  let response = await service.send("GET", BOARDS_PATH, { key });
  for (let i = 1; i < requests; i++) response = await service.send("GET", BOARDS_PATH, { key });
  return response;
}

function limitOf({ headers }: Response): readonly (string | null)[] {
  return [headers.get("ratelimit-policy"), headers.get("ratelimit"), headers.get("retry-after")];
}

describe("the rate limit", () => {
  it("is 100 requests/s with a burst of 200 by default, and told in headers", async () => {
    const service = createService({ rateLimit: undefined });
    const policy = '"default";q=200;w=2';
    assertEquals(limitOf(await use(service, 1)), [policy, '"default";r=199;t=1', null]);
    const last = await use(service, 199);
    assertEquals([last.status, ...limitOf(last)], [200, policy, '"default";r=0;t=2', null]);
    const refused = await use(service, 1);
    assertEquals(limitOf(refused), [policy, '"default";r=0;t=2', "1"]);
    await assertProblem(refused, 429, "rate_limited");
    service.advance(9);
    assertEquals((await use(service, 1)).status, 429);
    service.advance(1);
    assertEquals((await use(service, 1)).status, 200);
    assertEquals((await use(service, 1)).status, 429);
    service.advance(3_600_000);
    assertEquals((await use(service, 200)).status, 200);
    assertEquals((await use(service, 1)).status, 429);
  });

  it("tells when the next request is granted, and whoever waits so long is let on", async () => {
    const service = createService({ rateLimit: { requests: 1, windowSeconds: 60 } });
    const policy = '"default";q=2;w=120';
    assertEquals(limitOf(await use(service, 2)), [policy, '"default";r=0;t=120', null]);
    service.advance(30_000);
    // Half a request is none.
    assertEquals(limitOf(await use(service, 1)), [policy, '"default";r=0;t=90', "30"]);
    service.advance(29_999);
    assertEquals(limitOf(await use(service, 1)), [policy, '"default";r=0;t=61', "1"]);
    service.advance(1);
    assertEquals((await use(service, 1)).status, 200);

    const rates = Array.from({ length: 60 }, (_, index) => index + 1)
      .flatMap((requests) =>
        [1, 7, 60, 3_600].map((windowSeconds) => ({ requests, windowSeconds }))
      );
    await forEachRow(rates, (rate) => {
      const take = createRateLimiter(rate);
      let state = take("a", 0);
      for (let i = 1; i < rate.requests * 2; i++) state = take("a", 0);
      assertEquals(/t=(\d+)/.exec(state.headers.RateLimit)![1], `${rate.windowSeconds * 2}`);
      const dueMs = Number(take("a", 0).headers["Retry-After"]) * 1_000;
      const grantedMs = Math.ceil(rate.windowSeconds * 1_000 / rate.requests);
      // Whoever asks too early loses nothing.
      for (let i = 1; i < 20; i++) take("a", Math.floor(Math.min(grantedMs, dueMs) * i / 20));
      assertEquals(take("a", dueMs).allowed, true);
    });
  });

  it("is counted for each key by itself, when the key is known", async () => {
    const storage = openMemoryStorage();
    const { get } = storage;
    let found = Promise.resolve();
    storage.get = (kind, key) => found.then(() => get(kind, key));
    const service = createService({ storage, rateLimit: { requests: 2, windowSeconds: 1 } });
    const key = await service.createKey(["boards:read"]);
    assertEquals((await use(service, 5)).status, 429);
    assertEquals((await use(service, 4, key)).status, 200);
    assertEquals((await use(service, 1, key)).status, 429);
    const lookUp = Promise.withResolvers<void>();
    found = lookUp.promise;
    const waiting = service.send("GET", BOARDS_PATH, { key });
    // One more request is granted meanwhile.
    service.advance(500);
    lookUp.resolve();
    assertEquals((await waiting).status, 200);
    assertEquals((await use(service, 1, key)).status, 429);
  });

  it("is spoilt neither by a clock that fails once nor by one that is set back", async () => {
    let failing = false;
    const service = createService({
      rateLimit: { requests: 1, windowSeconds: 1 },
      clock: () => failing ? NaN : nowMs,
    });
    let nowMs = 1e12;
    assertEquals((await use(service, 1)).status, 200);
    failing = true;
    assertEquals((await use(service, 1)).status, 500);
    failing = false;
    assertEquals(limitOf(await use(service, 1))[1], '"default";r=0;t=2');
    nowMs -= 3_600_000;
    assertEquals((await use(service, 1)).status, 429);
    nowMs += 1_000;
    assertEquals((await use(service, 1)).status, 200);
  });

  it("counts no request that lacks the scope, but one whose body is refused", async () => {
    const service = createService({ rateLimit: { requests: 1, windowSeconds: 1 } });
    const key = await service.createKey(["boards:read"]);
    for (let i = 0; i < 5; i++) await service.send("PUT", SUBSCRIBE_PATH, { key });
    assertEquals(limitOf(await use(service, 1, key))[1], '"default";r=1;t=1');
    for (let i = 0; i < 2; i++) {
      const refused = await service.send("PUT", SUBSCRIBE_PATH);
      await assertProblem(refused, 415, "unsupported_media_type");
    }
    await assertProblem(await service.send("PUT", SUBSCRIBE_PATH), 429, "rate_limited");
  });

  it("is told in every response to a known caller, and in no other", async () => {
    const { send } = createService({ rateLimit: { requests: 9, windowSeconds: 1 } });
    const json = { boardId: "ideas", name: "Ideas" };
    const board = `${BOARDS_PATH}/ideas`;
    const statuses: number[] = [];
    let used = 0;
    await forEachRow([
      ["POST", BOARDS_PATH, { json }],
      ["POST", BOARDS_PATH, { json }],
      ["HEAD", board, {}],
      ["GET", board, { headers: { "if-none-match": "*" } }],
      ["PATCH", board, { json: { name: "" } }],
      ["DELETE", board, {}],
      ["GET", board, {}],
    ], async ([method, path, sent]) => {
      const response = await send(method, path, sent);
      statuses.push(response.status);
      used++;
      const limit = `"default";r=${18 - used};t=${Math.ceil(used / 9)}`;
      assertEquals(limitOf(response), ['"default";q=18;w=2', limit, null]);
    });
    assertEquals(statuses, [201, 409, 200, 304, 422, 204, 404]);
    const off = createService({ rateLimit: false });
    assertEquals(limitOf(await use(off, 300)), [null, null, null]);
    assertEquals(limitOf(await send("GET", "/livez")), [null, null, null]);
    assertEquals(limitOf(await send("GET", BOARDS_PATH, { key: null })), [null, null, null]);
  });
});
