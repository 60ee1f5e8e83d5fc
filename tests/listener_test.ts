import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { listen } from "../commands/_listener.ts";
import { serveInVain, withAttempts } from "./_outage.ts";
import {
  SERVER,
  startProgram,
  startServer,
  type TestServer,
  waitUntilServing,
} from "./_process.ts";
import { connect, exchange } from "./_raw.ts";
import { until } from "./_waiting.ts";

const LIVEZ = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n";
const ADDRESS = { host: "127.0.0.1", port: 0 };

describe("the server", () => {
  it("answers again when connections had used up all open files, and warns once", async () => {
    await using server = await startWithFewFiles();
    await useUpFiles(server.port);
    await until(() => isAnswering(server.port));
    const warnings = await server.waitFor(
      "stderr",
      /Cannot take new connections, trying again: \w/g,
    );
    assertEquals(warnings.length, 1);
    server.signal("SIGTERM");
    assertEquals(await server.status, 0);
  });

  it("answers every request that was sent before its connection was closed by a stop", async () => {
    await using server = await startServer();
    const { port } = server;
    let answered = 0;
    const clients = Array.from({ length: 40 }, async () => {
      using connection = await connect(port);
      for (;;) {
        await connection.send(LIVEZ);
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

  it("finishes a request that is under way when it stops, and then ends", async () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<Response>();
    const { address: { port }, shutdown } = listen(() => {
      asked.resolve();
      return answer.promise;
    }, ADDRESS);
    using connection = await connect(port);
    await connection.send(LIVEZ);
    await asked.promise;
    const stopped = shutdown();
    answer.resolve(new Response("done"));
    const response = await connection.read();
    assertEquals([response?.status, response?.headers.get("connection")], [200, "close"]);
    await stopped;
    await until(async () => !await isAnswering(port));
  });

  it("tries on to listen when it can't at once after an outage", async () => {
    const fail = () => {
      throw new Error("still too many files");
    };
    await withAttempts([serveInVain, fail, Deno.serve], async (left) => {
      const warnings: string[] = [];
      const { address: { port }, shutdown } = listen(
        () => Promise.resolve(new Response()),
        { ...ADDRESS, onWarning: (message) => warnings.push(message) },
      );
      await until(() => left() === 0);
      assertEquals((await exchange(port, LIVEZ))?.status, 200);
      await shutdown();
      assertEquals(warnings, ["Cannot take new connections, trying again: too many files"]);
    });
  });

  it("says where the reference and the data are once it listens", async () => {
    await using server = await startServer();
    await server.waitFor("stderr", /reference at http:\/\/127\.0\.0\.1:\d+\/docs, data in memory/);
  });
});

async function startWithFewFiles(): Promise<TestServer> {
  const command = `ulimit -n 120; exec "$0" run --allow-all --no-check "$@"`;
  const args = [SERVER, "--storage", "memory", "--port", "0"];
  return await waitUntilServing(startProgram("sh", {
    args: ["-c", command, Deno.execPath(), ...args],
    env: Deno.env.toObject(),
  }));
}

/** Opens more connections than a server with few files can have, and closes them again. */
async function useUpFiles(port: number): Promise<void> {
  const silent: Deno.Conn[] = [];
  while (silent.length < 300) {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port }).catch(() => undefined);
    if (connection === undefined) break;
    silent.push(connection);
  }
  for (const connection of silent) connection.close();
}

async function isAnswering(port: number): Promise<boolean> {
  const headers = { Connection: "close" };
  const response = await fetch(`http://127.0.0.1:${port}/livez`, { headers }).catch(() =>
    undefined
  );
  await response?.body?.cancel();
  return response?.status === 200;
}
