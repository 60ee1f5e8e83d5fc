import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { setTimeout as delay } from "node:timers/promises";
import type { Listener } from "../commands/_listener.ts";
import {
  CONNECTION_TIMEOUTS,
  type ConnectionLimits,
  listenWithTimeouts,
} from "../commands/_node_listener.ts";
import { createHandler, type Handler, openMemoryStorage } from "../mod.ts";
import { BODY_TIMEOUT_MS } from "../routes/_body.ts";
import { freePort } from "./_port.ts";
import { startServer } from "./_process.ts";
import { connect, exchange, type RawConnection } from "./_raw.ts";
import { OPERATOR_KEY } from "./_service.ts";
import { turns, until } from "./_waiting.ts";

const LIMITS = { headMs: 100, requestMs: 200, idleMs: 100, maxConnections: 5, bodyTimeoutMs: 50 };
// With these nothing is closed but what is over the limit.
const PATIENT = {
  headMs: 60_000,
  requestMs: 60_000,
  idleMs: 60_000,
  maxConnections: 3,
  bodyTimeoutMs: 60_000,
};
const LIVEZ = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n";
const PUT_HEAD = "PUT /api/v1/changelogs/subscribe HTTP/1.1\r\nHost: a\r\n" +
  `Authorization: Bearer ${OPERATOR_KEY}\r\nContent-Length: 40\r\n` +
  "Content-Type: application/x-www-form-urlencoded\r\n\r\n";
const ROOT = new URL("..", import.meta.url);

async function withListener(
  use: (port: number, listener: Listener) => Promise<void>,
  limits = LIMITS,
): Promise<void> {
  const { bodyTimeoutMs } = limits;
  const storage = openMemoryStorage();
  const handler = createHandler({ storage, operatorKey: OPERATOR_KEY, bodyTimeoutMs });
  await withHandler(handler, use, limits);
}

/** Serves a handler that answers when it is told to. */
async function withSlowHandler(
  use: (
    port: number,
    call: { readonly asked: Promise<void>; readonly answer: () => void },
  ) => Promise<void>,
  limits: ConnectionLimits,
): Promise<void> {
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<Response>();
  const handler = () => {
    asked.resolve();
    return answered.promise;
  };
  const answer = () => answered.resolve(new Response());
  await withHandler(handler, (port) => use(port, { asked: asked.promise, answer }), limits);
}

async function withHandler(
  handler: Handler,
  use: (port: number, listener: Listener) => Promise<void>,
  limits: ConnectionLimits,
): Promise<void> {
  const listener = await listenWithTimeouts(handler, { host: "127.0.0.1", port: 0 }, limits);
  try {
    await use(listener.address.port, listener);
  } finally {
    await listener.shutdown();
  }
}

describe("the listener of node:http", () => {
  it("answers the documented PUT", async () => {
    await withListener(async (port) => {
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/changelogs/subscribe`, {
        method: "PUT",
        headers: { Authorization: `Bearer ${OPERATOR_KEY}` },
        body: new URLSearchParams({ userEmail: "ann@example.com", subscribe: "true" }),
      });
      assertEquals((await response.json()).subscribed, true);
    }, PATIENT);
  });

  it("hands paths over as they were sent", async () => {
    await withListener(async (port) => {
      const answer = await exchange(port, LIVEZ.replace("/livez", "/api/../livez"));
      assertEquals(answer?.status, 404);
    }, PATIENT);
  });

  it("takes a target in absolute form", async () => {
    await withListener(async (port) => {
      const answer = await exchange(port, LIVEZ.replace("/livez", "http://b.example/livez?x"));
      assertEquals(answer?.status, 200);
    });
  });

  it("hands over each of two headers of one name", async () => {
    await withListener(async (port) => {
      const line = `Authorization: Bearer ${OPERATOR_KEY}\r\n`;
      const head = "GET /api/v1/boards HTTP/1.1\r\nHost: a\r\n";
      assertEquals((await exchange(port, `${head}${line}\r\n`))?.status, 200);
      assertEquals((await exchange(port, `${head}${line}${line}\r\n`))?.status, 400);
    });
  });

  it("closes a connection when a request is not complete in time", async () => {
    await withListener(async (port) => {
      const answer = await exchange(port, `${PUT_HEAD}abc`);
      assert(answer === undefined || answer.status === 408, `${answer?.status}`);
    }, { ...PATIENT, headMs: 100, requestMs: 200 });
  });

  for (const head of ["", LIVEZ.slice(0, -2)]) {
    it(`closes a connection by the time for a head alone after ${JSON.stringify(head)}`, async () => {
      await withListener(async (port) => {
        const answer = await exchange(port, head);
        assert(answer === undefined || answer.status === 408, `${answer?.status}`);
      }, { ...PATIENT, headMs: 100 });
    });
  }

  it("closes a connection when the client is idle after an answer", async () => {
    await withListener(async (port) => {
      using connection = await connect(port);
      await connection.send(LIVEZ);
      assertEquals((await connection.read())?.status, 200);
      assertEquals(await connection.read(), undefined);
    }, { ...PATIENT, idleMs: 100 });
  });

  it("takes the rest of a body that it refused, so that the client can read why", async () => {
    await withListener(async (port) => {
      using connection = await connect(port);
      await connection.send(PUT_HEAD.replace(OPERATOR_KEY, "none"));
      const refusal = await connection.read();
      assertEquals([refusal?.status, refusal?.headers.get("connection")], [401, "close"]);
      // Had the connection been closed, the first piece would have it reset, and the second would fail.
      await connection.send("x".repeat(20));
      await turns();
      await connection.send("x".repeat(20));
      assertEquals(await connection.read(), undefined);
    }, PATIENT);
  });

  it("carries out nothing that comes after an answer which closes the connection", async () => {
    let asked = 0;
    const handler = () => {
      asked++;
      return Promise.resolve(new Response("refused", { status: 401 }));
    };
    await withHandler(handler, async (port) => {
      using connection = await connect(port);
      await connection.send(`${PUT_HEAD}userEmail=`);
      assertEquals((await connection.read())?.headers.get("connection"), "close");
      await connection.send("x".repeat(30) + LIVEZ);
      assertEquals(await connection.read(), undefined);
      assertEquals(asked, 1);
    }, PATIENT);
  });

  it("tells the length of an answer by HTTP/1.0, too", async () => {
    await withListener(async (port) => {
      const answer = await exchange(port, "GET /livez HTTP/1.0\r\n\r\n");
      assertEquals(answer?.headers.get("content-length"), `${answer?.body.length}`);
    }, PATIENT);
  });

  it("answers 408 and closes the connection when a body stalls", async () => {
    await withListener(async (port) => {
      using connection = await connect(port);
      await connection.send(PUT_HEAD + "abc");
      assertEquals((await connection.read())?.status, 408);
      assertEquals(await connection.read(), undefined);
    });
  });

  for (const [name, text] of [["sent nothing", ""], ["sent half a head", LIVEZ.slice(0, -2)]]) {
    it(`stops without waiting for a connection whose client ${name}`, async () => {
      let connection: RawConnection | undefined;
      await withListener(async (port) => {
        using earlier = await connect(port);
        connection = await connect(port);
        await connection.send(text);
        // Once a later request is answered, the listener knows of both.
        await earlier.send(LIVEZ);
        assertEquals((await earlier.read())?.status, 200);
      }, PATIENT);
      assertEquals(await connection?.read(), undefined);
      connection?.[Symbol.dispose]();
    });
  }

  it("stops only when the requests under way are answered", async () => {
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<Response>();
    const handler = () => {
      asked.resolve();
      return answered.promise;
    };
    await withHandler(handler, async (port, listener) => {
      let hasStopped = false;
      let stopping: Promise<void>;
      {
        using waiting = await connect(port);
        await waiting.send(LIVEZ);
        await asked.promise;
        stopping = listener.shutdown().then(() => void (hasStopped = true));
        await turns();
        assertEquals(hasStopped, false);
        answered.resolve(new Response());
        assertEquals((await waiting.read())?.status, 200);
      }
      await stopping;
    }, PATIENT);
  });

  it("allows clients the times that docs/operations.md names", async () => {
    const { headMs, requestMs, idleMs } = CONNECTION_TIMEOUTS;
    const page = await Deno.readTextFile(new URL("docs/operations.md", ROOT));
    const [head, body, idle] = [headMs, BODY_TIMEOUT_MS, idleMs].map((ms) => ms / 1_000);
    assert(page.includes(
      `it allows ${head} s for a head, ${body} s for a body (408) and ${idle} s for an idle connection`,
    ));
    // So that the answer of the handler comes first, and proxies close idle connections first.
    assert(requestMs > BODY_TIMEOUT_MS && requestMs < 2 * BODY_TIMEOUT_MS && idleMs > 60_000);
  });

  it("answers 405 when the method is one that no Request can be made with", async () => {
    await withListener(async (port) => {
      const answer = await exchange(port, LIVEZ.replace("GET", "TRACE"));
      assertEquals([answer?.status, answer?.headers.get("allow")], [405, "GET, HEAD, OPTIONS"]);
    }, PATIENT);
  });

  it("closes the connection that is silent for longest when one too many comes", async () => {
    await withListener(async (port) => {
      using silent = await connect(port);
      using next = await connect(port);
      using last = await connect(port);
      using _ = await connect(port);
      assertEquals(await silent.read(), undefined);
      assertEquals(await statusOf(next), 200);
      assertEquals(await statusOf(last), 200);
    }, PATIENT);
  });

  it("answers a newcomer when silent ones hold all connections and come back", async () => {
    await withListener(async (port) => {
      using connections = new DisposableStack();
      for (let round = 0; round < 20; round++) {
        for (let i = 0; i < 2; i++) connections.use(await connect(port));
        assertEquals((await exchange(port, LIVEZ))?.status, 200);
      }
    }, PATIENT);
  });

  it("closes an idle connection by the time since its answer when one too many comes", async () => {
    await withListener(async (port) => {
      using idle = await connect(port);
      using silent = await connect(port);
      using _ = await connect(port);
      assertEquals(await statusOf(idle), 200);
      using _newcomer = await connect(port);
      assertEquals(await silent.read(), undefined);
      assertEquals(await statusOf(idle), 200);
    }, PATIENT);
  });

  it("answers a newcomer when idle ones hold all connections", async () => {
    await withListener(async (port) => {
      using connections = new DisposableStack();
      for (let i = 0; i < 3; i++) {
        const idle = connections.use(await connect(port));
        assertEquals(await statusOf(idle), 200);
      }
      assertEquals((await exchange(port, LIVEZ))?.status, 200);
    }, PATIENT);
  });

  it("closes a connection whose body stalls when too many come", async () => {
    await withListener(async (port) => {
      using stalled = await connect(port);
      await startPut(stalled);
      using connections = new DisposableStack();
      for (let i = 0; i < 3; i++) connections.use(await connect(port));
      assertEquals(await stalled.read(), undefined);
    }, PATIENT);
  });

  it("keeps a connection that waits for an answer when too many come", async () => {
    await withSlowHandler(async (port, { asked, answer }) => {
      using waiting = await connect(port);
      await waiting.send(LIVEZ);
      await asked;
      using connections = new DisposableStack();
      const silent = connections.use(await connect(port));
      for (let i = 0; i < 6; i++) connections.use(await connect(port));
      assertEquals(await silent.read(), undefined);
      answer();
      assertEquals((await waiting.read())?.status, 200);
    }, PATIENT);
  });

  it("closes a connection that does not read its answer when one too many comes", async () => {
    const asked = Promise.withResolvers<void>();
    const big = new Uint8Array(64 << 20);
    const handler = ({ url }: Request) => {
      if (!url.endsWith("/big")) return Promise.resolve(new Response());
      asked.resolve();
      return Promise.resolve(new Response(big));
    };
    await withHandler(handler, async (port) => {
      using unread = await Deno.connect({ hostname: "127.0.0.1", port });
      await unread.write(new TextEncoder().encode(LIVEZ.replace("/livez", "/big")));
      await asked.promise;
      // The answer is made within a few turns; until then the connection is one that waits for it.
      await until(async () => (await exchange(port, LIVEZ))?.status === 200);
    }, { ...PATIENT, maxConnections: 1 });
  });

  it("answers the requests of a connection one after the other when they come at once", async () => {
    let underWay = 0;
    let most = 0;
    const handler = async ({ url }: Request) => {
      most = Math.max(most, ++underWay);
      await turns();
      underWay--;
      return new Response(url);
    };
    await withHandler(handler, async (port) => {
      using connection = await connect(port);
      const paths = Array.from({ length: 12 }, (_, i) => `/${i}`);
      await connection.send(paths.map((path) => LIVEZ.replace("/livez", path)).join(""));
      for (const path of paths) assertEquals((await connection.read())?.body, `http://a${path}`);
      assertEquals(most, 1);
    }, PATIENT);
  });

  it("keeps a connection whose second request of two waits for an answer", async () => {
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<Response>();
    const handler = ({ url }: Request) => {
      if (!url.endsWith("/slow")) return Promise.resolve(new Response());
      asked.resolve();
      return answered.promise;
    };
    await withHandler(handler, async (port) => {
      using waiting = await connect(port);
      await waiting.send(LIVEZ + LIVEZ.replace("/livez", "/slow"));
      assertEquals((await waiting.read())?.status, 200);
      await asked.promise;
      using newcomer = await connect(port);
      assertEquals(await newcomer.read(), undefined);
      answered.resolve(new Response());
      assertEquals((await waiting.read())?.status, 200);
    }, { ...PATIENT, maxConnections: 1 });
  });

  it("closes a connection when far too many requests come at once", async () => {
    await withSlowHandler(async (port, { answer }) => {
      using connection = await connect(port);
      await connection.send(LIVEZ.repeat(100));
      assertEquals(await connection.read(), undefined);
      answer();
    }, PATIENT);
  });

  it("refuses a newcomer when all connections wait for answers", async () => {
    await withSlowHandler(async (port, { asked, answer }) => {
      using waiting = await connect(port);
      await waiting.send(LIVEZ);
      await asked;
      using newcomer = await connect(port);
      assertEquals(await newcomer.read(), undefined);
      answer();
      assertEquals((await waiting.read())?.status, 200);
    }, { ...PATIENT, maxConnections: 1 });
  });

  it("rejects when the address is taken", async () => {
    await withListener(async (port) => {
      const handler = createHandler({ storage: openMemoryStorage() });
      const error = await listenWithTimeouts(handler, { host: "127.0.0.1", port }, LIMITS)
        .then(() => undefined, (error) => error);
      assert(error instanceof Error);
    });
  });
});

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
      const port = freePort();
      const command = `ulimit -n 120; exec "$0" run --allow-all --no-check server.ts "$@"`;
      const args = ["--storage", "memory", "--port", `${port}`, "--listener", listener];
      await using server = new Deno.Command("sh", {
        args: ["-c", command, Deno.execPath(), ...args],
        cwd: ROOT,
        stdout: "null",
        stderr: "null",
      }).spawn();
      await answersSoon(port);
      const silent: Deno.Conn[] = [];
      try {
        // By deno, the listening socket itself is gone as soon as one connection too many came.
        while (silent.length < 300) {
          silent.push(await Deno.connect({ hostname: "127.0.0.1", port }));
        }
      } catch (error) {
        const { ConnectionRefused, ConnectionReset } = Deno.errors;
        // Those that were waiting when the socket went are reset, the others refused.
        assert(error instanceof ConnectionRefused || error instanceof ConnectionReset, `${error}`);
      }
      for (const connection of silent) connection.close();
      await answersSoon(port);
      server.kill("SIGTERM");
      assertEquals((await server.status).code, 0);
    });
  }
});

describe("the listener of node:http, after a quiet time", {
  skip: hasPrlimit() ? false : "prlimit of util-linux is not installed",
}, () => {
  it("answers again when no file was left for one that came", async () => {
    await using server = await startServer(["--listener", "node"]);
    const limitFiles = async (count: number) => {
      const args = ["--pid", `${server.pid}`, `--nofile=${count}:`];
      assert((await new Deno.Command("prlimit", { args }).output()).success);
    };
    // It has found out more than once that it takes connections.
    await delay(3_500);
    await limitFiles(8);
    using _refused = await connect(server.port);
    await delay(100);
    await limitFiles(1_024);
    await answersSoon(server.port);
  });
});

function hasPrlimit(): boolean {
  try {
    return new Deno.Command("prlimit", { args: ["--version"], stdout: "null" }).outputSync()
      .success;
  } catch {
    return false;
  }
}

/** Sends the head of a request and waits until the server has read it. */
async function startPut(connection: RawConnection): Promise<void> {
  await connection.send(PUT_HEAD.replace("Host", "Expect: 100-continue\r\nHost"));
  assertEquals((await connection.read())?.status, 100);
}

async function statusOf(connection: RawConnection): Promise<number | undefined> {
  await connection.send(LIVEZ);
  return (await connection.read())?.status;
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
