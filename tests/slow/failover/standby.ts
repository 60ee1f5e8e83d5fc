import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { until } from "../../_support/waiting.ts";
import { startPair } from "./_pair.ts";
import { type ServeProcess, startServe } from "./_service.ts";

const BACK_MS = 5_000;

/** Creates a board; returns the status of the answer. */
async function create({ send }: ServeProcess, boardId: string): Promise<number> {
  return (await send("POST", "/api/v1/boards", { boardId, name: "Board" })).status;
}

async function read({ send }: ServeProcess, boardId: string): Promise<number> {
  return (await send("GET", `/api/v1/boards/${boardId}`)).status;
}

async function isReady({ send }: ServeProcess): Promise<boolean> {
  return (await send("GET", "/readyz")).status === 200;
}

describe("a primary whose synchronous standby is lost", () => {
  it("answers reads, and 503 to changes and /readyz until the standby is back", async () => {
    await using pair = await startPair();
    const [primary, standby] = pair.servers;
    await using process = await startServe(pair.url, {});
    assertEquals(await create(process, "before"), 201);
    await standby.kill();
    assertEquals(await create(process, "meanwhile"), 503);
    assert(!await isReady(process));
    assertEquals(await read(process, "before"), 200);
    await standby.follow(primary);
    await until(() => isReady(process), BACK_MS);
    assertEquals(await create(process, "after"), 201);
  });
});

describe("an asynchronous standby that is promoted", () => {
  it("lacks what it had not received, and nothing else", async () => {
    await using pair = await startPair({ isSynchronous: false });
    const [primary, standby] = pair.servers;
    await using process = await startServe(pair.url, {});
    assertEquals(await create(process, "received"), 201);
    const [{ end }] = await primary.sql`select pg_current_wal_flush_lsn()::text as end`;
    await until(async () => {
      const [{ is }] = await standby.sql`select pg_last_wal_receive_lsn() >= ${end}::pg_lsn as is`;
      return is;
    });
    await standby.sql`alter system set primary_conninfo = ''`;
    await standby.sql`select pg_reload_conf()`;
    await until(async () => (await primary.sql`select from pg_stat_replication`).length === 0);
    assertEquals(await create(process, "lost"), 201);
    await primary.kill();
    await standby.promote();
    await until(async () => (await create(process, "new")) === 201, BACK_MS);
    const found = await Promise.all(["received", "lost", "new"].map((id) => read(process, id)));
    assertEquals(found, [200, 404, 200]);
  });
});
