import { withFolder } from "./folder.ts";
import { connect, withAnyDatabase } from "./postgres.ts";

const FIXTURES = new URL("../fixtures/version_1/", import.meta.url);

/** Calls a function with the URL of a copy of storage of version 1. */
export type WithVersion1 = (use: (url: string) => Promise<void>) => Promise<void>;

/** Storage of version 1, which make_version_1.ts has made, by name. */
export const VERSION_1: readonly (readonly [name: string, WithVersion1])[] = [
  [
    "a folder",
    (use) =>
      withFolder(async (folder) => {
        for await (const { name } of Deno.readDir(new URL("folder/", FIXTURES))) {
          await Deno.copyFile(new URL(`folder/${name}`, FIXTURES), `${folder}/${name}`);
        }
        await use(`file:${folder}`);
      }),
  ],
  [
    "Deno KV",
    (use) =>
      withFolder(async (folder) => {
        await Deno.copyFile(new URL("kv.db", FIXTURES), `${folder}/kv.db`);
        await use(`kv:${folder}/kv.db`);
      }),
  ],
  [
    "a database",
    (use) =>
      withAnyDatabase(async (url) => {
        await withSql(url, async (sql) => {
          await sql.unsafe(await Deno.readTextFile(new URL("database.sql", FIXTURES)));
        });
        await use(url);
      }),
  ],
];

/** Calls a function with a client of a database. */
export async function withSql<T>(
  url: string,
  use: (sql: ReturnType<typeof connect>) => Promise<T>,
): Promise<T> {
  const sql = connect(url);
  try {
    return await use(sql);
  } finally {
    await sql.end({ timeout: 0 });
  }
}
