import { relative } from "node:path";

/**
 * Writes an app that imports a clone by its relative path: `app.ts` prints the statuses of four
 * requests, and `database.ts` the error of a database that cannot be reached.
 */
export async function writePathApp(folder: string, clone: string): Promise<void> {
  const path = relative(folder, clone);
  await Deno.writeTextFile(
    `${folder}/app.ts`,
    `import { createHandler, openMemoryStorage } from "${path}/mod.ts";
import { openFileStorage } from "${path}/adapters/file.ts";
import { openKvStorage } from "${path}/adapters/deno_kv.ts";
import { openSmtpMailer } from "${path}/delivery/mail/smtp.ts";

for (const name of [openFileStorage, openKvStorage, openSmtpMailer]) {
  if (typeof name !== "function") throw new TypeError("Cannot import all that opens something");
}
const storage = openMemoryStorage();
const handler = createHandler({ storage, studio: true });
const statuses = [];
for (const path of ["/livez", "/studio", "/docs", "/openapi.json"]) {
  const response = await handler(new Request(\`http://127.0.0.1\${path}\`));
  await response.text();
  statuses.push(response.status);
}
await storage.close();
console.log(statuses.join(" "));
`,
  );
  await Deno.writeTextFile(
    `${folder}/database.ts`,
    `import { openPostgresStorage } from "${path}/adapters/postgres.ts";

try {
  await openPostgresStorage("postgres://nobody@127.0.0.1:1/nothing");
} catch (error) {
  console.log(error.name);
}
`,
  );
}
