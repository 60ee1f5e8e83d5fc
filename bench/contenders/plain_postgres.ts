/**
 * Boardcast with one query per request in place of its adapter. Arguments: the port, the key, and the
 * URL of a database that has the tables.
 */
import postgres, { type Sql } from "postgres";
import { createHandler, openMemoryStorage, type Storage } from "../../mod.ts";

const [port, operatorKey, url] = Deno.args;
const storage = await createPlainStorage(postgres(url, { onnotice: () => {} }));
const handler = createHandler({ storage, operatorKey, rateLimit: false });
Deno.serve({ hostname: "127.0.0.1", port: Number(port), onListen() {} }, handler);

/**
 * The obvious way to use PostgreSQL, for comparison: one prepared query of the `postgres`
 * package for each request, over its pool. Only what is measured is there.
 */
async function createPlainStorage(sql: Sql): Promise<Storage> {
  await sql`select 1`;
  const rest = openMemoryStorage();
  return {
    ...rest,
    boards: {
      ...rest.boards,
      async get(boardId) {
        const [row] = await sql`select * from boardcast.boards where board_id = ${boardId}`;
        return row === undefined ? undefined : {
          boardId: row.board_id,
          name: row.name,
          description: row.description,
          url: row.url,
          createdAt: row.created_at.toISOString(),
          updatedAt: row.updated_at.toISOString(),
        };
      },
    },
    subscriptions: {
      ...rest.subscriptions,
      async put({ userEmail, userName, subscribe, at }) {
        const [row] = await sql`
          insert into boardcast.subscriptions as s
          values (${userEmail}, ${userName}, ${subscribe}, ${at}, ${at})
          on conflict (user_email) do update set
            user_name = coalesce(excluded.user_name, s.user_name),
            subscribed = excluded.subscribed,
            updated_at = excluded.updated_at
          returning *`;
        const subscription = {
          userEmail: row.user_email,
          userName: row.user_name,
          subscribed: row.subscribed,
          createdAt: row.created_at.toISOString(),
          updatedAt: row.updated_at.toISOString(),
        };
        return { subscription, changed: true };
      },
    },
  };
}
