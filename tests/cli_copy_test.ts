import { assertEquals, assertStringIncludes } from "@std/assert";
import { beforeEach, describe, it } from "@std/testing/bdd";
import { type Storage, StorageError } from "../adapters/storage.ts";
import type { OpeningOptions } from "../commands/_command.ts";
import { openMemoryStorage } from "../mod.ts";
import { createCommandLine } from "./_cli.ts";
import { minute, sampleBoard, sampleChange, sampleKey } from "./_contract/samples.ts";
import { contentsOf } from "./_file/simulation.ts";
import { until } from "./_waiting.ts";

/** Sends this process a signal, and waits until it has arrived. */
async function raise(signal: Deno.Signal): Promise<void> {
  let hasArrived = false;
  const note = () => void (hasArrived = true);
  Deno.addSignalListener(signal, note);
  Deno.kill(Deno.pid, signal);
  await until(() => hasArrived);
  Deno.removeSignalListener(signal, note);
}

const COPY = ["copy", "--from", "file:old"];

describe("copy", () => {
  let source: Storage;
  let target: Storage;
  let sourceOptions: OpeningOptions;
  let closed: number;

  const command = createCommandLine({
    openStorage(_given, { flag, mustExist, mayMigrate } = {}) {
      if (flag === "from") sourceOptions = { mustExist, mayMigrate };
      const storage = flag === "from" ? source : target;
      return Promise.resolve({ ...storage, close: () => Promise.resolve(void closed++) });
    },
  });

  beforeEach(async () => {
    closed = 0;
    [source, target] = [openMemoryStorage(), openMemoryStorage()];
    const { boards, subscriptions, apiKeys } = source;
    await boards.create(sampleBoard("ideas", { description: "What next?", updatedAt: minute(5) }));
    await apiKeys.create(sampleKey("live", { lastUsedAt: minute(9) }));
    await apiKeys.create(sampleKey("revoked", { revokedAt: minute(3), expiresAt: minute(90) }));
    for (let i = 0; i < 2_500; i++) {
      const userEmail = `user${i}@x.io`;
      await subscriptions.put(sampleChange(userEmail, { subscribe: i % 2 === 0 }));
      if (i % 3 > 0) continue;
      const last = { userName: i % 4 === 0 ? "Ann" : null, subscribe: i % 2 !== 0, at: minute(i) };
      await subscriptions.put(sampleChange(userEmail, last));
    }
  });

  it("makes every record as it was, times included", async () => {
    const result = await command.run(...COPY);
    assertEquals(result, {
      status: 0,
      out: "",
      err: "Copied 1 board, 2500 subscribers and 2 keys.\n",
    });
    assertEquals(sourceOptions, { mustExist: true, mayMigrate: false });
    assertEquals(await contentsOf(target), await contentsOf(source));
  });

  it("makes more boards and keys than are read at a time", async () => {
    for (let i = 0; i < 1_500; i++) {
      await source.boards.create(sampleBoard(`board-${i}`));
      await source.apiKeys.create(sampleKey(`key-${i}`));
    }
    const { err } = await command.run(...COPY);
    assertEquals(err, "Copied 1501 boards, 2500 subscribers and 1502 keys.\n");
    assertEquals(await contentsOf(target), await contentsOf(source));
  });

  it("shows on a terminal how far it is, and removes that", async () => {
    const openStorage = (_: unknown, { flag }: OpeningOptions = {}) =>
      Promise.resolve(flag === "from" ? source : target);
    const { err } = await createCommandLine({ openStorage, errColumns: 80 }).run(...COPY);
    assertStringIncludes(err, "\r0 rows  ");
    assertStringIncludes(err, "\r\x1b[KCopied 1 board");
  });

  it("subscribes nobody for a moment who has opted out", async () => {
    const { put } = target.subscriptions;
    const wrong: string[] = [];
    target.subscriptions.put = async (change) => {
      const { subscribed } = (await source.subscriptions.get(change.userEmail))!;
      if (change.subscribe !== subscribed) wrong.push(change.userEmail);
      return await put(change);
    };
    assertEquals((await command.run(...COPY)).status, 0);
    assertEquals(wrong, []);
  });

  const filled: readonly [string, () => Promise<unknown>][] = [
    ["a board", () => target.boards.create(sampleBoard("own"))],
    ["a subscriber", () => target.subscriptions.put(sampleChange("own@x.io"))],
    ["a key", () => target.apiKeys.create(sampleKey("own"))],
  ];
  for (const [what, fill] of filled) {
    it(`changes nothing where there already is ${what}`, async () => {
      await fill();
      const before = await contentsOf(target);
      const { status, err } = await command.run(...COPY);
      assertEquals(status, 1);
      assertStringIncludes(err, "--storage is not empty");
      assertEquals(await contentsOf(target), before);
    });
  }

  it("says so when there is nothing to copy", async () => {
    source = openMemoryStorage();
    const { status, err } = await command.run(...COPY);
    assertEquals([status, err], [1, "boardcast: --from holds nothing: is it the right one?\n"]);
  });

  it("lets no key in where it could not be completed, and says what to do", async () => {
    const { put } = target.subscriptions;
    target.subscriptions.put = (change) =>
      change.userEmail === "user2000@x.io"
        ? Promise.reject(new StorageError("unavailable", "It is full"))
        : put(change);
    const { status, err } = await command.run(...COPY);
    assertEquals(status, 1);
    assertStringIncludes(err, "It is full; the copy is incomplete: empty --storage and copy again");
    assertEquals(await target.apiKeys.list({ limit: 1 }), []);
  });

  const intruders: readonly [string, () => Promise<unknown>][] = [
    ["opts out", () => target.subscriptions.put(sampleChange("user1@x.io", { subscribe: false }))],
    ["makes a board", () => target.boards.create(sampleBoard("ideas"))],
  ];
  for (const [what, intrude] of intruders) {
    it(`stops, and undoes nothing, when somebody ${what} in the target meanwhile`, async () => {
      const { list } = source.boards;
      source.boards.list = async (query) => {
        // Both are seen to be as they must be by now.
        if (query.limit > 1) await intrude();
        return await list(query);
      };
      await source.subscriptions.put(sampleChange("user1@x.io", { subscribe: true }));
      const { status, err } = await command.run(...COPY);
      assertEquals(status, 1);
      assertStringIncludes(err, "something else changes --storage; the copy is incomplete");
      assertEquals(await target.apiKeys.list({ limit: 1 }), []);
      assertEquals((await target.subscriptions.get("user1@x.io"))?.subscribed ?? false, false);
    });
  }

  it("says what to do when a signal stops it, and lets go of both storages", async () => {
    const { list } = source.subscriptions;
    source.subscriptions.list = async (query) => {
      if (query.after !== undefined) await raise("SIGTERM");
      return await list(query);
    };
    const { status, err } = await command.run(...COPY);
    assertEquals([status, err], [
      1,
      "boardcast: interrupted; the copy is incomplete: empty --storage and copy again\n",
    ]);
    assertEquals(closed, 2);
  });

  it("needs two storages", async () => {
    const alone = await command.run("copy");
    assertEquals([alone.status, alone.err], [2, "boardcast: --from is required\n"]);
    const same = await command.run("copy", "--from", "file:shared");
    assertEquals([same.status, same.err], [2, "boardcast: --storage is the same as --from\n"]);
  });

  for (const flags of [["--from", "memory"], ["--from", "file:old", "--storage", "memory"]]) {
    it(`needs storage that outlasts it, unlike ${flags.join(" ")}`, async () => {
      const { status, err } = await command.run("copy", ...flags);
      assertEquals(status, 2);
      assertStringIncludes(err, `${flags.at(-2)} memory does not outlive the command`);
    });
  }
});
