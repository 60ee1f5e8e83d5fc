/**
 * A plain PUT /api/v1/changelogs/subscribe on `node:sqlite` (WAL, `synchronous=FULL`): one durable
 * transaction a request, nothing validated. Arguments: the port, the key, and a folder.
 */
import { DatabaseSync } from "node:sqlite";

const [port, token, folder] = Deno.args;
const database = new DatabaseSync(`${folder}/bench.db`);
database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE subscriptions (user_email TEXT PRIMARY KEY, user_name TEXT,
    subscribed INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL)
    WITHOUT ROWID`);
const find = database.prepare("SELECT * FROM subscriptions WHERE user_email = ?");
const put = database.prepare(`INSERT INTO subscriptions VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (user_email) DO UPDATE SET user_name = excluded.user_name,
    subscribed = excluded.subscribed, updated_at = excluded.updated_at`);

Deno.serve({ hostname: "127.0.0.1", port: Number(port), onListen() {} }, async (request) => {
  if (request.headers.get("authorization") !== `Bearer ${token}`) {
    return new Response(null, { status: 401 });
  }
  const form = new URLSearchParams(await request.text());
  const userEmail = form.get("userEmail") ?? "";
  const subscribed = form.get("subscribe") === "true";
  const at = new Date().toISOString();
  database.exec("BEGIN IMMEDIATE");
  const found = find.get(userEmail);
  const userName = form.get("userName") ?? found?.user_name ?? null;
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
});
