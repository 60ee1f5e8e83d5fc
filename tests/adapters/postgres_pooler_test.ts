import { assert } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { openPostgresStorage } from "../../adapters/postgres.ts";
import { BOARDS, KINDS } from "../../model/kinds.ts";
import { put } from "../_contract/calls.ts";
import { assertUnavailable, failureOf, untilItWorks } from "../_support/load.ts";
import { withAnyDatabase } from "../_support/postgres.ts";
import { forEachRow } from "../_support/rows.ts";
import { sampleBoard } from "../_support/samples.ts";

// FATAL, too_many_connections (PostgreSQL's protocol 3.0).
const TOO_MANY = "E\0\0\0\x24SFATAL\0VFATAL\0C53300\0Mtoo many\0\0";

/** A proxy of a server, which closes all connections whenever it is to treat new ones in a way. */
interface Pooler extends AsyncDisposable {
  readonly url: string;
  treat(treatment: ((connection: Socket) => unknown) | undefined): void;
}

async function startPooler(serverUrl: string): Promise<Pooler> {
  const target = new URL(serverUrl);
  const open = new Set<Socket>();
  let treatment: ((connection: Socket) => unknown) | undefined;

  function track(socket: Socket): void {
    open.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => open.delete(socket));
  }

  const server = createServer((client: Socket) => {
    track(client);
    if (treatment !== undefined) return treatment(client);
    const upstream = connect(Number(target.port), target.hostname);
    track(upstream);
    client.pipe(upstream).pipe(client);
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: Object.assign(new URL(serverUrl), { port: `${port}` }).href,
    treat(next) {
      treatment = next;
      for (const socket of open) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe("postgres storage behind a pooler", () => {
  it("connects 20 times a second, and not thousands of times, while connections end as they start", () =>
    withAnyDatabase(async (url) => {
      const endings: Record<string, (connection: Socket) => unknown> = {
        "that it ends": (connection) => connection.end(),
        "that it resets": (connection) => connection.resetAndDestroy(),
        "that it refuses": (connection) => connection.once("data", () => connection.end(TOO_MANY)),
      };
      await forEachRow(Object.entries(endings), async ([, end]) => {
        await using pooler = await startPooler(url);
        const pooled = await openPostgresStorage(pooler.url, { timeoutMs: 1_000 });
        await put(pooled, BOARDS, sampleBoard("ideas"));
        const startMs = performance.now();
        let attempts = 0;
        pooler.treat((connection) => {
          attempts++;
          end(connection);
        });
        const failures = await Promise.all(
          KINDS.map((kind) => failureOf(() => pooled.get(kind, "a"))),
        );
        const again = await Promise.all(
          KINDS.map((kind) => failureOf(() => pooled.get(kind, "a"))),
        );
        assertUnavailable([...failures, ...again].filter((failure) => failure !== undefined));
        const most = 25 + (performance.now() - startMs) / 50;
        assert(attempts > 1 && attempts <= most, `${attempts} attempts, of at most ${most}`);
        pooler.treat(undefined);
        await untilItWorks(() => pooled.get(BOARDS, "ideas"));
        await pooled.close();
      });
    }));
});
