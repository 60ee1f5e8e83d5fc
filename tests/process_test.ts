import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { hasIpv6 } from "./_port.ts";
import { startCommand, startProcess, startServer, type TestServer } from "./_process.ts";
import { OPERATOR_KEY } from "./_service.ts";

async function call(
  { url, key }: TestServer,
  [method, path]: [method: string, path: string],
  body?: Record<string, string>,
) {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}` },
    body: body && new URLSearchParams(body),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text), response };
}

describe("serve", () => {
  it("the first key is printed with two calls that work as they are", async () => {
    await using server = await startServer(["--log", "text"]);
    const created = await call(server, ["POST", "/api/v1/boards"], {
      boardId: "feature-requests",
      name: "Feature requests",
    });
    assertEquals(created.status, 201);
    const put = await call(server, ["PUT", "/api/v1/changelogs/subscribe"], {
      userEmail: "ann@example.com",
      subscribe: "true",
    });
    assertEquals([put.status, put.body.subscribed], [200, true]);
    const keys = await call(server, ["GET", "/api/v1/keys"]);
    assertEquals([keys.body.data.length, keys.body.data[0].scopes], [1, ["*"]]);

    const out = server.stdout();
    assertEquals(out.match(/^ {2}bc_/gm)?.length, 1);
    assertEquals(new Set(out.match(/bc_[0-9A-Za-z]+/g)), new Set([server.key]));
    assertEquals(out.match(/^ {2}curl /gm)?.length, 2);
    assert(out.includes(`curl -X POST ${server.url}/api/v1/boards `), out);
    assert(out.includes(`curl -X PUT ${server.url}/api/v1/changelogs/subscribe `), out);
    assertMatch(server.stderr(), /^listening on http:\/\/127\.0\.0\.1:\d+\/$/m);
  });

  it("the printed calls carry the base path", async () => {
    await using server = await startServer(["--base-path", "/feed"]);
    assert(server.stdout().includes(` ${server.url}/feed/api/v1/boards `), server.stdout());
    assertEquals((await call(server, ["GET", "/feed/livez"])).status, 200);
  });

  it("the printed calls reach a server that listens on every address", async () => {
    const args = ["--storage", "memory", "--port", "0", "--host", "0.0.0.0"];
    await using server = startProcess(args);
    const [, port] = await server.waitFor("stderr", /http:\/\/0\.0\.0\.0:(\d+)\//);
    await server.waitFor("stdout", new RegExp(` http://127\\.0\\.0\\.1:${port}/api/`));
  });

  it("the URL has brackets around an IPv6 address", {
    skip: hasIpv6() ? false : "the machine has no IPv6",
  }, async () => {
    const args = ["--storage", "memory", "--port", "0", "--host", "::1", "--log", "json"];
    await using server = startProcess(args);
    const [, url] = await server.waitFor("stderr", /"url":"(http:\/\/\[::1\]:\d+)\/"/);
    await server.waitFor("stdout", new RegExp(` '?${RegExp.escape(url)}/api/v1/boards'? `));
    assertEquals((await call({ ...server, url, port: 0, key: "" }, ["GET", "/livez"])).status, 200);
  });

  it("no key is printed when the operator brings one", async () => {
    await using server = await startServer([], { BOARDCAST_API_KEY: OPERATOR_KEY });
    assertEquals((await call(server, ["GET", "/api/v1/keys"])).body, {
      data: [],
      nextCursor: null,
    });
    assertEquals(server.stdout(), "");
  });

  it("flags win over variables, which are read", async () => {
    await using server = await startServer(["--rate-limit", "off", "--log", "json"], {
      BOARDCAST_RATE_LIMIT: "1/m",
      BOARDCAST_LOG: "off",
      BOARDCAST_STORAGE: "nonsense",
      BOARDCAST_CORS_ORIGINS: "https://a.example, https://b.example",
      BOARDCAST_BASE_PATH: "/x",
    });
    const { response } = await call(server, ["GET", "/x/api/v1/boards"]);
    assertEquals([response.status, response.headers.has("ratelimit")], [200, false]);
    assertMatch(response.headers.get("vary") ?? "", /\bOrigin\b/);
    await server.waitFor("stderr", /"status":200/);
  });

  for (const log of ["text", "json"]) {
    it(`the log shows no key, address, body or query when it is ${log}`, async () => {
      await using server = await startServer(["--log", log]);
      const path = "/api/v1/changelogs/subscribe?secret=query";
      const form = { userEmail: "ann@example.com", userName: "Secretname", subscribe: "true" };
      await call(server, ["PUT", path], form);
      await call(server, ["GET", "/api/v1/changelogs/subscribers/ann@example.com"]);
      await call(server, ["PUT", path], { ...form, subscribe: "ann@example.com" });
      await call(server, ["GET", "/nowhere/ann@example.com?secret"]);
      await server.waitFor("stderr", /\b404\b/);
      const lines = server.stderr().trim().split("\n");
      assertEquals(lines.length, 6);
      for (const text of ["bc_", server.key.slice(8), "ann", "Secret", "secret"]) {
        assert(!server.stderr().includes(text), `${text} in ${server.stderr()}`);
      }
      assert(lines[3].includes("/api/v1/changelogs/subscribers/:userEmail"), lines[3]);
    });
  }

  it("the log has one JSON object a line, the first with the url", async () => {
    await using server = await startServer(["--log", "json"]);
    const { response } = await call(server, ["GET", "/api/v1/boards"]);
    await server.waitFor("stderr", /requestId.*\n/);
    const [listening, , request] = server.stderr().trim().split("\n").map((line) =>
      JSON.parse(line)
    );
    assertEquals(listening.url, `${server.url}/`);
    const { time, durationMs, keyId, ...rest } = request;
    assertMatch(keyId, /^[0-9a-f]{16}$/);
    assert(!Number.isNaN(Date.parse(time)) && durationMs >= 0);
    assertEquals(rest, {
      level: "info",
      requestId: response.headers.get("x-request-id"),
      method: "GET",
      route: "/api/v1/boards",
      status: 200,
    });
  });

  it("requests are not logged when the log is off", async () => {
    await using server = await startServer(["--log", "off"]);
    await call(server, ["GET", "/livez"]);
    server.signal("SIGTERM");
    assertEquals(await server.status, 0);
    assertEquals(server.stderr().includes("livez"), false);
  });

  it("requests are served, and the stop is clean, when nobody reads the log any more", async () => {
    await using server = await startServer(["--log", "json"]);
    await server.closeStderr();
    for (let i = 0; i < 3; i++) assertEquals((await call(server, ["GET", "/livez"])).status, 200);
    server.signal("SIGTERM");
    assertEquals(await server.status, 0);
  });

  it("a port in use is a failure: status 1 and one line", async () => {
    using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    await using second = startCommand(["--storage", "memory", "--port", `${taken.addr.port}`]);
    assertEquals(await second.status, 1);
    const { port } = taken.addr;
    assertMatch(
      second.stderr(),
      new RegExp(`^boardcast: cannot listen on --host 127.0.0.1 --port ${port}: [^\n]+\n$`),
    );
    assertEquals(second.stdout(), "");
    await using third = startCommand(["--storage", "memory"], { BOARDCAST_PORT: `${port}` });
    assertEquals(await third.status, 1);
    assertStringIncludes(third.stderr(), `on --host 127.0.0.1 BOARDCAST_PORT ${port}: `);
  });
});
