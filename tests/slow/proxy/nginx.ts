import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { makeCertificate } from "../../_support/certificate.ts";
import { freePort } from "../../_support/port.ts";
import { run, startServer } from "../../_support/process.ts";
import { forEachRow } from "../../_support/rows.ts";
import type { OpenApi } from "../../../routes/operator/openapi/types.ts";
import { until } from "../../_support/waiting.ts";

const SUBSCRIBERS = "/api/v1/changelogs/subscribers";
const ENTRIES = "/api/v1/changelogs/entries";

/**
 * Starts nginx with the packaged configuration, except for ports, names, folders and the
 * certificate.
 */
async function startProxy(upstreamPort: number) {
  const folder = await Deno.makeTempDir({ prefix: "boardcast-nginx-" });
  const port = freePort();
  const { ca, cert, key } = await makeCertificate();
  let text = await Deno.readTextFile(new URL("../../../packaging/nginx.conf", import.meta.url));
  for (
    const [from, to] of [
      ["listen 443 ssl", `listen 127.0.0.1:${port} ssl`],
      ["server 127.0.0.1:8000", `server 127.0.0.1:${upstreamPort}`],
      ["/etc/nginx/tls/", `${folder}/`],
      ["/var/log/nginx/", `${folder}/`],
      ["server_name boardcast.example", "server_name localhost"],
    ]
  ) {
    assertStringIncludes(text, from);
    text = text.replaceAll(from, to);
  }
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`);
  const files = {
    "boardcast.crt": cert,
    "boardcast.key": key,
    "boardcast.conf": text,
    // Distributions have such a file around those in conf.d.
    "nginx.conf": `daemon off; master_process off; pid ${folder}/pid;
      events { worker_connections 512; }
      http { ${temporary.join(" ")} include ${folder}/boardcast.conf; }\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(join(folder, name), text);
  }
  const args = ["-p", folder, "-c", "nginx.conf", "-e", "stderr"];
  await run("nginx", ["-t", "-q", ...args]);
  const child = new Deno.Command("nginx", { args, stdout: "null", stderr: "null" }).spawn();
  const client = Deno.createHttpClient({ caCerts: [ca] });
  await until(async () => {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port }).catch(() => undefined);
    connection?.close();
    return connection !== undefined;
  });
  return {
    fetch: (path: string, init?: RequestInit) =>
      fetch(`https://localhost:${port}${path}`, { ...init, client }),
    connect: (alpnProtocols: string[]) =>
      Deno.connectTls({ hostname: "localhost", port, caCerts: [ca], alpnProtocols }),
    /** Stops nginx, removes its files, and returns its log. */
    async stop() {
      client.close();
      child.kill("SIGTERM");
      await child.status;
      const logs = ["boardcast.log", "boardcast_error.log"];
      const texts = await Promise.all(logs.map((name) => Deno.readTextFile(join(folder, name))));
      await Deno.remove(folder, { recursive: true });
      return texts.join("");
    },
  };
}

Deno.test("nginx in front of a server", async (t) => {
  await using server = await startServer(["--public-url", "https://updates.example"]);
  const proxy = await startProxy(server.port);
  const headers = { Authorization: `Bearer ${server.key}`, "X-Request-Id": "from-the-caller.1" };
  const send = (method: string, path: string, fields: Readonly<Record<string, string>>) =>
    proxy.fetch(path, { method, headers, body: new URLSearchParams(fields) });

  await t.step(
    "passes on the two documented calls, with the caller's request id or one of its own",
    async () => {
      await (await send("POST", "/api/v1/boards", { boardId: "ideas", name: "Ideas" })).body
        ?.cancel();
      const board = await proxy.fetch("/api/v1/boards/ideas", { headers });
      assertEquals([board.status, (await board.json()).name], [200, "Ideas"]);
      assertEquals(board.headers.get("x-request-id"), "from-the-caller.1");
      const form = { userEmail: "ann@example.com", subscribe: "true" };
      const subscription = await send("PUT", "/api/v1/changelogs/subscribe", form);
      assertEquals([subscription.status, (await subscription.json()).subscribed], [200, true]);
      assertMatch(subscription.headers.get("strict-transport-security") ?? "", /max-age=\d{8}/);
      const unnamed = await proxy.fetch("/livez", { headers: { "X-Request-Id": "not one" } });
      assertEquals(await unnamed.json(), { status: "ok" });
      assertMatch(unnamed.headers.get("x-request-id") ?? "", /^[0-9a-f]{32}$/);
    },
  );

  await t.step("passes on paths as they were sent", async () => {
    const response = await proxy.fetch("/api/v1//boards", { headers });
    assertEquals([response.status, (await response.json()).code], [404, "not_found"]);
    const found = await proxy.fetch(`${SUBSCRIBERS}/ann%40example.com`, { headers });
    assertEquals((await found.json()).userEmail, "ann@example.com");
  });

  await t.step(
    "passes on the greatest body of every operation, and leaves 413 to the server",
    async () => {
      const { path: bounces } = await (await proxy.fetch("/api/v1/changelogs/bounces", { headers }))
        .json();
      const { paths }: OpenApi = await (await proxy.fetch("/openapi.json")).json();
      const bodies = Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).flatMap(([method, { requestBody }]) =>
          Object.entries(requestBody?.content ?? {}).map(([type, content]) => ({
            path: path.replace("/bounces/{secret}", bounces).replace(/\{\w+\}/g, "none"),
            ...{ method: method.toUpperCase(), type, maxBytes: content["x-max-bytes"] },
          }))
        )
      );
      assert(bodies.length > 40);
      await forEachRow(bodies, async ({ path, method, type, maxBytes = 8 * 1024 * 1024 }) => {
        const post = async (bytes: number) => {
          const body = "x".repeat(bytes);
          const init = { method, headers: { ...headers, "Content-Type": type }, body };
          const response = await proxy.fetch(path, init);
          await response.body?.cancel();
          // Pages that nginx itself creates have no request ID.
          assertEquals(response.headers.get("x-request-id"), "from-the-caller.1");
          return response.status;
        };
        assert(![413, 502].includes(await post(maxBytes)));
        if (maxBytes < 5 * 1024 * 1024) assertEquals(await post(maxBytes + 1), 413);
      });
      const response = await send("POST", "/api/v1/boards", { name: "x".repeat(7 * 1024 * 1024) });
      assertStringIncludes(await response.text(), "nginx");
    },
  );

  await t.step("passes on the public pages and feeds, compressed", async () => {
    const entry = { entryId: "dark-mode", title: "Dark mode", body: "Press **D**. ".repeat(100) };
    await (await send("POST", ENTRIES, entry)).text();
    await (await send("POST", `${ENTRIES}/dark-mode/publish`, { notify: "false" })).text();
    const paths = ["/changelog", "/changelog/dark-mode", "/changelog.atom", "/changelog.json"];
    await forEachRow(paths, async (path) => {
      const response = await proxy.fetch(path, { headers: { "Accept-Encoding": "gzip" } });
      assertStringIncludes(await response.text(), "Dark mode");
      assertMatch(response.headers.get("vary") ?? "", /Accept-Encoding/i);
      const etag = response.headers.get("etag") ?? "";
      assertMatch(etag, /^W\//);
      assertEquals((await proxy.fetch(path, { headers: { "If-None-Match": etag } })).status, 304);
    });
  });

  await t.step("passes on an import while it is sent, and all that is exported", async () => {
    const rows = (from: number) =>
      Array.from({ length: 20_000 }, (_, n) => `person${from + n}@example.com,true\n`).join("");
    const count = async () => {
      const accept = { ...headers, Accept: "text/csv" };
      const text = await (await proxy.fetch(SUBSCRIBERS, { headers: accept })).text();
      return text.match(/^person/gm)?.length ?? 0;
    };
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const response = proxy.fetch(`${SUBSCRIBERS}/import`, {
      method: "POST",
      headers: { ...headers, "Content-Type": "text/csv" },
      body: readable,
    });
    const writer = writable.getWriter();
    await writer.write(new TextEncoder().encode(`userEmail,subscribed\n${rows(0)}`));
    await until(async () => await count() > 1_000);
    await writer.write(new TextEncoder().encode(rows(20_000)));
    await writer.close();
    assertStringIncludes(await (await response).text(), '"added":40000');
    assertEquals(await count(), 40_000);
  });

  await t.step("cuts off neither an import nor an export that pauses for 8 s", async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const response = proxy.fetch(`${SUBSCRIBERS}/import`, {
      method: "POST",
      headers: { ...headers, "Content-Type": "text/csv" },
      body: readable,
    });
    const writer = writable.getWriter();
    await writer.write(
      new TextEncoder().encode("userEmail,subscribed\npaused1@example.com,true\n"),
    );
    const accept = { ...headers, Accept: "application/x-ndjson" };
    const exported = (await proxy.fetch(SUBSCRIBERS, { headers: accept })).body!.getReader();
    await exported.read();
    await new Promise((resolve) => setTimeout(resolve, 8_000));
    await writer.write(new TextEncoder().encode("paused2@example.com,true\n"));
    await writer.close();
    assertStringIncludes(await (await response).text(), '"added":2');
    while (!(await exported.read()).done);
  });

  await t.step(
    "speaks HTTP/2 over TLS, says so, and refuses methods of a client's own making",
    async () => {
      const page = await (await proxy.fetch("/docs")).text();
      assertStringIncludes(page, "https://localhost");
      assertEquals(page.includes("http://localhost"), false);
      const connection = await proxy.connect(["h2", "http/1.1"]);
      assertEquals((await connection.handshake()).alpnProtocol, "h2");
      connection.close();
      const strange = await proxy.fetch("/livez", { method: "STRANGE" });
      await strange.body?.cancel();
      assertEquals(strange.status, 405);
    },
  );

  await t.step("cuts off a head or a body that is never complete, within 5 to 9 s", async () => {
    const unfinished = [
      "GET /slow-head HTTP/1.1\r\n",
      "PUT /slow-body HTTP/1.1\r\nContent-Length: 9\r\n\r\n",
    ];
    await Promise.all(unfinished.map(async (text) => {
      using connection = await proxy.connect(["http/1.1"]);
      const sent = text.replace("\r\n", "\r\nHost: localhost\r\n");
      await connection.write(new TextEncoder().encode(sent));
      const started = performance.now();
      // Reading from a connection that was reset fails.
      assertEquals(await connection.read(new Uint8Array(1_024)).catch(() => null), null);
      const cutOffMs = performance.now() - started;
      assert(cutOffMs > 4_500 && cutOffMs < 9_000, `It was cut off after ${cutOffMs} ms`);
    }));
  });

  server.signal("SIGTERM");
  await server.status;
  await t.step("answers 502 when the server is gone", async () => {
    const response = await proxy.fetch("/livez");
    await response.body?.cancel();
    assertEquals(response.status, 502);
  });

  await t.step("takes some forms of visitors from one client at once, and all else", async () => {
    const status = async (path: string, init?: RequestInit) => {
      const response = await proxy.fetch(path, init);
      await response.body?.cancel();
      return response.status;
    };
    const all = (method: string, path: string) =>
      Promise.all(Array.from({ length: 60 }, () => status(path, { method, headers })));
    const forms = await all("POST", "/boards/ideas/none");
    assert(forms.includes(429) && forms.some((code) => code !== 429), `${forms}`);
    assert(!(await all("GET", "/boards")).includes(429));
    assert(!(await all("PUT", "/api/v1/changelogs/subscribe")).includes(429));
  });

  const proxyLog = await proxy.stop();
  await t.step("logs requests without addresses, and lets no slow one reach the server", () => {
    assertMatch(proxyLog, / PUT 200 [\d.]+s from-the-caller\.1\n/);
    for (const word of ["ann", "127.0.0.1", "slow"]) assert(!proxyLog.includes(word), proxyLog);
    // This is the request with the doubled slash.
    assertEquals(server.stderr().match(/"route":null/g)?.length, 1);
  });
});
