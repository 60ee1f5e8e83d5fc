import { assert, assertEquals } from "@std/assert";
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

/** Sends text and returns all that comes back until the server closes the connection. */
async function talk(port: number, text: string): Promise<string> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  if (text !== "") await connection.write(utf8.encode(text));
  return await new Response(connection.readable).text().catch(() => "");
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

  it("takes connections again when those over the limit have gone", async () => {
    await withListener(async (port) => {
      const silent = await Promise.all(
        Array.from({ length: 20 }, () => talk(port, "").catch(() => "refused")),
      );
      assertEquals(silent.length, 20);
      const answer = await talk(port, "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n");
      assert(answer.startsWith("HTTP/1.1 200 "), answer);
    });
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
