import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { after, afterEach, before, describe, it } from "@std/testing/bdd";
import { MIGRATIONS } from "../adapters/_postgres/migrations.ts";
import { openPostgresStorage } from "../adapters/postgres.ts";
import { SETTINGS } from "../model/kinds.ts";
import { openServer, type PostgresServer } from "./_postgres.ts";
import { run } from "./_process.ts";

const schema = `processes_${Deno.pid}`;

describe("postgres shared by processes", () => {
  let server: PostgresServer;

  before(async () => {
    server = await openServer();
  });
  after(() => server.dispose());
  afterEach(async () => {
    await server.sql.unsafe(`drop schema if exists ${schema} cascade`);
  });

  it("8 processes that open an empty database at once all succeed", async () => {
    await runProcesses(8, 1);
    const migrations = await server.sql.unsafe(`select version from ${schema}.migrations`);
    assertEquals(migrations.length, MIGRATIONS.length);
  });

  it("no change of the same records by 4 processes is lost", async () => {
    const values = await runProcesses(4, 50);
    const counts = values.sort((a, b) => a - b);
    assertEquals(counts, counts.map((_, i) => 1 + Math.floor(i / 10)));
    const rows = await server.sql.unsafe(`select value from ${schema}.settings`);
    assertEquals(rows.map(({ value }) => value), Array.from({ length: 10 }, () => "200"));
  });

  it("of two that create a record each if the other's is not there, one does", async () => {
    const open = () => openPostgresStorage(server.url, { schema, timeoutMs: 20_000 });
    const storages = [await open(), await open()];
    for (let round = 0; round < 50; round++) {
      const keys = [`a${round}`, `b${round}`];
      const created = await Promise.all(storages.map((storage, i) => {
        const [own, other] = [keys[i], keys[1 - i]].map((key) => ({ kind: SETTINGS, key }));
        return storage.transact(
          { own, other },
          ({ other }) =>
            other === undefined
              ? { answer: true, put: { own: { settingId: own.key, value: "" } } }
              : { answer: false },
        );
      }));
      assertEquals(created.sort(), [false, true]);
    }
    for (const storage of storages) await storage.close();
  });

  async function runProcesses(count: number, rounds: number): Promise<number[]> {
    const script = fileURLToPath(import.meta.resolve("./_postgres_process.ts"));
    const args = ["run", "--allow-all", "--no-check", script, server.url, schema, `${rounds}`];
    const outputs = await Promise.all(
      Array.from({ length: count }, () => run(Deno.execPath(), args)),
    );
    return outputs.flatMap(({ out }) => JSON.parse(out)).map(Number);
  }
});
