import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { after, afterEach, before, describe, it } from "@std/testing/bdd";
import { MIGRATIONS } from "../adapters/_postgres/migrations.ts";
import { openPostgresStorage } from "../adapters/postgres.ts";
import type { SubscriptionOutcome } from "../adapters/storage.ts";
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
    const outcomes = await runProcesses(8, 1);
    assertEquals(outcomes.length, 8);
    const migrations = await server.sql.unsafe(`select version from ${schema}.migrations`);
    assertEquals(migrations.length, MIGRATIONS.length);
  });

  it("changes of the same addresses by 4 processes form one history for each", async () => {
    const outcomes = await runProcesses(4, 400);
    const storage = await openPostgresStorage(server.url, { schema });
    const stored = await storage.subscriptions.list({ limit: 100 });
    await storage.close();
    assertEquals(stored.length, 10);
    for (const subscription of stored) {
      const changes = outcomes.filter((outcome) =>
        outcome.changed && outcome.subscription.userEmail === subscription.userEmail
      );
      // Each change starts from the state that another one left, and the last one is stored.
      const befores = changes.map((outcome) => JSON.stringify(outcome.previous ?? null)).sort();
      const afters = changes.map((outcome) => JSON.stringify(outcome.subscription));
      assertEquals(befores, ["null", ...withoutOne(afters, JSON.stringify(subscription))].sort());
    }
  });

  async function runProcesses(count: number, changes: number): Promise<SubscriptionOutcome[]> {
    const script = fileURLToPath(import.meta.resolve("./_postgres_process.ts"));
    const outputs = await Promise.all(
      Array.from({ length: count }, (_, worker) =>
        run(
          Deno.execPath(),
          ["run", "--allow-all", script, server.url, schema, `${changes}`, `${worker}`],
        )),
    );
    return outputs.flatMap(({ out }) => JSON.parse(out));
  }
});

function withoutOne(list: readonly string[], item: string): string[] {
  const at = list.indexOf(item);
  return list.filter((_, i) => i !== at);
}
