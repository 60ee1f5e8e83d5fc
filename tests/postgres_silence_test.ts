import { assertEquals, assertRejects } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import { openDatabase } from "../adapters/_postgres/database.ts";
import { toStatement } from "../adapters/_postgres/statement.ts";
import { openServer, type PostgresServer } from "./_postgres.ts";
import { unhandledDuring } from "./_waiting.ts";

const STATEMENT = toStatement("select 1");

/** Passes connections on to a server, until it falls silent and takes no more of them. */
function startRelay({ hostname, port }: Deno.ConnectOptions) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const connections: Deno.Conn[] = [];
  let isSilent = false;
  const passing: Promise<unknown>[] = [];

  async function pass(from: Deno.Conn, to: Deno.Conn): Promise<void> {
    const buffer = new Uint8Array(65_536);
    // A connection that is closed while it is read ends with an error.
    for (let count; (count = await from.read(buffer).catch(() => null)) !== null;) {
      if (!isSilent) await to.write(buffer.slice(0, count));
    }
  }
  const accepting = (async () => {
    for await (const client of listener) {
      const server = await Deno.connect({ hostname, port });
      connections.push(client, server);
      passing.push(pass(client, server), pass(server, client));
    }
  })();

  return {
    port: listener.addr.port,
    fallSilent(): void {
      isSilent = true;
      listener.close();
    },
    async [Symbol.asyncDispose](): Promise<void> {
      for (const connection of connections) connection.close();
      await Promise.all([accepting, ...passing]);
    },
  };
}

describe("a server that falls silent and takes no connections", () => {
  let server: PostgresServer;

  before(async () => {
    server = await openServer();
  });
  after(() => server.dispose());

  it("makes a statement fail, and nothing else, when it can't be told to cancel it", async () => {
    const url = new URL(server.url);
    await using relay = startRelay({ hostname: url.hostname, port: Number(url.port || "5432") });
    url.port = `${relay.port}`;
    const options = { timeoutMs: 200, idleTimeoutMs: 60_000, now: () => performance.now() };
    const database = openDatabase(url.href, options);
    const unhandled = await unhandledDuring(async () => {
      await database.query(STATEMENT);
      relay.fallSilent();
      await assertRejects(() => database.query(STATEMENT), Error, "No answer");
      // What is refused after the driver's own attempt is told of after it.
      await assertRejects(() => Deno.connect({ hostname: "127.0.0.1", port: relay.port }));
      await database.close();
    });
    assertEquals(unhandled, []);
  });
});
