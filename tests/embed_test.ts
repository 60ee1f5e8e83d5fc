import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { createHandler, type Handler, type HandlerOptions, openMemoryStorage } from "../mod.ts";
import { BOARDS_PATH } from "./_calls.ts";
import { createListener } from "../docs/examples/embedding/node_bridge.ts";
import { neededEnvironment } from "./_environment.ts";
import { withFolder } from "./_folder.ts";
import { startProgram, type TestProcess } from "./_process.ts";
import { connect } from "./_raw.ts";
import { forEachRow } from "./_rows.ts";
import { OPERATOR_KEY } from "./_service.ts";
import { assertServes } from "./_serving.ts";

const HOST = fileURLToPath(new URL("_embedded.ts", import.meta.url));

function create(options: Partial<HandlerOptions> = {}): Handler {
  return createHandler({ storage: openMemoryStorage(), operatorKey: OPERATOR_KEY, ...options });
}

/** Sends a request to a handler and returns the status. */
async function call(handler: Handler, method: string, url: string, json?: unknown) {
  const headers = { Authorization: `Bearer ${OPERATOR_KEY}`, "Content-Type": "application/json" };
  const body = json === undefined ? undefined : JSON.stringify(json);
  return (await handler(new Request(url, { method, headers, body }))).status;
}

describe("an embedded handler", () => {
  it("answers whatever the origin", async () => {
    await forEachRow([
      ...["http://localhost", "https://feedback.example.com", "http://[::1]:8000"],
      ...[
        "https://user:secret@example.com:8443",
        "http://xn--bcher-kva.example",
        "app://boardcast",
      ],
    ], async (origin) => {
      assertEquals(await call(create(), "GET", `${origin}/livez?x=1#y`), 200);
    });
  });

  it("stands beside the routes of its host under a server", async () => {
    const handler = create({ basePath: "/feedback" });
    const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
      const { pathname } = new URL(request.url);
      return pathname.startsWith("/feedback/") ? handler(request) : new Response("The host's own");
    });
    try {
      const url = `http://127.0.0.1:${server.addr.port}`;
      assertEquals(await (await fetch(`${url}/livez`)).text(), "The host's own");
      assertEquals(await (await fetch(`${url}/feedbacks`)).text(), "The host's own");
      await assertServes(`${url}/feedback`, OPERATOR_KEY);
    } finally {
      await server.shutdown();
    }
  });

  it("shares records and limits with others exactly where it has their storage", async () => {
    const url = `http://localhost${BOARDS_PATH}`;
    const board = { boardId: "a", name: "A" };
    const storage = openMemoryStorage();
    const rateLimit = { requests: 1, windowSeconds: 60 };
    const first = create({ storage, rateLimit, clock: () => 0 });
    const second = create({ storage, basePath: "/b", rateLimit, clock: () => 0 });
    assertEquals(await call(first, "POST", url, board), 201);
    assertEquals(await call(first, "GET", `${url}/a`), 200);
    assertEquals(await call(first, "GET", `${url}/a`), 429);
    assertEquals(await call(second, "GET", `http://localhost/b${BOARDS_PATH}/a`), 200);
    assertEquals(await call(create(), "GET", `${url}/a`), 404);
    const other = create({ storage, operatorKey: "another-key-of-24-characters" });
    assertEquals(await call(other, "GET", `${url}/a`), 401);
  });
});

describe("the bridge to node:http", () => {
  /** Sends a request to a listener; returns the status, and what was written to the console. */
  async function send(
    listener: RequestListener,
    init?: RequestInit,
  ): Promise<readonly [status: number, logged: readonly unknown[]]> {
    const server = createServer(listener).listen(0, "127.0.0.1");
    const logged: unknown[] = [];
    const { error } = console;
    console.error = (...values) => logged.push(...values);
    try {
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      const response = await fetch(`http://127.0.0.1:${port}/`, init);
      await response.body?.cancel();
      return [response.status, logged];
    } finally {
      console.error = error;
      await new Promise((resolve) => server.close(resolve));
    }
  }

  it("answers 500 when a page of the app fails, or a body parser came before", async () => {
    const failure = new Error("page failed");
    assertEquals(await send(createListener(() => Promise.reject(failure))), [500, [failure]]);
    const listener = createListener(() => Promise.resolve(new Response("unread")));
    const parsing: RequestListener = (incoming, outgoing) => {
      incoming.on("end", () => listener(incoming, outgoing)).resume();
    };
    const [status, [error]] = await send(parsing, { method: "PATCH", body: "name=Ideas" });
    assertEquals([status, error instanceof TypeError], [500, true]);
    assertEquals(await send(listener), [200, []]);
  });
});

describe("the process of a host", () => {
  /** Runs a host, with no permission unless it is given some. */
  function start(args: readonly string[], permissions: readonly string[] = []): TestProcess {
    return startProgram(Deno.execPath(), {
      args: ["run", "--quiet", "--no-lock", "--no-prompt", ...permissions, HOST, ...args],
      env: { ...neededEnvironment(), NO_COLOR: "1" },
    });
  }

  it("ends by itself after close, with no permission but for the folder, and no new globals", async () => {
    await withFolder(async (folder) => {
      const permissions = [`--allow-read=${folder}`, `--allow-write=${folder}`];
      const hosts = [start(["memory"]), start(["file", folder], permissions)];
      for (const process of hosts) {
        await using host = process;
        assertEquals([await host.status, host.stderr()], [0, ""]);
        const statuses = [201, 200, 200, 201, 200, 200, 200];
        assertEquals(JSON.parse(host.stdout()), { statuses, added: [] });
      }
    });
  });

  it("is ended by a signal, as nobody has taken the signals for themselves", async () => {
    await using host = start(["server"], ["--allow-net=127.0.0.1"]);
    const [, port] = await host.waitFor("stdout", /port (\d+)/);
    using connection = await connect(Number(port));
    await connection.send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n");
    assertEquals((await connection.read())?.status, 200);
    host.signal("SIGTERM");
    assert(await host.status > 128);
  });
});
