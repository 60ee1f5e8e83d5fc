import { assert } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import { openPostgresStorage } from "../adapters/postgres.ts";
import type { Storage } from "../mod.ts";
import { openServer, type PostgresServer } from "./_postgres.ts";
import { createService } from "./_service.ts";

const schema = `changelog_${Deno.pid}`;
const ENTRIES = "/api/v1/changelogs/entries";
const PATHS = ["/changelog", "/changelog/a", "/changelog.atom", "/changelog.json"];
const MAX_LATE_MS = 2_000;

describe("the public changelog on postgres", () => {
  let server: PostgresServer;
  let storages: readonly Storage[];

  before(async () => {
    server = await openServer();
    // One after the other, as only the first one migrates.
    const first = await openPostgresStorage(server.url, { schema });
    storages = [first, await openPostgresStorage(server.url, { schema })];
  });

  after(async () => {
    await Promise.all(storages.map((storage) => storage.close()));
    await server.sql.unsafe(`drop schema if exists ${schema} cascade`);
    await server.dispose();
  });

  it("shows what another instance changes within 2 s", async () => {
    const [reader, writer] = storages.map((storage) =>
      createService({ storage, publicUrl: "https://updates.example" })
    );
    const read = async (path: string) =>
      await (await reader.send("GET", path, { key: null })).text();
    const json = { entryId: "a", title: "Title 0", body: "Text" };
    assert((await writer.send("POST", ENTRIES, { json })).ok);
    const published = await writer.send("POST", `${ENTRIES}/a/publish`, {
      json: { notify: false },
    });
    assert(published.ok);
    for (const path of PATHS) assert((await read(path)).includes("Title 0"), path);
    const change = { json: { title: "Title 1" } };
    assert((await writer.send("PATCH", `${ENTRIES}/a`, change)).ok);
    const deadline = performance.now() + MAX_LATE_MS;
    for (const path of PATHS) {
      while (!(await read(path)).includes("Title 1")) assert(performance.now() < deadline, path);
    }
  });
});
