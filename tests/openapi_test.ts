import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { OpenApi, ResponseObject } from "../routes/_openapi/types.ts";
import { PROBLEMS } from "../routes/_problem.ts";
import { api, createDescribed, ENDPOINTS, fieldsOf, follow, pathOf } from "./_openapi.ts";
import { PROMISED, PROMISED_PUBLIC } from "./_promised.ts";
import { forEachRow } from "./_rows.ts";
import { FORM } from "./_service.ts";
import { findSnippets } from "./_snippets.ts";

describe("the OpenAPI description", () => {
  it("has the promised operations and no others, each with a name and a scope", () => {
    const described = ENDPOINTS.map(({ method, path, operation }) =>
      `${method} ${path} ${operation["x-scope"] ?? null}`
    );
    const promised = [...PROMISED, ...PROMISED_PUBLIC].map((operation) => operation.join(" "));
    assertEquals(described.sort(), promised.map((text) => text.replace(/ $/, " null")).sort());
    const ids = ENDPOINTS.map(({ operation }) => operation.operationId);
    assertEquals(new Set(ids).size, ids.length);
  });

  it("names the base path as its server", async () => {
    const { call } = createDescribed({ basePath: "/feedback" });
    const mounted = await call<OpenApi>("GET", "/feedback/openapi.json");
    const urls = [mounted, api].map(({ servers }) => servers.map(({ url }) => url));
    assertEquals(urls, [["/feedback"], ["/"]]);
  });

  it("names the key and the limit where there is one, and a body that may not be left out", async () => {
    await forEachRow(ENDPOINTS, async (endpoint) => {
      const { security, responses, requestBody, "x-scope": scope } = endpoint.operation;
      assertEquals(security, scope === undefined ? [] : [{ apiKey: [] }]);
      for (const [status, response] of Object.entries(responses)) {
        // These are given before a key is looked at, too.
        if (scope === undefined || ["404", "405"].includes(status)) continue;
        const { headers } = follow<ResponseObject>(response);
        const named = ["RateLimit-Policy", "RateLimit"].filter((name) => name in headers);
        assertEquals(named.length, status === "401" ? 0 : 2, status);
      }
      if (requestBody === undefined) return;
      const { status } = await createDescribed().send(endpoint.method, pathOf(endpoint));
      assertEquals(requestBody.required, status === 415);
    });
  });
});

describe("docs/http-api.md", () => {
  const page = Deno.readTextFileSync(new URL("../docs/http-api.md", import.meta.url));

  it("names every operation, field and code that is described", () => {
    const names = [
      ...ENDPOINTS.map(({ method, path }) => `${method} ${path}`),
      ...ENDPOINTS.flatMap((endpoint) => Object.keys(fieldsOf(endpoint, FORM))),
      ...Object.keys(api.components.examples),
      ...Object.keys(api.components.schemas.Key.properties!),
    ];
    assertEquals(names.filter((name) => !page.includes(`\`${name}\``)), []);
  });

  it("shows the examples that are described", async () => {
    await forEachRow([
      ["## Changelog subscriptions", "SubscriptionResult"],
      ["## Boards", "Board"],
    ], ([heading, name]) => {
      const { code } = findSnippets(page.split(`${heading}\n`)[1])[0];
      assertEquals(JSON.parse(code), api.components.schemas[name].examples?.[0]);
    });
  });

  it("says of every problem which status it has", () => {
    const rows = [...page.split("## Problems\n")[1].matchAll(/^\| (\d{3}) \| (.*) \|$/gm)];
    const statuses = rows.flatMap(([, status, codes]) =>
      [...codes.matchAll(/`([a-z_]+)`/g)].map(([, code]) => [code, Number(status)])
    );
    assertEquals(Object.fromEntries(statuses), PROBLEMS);
  });
});
