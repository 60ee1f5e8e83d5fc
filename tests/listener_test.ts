import { assert, assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Listener } from "../commands/_listener.ts";
import { listenWithTimeouts } from "../commands/_node_listener.ts";
import { createHandler, openMemoryStorage } from "../mod.ts";
import { freePort } from "./_postgres.ts";
import { OPERATOR_KEY } from "./_service.ts";

const LIMITS = { headMs: 100, requestMs: 200, idleMs: 100, maxConnections: 5 };
const ROOT = new URL("..", import.meta.url);
const utf8 = new TextEncoder();

async function withListener(
  use: (port: number, listener: Listener) => Promise<void>,
  limits = LIMITS,
): Promise<void> {
  const storage = openMemoryStorage();
  const handler = createHandler({ storage, operatorKey: OPERATOR_KEY, bodyTimeoutMs: 50 });
  const listener = await listenWithTimeouts(handler, { host: "127.0.0.1", port: 0 }, limits);
  try {
    await use(listener.address.port, listener);
  } finally {
    await listener.shutdown();
  }
}

/**
 * Sends text and returns all that comes back until the server closes the connection. Rejects
 * where it does not close it in time.
 */
async function talk(port: number, text: string): Promise<string> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  if (text !== "") await connection.write(utf8.encode(text));
  return await within5s(new Response(connection.readable).text());
}

/** Asks for `/livez` and reads the answer, on a connection that stays open. */
async function ask(connection: Deno.Conn): Promise<void> {
  await connection.write(utf8.encode("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"));
  const buffer = new Uint8Array(4_096);
  const count = await within5s(connection.read(buffer));
  assertMatch(new TextDecoder().decode(buffer.subarray(0, count ?? 0)), /^HTTP\/1\.1 200 /);
}

async function within5s<T>(promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("nothing came within 5 s")), 5_000);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
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
    });
  });

  it("hands paths over as they were sent", async () => {
    await withListener(async (port) => {
      const answer = await talk(port, "GET /api/../livez HTTP/1.1\r\nHost: a\r\n\r\n");
      assert(answer.startsWith("HTTP/1.1 404 "), answer);
    });
  });

  for (
    const [name, text] of [
      ["is silent", ""],
      ["sends half a head", "GET /livez HTTP/1.1\r\nHost: a\r\n"],
      ["is idle after an answer", "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"],
    ]
  ) {
    it(`closes a connection when the client ${name}`, async () => {
      await withListener(async (port) => {
        await talk(port, text);
      });
    });
  }

  it("answers 408 and closes the connection when a body stalls", async () => {
    await withListener(async (port) => {
      const answer = await talk(
        port,
        "PUT /api/v1/changelogs/subscribe HTTP/1.1\r\nHost: a\r\n" +
          `Authorization: Bearer ${OPERATOR_KEY}\r\nContent-Length: 9\r\n` +
          "Content-Type: application/x-www-form-urlencoded\r\n\r\nabc",
      );
      assert(answer.startsWith("HTTP/1.1 408 "), answer);
    });
  });

  it("closes the connection that is silent for longest when there is one too many", async () => {
    const patient = { headMs: 60_000, requestMs: 60_000, idleMs: 60_000, maxConnections: 3 };
    await withListener(async (port) => {
      const connect = () => Deno.connect({ hostname: "127.0.0.1", port });
      using first = await connect();
      using second = await connect();
      using asking = await connect();
      await ask(asking);
      using _third = await connect();
      assertEquals(await within5s(first.read(new Uint8Array(1))), null);
      // Whoever asks has been heard of last, and stays.
      await ask(asking);
      using _fourth = await connect();
      assertEquals(await within5s(second.read(new Uint8Array(1))), null);
      await ask(asking);
    }, patient);
  });

  it("closes all but so many when a crowd says nothing", async () => {
    const patient = { headMs: 60_000, requestMs: 60_000, idleMs: 60_000, maxConnections: 3 };
    await withListener(async (port) => {
      const crowd = await Promise.all(
        Array.from({ length: 30 }, () => Deno.connect({ hostname: "127.0.0.1", port })),
      );
      let closed = 0;
      const counted = Promise.withResolvers<void>();
      for (const connection of crowd) {
        connection.read(new Uint8Array(1)).then(
          () => ++closed === 27 && counted.resolve(),
          () => {},
        );
      }
      await within5s(counted.promise);
      // The three that are left are served, if they ask.
      using late = await Deno.connect({ hostname: "127.0.0.1", port });
      await ask(late);
      for (const connection of crowd) connection.close();
    }, patient);
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
  it("answers again when connections had used up all open files", async () => {
    const port = freePort();
    const command = `ulimit -n 120; exec "$0" run --allow-all --no-check server.ts "$@"`;
    await using server = new Deno.Command("sh", {
      args: ["-c", command, Deno.execPath(), "--storage", "memory", "--port", `${port}`],
      cwd: ROOT,
      stdout: "null",
      stderr: "null",
    }).spawn();
    await answersSoon(port);
    const silent: Deno.Conn[] = [];
    try {
      // The listening socket itself is gone as soon as one connection too many came.
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
});

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
