import { after, before, describe } from "@std/testing/bdd";
import { openPostgresStorage } from "../adapters/postgres.ts";
import { openServer, type PostgresServer } from "./_postgres.ts";
import { testStorage } from "./storage_contract.ts";

describe("postgres", () => {
  let server: PostgresServer;
  let schemas = 0;

  before(async () => {
    server = await openServer();
  });
  after(() => server.dispose());

  testStorage("postgres", async () => {
    const schema = `contract_${Deno.pid}_${++schemas}`;
    const open = () => openPostgresStorage(server.url, { schema });
    return {
      storage: await open(),
      reopen: open,
      another: open,
      dispose: async () => void await server.sql.unsafe(`drop schema ${schema} cascade`),
    };
  });
});
