import { assertEquals, assertStringIncludes } from "@std/assert";
import { beforeEach, describe, it } from "@std/testing/bdd";
import type { OpeningOptions } from "../commands/_storage.ts";
import { KINDS, openMemoryStorage, type Storage, StorageError, SUBSCRIPTIONS } from "../mod.ts";
import { createKey } from "../services/api_keys.ts";
import { createBoard } from "../services/boards.ts";
import { changeSubscription } from "../services/subscriptions.ts";
import { createCommandLine } from "./_cli.ts";
import { until } from "./_waiting.ts";

const AT = "2026-11-21T10:00:00.000Z";
const COPY = ["copy", "file:old", "file:new"];

/** All records of a storage, by kind. */
async function contentsOf(storage: Storage): Promise<unknown> {
  const lists = KINDS.map(async (kind) => {
    const first = await storage.list(kind, { limit: 1_000 });
    const after = { key: String(first.at(-1)?.[kind.key] ?? "") };
    return [kind.name, ...first, ...await storage.list(kind, { after, limit: 1_000 })];
  });
  return await Promise.all(lists);
}

function board(boardId: string) {
  return { boardId, name: "B", description: null, url: null, createdAt: AT, updatedAt: AT };
}

describe("copy", () => {
  let source: Storage;
  let target: Storage;
  let opened: [url: string, options: OpeningOptions][];
  let closed: number;

  const command = createCommandLine({
    openStorage(url, options) {
      opened.push([url, options]);
      const storage = url === "file:old" ? source : target;
      return Promise.resolve({ ...storage, close: () => Promise.resolve(void closed++) });
    },
  });

  beforeEach(async () => {
    [opened, closed] = [[], 0];
    [source, target] = [openMemoryStorage(), openMemoryStorage()];
    await createBoard(source, board("ideas"));
    await createKey(source, { name: "K", scopes: ["*"], expiresAt: AT }, AT);
    for (let n = 0; n < 1_500; n++) {
      const userEmail = `user${n}@x.io`;
      const change = { userEmail, userName: `User ${n}`, source: "link", at: AT } as const;
      await changeSubscription(source, { ...change, subscribe: n % 2 === 0 });
    }
  });

  it("makes every record of every kind as it was", async () => {
    const { status, out, err } = await command.run(...COPY);
    assertEquals([status, out], [0, ""], err);
    for (const part of ["1 boards", "1500 subscriptions", "1 apiKeys"]) {
      assertStringIncludes(err, part);
    }
    assertEquals(await contentsOf(target), await contentsOf(source));
    assertEquals(
      opened.map(([url, { mustExist, mayMigrate }]) => [url, mustExist, mayMigrate]),
      [["file:old", true, false], ["file:new", undefined, true]],
    );
    assertEquals(closed, 2);
  });

  it("shows on a terminal how far it is, and removes that", async () => {
    const openStorage = (url: string) => Promise.resolve(url === "file:old" ? source : target);
    const { err } = await createCommandLine({ openStorage, errColumns: 80 }).run(...COPY);
    assertStringIncludes(err, "\r0 records  ");
    assertStringIncludes(err, "\r\x1b[KCopied ");
  });

  it("changes nothing where there is something already", async () => {
    await createBoard(target, board("own"));
    const before = await contentsOf(target);
    const { status, err } = await command.run(...COPY);
    assertEquals([status, await contentsOf(target)], [1, before]);
    assertStringIncludes(err, "TO is not empty: name one that holds nothing, or empty it");
  });

  it("lets no key in where it can't be completed, and says what to do", async () => {
    const { transact } = target;
    target.transact = (refs, decide) =>
      refs.record.key === "user1499@x.io"
        ? Promise.reject(new StorageError("unavailable", "It is full"))
        : transact(refs, decide);
    const { status, err } = await command.run(...COPY);
    assertEquals([status, err], [
      1,
      "boardcast: It is full; the copy is incomplete: empty TO and copy again\n",
    ]);
    assertEquals((await target.list(KINDS.at(-1)!, { limit: 1 })).length, 0);
    assertEquals(KINDS.at(-1)!.name, "apiKeys");
  });

  it("stops, and undoes nothing, when somebody changes the target meanwhile", async () => {
    const { list } = source;
    source.list = async (kind, query) => {
      const change = { userEmail: "user1@x.io", userName: null, source: "api", at: AT } as const;
      await changeSubscription(target, { ...change, subscribe: false });
      return await list(kind, query);
    };
    const { status, err } = await command.run(...COPY);
    assertEquals(status, 1);
    assertStringIncludes(err, "something else changes TO; the copy is incomplete");
    assertEquals((await target.get(SUBSCRIPTIONS, "user1@x.io"))?.source, "api");
  });

  it("says what to do when a signal stops it, and lets go of both storages", async () => {
    const { list } = source;
    source.list = async (kind, query) => {
      if (query.after === undefined) return await list(kind, query);
      let hasArrived = false;
      const note = () => void (hasArrived = true);
      Deno.addSignalListener("SIGTERM", note);
      Deno.kill(Deno.pid, "SIGTERM");
      await until(() => hasArrived);
      Deno.removeSignalListener("SIGTERM", note);
      return await list(kind, query);
    };
    const { status, err } = await command.run(...COPY);
    assertEquals([status, closed], [1, 2]);
    assertEquals(err, "boardcast: interrupted; the copy is incomplete: empty TO and copy again\n");
  });

  for (
    const [args, message] of [
      [["copy"], "copy needs FROM"],
      [["copy", "file:old"], "copy needs TO"],
      [["copy", "file:old", "file:old"], "FROM and TO are the same"],
      [["copy", "file:old", "memory"], "FROM and TO must outlive the command, unlike memory"],
    ] as const
  ) {
    it(`ends with 2: ${message}`, async () => {
      const { status, err } = await command.run(...args);
      assertEquals([status, err], [2, `boardcast: ${message}\n`]);
    });
  }
});
