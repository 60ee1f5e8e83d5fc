// The npm package in projects on Deno, Bun and Node, as somebody would have them who installed it:
// the types, the two documented calls through a server of the runtime, the contract of storage.

import { assert, assertEquals } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import { join } from "node:path";
import { type Certificate, makeCertificate } from "../_certificate.ts";
import { type PostgresCluster, startCluster } from "../_postgres.ts";
import { createTableOf, toSnakeCase } from "../_postgres_kinds.ts";
import { run, startProgram, type TestProcess } from "../_process.ts";
import { connect, exchange } from "../_raw.ts";
import { forEachRow } from "../_rows.ts";
import { assertServes } from "../_serving.ts";
import { type SmtpServer, startSmtpServer } from "../_smtp_server.ts";
import { CONTRACT_KINDS } from "../storage_contract.ts";
import { createProject, packPackage } from "./_package.ts";
import { CONTRACT, type Runtime, RUNTIMES } from "./_runtimes.ts";

const EXAMPLES = "../../docs/examples/embedding";
const SCHEMA = "boardcast";
const KEY = "a-key-of-24-characters-or-more";
const AUTHORIZATION = `Authorization: Bearer ${KEY}\r\n`;
const FORM = "Content-Type: application/x-www-form-urlencoded\r\n";
const PUT = `PUT /feedback/api/v1/changelogs/subscribe HTTP/1.1\r\nHost: a\r\n${FORM}`;
const LIVEZ = "GET /feedback/livez HTTP/1.1\r\nHost: a\r\n\r\n";
// With fewer, some part of the contract was not run.
const CONTRACT_TESTS = 150;

describe("npm package", () => {
  let root: string;
  let tarball: string;
  let postgres: PostgresCluster;
  let certificate: Certificate;
  let relay: SmtpServer;

  before(async () => {
    root = await Deno.makeTempDir({ prefix: "boardcast-runtimes-" });
    ({ tarball } = await packPackage(root));
    postgres = await startCluster();
    certificate = await makeCertificate();
    relay = await startSmtpServer({ key: certificate.key, cert: certificate.cert });
  });
  after(async () => {
    await relay?.[Symbol.asyncDispose]();
    await postgres?.dispose();
    await Deno.remove(root, { recursive: true });
  });

  for (const runtime of RUNTIMES) {
    describe(`on ${runtime.name}`, () => {
      let folder: string;

      before(async () => {
        folder = join(root, runtime.name.toLowerCase());
        const packages = [tarball, "postgres@3.4.9", ...runtime.packages];
        await createProject(folder, packages, await filesOf(runtime));
      });

      it("has types that the app agrees with", async () => {
        const [program, ...args] = commandIn(folder, runtime.check);
        await run(program, args, { cwd: folder });
      });

      it("answers the documented calls from a folder, over a restart, and stops whatever clients do", async () => {
        await using first = await startApp(runtime, folder, { DATA: "data" });
        await assertServes(`${first.url}/feedback`, KEY);
        first.process.signal("SIGTERM");
        assertEquals(await first.process.status, 0);
        await using second = await startApp(runtime, folder, { DATA: "data" });
        const board = await fetch(`${second.url}/feedback/api/v1/boards/ideas`, {
          headers: { Authorization: `Bearer ${KEY}` },
        });
        assertEquals([board.status, (await board.json()).name], [200, "Ideas"]);
        // A stop waits for no client that leaves a head or a body unfinished.
        using silent = await connect(second.port);
        await silent.send("GET / HTTP/1.1\r\nHost:");
        using stalled = await connect(second.port);
        await stalled.send(`${PUT}${AUTHORIZATION}Content-Length: 99\r\n\r\nuser`);
        second.process.signal("SIGTERM");
        assertEquals(await second.process.status, 0);
      });

      it("answers from memory, as documented where servers differ, beside pages of the app", async () => {
        await using app = await startApp(runtime, folder);
        await assertServes(`${app.url}/feedback`, KEY);
        const [dotSegments, badHost, trace] = runtime.peculiarities;
        const chunk = `8000\r\n${"a".repeat(0x8000)}\r\n0\r\n\r\n`;
        await forEachRow([
          [400, `${PUT}${AUTHORIZATION}${AUTHORIZATION}\r\n`],
          [413, `${PUT}${AUTHORIZATION}Transfer-Encoding: chunked\r\n\r\n${chunk}`],
          [200, LIVEZ.replace("/", `http://127.0.0.1:${app.port}/`)],
          [dotSegments, LIVEZ.replace("/livez", "/api/../livez")],
          [badHost, LIVEZ.replace("Host: a", "Host: a b")],
          [trace, LIVEZ.replace("GET", "TRACE")],
        ], async ([status, text]) => {
          assertEquals((await exchange(app.port, text))?.status, status);
        });
        assertEquals(await (await fetch(`${app.url}/`)).text(), "A page of the app");
      });

      it("answers the next request behind one that was refused", async () => {
        await using app = await startApp(runtime, folder);
        const long = "x".repeat(200_000);
        const chunked = `Transfer-Encoding: chunked\r\n\r\n30d40\r\n${long}\r\n0\r\n\r\n`;
        // Other servers may hang up behind a long body; the bridge says that it doesn't.
        const bodies = runtime.sources.includes("node_bridge.ts")
          ? [`Content-Length: ${long.length}\r\n\r\n${long}`, chunked]
          : [];
        await forEachRow([
          [401, `${PUT}Content-Length: 14\r\n\r\nsubscribe=true`],
          ...bodies.map((body) => [413, `${PUT}${AUTHORIZATION}${body}`] as const),
        ], async ([status, request]) => {
          using connection = await connect(app.port);
          await connection.send(request + LIVEZ);
          assertEquals((await connection.read())?.status, status);
          assertEquals((await connection.read())?.status, 200);
        });
      });

      it("keeps the contract of storage in memory, in a folder and in PostgreSQL, and sends mail", async () => {
        await postgres.sql.unsafe(`drop schema if exists ${SCHEMA} cascade`);
        const [program, ...args] = commandIn(folder, runtime.test);
        const tables = CONTRACT_KINDS.map(({ name }) => `${SCHEMA}.${toSnakeCase(name)}`);
        const env = {
          DATABASE_URL: postgres.url,
          CREATE_TABLES: CONTRACT_KINDS.map((kind) => createTableOf(kind, SCHEMA)).join(";"),
          EMPTY_TABLES: `truncate ${tables}`,
          MAIL_PORT: `${relay.port}`,
          MAIL_CA: certificate.ca,
        };
        const before = relay.received.length;
        const { out, err } = await run(program, args, { cwd: folder, env });
        const [, passed] = runtime.passed.exec(out + err) ?? [];
        assert(Number(passed) >= CONTRACT_TESTS, out + err);
        const mails = relay.received.slice(before).map(({ to, user }) => `${to} from ${user}`);
        assertEquals(mails, Array(3).fill("bob@example.com from ann"));
      });
    });
  }
});

async function filesOf({ sources, settings }: Runtime): Promise<Record<string, string>> {
  const read = (path: string) => Deno.readTextFile(new URL(path, import.meta.url));
  const files: Record<string, string> = { [CONTRACT]: await read("contract.ts") };
  for (const name of ["app.ts", ...sources]) files[name] = await read(`${EXAMPLES}/${name}`);
  for (const [name, content] of Object.entries(settings)) files[name] = JSON.stringify(content);
  return files;
}

function commandIn(folder: string, [program, ...args]: readonly string[]): string[] {
  return [program.replace(/^\.\//, `${folder}/node_modules/.bin/`), ...args];
}

interface App extends AsyncDisposable {
  readonly process: TestProcess;
  readonly port: number;
  readonly url: string;
}

async function startApp(
  { serve, announcement: [stream, pattern] }: Runtime,
  folder: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<App> {
  const [program, ...args] = commandIn(folder, serve);
  const { PATH = "", HOME = "" } = Deno.env.toObject();
  const env = { PATH, HOME, NO_COLOR: "1", PORT: "0", ...variables };
  const process = startProgram(program, { args, cwd: folder, env });
  const stop = () => process[Symbol.asyncDispose]();
  try {
    const port = Number((await process.waitFor(stream, pattern))[1]);
    return { process, port, url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
