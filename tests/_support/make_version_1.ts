/**
 * Makes tests/fixtures/version_1, storage of version 1, with the sources of an earlier Boardcast:
 *
 *     git worktree add --detach ../version_1 6b1eb84a
 *     deno run -A --unstable-kv --no-check tests/_support/make_version_1.ts ../version_1
 *
 * A small service is filled through its API. Kinds that this leaves empty get a record each. The
 * records are then copied to a data folder, a Deno KV file and a database, of which `pg_dump` makes
 * SQL.
 */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { AnyKind, Item, Storage } from "../../mod.ts";
import { findServer, withDatabase } from "./postgres.ts";

const FOLDER = new URL("../fixtures/version_1/", import.meta.url);
const KEY = "operators-own-key-0123456789";
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJ" +
  "RU5ErkJggg==";
const NOW = "2026-11-27T10:00:00.000Z";

const checkout = Deno.args[0];
if (checkout === undefined) throw new Error("Name a checkout of the earlier version");
const load = (path: string) => import(pathToFileURL(resolve(checkout, path)).href);
const { createHandler, openMemoryStorage, KINDS } = await load("mod.ts");
const { openFileStorage } = await load("adapters/file.ts");
const { openKvStorage } = await load("adapters/deno_kv.ts");
const { openPostgresStorage } = await load("adapters/postgres.ts");

async function fill(storage: Storage): Promise<void> {
  const handler = createHandler({
    storage,
    operatorKey: KEY,
    publicUrl: "https://example.com",
    clock: () => Date.parse(NOW),
  });
  async function call(method: string, path: string, body: unknown): Promise<Item> {
    const isBytes = body instanceof Uint8Array;
    const response = await handler(
      new Request(`http://localhost/api/v1/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${KEY}`,
          "content-type": isBytes ? "image/png" : "application/json",
        },
        body: isBytes ? body as Uint8Array<ArrayBuffer> : JSON.stringify(body),
      }),
    );
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? {} : JSON.parse(text);
  }
  await call("POST", "keys", { name: "Web app" });
  await call("POST", "webhooks", { url: "https://example.com/hook", types: "post.created" });
  await call("POST", "boards", { boardId: "ideas", name: "Ideas", visibility: "public" });
  await call("POST", "boards/ideas/posts", {
    postId: "dark",
    title: "Dark mode",
    body: "It hurts.",
  });
  await call("PUT", "boards/ideas/posts/dark/votes", {
    userEmail: "ann@example.com",
    vote: true,
    notify: true,
  });
  await call("PUT", "changelogs/subscribe", {
    userEmail: "ann@example.com",
    userName: "Ann",
    subscribe: true,
  });
  await call("PUT", "changelogs/subscribe", { userEmail: "bob@example.com", subscribe: false });
  await call(
    "POST",
    "changelogs/images",
    Uint8Array.from(atob(PIXEL), (text) => text.charCodeAt(0)),
  );
  await call("POST", "changelogs/entries", {
    entryId: "draft",
    title: "Draft",
    body: "Soon.",
    labels: "new",
  });
  await call("POST", "changelogs/entries", {
    entryId: "dark",
    title: "Dark mode",
    body: "Press **D**.",
  });
  await call("POST", "changelogs/entries/dark/publish", { notify: false });
  for (const kind of KINDS as readonly AnyKind[]) {
    if ((await storage.list(kind, { limit: 1 })).length === 0) {
      await put(storage, kind, sampleOf(kind));
    }
  }
}

async function put(storage: Storage, kind: AnyKind, record: Item): Promise<void> {
  const refs = { record: { kind, key: String(record[kind.key]) } };
  await storage.transact(refs, () => ({ answer: undefined, put: { record } }));
}

/** Returns a record with a value of the type of each field, or with its default. */
function sampleOf(kind: AnyKind): Item {
  const values: Readonly<Record<string, unknown>> = {
    text: "sample",
    boolean: true,
    integer: 1,
    time: NOW,
    texts: ["one", "two"],
    json: [],
  };
  const fields = Object.entries(kind.fields).map(([name, type]) => {
    if (/email/i.test(name)) return [name, "ann@example.com"];
    return [name, kind.defaults?.[name] ?? values[type.replace("?", "")]];
  });
  return Object.fromEntries(fields);
}

async function copy(from: Storage, to: Storage): Promise<void> {
  for (const kind of KINDS as readonly AnyKind[]) {
    for (const record of await from.list(kind, { limit: 1_000 })) await put(to, kind, record);
  }
  await to.close();
}

const memory: Storage = openMemoryStorage();
await fill(memory);
const path = (name: string) => new URL(name, FOLDER).pathname;
for (const name of ["folder", "kv.db", "kv.db-shm", "kv.db-wal"]) {
  await Deno.remove(path(name), { recursive: true }).catch(() => {});
}
await copy(memory, await openFileStorage(path("folder")));
await copy(memory, openKvStorage(await Deno.openKv(path("kv.db"))));
const server = await findServer();
await withDatabase(server, async (url) => {
  await copy(memory, await openPostgresStorage(url));
  const args = ["--inserts", "--no-owner", "--schema=boardcast", url];
  const { success, stdout } = await new Deno.Command("pg_dump", { args }).output();
  if (!success) throw new Error("pg_dump failed");
  // Lines that begin with a backslash are commands of psql.
  const lines = new TextDecoder().decode(stdout).split("\n");
  const sql = lines.filter((line) => !/^(?:\\|--|$)/.test(line)).join("\n");
  await Deno.writeTextFile(path("database.sql"), `${sql}\n`);
});
await server.dispose();
