import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { readFileSync } from "node:fs";
import { listEndpoints } from "../routes/_docs/operation.ts";
import type { ResponseObject } from "../routes/_openapi/types.ts";
import { PROBLEMS } from "../routes/_problem.ts";
import { FORM } from "./_calls.ts";
import {
  createTestHandler,
  fieldsOf,
  follow,
  parametersOf,
  readApi,
  requestOf,
} from "./_openapi.ts";
import { PROMISED, PROMISED_PUBLIC } from "./_promised.ts";
import { forEachRow } from "./_rows.ts";
import { findSnippets } from "./_snippets.ts";

const api = await readApi(createTestHandler());
const all = listEndpoints(api);

describe("the OpenAPI description", () => {
  it("has the promised operations and no others, each with a name and a scope", () => {
    assertEquals(
      all.map(({ method, path, operation }) => `${method} ${path} ${operation["x-scope"]}`).sort(),
      [...PROMISED, ...PROMISED_PUBLIC]
        .map(([method, path, scope]) => `${method} ${path} ${scope ?? undefined}`).sort(),
      "tests/_promised.ts is to have the operations described",
    );
    assertEquals(new Set(all.map(({ operation }) => operation.operationId)).size, all.length);
  });

  it("names the base path as its server", async () => {
    const mounted = await readApi(createTestHandler({ basePath: "/feedback" }), "/feedback");
    const urls = [mounted, api].map(({ servers }) => servers.map(({ url }) => url));
    assertEquals(urls, [["/feedback"], ["/"]]);
  });

  it("names the key and the limit where there is one, and a body that may not be left out", async () => {
    await forEachRow(all, async (endpoint) => {
      const { security, responses, requestBody, "x-scope": scope } = endpoint.operation;
      assertEquals(security, scope === undefined ? [] : [{ apiKey: [] }]);
      for (const [status, response] of Object.entries(responses)) {
        // These are given before a key is looked at, too.
        if (scope === undefined || ["404", "405"].includes(status)) continue;
        const { headers } = follow<ResponseObject>(api, response);
        const named = ["RateLimit-Policy", "RateLimit"].filter((name) => name in headers);
        assertEquals(named.length, status === "401" ? 0 : 2, status);
      }
      if (requestBody !== undefined) {
        const { status } = await createTestHandler()(requestOf(api, endpoint));
        assertEquals(requestBody.required, status === 415);
      }
      const takesQuery = parametersOf(api, endpoint, "query").length > 0;
      if (takesQuery) assert("422" in responses, "has no answer to a bad query");
    });
  });

  it("tells the request ids that are taken, and the limit that holds by default", async () => {
    const { description, schema } = api.components.parameters["X-Request-Id"];
    // By a pattern, gateways that validate would refuse what is only replaced.
    assertEquals(schema.pattern, undefined);
    const pattern = new RegExp(/`(\^[^`]+\$)`/.exec(`${description}`)![1]);
    await forEachRow(["a", "A-z_0.9", "x".repeat(64), "x".repeat(65), "a b", "a/b"], async (id) => {
      const request = new Request("http://localhost/livez", { headers: { "X-Request-Id": id } });
      const { headers } = await createTestHandler()(request);
      assertEquals(headers.get("x-request-id") === id, pattern.test(id));
    });
    const { headers } = await createTestHandler()(requestOf(api, all[0]));
    const [, burst, seconds] = /q=(\d+);w=(\d+)/.exec(headers.get("ratelimit-policy")!)!;
    const rate = Number(burst) / Number(seconds);
    assert(api.info.description.includes(`${rate} per second with a burst of ${burst}`));
  });
});

describe("docs/http-api.md", () => {
  const page = readFileSync(new URL("../docs/http-api.md", import.meta.url), "utf8");

  it("names every operation, field and code that is described", () => {
    const fields = all.flatMap((endpoint) => Object.keys(fieldsOf(endpoint, FORM)));
    const names = [
      ...all.map(({ method, path }) => `${method} ${path}`),
      ...new Set(fields),
      ...Object.keys(api.components.examples),
    ];
    const missing = names.filter((name) => !page.includes(`\`${name}\``));
    assertEquals(missing, [], "docs/http-api.md is to name these");
  });

  it("shows the examples that are described, and the members of a key", async () => {
    await forEachRow([
      ["## Changelog subscriptions", "SubscriptionResult"],
      ["## Boards", "Board"],
    ], ([heading, name]) => {
      const { code } = findSnippets(page.split(`${heading}\n`)[1])[0];
      assertEquals(JSON.parse(code), api.components.schemas[name].examples?.[0]);
    });
    const [, sentence] = /A key is shown as ([^]*?)\.\s/.exec(page)!;
    const names = [...sentence.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    assertEquals(names, Object.keys(api.components.schemas.Key.properties!));
  });

  it("says of every problem which status it has", () => {
    const rows = [...page.split("## Problems\n")[1].matchAll(/^\| (\d{3}) \| (.*) \|$/gm)];
    const statuses = rows.flatMap(([, status, codes]) =>
      [...codes.matchAll(/`([a-z_]+)`/g)].map(([, code]) => [code, Number(status)])
    );
    assertEquals(Object.fromEntries(statuses), PROBLEMS);
  });
});
