import { DatabaseSync } from "node:sqlite";
import { API_KEY, emailOf } from "./load.ts";

/** A plain handler for PUT /api/v1/changelogs/subscribe: one durable transaction a request. */
export function createSqliteHandler(
  path: string,
  count: number,
): (request: Request) => Promise<Response> {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS subscriptions (user_email TEXT PRIMARY KEY, user_name TEXT,
      subscribed INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL)
      WITHOUT ROWID`);
  const find = database.prepare("SELECT * FROM subscriptions WHERE user_email = ?");
  const put = database.prepare(`INSERT INTO subscriptions VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (user_email) DO UPDATE SET user_name = excluded.user_name,
      subscribed = excluded.subscribed, updated_at = excluded.updated_at`);

  database.exec("BEGIN");
  const start = new Date(1_790_000_000_000).toISOString();
  for (let i = 0; i < count; i++) put.run(emailOf(i), null, 1, start, start);
  database.exec("COMMIT");

  return async (request) => {
    if (request.headers.get("authorization") !== `Bearer ${API_KEY}`) {
      return new Response(null, { status: 401 });
    }
    const form = new URLSearchParams(await request.text());
    const userEmail = form.get("userEmail") ?? "";
    const at = new Date().toISOString();
    database.exec("BEGIN IMMEDIATE");
    const found = find.get(userEmail);
    const userName = form.get("userName") ?? found?.user_name ?? null;
    const subscribed = form.get("subscribe") === "true";
    const createdAt = found?.created_at ?? at;
    put.run(userEmail, userName, subscribed ? 1 : 0, createdAt, at);
    database.exec("COMMIT");
    return Response.json({
      userEmail,
      userName,
      subscribed,
      changed: true,
      createdAt,
      updatedAt: at,
    });
  };
}
