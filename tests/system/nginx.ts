import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { startServer } from "../_process.ts";
import { until } from "../_waiting.ts";
import { type Proxy, startProxy } from "./_nginx.ts";

Deno.test("nginx in front of a server", async (t) => {
  const site = ["--public-url", "https://updates.example"];
  await using server = await startServer(site);
  const proxy = await startProxy(server.port);
  const form = { userEmail: "ann@example.com", subscribe: "true" };
  const headers = { Authorization: `Bearer ${server.key}`, "X-Request-Id": "from-the-caller.1" };

  await t.step("passes on the two documented calls, with the caller's request id", async () => {
    const send = (method: string, path: string, fields: Record<string, string>) =>
      proxy.fetch(`/api/v1${path}`, { method, headers, body: new URLSearchParams(fields) });
    await (await send("POST", "/boards", { boardId: "ideas", name: "Ideas" })).body?.cancel();
    const board = await proxy.fetch("/api/v1/boards/ideas", { headers });
    assertEquals([board.status, (await board.json()).name], [200, "Ideas"]);
    assertEquals(board.headers.get("x-request-id"), "from-the-caller.1");
    const subscription = await send("PUT", "/changelogs/subscribe", form);
    assertEquals([subscription.status, (await subscription.json()).subscribed], [200, true]);
    assertMatch(subscription.headers.get("strict-transport-security") ?? "", /max-age=\d{8}/);
  });

  await t.step("makes a request id where the caller's can't be taken", async () => {
    const response = await proxy.fetch("/livez", { headers: { "X-Request-Id": "not one" } });
    assertEquals(await response.json(), { status: "ok" });
    assertMatch(response.headers.get("x-request-id") ?? "", /^[0-9a-f]{32}$/);
  });

  await t.step("passes on paths as they were sent", async () => {
    const response = await proxy.fetch("/api/v1//boards", { headers });
    assertEquals([response.status, (await response.json()).code], [404, "not_found"]);
    const path = "/api/v1/changelogs/subscribers/ann%40example.com";
    const found = await proxy.fetch(path, { headers });
    assertEquals((await found.json()).userEmail, "ann@example.com");
  });

  await t.step("leaves the limits of bodies to the server, refuses far larger ones", async () => {
    const post = (path: string, bytes: number) => {
      const body = "body=".padEnd(bytes, "x");
      const type = { "Content-Type": "application/x-www-form-urlencoded" };
      return proxy.fetch(path, { method: "POST", headers: { ...headers, ...type }, body });
    };
    const entries = "/api/v1/changelogs/entries";
    const codes = [["/api/v1/boards", 16_385], [entries, 131_072], [entries, 131_073]] as const;
    for (const [path, bytes] of codes) {
      const { code } = await (await post(path, bytes)).json();
      assertEquals(code, bytes === 131_072 ? "validation_failed" : "body_too_large");
    }
    const farOver = await post(entries, 200_000);
    assertEquals(farOver.status, 413);
    assertStringIncludes(await farOver.text(), "nginx");
  });

  await t.step("passes on the public pages and feeds, compressed", async () => {
    const entry = { entryId: "dark-mode", title: "Dark mode", body: "Press **D**. ".repeat(100) };
    for (const [path, fields] of [["", entry], ["/dark-mode/publish", { notify: "false" }]]) {
      const body = new URLSearchParams(fields as Record<string, string>);
      const url = `/api/v1/changelogs/entries${path}`;
      const response = await proxy.fetch(url, { method: "POST", headers, body });
      await response.body?.cancel();
      assert(response.ok, `${path} ${response.status}`);
    }
    for (
      const path of ["/changelog", "/changelog/dark-mode", "/changelog.atom", "/changelog.json"]
    ) {
      const response = await proxy.fetch(path, { headers: { "Accept-Encoding": "gzip" } });
      assertStringIncludes(await response.text(), "Dark mode");
      assertMatch(response.headers.get("vary") ?? "", /Accept-Encoding/i, path);
      const headers = { "If-None-Match": response.headers.get("etag") ?? "" };
      assertMatch(headers["If-None-Match"], /^W\//);
      assertEquals((await proxy.fetch(path, { headers })).status, 304, path);
    }
    const link = await proxy.fetch("/unsubscribe/unknown", { method: "POST" });
    assertEquals([link.status, (await link.text()).includes("<html")], [404, true]);
  });

  await t.step("passes on an import while it is sent, and all that is exported", async () => {
    const path = "/api/v1/changelogs/subscribers";
    const rows = (from: number) =>
      Array.from({ length: 20_000 }, (_, n) => `person${from + n}@example.com,true\n`).join("");
    const count = async () => {
      const accept = { ...headers, Accept: "text/csv" };
      const text = await (await proxy.fetch(path, { headers: accept })).text();
      return text.split("\n").filter((line) => line.startsWith("person")).length;
    };
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const type = { ...headers, "Content-Type": "text/csv" };
    const request = { method: "POST", headers: type, body: readable };
    const response = proxy.fetch(`${path}/import`, request);
    const writer = writable.getWriter();
    const write = (text: string) => writer.write(new TextEncoder().encode(text));
    await write(`userEmail,subscribed\n${rows(0)}`);
    await until(async () => await count() > 1_000);
    await write(rows(20_000));
    await writer.close();
    assertStringIncludes(await (await response).text(), '"added":40000');
    assertEquals(await count(), 40_000);
  });

  await t.step("says that readers reach the service over TLS", async () => {
    const page = await (await proxy.fetch("/docs")).text();
    assertEquals([page.includes("https://localhost"), page.includes("http://localhost")], [
      true,
      false,
    ]);
  });

  await t.step("speaks HTTP/2", async () => {
    const connection = await proxy.connect(["h2", "http/1.1"]);
    assertEquals((await connection.handshake()).alpnProtocol, "h2");
    connection.close();
  });

  await t.step("refuses methods of a client's own making", async () => {
    const response = await proxy.fetch("/livez", { method: "STRANGE" });
    await response.body?.cancel();
    assertEquals(response.status, 405);
  });

  const slow = {
    "a head that is never complete": "GET /slow-head HTTP/1.1\r\nHost: localhost\r\n",
    "a body that is never complete": "PUT /slow-body HTTP/1.1\r\nHost: localhost\r\n" +
      "Content-Length: 60\r\n\r\nuserEmail=",
  };
  for (const [what, text] of Object.entries(slow)) {
    await t.step(`cuts off ${what}, within 5 to 9 s`, async () => {
      const cutOffMs = await timeToEnd(proxy, text);
      assert(cutOffMs > 4_500 && cutOffMs < 9_000, `It was cut off after ${cutOffMs} ms`);
    });
  }

  server.signal("SIGTERM");
  await server.status;
  await t.step("answers 502 when the server is gone", async () => {
    const response = await proxy.fetch("/livez");
    await response.body?.cancel();
    assertEquals(response.status, 502);
  });

  const proxyLog = await proxy.stop();
  await t.step("lets no slow request reach the server", () => {
    const routes = [...server.stderr().matchAll(/"route":("[^"]*"|null)/g)].map(([, route]) =>
      route
    );
    assertEquals(routes.filter((route) => route === "null").length, 1, "only the doubled slash");
  });
  await t.step("logs requests without addresses, people's or machines'", () => {
    assertMatch(proxyLog, / PUT 200 [\d.]+s from-the-caller\.1\n/);
    for (const word of ["ann", "127.0.0.1", "slow"]) assert(!proxyLog.includes(word), proxyLog);
  });
});

/** Sends some text and measures the milliseconds until the connection ends. */
async function timeToEnd(proxy: Proxy, text: string): Promise<number> {
  using connection = await proxy.connect(["http/1.1"]);
  await connection.write(new TextEncoder().encode(text));
  const started = performance.now();
  // A connection that was reset ends with an error.
  const answer = await connection.read(new Uint8Array(1_024)).catch(() => null);
  assertEquals(answer, null);
  return performance.now() - started;
}
