/**
 * PUT /api/v1/changelogs/subscribe on `node:sqlite` (WAL, `synchronous=FULL`): one durable
 * transaction a request. Arguments: the port, the key, and a folder.
 */
import { DatabaseSync } from "node:sqlite";
import type { Subscription } from "../../model/subscription.ts";
import { putSubscription } from "./_rules.ts";

const [port, token, folder] = Deno.args;
const database = new DatabaseSync(`${folder}/bench.db`);
database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE subscriptions (userEmail TEXT PRIMARY KEY, userName TEXT,
    subscribed INTEGER NOT NULL, createdAt TEXT NOT NULL, updatedAt TEXT NOT NULL) WITHOUT ROWID`);
const find = database.prepare("SELECT * FROM subscriptions WHERE userEmail = ?");
const put = database.prepare(`INSERT INTO subscriptions
  VALUES (:userEmail, :userName, :subscribed, :createdAt, :updatedAt)
  ON CONFLICT (userEmail) DO UPDATE SET userName = excluded.userName,
    subscribed = excluded.subscribed, updatedAt = excluded.updatedAt`);

function get(userEmail: string): Subscription | undefined {
  const row = find.get(userEmail);
  return row && { ...row as unknown as Subscription, subscribed: row.subscribed === 1 };
}
function set(_: string, subscription: Subscription): void {
  put.run({ ...subscription, subscribed: Number(subscription.subscribed) });
}

Deno.serve({ hostname: "127.0.0.1", port: Number(port), onListen() {} }, async (request) => {
  if (request.headers.get("authorization") !== `Bearer ${token}`) {
    return new Response(null, { status: 401 });
  }
  const form = Object.fromEntries(new URLSearchParams(await request.text()));
  database.exec("BEGIN IMMEDIATE");
  const { status, content } = putSubscription(form, { get, set });
  database.exec("COMMIT");
  return Response.json(content, { status });
});
