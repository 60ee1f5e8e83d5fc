import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createRateLimiter } from "../routes/_rate_limit.ts";
import { assertProblem, createService, type TestService } from "./_service.ts";

const PATH = "/api/v1/boards";
const SUBSCRIBE = "/api/v1/changelogs/subscribe";

async function use(service: TestService, requests: number, key?: string): Promise<Response> {
  let response = await service.send("GET", PATH, { key });
  for (let i = 1; i < requests; i++) response = await service.send("GET", PATH, { key });
  return response;
}

function limitOf({ headers }: Response) {
  return [headers.get("ratelimit-policy"), headers.get("ratelimit")];
}

describe("rate limit", () => {
  it("the limit is 100 requests/s with a burst of 200 by default", async () => {
    const service = createService({ rateLimit: undefined });
    const first = await use(service, 1);
    assertEquals(limitOf(first), ['"default";q=200;w=2', '"default";r=199;t=1']);
    assertEquals(first.headers.has("retry-after"), false);
    const last = await use(service, 199);
    assertEquals([last.status, ...limitOf(last)], [
      200,
      '"default";q=200;w=2',
      '"default";r=0;t=2',
    ]);
    const refused = await use(service, 1);
    assertEquals(limitOf(refused), ['"default";q=200;w=2', '"default";r=0;t=2']);
    assertEquals(refused.headers.get("retry-after"), "1");
    await assertProblem(refused, 429, "rate_limited");
  });

  it("requests are granted again at the rate of the limit", async () => {
    const service = createService({ rateLimit: { requests: 100, windowSeconds: 1 } });
    await use(service, 200);
    service.advance(9);
    assertEquals((await use(service, 1)).status, 429);
    service.advance(1);
    assertEquals((await use(service, 1)).status, 200);
    assertEquals((await use(service, 1)).status, 429);
    service.advance(3_600_000);
    assertEquals((await use(service, 200)).status, 200);
    assertEquals((await use(service, 1)).status, 429);
  });

  it("Retry-After tells when a slow limit grants the next request", async () => {
    const service = createService({ rateLimit: { requests: 1, windowSeconds: 60 } });
    const last = await use(service, 2);
    assertEquals(limitOf(last), ['"default";q=2;w=120', '"default";r=0;t=120']);
    service.advance(30_000);
    const refused = await use(service, 1);
    assertEquals([refused.status, refused.headers.get("retry-after")], [429, "30"]);
    // Half a request is none.
    assertEquals(limitOf(refused), ['"default";q=2;w=120', '"default";r=0;t=90']);
    service.advance(29_999);
    assertEquals((await use(service, 1)).headers.get("retry-after"), "1");
    service.advance(1);
    assertEquals((await use(service, 1)).status, 200);
  });

  it("an hour is announced as an hour", () => {
    const take = createRateLimiter({ requests: 1, windowSeconds: 3_600 });
    for (let i = 0; i < 2; i++) take("a", 0);
    const { headers } = take("a", 0);
    assertEquals([headers.RateLimit, headers["Retry-After"]], ['"default";r=0;t=7200', "3600"]);
  });

  it("whoever waits as long as announced is let on, whatever the limit", () => {
    for (let requests = 1; requests <= 60; requests++) {
      for (const windowSeconds of [1, 7, 60]) {
        const rate = `${requests} in ${windowSeconds} s`;
        const take = createRateLimiter({ requests, windowSeconds });
        let state = take("a", 0);
        for (let i = 1; i < requests * 2; i++) state = take("a", 0);
        const [, allSeconds] = /t=(\d+)/.exec(state.headers.RateLimit)!;
        const [, windowsSeconds] = /w=(\d+)/.exec(state.headers["RateLimit-Policy"])!;
        assertEquals(allSeconds, windowsSeconds, rate);
        const dueMs = Number(take("a", 0).headers["Retry-After"]) * 1_000;
        const grantedMs = Math.ceil(windowSeconds * 1_000 / requests);
        // Whoever asks too early loses nothing.
        for (let ms = 1; ms < Math.min(grantedMs, dueMs); ms += 7) take("a", ms);
        assertEquals(take("a", dueMs).allowed, true, rate);
      }
    }
  });

  it("a request that waited for its key is counted when it is let on", async () => {
    const service = createService({ rateLimit: { requests: 1, windowSeconds: 1 } });
    const { apiKeys } = service.storage;
    const { findByHash } = apiKeys;
    let found = Promise.resolve();
    apiKeys.findByHash = (hash) => found.then(() => findByHash(hash));
    const key = await service.createKey(["boards:read"]);
    await use(service, 2, key);
    service.advance(1_000);
    const lookUp = Promise.withResolvers<void>();
    found = lookUp.promise;
    const waiting = service.send("GET", PATH, { key });
    service.advance(1_000);
    lookUp.resolve();
    assertEquals((await waiting).headers.get("ratelimit"), '"default";r=1;t=1');
  });

  it("a clock that fails for once spoils no bucket", async () => {
    const times = [0, 0, 0, NaN, 0, 0];
    const rateLimit = { requests: 1, windowSeconds: 1 };
    const service = createService({ rateLimit, clock: () => times.shift()! });
    assertEquals((await use(service, 1)).status, 200);
    assertEquals((await use(service, 1)).status, 500);
    assertEquals(limitOf(await use(service, 1))[1], '"default";r=0;t=2');
  });

  it("each key has a bucket of its own", async () => {
    const service = createService({ rateLimit: { requests: 1, windowSeconds: 1 } });
    const key = await service.createKey(["boards:read"]);
    assertEquals((await use(service, 3)).status, 429);
    assertEquals((await use(service, 2, key)).status, 200);
    assertEquals((await use(service, 1, key)).status, 429);
  });

  it("a clock that is set back grants nothing and blocks nothing", async () => {
    const service = createService({ rateLimit: { requests: 1, windowSeconds: 1 } });
    await use(service, 2);
    service.advance(-3_600_000);
    assertEquals((await use(service, 1)).status, 429);
    service.advance(1_000);
    assertEquals((await use(service, 1)).status, 200);
  });

  it("a request is not counted when it lacks the scope", async () => {
    const service = createService({ rateLimit: { requests: 1, windowSeconds: 1 } });
    const key = await service.createKey(["boards:read"]);
    for (let i = 0; i < 5; i++) await service.send("PUT", SUBSCRIBE, { key });
    assertEquals((await use(service, 1, key)).headers.get("ratelimit"), '"default";r=1;t=1');
  });

  it("a request is counted when its body is refused, and the limit is judged first", async () => {
    const service = createService({ rateLimit: { requests: 1, windowSeconds: 1 } });
    for (let i = 0; i < 2; i++) {
      const response = await service.send("PUT", SUBSCRIBE);
      await assertProblem(response, 415, "unsupported_media_type");
    }
    await assertProblem(await service.send("PUT", SUBSCRIBE), 429, "rate_limited");
  });

  it("what thousands of keys have used is forgotten only when it has been granted again", () => {
    const take = createRateLimiter({ requests: 1, windowSeconds: 1 });
    for (let i = 0; i < 2; i++) take("busy", 1_000);
    for (let i = 0; i < 10_000; i++) take(`early ${i}`, 0);
    assertEquals(take("new", 1_500).allowed, true);
    assertEquals(take("busy", 1_500).allowed, false);
    assertEquals(take("early 1", 1_500).headers.RateLimit, '"default";r=1;t=1');
  });

  it("every answer to a caller carries the limit, with content or none, and a problem too", async () => {
    const { send } = createService({ rateLimit: { requests: 9, windowSeconds: 1 } });
    const json = { boardId: "ideas", name: "Ideas" };
    const board = `${PATH}/ideas`;
    const answers = [
      await send("POST", PATH, { json }),
      await send("POST", PATH, { json }),
      await send("HEAD", board),
      await send("GET", board, { headers: { "if-none-match": "*" } }),
      await send("PATCH", board, { json: { name: "" } }),
      await send("DELETE", board),
      await send("GET", board),
    ];
    assertEquals(answers.map(({ status }) => status), [201, 409, 200, 304, 422, 204, 404]);
    assertEquals(
      answers.map(limitOf),
      [17, 16, 15, 14, 13, 12, 11].map((left, used) => [
        '"default";q=18;w=2',
        `"default";r=${left};t=${Math.ceil((used + 1) / 9)}`,
      ]),
    );
  });

  it("responses carry no limit when it is off, or when no key is needed", async () => {
    const off = createService({ rateLimit: false });
    const on = createService({ rateLimit: undefined });
    assertEquals(limitOf(await use(off, 300)), [null, null]);
    assertEquals(limitOf(await on.send("GET", "/livez")), [null, null]);
    assertEquals(limitOf(await on.send("GET", PATH, { key: null })), [null, null]);
  });
});
