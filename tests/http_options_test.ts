import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createHandler, type HandlerOptions, openMemoryStorage } from "../mod.ts";
import { OPERATOR_KEY, readJson } from "./_service.ts";

describe("options of the handler", () => {
  it("the clock and the source of request ids are the platform's by default", async () => {
    const handler = createHandler({ storage: openMemoryStorage(), operatorKey: OPERATOR_KEY });
    const before = new Date().toISOString();
    const response = await handler(
      new Request("http://localhost/api/v1/boards", {
        method: "POST",
        headers: { authorization: `Bearer ${OPERATOR_KEY}` },
        body: new URLSearchParams({ name: "Ideas" }),
      }),
    );
    assertEquals(response.headers.get("x-request-id")?.length, 36);
    const { createdAt } = await readJson(response, 201);
    assertEquals([`${createdAt}` >= before, `${createdAt}` <= new Date().toISOString()], [
      true,
      true,
    ]);
  });

  it("a base path of / is refused with what stands for the root", () => {
    const options = { storage: openMemoryStorage(), basePath: "/" };
    assertThrows(() => createHandler(options), TypeError, "leave it out to mount at the root");
  });

  for (const basePath of ["/a/b", "/.well-known", "/...", "/~Ann/x_1-2.3"]) {
    it(`a handler is mounted at the base path ${basePath}`, async () => {
      const handler = createHandler({ storage: openMemoryStorage(), basePath });
      const { status } = await handler(new Request(`http://localhost${basePath}/livez`));
      assertEquals(status, 200);
    });
  }

  it("a body may take as long as a timer can", () => {
    createHandler({ storage: openMemoryStorage(), bodyTimeoutMs: 2 ** 31 - 1 });
  });

  const WRONG: Readonly<Record<string, readonly unknown[]>> = {
    storage: [
      ...[undefined, null, {}, openMemoryStorage, Promise.resolve(openMemoryStorage())],
      ...["boards", "subscriptions", "apiKeys", "ping"].map((name) => ({
        ...openMemoryStorage(),
        [name]: undefined,
      })),
      { ...openMemoryStorage(), boards: null },
    ],
    basePath: ["x", "/x/", "/", "/a b", "/a//b", "/é", "/a?b", "/.", "/a/..", "/a/./b", null, [
      "/x",
    ]],
    corsOrigins: [null, 5, "https://app.example.com", [5], ["https://app.example.com/"]],
    operatorKey: [null, 5, "short", [OPERATOR_KEY]],
    signal: [null, true, new AbortController()],
    log: [null, true, console],
    clock: [null, 5],
    createRequestId: [null, "id"],
  };
  for (const [name, values] of Object.entries(WRONG)) {
    for (const value of values) {
      it(`a handler is not made when ${name} is ${Deno.inspect(value).slice(0, 40)}`, () => {
        const options = { storage: openMemoryStorage(), [name]: value } as HandlerOptions;
        const { message } = assertThrows(() => createHandler(options), TypeError);
        assertMatch(message, new RegExp(`^Cannot use ${name === "corsOrigins" ? "" : name}`));
      });
    }
  }

  for (const wrong of [undefined, null, {}]) {
    it(`a handler is not made when its options are ${Deno.inspect(wrong)}`, () => {
      const error = assertThrows(() => createHandler(wrong as never), TypeError);
      assertMatch(error.message, /^Cannot use storage/);
    });
  }

  const OUT_OF_RANGE: readonly Record<string, unknown>[] = [
    ...[0, -1, NaN, Infinity, 2 ** 31, "250", null].map((bodyTimeoutMs) => ({ bodyTimeoutMs })),
    ...[null, 0, "", true, 100, {}].map((rateLimit) => ({ rateLimit })),
    ...[0, -1, 1.5, NaN, Infinity, "5"].flatMap((wrong) => [
      { rateLimit: { requests: wrong, windowSeconds: 1 } },
      { rateLimit: { requests: 1, windowSeconds: wrong } },
    ]),
  ];
  for (const options of OUT_OF_RANGE) {
    it(`a handler is not made when it is given ${Deno.inspect(options)}`, () => {
      const given = { storage: openMemoryStorage(), ...options } as HandlerOptions;
      const [name] = Object.keys(options);
      const error = assertThrows(() => createHandler(given), RangeError);
      assertMatch(error.message, new RegExp(`^Cannot use ${name}`));
    });
  }
});
