import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { openMemoryStorage } from "../mod.ts";
import { createListener } from "../docs/examples/embedding/node_bridge.ts";
import { neededEnvironment } from "./_environment.ts";
import { withFolder } from "./_folder.ts";
import { startProgram, type TestProcess } from "./_process.ts";
import { exchange } from "./_raw.ts";
import { forEachRow } from "./_rows.ts";
import { createService, OPERATOR_KEY, outcomeOf } from "./_service.ts";
import { assertServes } from "./_serving.ts";

const HOST = fileURLToPath(new URL("_embedded.ts", import.meta.url));

describe("an embedded handler", () => {
  it("stands beside the routes of its host under a server", async () => {
    const { handler } = createService({ basePath: "/feedback" });
    const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
      const { pathname } = new URL(request.url);
      return pathname.startsWith("/feedback/") ? handler(request) : new Response("The host's own");
    });
    try {
      const url = `http://127.0.0.1:${server.addr.port}`;
      assertEquals(await (await fetch(`${url}/livez`)).text(), "The host's own");
      await assertServes(`${url}/feedback`, OPERATOR_KEY);
    } finally {
      await server.shutdown();
    }
  });

  it("shares records with others exactly where it has their storage, and limits with none", async () => {
    const storage = openMemoryStorage();
    const rateLimit = { requests: 1, windowSeconds: 60 };
    const first = createService({ storage, rateLimit });
    await first.call("POST", "boards", { boardId: "a", name: "A" });
    await first.call("GET", "boards/a");
    await forEachRow([
      [first, "429 rate_limited"],
      [createService({ storage, rateLimit }), "200"],
      [createService(), "404 board_not_found"],
      [createService({ storage, operatorKey: "another-key-of-24-chars.." }), "401 invalid_token"],
    ], async ([service, outcome]) => {
      assertEquals(await outcomeOf(await service.send("GET", "boards/a")), outcome);
    });
  });
});

describe("the bridge to node:http", () => {
  it("answers 500 when a page of the app fails, or a body parser came before", async () => {
    const logged: unknown[] = [];
    const { error } = console;
    console.error = (value) => logged.push(value);
    async function send(listener: RequestListener, init?: RequestInit): Promise<number> {
      const server = createServer(listener).listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      const response = await fetch(`http://127.0.0.1:${port}/`, init);
      await response.body?.cancel();
      await new Promise((resolve) => server.close(resolve));
      return response.status;
    }
    const failure = new Error("page failed");
    assertEquals(await send(createListener(() => Promise.reject(failure))), 500);
    const listener = createListener(() => Promise.resolve(new Response("unread")));
    const parsing: RequestListener = (incoming, outgoing) => {
      incoming.on("end", () => listener(incoming, outgoing)).resume();
    };
    assertEquals(await send(parsing, { method: "PATCH", body: "name=Ideas" }), 500);
    assertEquals([logged[0], logged[1] instanceof TypeError], [failure, true]);
    console.error = error;
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
    const livez = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n";
    assertEquals((await exchange(Number(port), livez))?.status, 200);
    host.signal("SIGTERM");
    assert(await host.status > 128);
  });
});
