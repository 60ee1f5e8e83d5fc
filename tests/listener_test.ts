import { assert, assertEquals } from "@std/assert";
import { afterEach, beforeEach, describe, it } from "@std/testing/bdd";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { keepAccepting } from "../commands/_accepting.ts";
import { listen } from "../commands/_listener.ts";
import { LIVEZ, PUT_HEAD, statusOf } from "./_node_listener.ts";
import { serveInVain, withAttempts } from "./_outage.ts";
import { freePort } from "./_port.ts";
import {
  canRun,
  SERVER,
  startProgram,
  startServer,
  type TestServer,
  waitUntilServing,
} from "./_process.ts";
import { connect, exchange } from "./_raw.ts";
import { OPERATOR_KEY } from "./_service.ts";
import { turns, until, withTimersOf } from "./_waiting.ts";

const ROOT = new URL("..", import.meta.url);
const OUTAGE = /Cannot take new connections, trying again: \w/g;

describe("the server", () => {
  it("answers, and ends with 0 when it is told to, when its log can't be written", async () => {
    const port = freePort();
    const command = `exec "$0" run --allow-all --no-check server.ts "$@" 2> /dev/full`;
    await using server = new Deno.Command("sh", {
      args: ["-c", command, Deno.execPath(), "--storage", "memory", "--port", `${port}`],
      cwd: ROOT,
      stdout: "null",
    }).spawn();
    await answersSoon(port);
    server.kill("SIGTERM");
    assertEquals((await server.status).code, 0);
  });

  it("serves on by node:http when far too long bodies came in chunks", async () => {
    await using server = await startServer(["--listener", "node"]);
    const { port } = server;
    const head = PUT_HEAD.replace(OPERATOR_KEY, server.key)
      .replace("Content-Length: 40", "Transfer-Encoding: chunked");
    const chunk = `2000\r\n${"x".repeat(0x2000)}\r\n`;
    for (let i = 0; i < 10; i++) {
      using connection = await connect(port);
      await connection.send(`${head}${chunk.repeat(12)}0\r\n\r\n`);
      assertEquals((await connection.read())?.status, 413);
    }
    assertEquals((await exchange(port, LIVEZ))?.status, 200);
    server.signal("SIGTERM");
    assertEquals(await server.status, 0);
  });

  for (const listener of ["deno", "node"]) {
    it(`answers again when connections had used up all open files, by ${listener}`, async () => {
      await using server = await startWithFewFiles(listener);
      await useUpFiles(server.port);
      await answersSoon(server.port);
      assertEquals((await server.waitFor("stderr", OUTAGE)).length, 1);
      server.signal("SIGTERM");
      assertEquals(await server.status, 0);
    });
  }

  it("finishes, when it stops, a request on a connection from before all files were used up", async () => {
    await using server = await startWithFewFiles("deno");
    const { port } = server;
    using earlier = await connect(port);
    assertEquals(await statusOf(earlier), 200);
    await useUpFiles(port);
    await answersSoon(port);
    await earlier.send(PUT_HEAD.replace(OPERATOR_KEY, server.key));
    // The head has come before the signal.
    await answersSoon(port);
    server.signal("SIGTERM");
    await until(() => isRefused(port));
    await earlier.send("userEmail=ann%40example.com&subscribe=1&");
    assertEquals((await earlier.read())?.status, 422);
    assertEquals(await server.status, 0);
  });

  it("stops as soon as no request is under way, whatever time is left", async () => {
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<Response>();
    const { address: { port }, shutdown } = listen(() => {
      asked.resolve();
      return answered.promise;
    }, { host: "127.0.0.1", port: 0 });
    using connection = await connect(port);
    await connection.send(LIVEZ);
    await asked.promise;
    await withTimersOf(1_000, "never", async () => {
      let hasStopped = false;
      void shutdown().then(() => hasStopped = true);
      answered.resolve(new Response());
      assertEquals((await connection.read())?.status, 200);
      await until(() => hasStopped);
    });
  });

  it("stops at once when no request is under way", async () => {
    const handler = () => Promise.resolve(new Response());
    const { shutdown } = listen(handler, { host: "127.0.0.1", port: 0 });
    await withTimersOf(1_000, "never", async () => {
      let hasStopped = false;
      void shutdown().then(() => hasStopped = true);
      await until(() => hasStopped);
    });
  });

  it("waits, when it stops, for what was under way before an outage as long as it takes", async () => {
    const answered = Promise.withResolvers<Response>();
    const told = Promise.withResolvers<void>();
    let call = (_: Request) => answered.promise;
    // As after an outage, the server has ended, and knows of no request.
    function serveNothing(_: unknown, handler: typeof call): unknown {
      call = handler;
      return { finished: Promise.resolve(), shutdown: () => Promise.resolve(told.resolve()) };
    }
    async function stop(): Promise<void> {
      const { shutdown } = listen(() => answered.promise, { host: "127.0.0.1", port: 0 });
      void call(new Request("http://a/"));
      let hasStopped = false;
      void shutdown().then(() => hasStopped = true);
      await told.promise;
      await turns();
      assertEquals(hasStopped, false);
      answered.resolve(new Response());
      await until(() => hasStopped);
    }
    await withAttempts(
      [serveNothing as typeof serveInVain],
      // The time for bodies, and that for the last answer to be written, are over.
      () => withTimersOf(1_000, "at once", () => withTimersOf(50, "at once", stop)),
    );
  });

  it("tries on to listen when it can't at once after an outage", async () => {
    const fail = () => {
      throw new Error("still too many files");
    };
    await withAttempts([serveInVain, fail, Deno.serve], async (left) => {
      const warnings: string[] = [];
      const onWarning = (message: string) => warnings.push(message);
      const { address: { port }, shutdown } = listen(
        () => Promise.resolve(new Response()),
        { host: "127.0.0.1", port: 0, onWarning },
      );
      await until(() => left() === 0);
      assertEquals((await exchange(port, LIVEZ))?.status, 200);
      await shutdown();
      assertEquals(warnings, ["Cannot take new connections, trying again: too many files"]);
    });
  });

  it("answers again by node:http, after a quiet time, when no file was left for one that came", {
    skip: canRun("prlimit", ["--version"]) ? false : "prlimit of util-linux is not installed",
  }, async () => {
    const program = fileURLToPath(new URL("_accepting_server.ts", import.meta.url));
    await using server = startProgram(Deno.execPath(), {
      args: ["run", "--allow-all", "--no-check", program],
      env: Deno.env.toObject(),
    });
    const limitFiles = (count: number) =>
      assert(canRun("prlimit", ["--pid", `${server.pid}`, `--nofile=${count}:`]));
    const [, port] = await server.waitFor("stdout", /^port (\d+)$/m);
    // It has found out more than once that it takes connections.
    const [said] = await server.waitFor("stdout", /^[^]*(connected\s+closed\s+){3}/);
    assertEquals(said.match(/^listening$/gm)?.length, 1);
    using earlier = await connect(Number(port));
    limitFiles(8);
    using _refused = await connect(Number(port));
    // Once a later request is answered, it has tried to take that connection.
    await statusOf(earlier);
    // As long as there is no file, it can't listen anew.
    await until(() => isRefused(Number(port)));
    limitFiles(1_024);
    await answersSoon(Number(port));
    assertEquals((await server.waitFor("stdout", OUTAGE)).length, 1);
  });
});

describe("a server that connects to itself", () => {
  const host = "127.0.0.1";
  let server: Server;
  let reopened: number;
  let warnings: string[];

  beforeEach(async () => {
    [reopened, warnings] = [0, []];
    server = createServer((_, response) => void response.end()).listen(0, host);
    await once(server, "listening");
    server.listen = () => (reopened++, server);
  });
  afterEach(() => void server.closeAllConnections());

  /** Returns the looks of a server whose own connections go to another port. */
  function look(port: number): () => void {
    const { setInterval } = globalThis;
    let look = () => {};
    Object.assign(globalThis, { setInterval: (run: () => void) => (look = run, 0) });
    keepAccepting(server, { host, port, onWarning: (message) => void warnings.push(message) });
    Object.assign(globalThis, { setInterval });
    return look;
  }

  it("has patience, as it may be busy, and then keeps the connections that it has", async () => {
    using connection = await connect((server.address() as AddressInfo).port);
    assertEquals(await statusOf(connection), 200);
    // The system takes connections to it, and nobody else.
    using silent = Deno.listen({ hostname: host, port: 0 });
    const lookOnce = look(silent.addr.port);
    for (let looks = 0; looks < 30; looks++) {
      for (let i = 0; i < 1_000; i++) server.emit("request", null, new PassThrough());
      lookOnce();
    }
    assertEquals([reopened, warnings], [0, []]);
    lookOnce();
    assertEquals([reopened, warnings.length], [1, 1]);
    assertEquals(await statusOf(connection), 200);
  });

  it("listens anew at the third look at its connection where it is not busy", () => {
    using silent = Deno.listen({ hostname: host, port: 0 });
    const lookOnce = look(silent.addr.port);
    lookOnce();
    for (const listening of [0, 0, 1]) {
      lookOnce();
      assertEquals(reopened, listening);
    }
  });

  it("listens anew at the next look when nothing listens", async () => {
    const lookOnce = look(freePort());
    lookOnce();
    await until(() => warnings.length === 1);
    assertEquals(reopened, 0);
    lookOnce();
    assertEquals(reopened, 1);
  });
});

async function startWithFewFiles(listener: string): Promise<TestServer> {
  const command = `ulimit -n 120; exec "$0" run --allow-all --no-check "$@"`;
  const args = [SERVER, "--storage", "memory", "--port", "0", "--listener", listener];
  return await waitUntilServing(startProgram("sh", {
    args: ["-c", command, Deno.execPath(), ...args],
    env: Deno.env.toObject(),
  }));
}

/** Opens more connections than a server with few files can have, and closes them again. */
async function useUpFiles(port: number): Promise<void> {
  const silent: Deno.Conn[] = [];
  // By deno, the listening socket itself is gone as soon as one connection too many came.
  while (silent.length < 300) {
    const connection = await tryToConnect(port);
    if (connection === undefined) break;
    silent.push(connection);
  }
  for (const connection of silent) connection.close();
}

async function isRefused(port: number): Promise<boolean> {
  const connection = await tryToConnect(port);
  connection?.close();
  return connection === undefined;
}

/** Returns `undefined` where nobody listens, or has just gone: what waited then is reset. */
async function tryToConnect(port: number): Promise<Deno.Conn | undefined> {
  const { ConnectionRefused, ConnectionReset, NotConnected } = Deno.errors;
  try {
    return await Deno.connect({ hostname: "127.0.0.1", port });
  } catch (error) {
    for (const gone of [ConnectionRefused, ConnectionReset, NotConnected]) {
      if (error instanceof gone) return undefined;
    }
    throw error;
  }
}

async function answersSoon(port: number): Promise<void> {
  for (const deadline = Date.now() + 20_000; Date.now() < deadline;) {
    const status = await fetch(`http://127.0.0.1:${port}/livez`, {
      headers: { Connection: "close" },
    }).then(async (response) => {
      await response.body?.cancel();
      return response.status;
    }, () => 0);
    if (status === 200) return;
  }
  throw new Error(`nothing answers on port ${port}`);
}
