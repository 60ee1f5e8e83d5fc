import { createHandler, openMemoryStorage } from "@boardcast/boardcast";
import { openFileStorage } from "@boardcast/boardcast/file";
import { openPostgresStorage } from "@boardcast/boardcast/postgres";
import { openSmtpMailer } from "@boardcast/boardcast/smtp";
import { CONTRACT_KINDS, testStorage } from "@boardcast/boardcast/testing";
import assert from "node:assert";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { it } from "node:test";
import postgres from "postgres";

const databaseUrl = process.env.DATABASE_URL;
assert(databaseUrl, "DATABASE_URL is not set");
const folder = () => mkdtemp(join(tmpdir(), "boardcast-consumer-"));

testStorage("memory", () => ({ storage: openMemoryStorage() }), {
  skip: { reopen: "ends with its instance", another: "is not shared between instances" },
});

testStorage("file", async () => {
  const directory = await folder();
  return {
    storage: await openFileStorage(directory),
    reopen: () => openFileStorage(directory),
    dispose: () => rm(directory, { recursive: true }),
  };
}, {
  skip: { another: "is held by one process at a time" },
});

testStorage("postgres", async () => {
  // What calls do is tested, not how long they take on a busy machine.
  const open = () => openPostgresStorage(databaseUrl, { timeoutMs: 20_000 });
  const storage = await open();
  // As docs/postgres.md says that the table of a kind has to be.
  for (const { name, key, fields } of CONTRACT_KINDS) {
    const columns = Object.entries(fields).map(([field, type]) =>
      `"${toSnakeCase(field)}" ${TYPES[type.replace("?", "")]} ${
        field === key ? "primary key" : type.endsWith("?") ? "" : "not null"
      }`
    );
    await runStatement(`create table boardcast.${toSnakeCase(name)} (${columns})`);
  }
  return {
    storage,
    reopen: open,
    another: open,
    dispose: () => runStatement("drop schema boardcast cascade"),
  };
});

const TYPES: Readonly<Record<string, string>> = {
  text: 'text collate "C"',
  boolean: "boolean",
  integer: "bigint",
  time: "timestamptz(3)",
  texts: "text[]",
  json: "json",
};

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

async function runStatement(statement: string): Promise<void> {
  const sql = postgres(databaseUrl!, { max: 1, onnotice: () => {} });
  await sql.unsafe(statement);
  await sql.end();
}

it("an error of ./file is a 503 of the handler of .", async () => {
  const directory = await folder();
  const storage = await openFileStorage(directory);
  await storage.close();
  const handler = createHandler({ storage });
  const response = await handler(new Request("http://localhost/readyz"));
  assert.equal(response.status, 503);
  const key = "a-key-of-24-characters-or-more";
  const refused = await createHandler({ storage, operatorKey: key })(
    new Request("http://localhost/api/v1/boards/ideas", {
      headers: { Authorization: `Bearer ${key}` },
    }),
  );
  assert.equal(refused.status, 503);
  const problem: { code?: unknown } = await refused.json() as object;
  assert.equal(problem.code, "storage_unavailable");
  await rm(directory, { recursive: true });
});

const mail = {
  from: { name: "Änn", address: "ann@example.com" },
  to: "bob@example.com",
  subject: "Dark mode",
  text: "Press D.\n",
  html: "<p>Press D.</p>\n",
  messageId: "<dark-mode.bob@example.com>",
  headers: {},
};
const { MAIL_PORT: port, MAIL_CA: ca } = process.env;
it("mails are sent over TLS", async () => {
  const mailer = openSmtpMailer(`smtp://ann:secret@localhost:${port}`, { tls: { ca } });
  const outcomes = await Promise.all([mailer.send(mail), mailer.send(mail)]);
  assert.deepEqual([...outcomes, await mailer.send(mail)], Array(3).fill({ state: "sent" }));
  await mailer.close();
});

it("mail is not sent to a relay whose certificate is not trusted", async () => {
  const mailer = openSmtpMailer(`smtp://localhost:${port}`);
  await assert.rejects(mailer.send(mail), { name: "MailerError" });
  await mailer.close();
});
