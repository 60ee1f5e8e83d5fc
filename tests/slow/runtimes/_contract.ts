import { BOARDS, createHandler, openMemoryStorage } from "@boardcast/boardcast";
import { openFileStorage } from "@boardcast/boardcast/file";
import { openKvStorage } from "@boardcast/boardcast/kv";
import { openPostgresStorage } from "@boardcast/boardcast/postgres";
import { openSmtpMailer } from "@boardcast/boardcast/smtp";
import { testStorage } from "@boardcast/boardcast/testing";
import { openKv } from "@deno/kv";
import assert from "node:assert";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { it } from "node:test";
import postgres from "postgres";

const { DATABASE_URL: databaseUrl, CREATE_TABLES, EMPTY_TABLES } = process.env;
assert(databaseUrl && CREATE_TABLES && EMPTY_TABLES, "A variable of the database is not set");
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

testStorage("kv", async () => ({ storage: openKvStorage(await openKv()) }), {
  skip: { reopen: "ends with its instance", another: "is not shared between instances" },
});

// Bun requires these functions, although all values are bytes and never need them.
const refuse = () => {
  throw new Error("A value is not made of bytes");
};

it("a database that takes too few checks is refused before anything is stored", async () => {
  const directory = await folder();
  const path = join(directory, "boardcast.db");
  const database = await openKv(path, { encodeV8: refuse, decodeV8: refuse });
  const storage = openKvStorage(database);
  const refs = { board: { kind: BOARDS, key: "ideas" } };
  const looked = storage.transact(refs, () => ({ answer: undefined }));
  await assert.rejects(looked, { code: "incompatible" });
  await storage.close();
  await rm(directory, { recursive: true });
});

// This long deadline keeps a busy machine from failing tests that don't measure time.
const openPostgres = () => openPostgresStorage(databaseUrl, { timeoutMs: 20_000 });
await (await openPostgres()).close();
await execute(CREATE_TABLES);

testStorage("postgres", async () => ({
  storage: await openPostgres(),
  reopen: openPostgres,
  another: openPostgres,
  dispose: () => execute(EMPTY_TABLES),
}));

async function execute(statements: string): Promise<void> {
  const sql = postgres(databaseUrl!, { max: 1, onnotice: () => {} });
  await sql.unsafe(statements);
  await sql.end();
}

it("an error of ./file is a 503 of the handler of .", async () => {
  const directory = await folder();
  const storage = await openFileStorage(directory);
  await storage.close();
  const operatorKey = "a-key-of-24-characters-or-more";
  const headers = { Authorization: `Bearer ${operatorKey}` };
  const request = new Request("http://localhost/api/v1/boards/ideas", { headers });
  const refused = await createHandler({ storage, operatorKey })(request);
  assert.equal(refused.status, 503);
  const problem: { code?: unknown } = await refused.json() as object;
  assert.equal(problem.code, "storage_unavailable");
  await rm(directory, { recursive: true });
});

it("mails are sent over TLS, to a relay whose certificate is trusted", async () => {
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
  const mailer = openSmtpMailer(`smtp://ann:secret@localhost:${port}`, { tls: { ca } });
  const outcomes = await Promise.all([mailer.send(mail), mailer.send(mail)]);
  assert.deepEqual([...outcomes, await mailer.send(mail)], Array(3).fill({ state: "sent" }));
  await mailer.close();
  const wary = openSmtpMailer(`smtp://localhost:${port}`);
  await assert.rejects(wary.send(mail), { name: "MailerError" });
  await wary.close();
});
