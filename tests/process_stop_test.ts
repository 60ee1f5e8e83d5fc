import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import {
  canRun,
  SERVER,
  startProcess,
  startProgram,
  startServer,
  type TestProcess,
  type TestServer,
  waitUntilServing,
} from "./_process.ts";
import { connect, type RawConnection } from "./_raw.ts";
import { until } from "./_waiting.ts";

const CONTAINER = {
  skip: canRun("unshare", ["--pid", "--fork", "true"])
    ? false
    : "needs Linux, and root that may make namespaces",
};

describe("stop", () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it(`the process ends with 0 after ${signal}`, async () => {
      await using server = await startServer();
      server.signal(signal);
      assertEquals(await server.status, 0);
    });
  }

  it("the process ends with 0, and never listens, when the signal comes before storage is open", async () => {
    using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const url = `postgres://ann@127.0.0.1:${silent.addr.port}/x`;
    await using server = startProcess(["--port", "0", "--storage", url]);
    using _ = await silent.accept();
    server.signal("SIGTERM");
    assertEquals(await server.status, 0);
    assertEquals([server.stdout(), server.stderr()], ["", ""]);
  });

  it(
    "a command ends at the signal as the first process of a container, too",
    CONTAINER,
    async () => {
      using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      const url = `postgres://ann@127.0.0.1:${silent.addr.port}/x`;
      await using container = startInContainer(["boards", "list", "--storage", url]);
      using _ = await silent.accept();
      await stopFirst(container);
      assertEquals(await container.status, 128 + 15);
    },
  );

  it("the server stops in order as the first process of a container, too", CONTAINER, async () => {
    await using container = startInContainer(["--storage", "memory", "--port", "0"]);
    await waitUntilServing(container);
    await stopFirst(container);
    assertEquals(await container.status, 0);
    assertStringIncludes(container.stderr(), "stopping");
  });

  it("requests under way are finished, and readyz is 503 meanwhile", async () => {
    await using server = await startServer();
    using busy = await connect(server.port);
    using watching = await connect(server.port);
    const ready = "GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n";
    const body = "userEmail=ann%40example.com&subscribe=true";
    await busy.send(
      `PUT /api/v1/changelogs/subscribe HTTP/1.1\r\nHost: a\r\n` +
        `Authorization: Bearer ${server.key}\r\nContent-Length: ${body.length}\r\n` +
        `Content-Type: application/x-www-form-urlencoded\r\nExpect: 100-continue\r\n\r\n`,
    );
    assertEquals((await busy.read())?.status, 100);
    // The answer to a later request tells that the earlier one was taken up.
    await watching.send(ready);
    assertEquals((await watching.read())?.status, 200);
    server.signal("SIGTERM");
    await server.waitFor("stderr", /stopping/);
    await watching.send(ready);
    assertEquals((await watching.read())?.status, 503);
    await busy.send(body);
    const response = await busy.read();
    assertEquals([response?.status, JSON.parse(response?.body ?? "").subscribed], [200, true]);
    assertEquals(await server.status, 0);
  });

  it("a request is 503 when its body has not come a second after the signal", async () => {
    await using server = await startServer();
    using late = await connect(server.port);
    await stall(late, server);
    server.signal("SIGTERM");
    const response = await late.read();
    assertEquals([response?.status, response?.headers.get("retry-after")], [503, "1"]);
    // That the process ends, seven seconds later, is another test's to see.
  });

  it("the process ends at once with 1 at the second signal", async () => {
    await using server = await startServer();
    using stalled = await connect(server.port);
    await stall(stalled, server);
    server.signal("SIGTERM");
    await server.waitFor("stderr", /stopping/);
    // Signals of the first half second count as one.
    const started = performance.now();
    let hasEnded = false;
    void server.status.then(() => hasEnded = true);
    await until(() => {
      if (!hasEnded) server.signal("SIGINT");
      return hasEnded;
    });
    assertEquals(await server.status, 1);
    assert(performance.now() - started < 3_000);
  });

  it("the process ends with 0 within 10 s when a body stalls and others hold connections", async () => {
    await using server = await startServer();
    using idle = await connect(server.port);
    using half = await connect(server.port);
    using unread = await connect(server.port);
    using stalled = await connect(server.port);
    await half.send("GET /livez HTTP/1.1\r\nHost:");
    await unread.send(
      "PUT /api/v1/changelogs/subscribe HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n",
    );
    assertEquals((await unread.read())?.status, 401);
    await stall(stalled, server);
    const started = performance.now();
    server.signal("SIGTERM");
    assertEquals(await server.status, 0);
    assert(performance.now() - started < 10_000);
    assertEquals(await idle.read(), undefined);
  });
});

/** Sends a request whose body does not come, and waits until the server asks for it. */
async function stall(connection: RawConnection, { key }: TestServer): Promise<void> {
  await connection.send(
    `PUT /api/v1/changelogs/subscribe HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: 99\r\nExpect: 100-continue\r\n\r\n`,
  );
  assertEquals((await connection.read())?.status, 100);
}

/** Starts the command as the first process of a container. */
function startInContainer(args: readonly string[]): TestProcess {
  const command = [Deno.execPath(), "run", "--allow-all", SERVER, ...args];
  const env = Deno.env.toObject();
  return startProgram("unshare", { args: ["--pid", "--fork", ...command], env });
}

/** Sends SIGTERM to the first process of a container. */
async function stopFirst({ pid }: TestProcess): Promise<void> {
  Deno.kill(Number(await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`)), "SIGTERM");
}
