import { assert, assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { CONNECTION_TIMEOUTS, listenWithTimeouts } from "../commands/_node_listener.ts";
import { createHandler, openMemoryStorage } from "../mod.ts";
import { BODY_TIMEOUT_MS } from "../routes/_body.ts";
import { LIVEZ, PUT_HEAD, withHandler, withListener, withSlowHandler } from "./_node_listener.ts";
import { connect, exchange, type RawConnection } from "./_raw.ts";
import { OPERATOR_KEY } from "./_service.ts";
import { turns, withTimersOf } from "./_waiting.ts";

const TOO_LONG = PUT_HEAD.replace("Content-Length: 40", "Transfer-Encoding: chunked") +
  `4001\r\n${"x".repeat(0x4001)}\r\n`;

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
      const answer = await exchange(port, LIVEZ.replace("/livez", "/api/../livez"));
      assertEquals(answer?.status, 404);
    });
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
    }, { headMs: 100, requestMs: 200 });
  });

  for (const head of ["", LIVEZ.slice(0, -2)]) {
    it(`closes a connection by the time for a head alone after ${JSON.stringify(head)}`, async () => {
      await withListener(async (port) => {
        const answer = await exchange(port, head);
        assert(answer === undefined || answer.status === 408, `${answer?.status}`);
      }, { headMs: 100 });
    });
  }

  it("closes a connection when the client is idle after an answer", async () => {
    await withListener(async (port) => {
      using connection = await connect(port);
      await connection.send(LIVEZ);
      assertEquals((await connection.read())?.status, 200);
      assertEquals(await connection.read(), undefined);
    }, { idleMs: 100 });
  });

  for (
    const [request, status, rest] of [
      [PUT_HEAD.replace(OPERATOR_KEY, "none"), 401, ["x".repeat(20), "x".repeat(20)]],
      [PUT_HEAD.replace("PUT", "OPTIONS"), 204, ["x".repeat(20), "x".repeat(20)]],
      [TOO_LONG, 413, ["1\r\nx\r\n", "0\r\n\r\n"]],
    ] as const
  ) {
    it(`takes the rest of a body that it answered ${status} before, so that the client can read it`, () =>
      withListener((port) =>
        withTimersOf(1_000, "never", async () => {
          using connection = await connect(port);
          await connection.send(request);
          const answer = await connection.read();
          assertEquals([answer?.status, answer?.headers.get("connection")], [status, "close"]);
          // Had the connection been closed, the first piece would have it reset, and the second would fail.
          await connection.send(rest[0]);
          await turns();
          await connection.send(rest[1]);
          assertEquals(await connection.read(), undefined);
        })
      ));
  }

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
    });
  });

  it("tells the length of an answer by HTTP/1.0, too", async () => {
    await withListener(async (port) => {
      const answer = await exchange(port, "GET /livez HTTP/1.0\r\n\r\n");
      assertEquals(answer?.headers.get("content-length"), `${answer?.body.length}`);
    });
  });

  it("leaves an answer without content the length that it tells, or none", async () => {
    await withListener(async (port) => {
      const got = await exchange(port, LIVEZ);
      const head = await exchange(port, LIVEZ.replace("GET", "HEAD"));
      assertEquals(head?.headers.get("content-length"), `${got?.body.length}`);
      const options = await exchange(port, LIVEZ.replace("GET", "OPTIONS"));
      assertEquals([options?.status, options?.headers.has("content-length")], [204, false]);
    });
  });

  it("answers 408 and closes the connection when a body stalls", async () => {
    await withListener(async (port) => {
      using connection = await connect(port);
      await connection.send(PUT_HEAD + "abc");
      assertEquals((await connection.read())?.status, 408);
      assertEquals(await connection.read(), undefined);
    }, { bodyTimeoutMs: 50 });
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
      });
      assertEquals(await connection?.read(), undefined);
      connection?.[Symbol.dispose]();
    });
  }

  it("stops only when the requests under way are answered", async () => {
    await withSlowHandler(async (port, { asked, answer, stop }) => {
      let hasStopped = false;
      let stopping: Promise<void>;
      {
        using waiting = await connect(port);
        await waiting.send(LIVEZ);
        await asked;
        stopping = stop().then(() => void (hasStopped = true));
        await turns();
        assertEquals(hasStopped, false);
        answer();
        assertEquals((await waiting.read())?.status, 200);
      }
      await stopping;
    });
  });

  it("allows clients the times that docs/operations.md names", async () => {
    const { headMs, requestMs, idleMs } = CONNECTION_TIMEOUTS;
    const page = await Deno.readTextFile(new URL("../docs/operations.md", import.meta.url));
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
    });
  });

  it("rejects when the address is taken", async () => {
    using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const handler = createHandler({ storage: openMemoryStorage() });
    const address = { host: "127.0.0.1", port: taken.addr.port };
    const limits = { ...CONNECTION_TIMEOUTS, maxConnections: 1 };
    await assertRejects(() => listenWithTimeouts(handler, address, limits), Error, "in use");
  });
});
