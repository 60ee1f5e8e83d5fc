import { assert, assertEquals, assertMatch } from "@std/assert";
import { before, describe, it } from "@std/testing/bdd";
import { createCommandLine, withFile } from "../_support/cli.ts";
import { namesIn, withFolder } from "../_support/folder.ts";
import { HEADER } from "../_support/import.ts";
import {
  canRun,
  run,
  SERVER,
  startProcess,
  startProgram,
  startServer,
  type TestProcess,
  type TestServer,
  waitUntilServing,
} from "../_support/process.ts";
import { startScriptedRelay } from "../_support/scripted_relay.ts";
import { connect, type RawConnection } from "../_support/raw.ts";
import { until } from "../_support/waiting.ts";

const PUT = "PUT /api/v1/changelogs/subscribe HTTP/1.1\r\nHost: a\r\n";
const MEMORY = ["--storage", "memory", "--port", "0"];

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
}

/** Sends a request without its body, and waits until the server asks for the body. */
async function stall(connection: RawConnection, { key }: TestServer, length = 99): Promise<void> {
  await connection.send(
    `${PUT}Authorization: Bearer ${key}\r\nContent-Length: ${length}\r\n` +
      `Content-Type: application/x-www-form-urlencoded\r\nExpect: 100-continue\r\n\r\n`,
  );
  assertEquals((await connection.read())?.status, 100);
}

/**
 * Stops a server while one client completes its body and others keep theirs open, which takes
 * seconds.
 */
async function stopHeldServer() {
  await using server = await startServer();
  const connections = await Promise.all(Array.from({ length: 6 }, () => connect(server.port)));
  using stack = new DisposableStack();
  const [idle, half, unread, stalled, busy, watching] = connections.map((connection) =>
    stack.use(connection)
  );
  await half.send("GET /livez HTTP/1.1\r\nHost:");
  await unread.send(`${PUT}Content-Length: 9\r\n\r\n`);
  assertEquals((await unread.read())?.status, 401);
  await stall(stalled, server);
  const body = "userEmail=ann%40example.com&subscribe=true";
  await stall(busy, server, body.length);
  // The response to a later request shows that the server has started on the earlier ones.
  await watching.send(get("/readyz"));
  assertEquals((await watching.read())?.status, 200);
  const started = performance.now();
  server.signal("SIGTERM");
  await server.waitFor("stderr", /stopping/);
  await watching.send(get("/readyz"));
  const ready = (await watching.read())?.status;
  await busy.send(body);
  const finished = (await busy.read())?.status;
  const cutOff = await stalled.read();
  const status = await server.status;
  const seconds = (performance.now() - started) / 1_000;
  return { ready, finished, cutOff, status, seconds, last: await idle.read() };
}

describe("the process of a server", () => {
  let held: ReturnType<typeof stopHeldServer>;
  before(() => {
    held = stopHeldServer();
    // The promise is awaited last, so a rejection must not count as unhandled before.
    held.catch(() => {});
  });

  it("answers every request that it has begun to read when it is stopped", async () => {
    await using server = await startServer();
    const body = "userEmail=ann%40example.com&subscribe=true";
    using stack = new DisposableStack();
    const connections = await Promise.all(Array.from({ length: 40 }, async () => {
      const connection = stack.use(await connect(server.port));
      await stall(connection, server, body.length);
      return connection;
    }));
    server.signal("SIGTERM");
    await server.waitFor("stderr", /stopping/);
    const statuses = await Promise.all(connections.map(async (connection) => {
      await connection.send(body);
      return (await connection.read())?.status;
    }));
    assertEquals(statuses, connections.map(() => 200));
    assertEquals(await server.status, 0);
  });

  it("ends at once with 1 at a second signal, a tenth of a second after the first", async () => {
    await using server = await startServer();
    using stalled = await connect(server.port);
    await stall(stalled, server);
    const firstMs = performance.now();
    let hasEnded = false;
    void server.status.then(() => hasEnded = true);
    await until(() => {
      if (!hasEnded) server.signal("SIGINT");
      return hasEnded;
    });
    assertEquals(await server.status, 1);
    // A loaded machine can only be later. Without the second signal, the status would be 0.
    const ms = performance.now() - firstMs;
    assert(ms >= 100, `${ms} ms`);
  });

  it("stores whole rows, says so and dies of the signal when an import is interrupted", () =>
    withFolder(async (folder) => {
      const [pipe, storage] = [`${folder}/people`, `file:${folder}/data`];
      await run("mkfifo", [pipe]);
      using list = await Deno.open(pipe, { read: true, write: true });
      const rows = `${HEADER}ann@x.org,,true\nbob@x.org,,true\ncat@x.org`;
      await list.write(new TextEncoder().encode(rows));
      await using importing = startProcess(["subscribers", "import", pipe, "--storage", storage]);
      const journal = `${folder}/data/journal-0.jsonl`;
      await until(async () =>
        (await Deno.readTextFile(journal).catch(() => "")).includes("bob@x.org")
      );
      importing.signal("SIGTERM");
      assertEquals([await importing.status, await importing.endSignal], [128 + 15, "SIGTERM"]);
      assertMatch(
        importing.stderr(),
        /people: 2 added, .* 0 refused\n\(incomplete\)\nboardcast: interrupted; run it again to .*\n$/,
      );
    }));

  it("leaves no lock behind when an export is interrupted", () =>
    withFolder(async (folder) => {
      const storage = `file:${folder}/data`;
      const rows = Array.from({ length: 30_000 }, (_, i) => `user${i}@example.com,,true\n`);
      await Deno.writeTextFile(`${folder}/people`, HEADER + rows.join(""));
      await using importing = startProcess([
        ...["subscribers", "import", `${folder}/people`, "--storage", storage],
      ]);
      assertEquals(await importing.status, 0);
      // The output fills the pipe, because nobody reads it yet.
      const exporting = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--quiet", SERVER, "subscribers", "export", "--storage", storage],
        stdout: "piped",
        stderr: "piped",
      }).spawn();
      const rest = exporting.stdout.getReader();
      await rest.read();
      exporting.kill("SIGINT");
      while (!(await rest.read()).done);
      assertMatch(await new Response(exporting.stderr).text(), /boardcast: interrupted\n$/);
      assertEquals((await exporting.status).signal, "SIGINT");
      assertEquals((await namesIn(`${folder}/data`)).includes("lock"), false);
    }));

  it("stops at a signal as the first process of a container, too", {
    skip: canRun("unshare", ["--pid", "--fork", "true"])
      ? false
      : "needs Linux, and root that may make namespaces",
  }, async () => {
    using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const url = `postgres://ann@127.0.0.1:${silent.addr.port}/x`;
    const start = (args: readonly string[]) =>
      startProgram("unshare", {
        args: ["--pid", "--fork", Deno.execPath(), "run", "--allow-all", SERVER, ...args],
        env: Deno.env.toObject(),
      });
    const stop = async ({ pid }: TestProcess) => {
      const child = await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`);
      Deno.kill(Number(child), "SIGTERM");
    };
    await using command = start(["call", "listBoards", "--storage", url]);
    await using server = start(MEMORY);
    using _ = await silent.accept();
    await stop(command);
    assertEquals(await command.status, 128 + 15);
    await waitUntilServing(server);
    await stop(server);
    assertEquals(await server.status, 0);
  });

  it("serves again when connections had used up all open files, and warns once", async () => {
    const script = `ulimit -n 120; exec "$0" run --allow-all --no-check "$@"`;
    await using server = await waitUntilServing(startProgram("sh", {
      args: ["-c", script, Deno.execPath(), SERVER, ...MEMORY],
      env: Deno.env.toObject(),
    }));
    const silent: Deno.Conn[] = [];
    while (silent.length < 300) {
      const opening = Deno.connect({ hostname: "127.0.0.1", port: server.port });
      const connection = await opening.catch(() => undefined);
      if (connection === undefined) break;
      silent.push(connection);
    }
    for (const connection of silent) connection.close();
    await until(async () => {
      const response = await fetch(`${server.url}/livez`).catch(() => undefined);
      return await response?.text() === '{"status":"ok"}\n';
    });
    const warning = /Cannot take new connections, trying again: \w/g;
    await server.waitFor("stderr", warning);
    assertEquals(server.stderr().match(warning)?.length, 1);
  });

  it("mails what is published, and goes on where it was when it is started again", async () => {
    await using relay = await startScriptedRelay();
    const people = Array.from({ length: 60 }, (_, n) => `u${n + 10}@example.com`);
    await withFile(HEADER + people.map((email) => `${email},,true\n`).join(""), async (path) => {
      // Slow enough for the signal to come before the last mail, on a busy machine too.
      const mail = `--mail ${relay.url} --mail-from news@acme.example --mail-rate 20/s`;
      const site = `--public-url https://updates.example --port 0 --storage file:${path}.data`;
      const start = () => startProcess(`serve ${mail} ${site}`.split(" "));
      await using first = await waitUntilServing(start());
      const { succeed } = createCommandLine({ environment: { BOARDCAST_KEY: first.key } });
      await succeed(`subscribers import ${path} --server ${first.url}`);
      await succeed(`call createEntry entryId=a title=T body=D --server ${first.url}`);
      await succeed(`call publishEntry entryId=a notify=true --server ${first.url}`);
      await relay.reached(10);
      first.signal("SIGTERM");
      assertEquals(await first.status, 0);
      assert(relay.ledger.length < people.length);
      await using _ = await waitUntilServing(start(), first.key);
      await relay.reached(people.length);
      assertEquals([...relay.ledger].sort(), people);
    });
  });

  it("is not ready while it stops, but finishes requests", async () => {
    const { ready, finished } = await held;
    assertEquals([ready, finished], [503, 200]);
  });

  it("answers 503 to a body that stalls, and ends with 0 within 10 s whoever holds it", async () => {
    const { cutOff, status, seconds, last } = await held;
    assertEquals([cutOff?.status, cutOff?.headers.get("retry-after")], [503, "1"]);
    assertEquals([status, last], [0, undefined]);
    assert(seconds < 10, `${seconds} s`);
  });
});
