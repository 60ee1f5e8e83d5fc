/**
 * Boardcast with one query per request in place of its adapter. Arguments: the port, the key, and the
 * URL of a database that has the tables.
 */
import postgres from "postgres";
import { createHandler } from "../../mod.ts";
import { createPlainStorage } from "./_plain_storage.ts";

const [port, operatorKey, url] = Deno.args;
const storage = await createPlainStorage(postgres(url, { onnotice: () => {} }));
const handler = createHandler({ storage, operatorKey, rateLimit: false });
Deno.serve({ hostname: "127.0.0.1", port: Number(port), onListen() {} }, handler);
