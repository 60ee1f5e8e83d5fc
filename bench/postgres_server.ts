// A server to be measured. Arguments: the URL of the database, and `batched` for the adapter or
// `plain` for one query per request. Prints its port; ends when standard input does.
import postgres from "postgres";
import { openPostgresStorage } from "../adapters/postgres.ts";
import type { Storage } from "../adapters/storage.ts";
import { createHandler } from "../mod.ts";
import { createPlainStorage } from "./_plain_storage.ts";

const [url, kind, poolSize, operatorKey] = Deno.args;
const size = Number(poolSize);
const storage: Storage = kind === "plain"
  ? await createPlainStorage(postgres(url, { max: size, onnotice: () => {} }))
  : await openPostgresStorage(url, { poolSize: size });

// The plain way is spared the look-up of the key: it is given one of the operator's.
const handler = createHandler({
  storage,
  rateLimit: false,
  ...(kind === "plain" ? { operatorKey } : {}),
});
const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, handler);
console.log(server.addr.port);
await Deno.stdin.readable.pipeTo(new WritableStream());
await server.shutdown();
await storage.close();
