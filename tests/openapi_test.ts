import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { readFileSync } from "node:fs";
import { PROBLEM_GUIDE } from "../routes/_openapi/problem_guide.ts";
import { type ProblemCode, PROBLEMS } from "../routes/_problem.ts";
import type { ResponseObject } from "../routes/_openapi/types.ts";
import { listEndpoints } from "../routes/_docs/operation.ts";
import { createTestHandler, follow, parametersOf, readApi, requestOf } from "./_openapi.ts";
import { PROMISED } from "./_promised.ts";
import { findSnippets } from "./_snippets.ts";

const FORM = "application/x-www-form-urlencoded";

const api = await readApi(createTestHandler());
const all = listEndpoints(api);
const withBody = all.filter(({ operation }) => operation.requestBody !== undefined);
const withQuery = all.filter((described) => parametersOf(api, described, "query").length > 0);

describe("The OpenAPI description", () => {
  it("describes the promised operations and no others", () => {
    assertEquals(
      all.map(({ method, path, operation }) => [method, path, operation["x-scope"] ?? null]),
      PROMISED.map((operation) => [...operation]),
      "PROMISED in tests/_promised.ts is to have the operations described, in their order",
    );
  });

  it("names each operation differently", () => {
    assertEquals(new Set(all.map(({ operation }) => operation.operationId)).size, all.length);
  });

  it("names the base path as its server when the handler is mounted under one", async () => {
    const mounted = await readApi(createTestHandler({ basePath: "/feedback" }), "/feedback");
    assertEquals(mounted.servers.map(({ url }) => url), ["/feedback"]);
    assertEquals(api.servers.map(({ url }) => url), ["/"]);
  });

  for (const [path, item] of Object.entries(api.paths)) {
    it(`describes the methods that ${path} takes`, async () => {
      const response = await createTestHandler()(
        new Request(`http://localhost${path}`, { method: "OPTIONS" }),
      );
      const methods = Object.keys(item).map((method) => method.toUpperCase());
      const derived = methods.includes("GET") ? ["HEAD", "OPTIONS"] : ["OPTIONS"];
      assertEquals(response.headers.get("allow")?.split(", "), [...methods, ...derived].sort());
    });
  }
});

describe("The requirements described", () => {
  for (const described of all) {
    const { operation: { operationId, security, responses, "x-scope": scope } } = described;

    it(`of ${operationId} name the key where one is needed, and only there`, () => {
      assertEquals(security, scope === undefined ? [] : [{ apiKey: [] }]);
    });

    // Answers in which a caller is not known, or no key is needed, have no limit.
    if (scope === undefined) continue;
    it(`of ${operationId} name the limit where it is judged`, () => {
      for (const [status, response] of Object.entries(responses)) {
        if (["404", "405"].includes(status)) continue;
        const { headers } = follow<ResponseObject>(api, response);
        const named = ["RateLimit-Policy", "RateLimit"].filter((name) => name in headers);
        assertEquals(named.length, status === "401" ? 0 : 2, status);
      }
    });
  }

  for (const described of withBody) {
    const { operationId, requestBody } = described.operation;
    it(`of ${operationId} name the body where it may not be left out`, async () => {
      const response = await createTestHandler()(requestOf(api, described));
      await response.body?.cancel();
      assertEquals(requestBody?.required, response.status === 415);
    });
  }

  for (const described of withQuery) {
    it(`of ${described.operation.operationId} have the answer to a bad query`, () => {
      assert("422" in described.operation.responses);
    });
  }

  it("name the request ids that are taken", async () => {
    const { description, schema } = api.components.parameters["X-Request-Id"];
    // By one, gateways that validate would refuse what is only replaced.
    assertEquals(schema.pattern, undefined);
    const [, named] = /`(\^[^`]+\$)`/.exec(`${description}`)!;
    const pattern = new RegExp(named);
    for (const id of ["a", "A-z_0.9", "x".repeat(64), "x".repeat(65), "a b", "a/b"]) {
      const request = new Request("http://localhost/livez", { headers: { "X-Request-Id": id } });
      const { headers } = await createTestHandler()(request);
      assertEquals(headers.get("x-request-id") === id, pattern.test(id), id);
    }
  });

  it("name the limit of requests that holds by default", async () => {
    const [board] = all;
    const { headers } = await createTestHandler()(requestOf(api, board));
    const [, burst, seconds] = /q=(\d+);w=(\d+)/.exec(headers.get("ratelimit-policy")!)!;
    const rate = Number(burst) / Number(seconds);
    assert(api.info.description.includes(`${rate} per second with a burst of ${burst}`));
  });
});

describe("docs/http-api.md", () => {
  const page = readFileSync(new URL("../docs/http-api.md", import.meta.url), "utf8");

  it("names every operation, field and code that is described", () => {
    const fields = withBody.flatMap(({ operation }) =>
      Object.keys(operation.requestBody?.content[FORM].schema.properties ?? {})
    );
    const names = [
      ...all.map(({ method, path }) => `${method} ${path}`),
      ...new Set(fields),
      ...Object.keys(api.components.examples),
    ];
    const missing = names.filter((name) => !page.includes(`\`${name}\``));
    assertEquals(missing, [], "docs/http-api.md is to name these");
  });

  for (
    const [heading, name] of [["## Changelog subscriptions", "SubscriptionResult"], [
      "## Boards",
      "Board",
    ]]
  ) {
    it(`shows under ${heading} the example that is described`, () => {
      const { code } = findSnippets(page.split(`${heading}\n`)[1])[0];
      assertEquals(JSON.parse(code), api.components.schemas[name].examples?.[0]);
    });
  }

  it("says as what a key is shown", () => {
    const [, sentence] = /A key is shown as ([^]*?)\.\s/.exec(page)!;
    const names = [...sentence.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    assertEquals(names, Object.keys(api.components.schemas.Key.properties!));
  });

  it("says of every problem what the description says", () => {
    const rows = [...page.matchAll(/^\| (\d{3}) +\| `(\w+)` +\| (.*?) +\|$/gm)];
    assertEquals(
      rows.map(([, ...cells]) => cells),
      Object.entries(PROBLEMS).map(([code, status]) => [
        `${status}`,
        code,
        PROBLEM_GUIDE[code as ProblemCode].meaning,
      ]),
    );
  });
});
