import { after, before, describe } from "@std/testing/bdd";
import { openPostgresStorage } from "../adapters/postgres.ts";
import { openServer, type PostgresServer } from "./_postgres.ts";
import { createTableOf, toSnakeCase } from "./_postgres_kinds.ts";
import { CONTRACT_KINDS, testStorage } from "./storage_contract.ts";

const schema = `contract_${Deno.pid}`;
// What calls do is tested here, not how long they take on a busy machine.
const timeoutMs = 20_000;

describe("postgres", () => {
  let server: PostgresServer;

  before(async () => {
    server = await openServer();
    const storage = await openPostgresStorage(server.url, { schema });
    await storage.close();
    for (const kind of CONTRACT_KINDS) await server.sql.unsafe(createTableOf(kind, schema));
  });
  after(async () => {
    await server.sql.unsafe(`drop schema ${schema} cascade`);
    await server.dispose();
  });

  testStorage("postgres", async () => {
    const open = () => openPostgresStorage(server.url, { schema, timeoutMs });
    return {
      storage: await open(),
      reopen: open,
      another: open,
      dispose: async () => {
        const tables = CONTRACT_KINDS.map(({ name }) => `${schema}.${toSnakeCase(name)}`);
        await server.sql.unsafe(`truncate ${tables}`);
      },
    };
  });
});
