import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { before, describe, it } from "@std/testing/bdd";
import { onStopSignal } from "../commands/_signals.ts";
import { createCommandLine, withFile } from "./_cli.ts";
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
import { startScriptedRelay } from "./_scripted_relay.ts";
import { connect, type RawConnection } from "./_raw.ts";
import { until } from "./_waiting.ts";

const PUT = "PUT /api/v1/changelogs/subscribe HTTP/1.1\r\nHost: a\r\n";
const MEMORY = ["--storage", "memory", "--port", "0"];
const CONTAINER = {
  skip: canRun("unshare", ["--pid", "--fork", "true"])
    ? false
    : "needs Linux, and root that may make namespaces",
};

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
}

/** Sends a request whose body does not come yet, and waits until the server asks for it. */
async function stall(connection: RawConnection, { key }: TestServer, length = 99): Promise<void> {
  await connection.send(
    `${PUT}Authorization: Bearer ${key}\r\nContent-Length: ${length}\r\n` +
      `Content-Type: application/x-www-form-urlencoded\r\nExpect: 100-continue\r\n\r\n`,
  );
  assertEquals((await connection.read())?.status, 100);
}

/** Stops a server whose clients hold on to it, which takes seconds. */
async function stopHeldServer() {
  await using server = await startServer();
  using idle = await connect(server.port);
  using half = await connect(server.port);
  using unread = await connect(server.port);
  using stalled = await connect(server.port);
  await half.send("GET /livez HTTP/1.1\r\nHost:");
  await unread.send(`${PUT}Content-Length: 9\r\n\r\n`);
  assertEquals((await unread.read())?.status, 401);
  await stall(stalled, server);
  const started = performance.now();
  server.signal("SIGINT");
  const response = await stalled.read();
  const status = await server.status;
  const seconds = (performance.now() - started) / 1_000;
  return { response, status, seconds, last: await idle.read() };
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

describe("the process of a server", () => {
  let held: ReturnType<typeof stopHeldServer>;
  before(() => {
    held = stopHeldServer();
    // It is awaited last.
    held.catch(() => {});
  });

  it("finishes requests when it is stopped, is not ready meanwhile, and ends with 0", async () => {
    await using server = await startServer();
    using busy = await connect(server.port);
    using watching = await connect(server.port);
    const body = "userEmail=ann%40example.com&subscribe=true";
    await stall(busy, server, body.length);
    // The answer to a later request tells that the earlier one was taken up.
    await watching.send(get("/readyz"));
    assertEquals((await watching.read())?.status, 200);
    server.signal("SIGTERM");
    await server.waitFor("stderr", /stopping/);
    await watching.send(get("/readyz"));
    assertEquals((await watching.read())?.status, 503);
    await busy.send(body);
    const response = await busy.read();
    assertEquals([response?.status, JSON.parse(response?.body ?? "").subscribed], [200, true]);
    assertEquals(await server.status, 0);
  });

  it("answers every request on busy connections when it is stopped", async () => {
    await using server = await startServer();
    let answered = 0;
    const clients = Array.from({ length: 40 }, async () => {
      using connection = await connect(server.port);
      for (;;) {
        await connection.send(get("/livez"));
        const response = await connection.read();
        assertEquals(response?.status, 200, "a request got no response");
        answered++;
        if (response?.headers.get("connection") === "close") return;
      }
    });
    await until(() => answered > 400);
    server.signal("SIGTERM");
    await Promise.all(clients);
    assertEquals(await server.status, 0);
  });

  it("ends at once with 1 at a second signal, half a second after the first", async () => {
    await using server = await startServer();
    using stalled = await connect(server.port);
    await stall(stalled, server);
    server.signal("SIGTERM");
    await server.waitFor("stderr", /stopping/);
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

  it("takes two signals within half a second for one", async () => {
    const taken: string[] = [];
    let [arrived, nowMs] = [0, 1_000];
    const { now } = performance;
    const count = () => void arrived++;
    performance.now = () => nowMs;
    const unlisten = onStopSignal((signal) => taken.push(signal), () => taken.push("at once"));
    Deno.addSignalListener("SIGTERM", count);
    try {
      for (const laterMs of [0, 499, 1]) {
        nowMs += laterMs;
        const before = arrived;
        Deno.kill(Deno.pid, "SIGTERM");
        while (arrived === before) await new Promise((resolve) => setTimeout(resolve, 0));
      }
    } finally {
      performance.now = now;
      unlisten();
      Deno.removeSignalListener("SIGTERM", count);
    }
    assertEquals(taken, ["SIGTERM", "at once"]);
  });

  it("ends with 0, and never listens, when storage is not open yet", async () => {
    using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const url = `postgres://ann@127.0.0.1:${silent.addr.port}/x`;
    await using server = startProcess(["--port", "0", "--storage", url]);
    using _ = await silent.accept();
    server.signal("SIGTERM");
    assertEquals([await server.status, server.stdout(), server.stderr()], [0, "", ""]);
  });

  it("dies of the signal when it runs another command, even where what was under way could be completed", async () => {
    const script = `
      import { exit, interruptible } from "${new URL("../commands/_signals.ts", import.meta.url)}";
      const controller = new AbortController();
      await interruptible(controller, async () => {
        Deno.kill(Deno.pid, "SIGTERM");
        // Signals keep no process running.
        const timer = setInterval(() => {}, 1_000);
        await new Promise((resolve) => controller.signal.addEventListener("abort", resolve));
        clearInterval(timer);
      });
      await exit(0);`;
    await using process = startProgram(Deno.execPath(), {
      args: ["eval", "--ext=ts", script],
      env: Deno.env.toObject(),
    });
    assertEquals([await process.status, await process.endSignal], [128 + 15, "SIGTERM"]);
  });

  it(
    "stops at a signal as the first process of a container, too, like any command",
    CONTAINER,
    async () => {
      using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      const url = `postgres://ann@127.0.0.1:${silent.addr.port}/x`;
      await using command = startInContainer(["boards", "list", "--storage", url]);
      await using server = startInContainer(MEMORY);
      using _ = await silent.accept();
      await stopFirst(command);
      assertEquals(await command.status, 128 + 15);
      await waitUntilServing(server);
      await stopFirst(server);
      assertEquals(await server.status, 0);
      assertStringIncludes(server.stderr(), "stopping");
    },
  );

  it("serves again when connections had used up all open files, and warns once", async () => {
    const script = `ulimit -n 120; exec "$0" run --allow-all --no-check "$@"`;
    await using server = await waitUntilServing(startProgram("sh", {
      args: ["-c", script, Deno.execPath(), SERVER, ...MEMORY],
      env: Deno.env.toObject(),
    }));
    const silent: Deno.Conn[] = [];
    const open = () => Deno.connect({ hostname: "127.0.0.1", port: server.port });
    while (silent.length < 300) {
      const connection = await open().catch(() => undefined);
      if (connection === undefined) break;
      silent.push(connection);
    }
    for (const connection of silent) connection.close();
    await until(async () => {
      const response = await fetch(`${server.url}/livez`).catch(() => undefined);
      await response?.body?.cancel();
      return response?.status === 200;
    });
    await server.waitFor("stderr", /Cannot take new connections/);
    assertEquals(
      server.stderr().match(/Cannot take new connections, trying again: \w/g)?.length,
      1,
    );
  });

  it("mails what is published, and loses and repeats nothing over a restart", async () => {
    await using sink = await startScriptedRelay();
    const people = Array.from({ length: 60 }, (_, n) => `u${n + 10}@example.com`);
    const list = people.map((userEmail) => `${userEmail},true\n`).join("");
    await withFile(`userEmail,subscribed\n${list}`, async (path) => {
      const mail = `--mail ${sink.url} --mail-from news@acme.example --mail-rate 100/s`;
      const site = `--public-url https://updates.example --port 0 --storage file:${path}.data`;
      const start = () => startProcess(`serve ${mail} ${site}`.split(" "));
      await using first = await waitUntilServing(start());
      const { succeed, json } = createCommandLine({ environment: { BOARDCAST_KEY: first.key } });
      await succeed(`subscribers import ${path} --server ${first.url}`);
      await succeed(`entries create a --title T --body D --server ${first.url}`);
      await succeed(`entries publish a --notify --server ${first.url}`);
      await sink.reached(10);
      first.signal("SIGTERM");
      assertEquals(await first.status, 0);
      assertStringIncludes(first.stderr(), '"event":"started"');
      assert(sink.ledger.length < people.length);
      await using second = await waitUntilServing(start(), first.key);
      const state = async () => (await json(`entries delivery a --server ${second.url}`))[0].state;
      await until(async () => await state() === "done");
      assertEquals([...sink.ledger].sort(), people);
    });
  });

  it("answers 503 to a body that stalls, and ends with 0 within 10 s whoever holds it", async () => {
    const { response, status, seconds, last } = await held;
    assertEquals([response?.status, response?.headers.get("retry-after")], [503, "1"]);
    assertEquals([status, last], [0, undefined]);
    assert(seconds < 10, `${seconds} s`);
  });
});
