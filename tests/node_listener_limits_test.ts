import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import {
  FAST,
  LIVEZ,
  PUT_HEAD,
  statusOf,
  withHandler,
  withListener,
  withSlowHandler,
} from "./_node_listener.ts";
import { connect, exchange } from "./_raw.ts";
import { turns, until } from "./_waiting.ts";

describe("the connections of the listener of node:http", () => {
  it("closes the connection that is silent for longest when one too many comes", async () => {
    await withListener(async (port) => {
      using silent = await connect(port);
      using next = await connect(port);
      using last = await connect(port);
      using _ = await connect(port);
      assertEquals(await silent.read(), undefined);
      assertEquals(await statusOf(next), 200);
      assertEquals(await statusOf(last), 200);
    });
  });

  it("answers a newcomer when silent ones hold all connections and come back", async () => {
    await withListener(async (port) => {
      using connections = new DisposableStack();
      for (let round = 0; round < 20; round++) {
        for (let i = 0; i < 2; i++) connections.use(await connect(port));
        assertEquals((await exchange(port, LIVEZ))?.status, 200);
      }
    });
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
    });
  });

  it("closes the idle connection whose answer is the longest ago when one too many comes", async () => {
    await withSlowHandler(async (port, { asked, answer }) => {
      using late = await connect(port);
      using early = await connect(port);
      using last = await connect(port);
      await late.send(LIVEZ);
      await asked;
      assertEquals(await statusOf(early, FAST), 200);
      answer();
      assertEquals((await late.read())?.status, 200);
      // Once a later request is answered, the listener knows that the earlier answer is written.
      assertEquals(await statusOf(last, FAST), 200);
      using _newcomer = await connect(port);
      assertEquals(await early.read(), undefined);
      assertEquals(await statusOf(late), 200);
    });
  });

  it("closes none for one too many when the others have been closed", async () => {
    await withListener(async (port) => {
      using silent = await connect(port);
      const last = LIVEZ.replace("Host", "Connection: close\r\nHost");
      for (let i = 0; i < 10; i++) {
        using connection = await connect(port);
        await connection.send(last);
        assertEquals((await connection.read())?.status, 200);
        assertEquals(await connection.read(), undefined);
      }
      assertEquals(await statusOf(silent), 200);
    }, { maxConnections: 5 });
  });

  it("keeps no more connections than it may when many come at once", async () => {
    await withListener(async (port) => {
      using connections = new DisposableStack();
      const burst = await Promise.all(Array.from({ length: 30 }, () => connect(port)));
      for (const connection of burst) connections.use(connection);
      let closed = 0;
      // Those that are kept are read until they are closed here.
      for (const connection of burst) connection.read().then(() => closed++, () => {});
      await until(() => closed === 27);
    });
  });

  it("answers a newcomer when idle ones hold all connections", async () => {
    await withListener(async (port) => {
      using connections = new DisposableStack();
      for (let i = 0; i < 3; i++) {
        const idle = connections.use(await connect(port));
        assertEquals(await statusOf(idle), 200);
      }
      assertEquals((await exchange(port, LIVEZ))?.status, 200);
    });
  });

  it("closes a connection whose body stalls when too many come", async () => {
    await withListener(async (port) => {
      using stalled = await connect(port);
      await stalled.send(PUT_HEAD.replace("Host", "Expect: 100-continue\r\nHost"));
      assertEquals((await stalled.read())?.status, 100);
      using connections = new DisposableStack();
      for (let i = 0; i < 3; i++) connections.use(await connect(port));
      assertEquals(await stalled.read(), undefined);
    });
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
    });
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
    }, { maxConnections: 1 });
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
    });
  });

  it("keeps a connection whose second request of two waits for an answer", async () => {
    await withSlowHandler(async (port, { asked, answer }) => {
      using waiting = await connect(port);
      assertEquals(await statusOf(waiting, FAST + LIVEZ), 200);
      await asked;
      using newcomer = await connect(port);
      assertEquals(await newcomer.read(), undefined);
      answer();
      assertEquals((await waiting.read())?.status, 200);
    }, { maxConnections: 1 });
  });

  it("closes a connection when far too many requests come at once", async () => {
    await withSlowHandler(async (port, { answer }) => {
      using connection = await connect(port);
      await connection.send(LIVEZ.repeat(100));
      assertEquals(await connection.read(), undefined);
      answer();
    });
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
    }, { maxConnections: 1 });
  });
});
