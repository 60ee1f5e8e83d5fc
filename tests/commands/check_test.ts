import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openFileStorage } from "../../adapters/file.ts";
import { openStorage } from "../../commands/storage/storage.ts";
import type { Storage } from "../../mod.ts";
import { createDelivery } from "../../model/deliveries/delivery.ts";
import {
  API_KEYS,
  DEFERRALS,
  DELIVERIES,
  DELIVERY_FAILURES,
  FAILURES,
  SETTINGS,
  SUBSCRIPTIONS,
  WEBHOOK_LISTS,
} from "../../model/kinds.ts";
import type { Subscription } from "../../model/subscriptions/subscription.ts";
import { put } from "../_contract/calls.ts";
import { assertFailed, createCommandLine } from "../_support/cli.ts";
import { withFolder } from "../_support/folder.ts";
import { withKvFile } from "../_support/kv.ts";
import { connect, withAnyDatabase } from "../_support/postgres.ts";
import { sampleKey, sampleSubscription } from "../_support/samples.ts";
import { createService, START } from "../_support/service.ts";

const { run } = createCommandLine({ environment: { BOARDCAST_STORAGE: "" }, openStorage });

/** Stores records of every kind. */
async function fill(storage: Storage): Promise<void> {
  const { call } = createService({ storage });
  await call("POST", "boards", { boardId: "ideas", name: "Ideas" });
  for (const subscribe of [true, false]) {
    await call("PUT", "changelogs/subscribe", { userEmail: `${subscribe}@example.com`, subscribe });
  }
  await call("POST", "webhooks", { url: "https://hooks.example.com/" });
  await call("POST", "changelogs/entries", { entryId: "a", title: "A", body: "" });
  await call("POST", "changelogs/entries/a/publish", { notify: true });
}

/** Calls a function with the URL of a filled storage, and a function that changes it. */
async function withPlace(
  place: string,
  use: (change: (make: (storage: Storage) => Promise<unknown>) => Promise<void>) => Promise<void>,
): Promise<void> {
  async function change(make: (storage: Storage) => Promise<unknown>): Promise<void> {
    const storage = await openStorage(place);
    await make(storage);
    await storage.close();
  }
  await change(fill);
  await use(change);
}

/** Checks that `check` accepts a storage, and refuses it once a delivery has no entry. */
async function checkPlace(place: string): Promise<void> {
  await withPlace(place, async (change) => {
    const { status, out, err } = await run(`check ${place}`);
    assertEquals([status, out], [0, ""], err);
    assertMatch(err, /^Read .*1 boards, 2 subscriptions, 1 entries.*\nEverything is sound\.\n$/);
    await change((storage) => put(storage, DELIVERIES, createDelivery("gone", START)));
    const broken = await run(`check ${place}`);
    assertEquals(broken.out, "deliveries gone: there is no gone in entries\n");
    assertEquals(broken.status, 1);
  });
}

/** Reads all files of a folder, without the lock, which its owner rewrites all the time. */
async function readAll(folder: string): Promise<Record<string, string>> {
  const files = (await Array.fromAsync(Deno.readDir(folder)))
    .filter(({ isFile, name }) => isFile && name !== "lock");
  const names = files.map(({ name }) => name).sort();
  const read = async (name: string) => [name, await Deno.readTextFile(`${folder}/${name}`)];
  return Object.fromEntries(await Promise.all(names.map(read)));
}

describe("check", () => {
  it("finds what is wrong in a folder", () => withFolder((folder) => checkPlace(`file:${folder}`)));

  it("finds what is wrong in Deno KV, and an index that lacks a record", () =>
    withKvFile(async (path) => {
      await checkPlace(`kv:${path}`);
      const database = await Deno.openKv(path);
      await database.delete(["boardcast", SUBSCRIPTIONS.name, "unsubscribed", "false@example.com"]);
      database.close();
      const { out } = await run(`check kv:${path}`);
      assertStringIncludes(
        out,
        "the index unsubscribed of subscriptions has 0 records, and should have 1",
      );
    }));

  it("finds what is wrong in a database, and a number that is not right", () =>
    withAnyDatabase(async (url) => {
      await checkPlace(url);
      const sql = connect(url);
      await sql`insert into boardcast.counts values ('subscriptions.subscribed', 64, 7)`;
      await sql.end();
      const { out } = await run(`check ${url}`);
      assertStringIncludes(out, "subscribed of subscriptions is said to have 8 records, and has 1");
    }));

  it("changes nothing in a folder, and reads one that a server holds", () =>
    withFolder(async (folder) => {
      const storage = await openFileStorage(folder);
      await fill(storage);
      const before = await readAll(folder);
      const { status, err } = await run(`check ${folder}`);
      assertEquals([status, await readAll(folder)], [0, before], err);
      await storage.close();
    }));

  it("says which line of which file is damaged", () =>
    withFolder(async (folder) => {
      await withPlace(`file:${folder}`, async () => {
        const path = `${folder}/journal-0.jsonl`;
        const text = await Deno.readTextFile(path);
        await Deno.writeTextFile(path, text.replace("ideas", "ideaS"));
        assertFailed(await run(`check ${folder}`), 1, `${path}: line `);
      });
    }));

  it("finds a list of webhooks that differs from the webhooks", () =>
    withFolder((folder) =>
      withPlace(`file:${folder}`, async (change) => {
        const list = { listId: "webhooks", count: 3, enabled: [] };
        await change((storage) => put(storage, WEBHOOK_LISTS, list));
        const { status, out } = await run(`check ${folder}`);
        assertEquals([status, out], [
          1,
          "webhookLists: the list is not that of the webhooks there are\n",
        ]);
      })
    ));

  it("finds what this program can't read: a history, a source, the version", () =>
    withFolder((folder) =>
      withPlace(`file:${folder}`, async (change) => {
        const rubbish = sampleSubscription("ann@example.com", { history: "rubbish" });
        const unknown = { ...sampleSubscription("bob@example.com"), source: "dream" };
        await change(async (storage) => {
          await put(storage, SUBSCRIPTIONS, rubbish);
          await put(storage, SUBSCRIPTIONS, unknown as unknown as Subscription);
          await put(storage, SETTINGS, { settingId: "version", value: "x" });
        });
        const { status, out } = await run(`check ${folder}`);
        assertEquals([status, out.trimEnd().split("\n")], [1, [
          'settings version: Cannot use the storage: "x" is no version of records',
          "subscriptions ann@example.com: history can't be read",
          `subscriptions bob@example.com: source is "dream", which this program doesn't know`,
        ]]);
      })
    ));

  it("finds nothing wrong after mails of a week and of a post, to people without a subscription", () =>
    withFolder((folder) =>
      withPlace(`file:${folder}`, async (change) => {
        await change(async (storage) => {
          await put(
            storage,
            DELIVERIES,
            createDelivery("week:2026-W48", START, { week: "2026-W48" }),
          );
          await put(storage, DELIVERIES, createDelivery("post:x:y", START, { postId: "dark" }));
          const person = { entryId: "post:x:y", userEmail: "voter@example.com" };
          const failure = { ...person, code: "550", text: "no", failedAt: START };
          const deferral = { ...person, deferralId: "d", attempts: 1, place: "p" };
          await put(storage, DEFERRALS, deferral);
          await put(storage, FAILURES, { ...failure, bounces: 1 });
          const listed = { ...failure, failureId: "f", isReported: false };
          await put(storage, DELIVERY_FAILURES, listed as never);
        });
        const { status, out } = await run(`check ${folder}`);
        assertEquals([status, out], [0, ""]);
      })
    ));

  it("finds a key whose successor is gone", () =>
    withFolder((folder) =>
      withPlace(`file:${folder}`, async (change) => {
        const key = sampleKey("4f92a8e1b07c3d65", { successorId: "gone" });
        await change((storage) => put(storage, API_KEYS, key));
        const { status, out } = await run(`check ${folder}`);
        assertEquals(status, 1);
        assertEquals(out, "apiKeys 4f92a8e1b07c3d65: there is no gone in apiKeys\n");
      })
    ));

  it("prints the first 20 places", () =>
    withFolder((folder) =>
      withPlace(`file:${folder}`, async (change) => {
        await change(async (storage) => {
          for (let number = 0; number < 30; number++) {
            await put(storage, DELIVERIES, createDelivery(`gone${number}`, START));
          }
          await put(storage, SUBSCRIPTIONS, sampleSubscription("cem@example.com"));
        });
        const { status, out, err } = await run(`check ${folder}`);
        assertEquals([status, out.match(/\n/g)?.length], [1, 20]);
        assertStringIncludes(err, "There is more, which is not shown.");
      })
    ));

  it("fails for a folder without data", () =>
    withFolder(async (folder) => {
      assertFailed(await run(`check ${folder}`), 1, `there is no data in the folder "${folder}"`);
    }));
});
