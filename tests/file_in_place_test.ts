import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { type FileStorage, openFileStorage } from "../adapters/file.ts";
import { StorageError } from "../adapters/storage.ts";
import { COUNTERS, PEOPLE } from "./_contract/kinds.ts";
import { count, erasePerson, putPerson } from "./_file/simulation.ts";
import { namesIn, withFolder } from "./_folder.ts";
import { until } from "./_waiting.ts";

/** A storage whose journal continues a snapshot, in a folder with a backup of an earlier day. */
interface Served {
  readonly storage: FileStorage;
  readonly journal: string;
  readonly snapshot: string;
  readonly backup: string;
  /** What the host was told. */
  readonly told: readonly string[];
}

async function withServed(use: (served: Served) => Promise<void>, heartbeatMs = 5): Promise<void> {
  await withFolder(async (root) => {
    const folder = `${root}/data`;
    const before = await openFileStorage(folder);
    await putPerson("bob@x.io")(before);
    await Deno.copyFile(`${folder}/journal-0.jsonl`, `${root}/backup`);
    await putPerson("ann@x.io")(before);
    await erasePerson("ann@x.io")(before);
    await before.close();
    const told: string[] = [];
    const storage = await openFileStorage(folder, {
      heartbeatMs,
      onWarning: (message) => told.push(message),
      onLost: () => told.push("lost"),
    });
    await count("a", "bob@x.io")(storage);
    assertEquals(await namesIn(folder), ["journal-1.jsonl", "lock", "snapshot-1.json"]);
    const [journal, snapshot] = [`${folder}/journal-1.jsonl`, `${folder}/snapshot-1.json`];
    await use({ storage, journal, snapshot, backup: `${root}/backup`, told });
    await storage.close();
  });
}

async function assertEnded({ storage, told }: Served, path: string): Promise<void> {
  const { code, message } = await assertRejects(() => storage.get(PEOPLE, "a"), StorageError);
  assertEquals(code, "unavailable");
  assertMatch(message, /another program has changed, replaced or removed .*\/data\//);
  assertEquals(message.endsWith(path), true, message);
  assertEquals(told, [`${message}; mend the cause and restart`, "lost"]);
}

const JOURNAL_DAMAGE: Readonly<Record<string, (served: Served) => Promise<void>>> = {
  "truncate -s 0": ({ journal }) => Deno.truncate(journal, 0),
  "truncate by a byte": async ({ journal }) => {
    await Deno.truncate(journal, (await Deno.stat(journal)).size - 1);
  },
  async copytruncate({ journal }) {
    await Deno.copyFile(journal, `${journal}.1`);
    await Deno.truncate(journal, 0);
  },
  "a backup copied over it": ({ journal, backup }) => Deno.copyFile(backup, journal),
  "a backup moved over it": ({ journal, backup }) => Deno.rename(backup, journal),
  async "a copy moved over it"({ journal }) {
    await Deno.copyFile(journal, `${journal}.1`);
    await Deno.rename(`${journal}.1`, journal);
  },
  "a line appended": ({ journal }) => Deno.writeTextFile(journal, "{}\n", { append: true }),
  removal: ({ journal }) => Deno.remove(journal),
};

const SNAPSHOT_DAMAGE: Readonly<Record<string, (served: Served) => Promise<void>>> = {
  "truncate -s 0": ({ snapshot }) => Deno.truncate(snapshot, 0),
  "a backup copied over it": ({ snapshot, backup }) => Deno.copyFile(backup, snapshot),
  removal: ({ snapshot }) => Deno.remove(snapshot),
};

describe("file storage whose files are changed while it serves", () => {
  const calls: Readonly<Record<string, (storage: FileStorage) => Promise<unknown>>> = {
    "a change": count("a"),
    "that nothing had to change": erasePerson("nobody@x.io"),
    ping: (storage) => storage.ping(),
  };
  for (const [damage, happen] of Object.entries(JOURNAL_DAMAGE)) {
    it(`acknowledges nothing after this was done to its journal: ${damage}`, async () => {
      for (const call of Object.values(calls)) {
        await withServed(async (served) => {
          await happen(served);
          const error = await assertRejects(() => call(served.storage), StorageError);
          assertEquals(error.code, "unavailable");
          await assertEnded(served, "journal-1.jsonl");
        }, 60_000);
      }
    });

    it(`finds out by its next heartbeat: ${damage} of its journal`, async () => {
      await withServed(async (served) => {
        await happen(served);
        await until(() => served.told.length === 2);
        await assertEnded(served, "journal-1.jsonl");
      });
    });
  }

  for (const [damage, happen] of Object.entries(SNAPSHOT_DAMAGE)) {
    it(`finds out by its next heartbeat: ${damage} of its snapshot`, async () => {
      await withServed(async (served) => {
        await happen(served);
        await until(() => served.told.length === 2);
        await assertEnded(served, "snapshot-1.json");
      });
    });
  }

  it("finds out while changes go on that none of its files was changed", async () => {
    await withServed(async ({ storage, told }) => {
      for (let i = 0; i < 300; i++) await count("b")(storage);
      assertEquals((await storage.get(COUNTERS, "b"))?.value, 300);
      assertEquals(told, []);
    }, 1);
  });
});
