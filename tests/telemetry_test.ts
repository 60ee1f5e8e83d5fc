import { assert, assertEquals } from "@std/assert";
import { startCollector } from "./_collector.ts";
import { startServer, type TestServer } from "./_process.ts";
import { exchange, type RawResponse } from "./_raw.ts";

const ENCODED_ADDRESS = "secret.person%40example.com";

Deno.test("telemetry of a server", async (t) => {
  const collector = startCollector();
  await using server = await startServer([], {
    OTEL_DENO: "true",
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  });
  let refused: RawResponse | undefined;
  try {
    await makeRequests(server);
    refused = await exchange(
      server.port,
      `GET /api/v1/changelogs/subscribers/${ENCODED_ADDRESS} HTTP/1.1\r\nHost: a%40b\r\n\r\n`,
    );
  } finally {
    // What is left is exported before the process ends.
    server.signal("SIGTERM");
    await server.status;
    await collector.close();
  }
  const spans = collector.spans();

  await t.step("names each span by its route template", () => {
    assertEquals(spans.map(({ name }) => name).sort(), [
      "DELETE /api/v1/changelogs/subscribers/:userEmail",
      "GET",
      "GET",
      "GET /api/v1/boards/:boardId",
      "GET /api/v1/changelogs/subscribers",
      "GET /api/v1/changelogs/subscribers/:userEmail",
      "HTTP",
      "HTTP /livez",
      "PUT /api/v1/changelogs/subscribe",
    ]);
  });

  await t.step("has one server span per request, with method, route and status", () => {
    const span = spans.find(({ name }) => name.startsWith("PUT"))!;
    const SPAN_KIND_SERVER = 2;
    assertEquals(span.kind, SPAN_KIND_SERVER);
    assertEquals(span.attributes, [
      { key: "http.request.method", value: { stringValue: "PUT" } },
      { key: "url.scheme", value: { stringValue: "http" } },
      { key: "http.route", value: { stringValue: "/api/v1/changelogs/subscribe" } },
      { key: "http.response.status_code", value: { stringValue: "200" } },
    ]);
  });

  await t.step("refuses a host that is none, and tells nobody of the path", () => {
    assertEquals(refused?.status, 400);
    assertEquals(JSON.parse(refused!.body).code, "malformed_path");
    assert(!server.stderr().includes("secret"), server.stderr());
  });

  await t.step("is collected beside the log", () => {
    assert(server.stderr().includes('"route":"/api/v1/boards/:boardId"'), server.stderr());
  });

  await t.step("has nothing personal and no key in traces, metrics and logs", () => {
    const all = [...collector.bodies.values()].join("\n");
    assert(all.includes("http.server.request.duration"), "The metrics are missing");
    for (const word of ["secret", "example.com", "cursor-text", "url.path", server.key]) {
      assert(!all.includes(word), `"${word}" was exported`);
    }
  });

  await t.step("has no method of a client's own making in traces, but those of the API", () => {
    assert(!collector.bodies.get("/v1/traces")?.includes("SECRET"));
    const methods = spans.flatMap(({ attributes }) =>
      attributes.filter(({ key }) => key === "http.request.method")
        .map(({ value }) => Reflect.get(value as object, "stringValue"))
    );
    assertEquals([...new Set(methods)].sort(), ["DELETE", "GET", "PUT", "_OTHER"]);
  });
});

Deno.test("a server by node:http logs requests where telemetry is collected", async () => {
  const collector = startCollector();
  try {
    await using server = await startServer(["--listener", "node"], {
      OTEL_DENO: "true",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    });
    await (await fetch(`${server.url}/livez`)).body?.cancel();
    await server.waitFor("stderr", /"route":"\/livez"/);
    server.signal("SIGTERM");
    await server.status;
  } finally {
    await collector.close();
  }
});

async function makeRequests({ url, key }: TestServer): Promise<void> {
  const api = `${url}/api/v1`;
  const headers = { Authorization: `Bearer ${key}` };
  const form = { userEmail: "secret.person@example.com", userName: "Secret", subscribe: "true" };
  const requests: [string, RequestInit][] = [
    [`${api}/changelogs/subscribe`, { method: "PUT", body: new URLSearchParams(form) }],
    [`${api}/changelogs/subscribers/${ENCODED_ADDRESS}`, {}],
    [`${api}/changelogs/subscribers?cursor=cursor-text`, {}],
    [`${api}/changelogs/subscribers/${ENCODED_ADDRESS}`, { method: "DELETE" }],
    [`${api}/boards/secret-board`, {}],
    [`${url}/nothing/secret.person@example.com`, {}],
    [`${url}/livez`, { method: "SECRET" }],
    [`${url}/nothing`, { method: "SECRET" }],
  ];
  for (const [target, init] of requests) {
    await (await fetch(target, { ...init, headers })).body?.cancel();
  }
}
