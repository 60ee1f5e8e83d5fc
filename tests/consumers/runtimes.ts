// The npm package in projects on Deno, Bun and Node, as somebody would have them who installed it:
// the types, the two documented calls through a server of the runtime, the contract of storage.

import { assert, assertEquals } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import { join } from "node:path";
import { type Certificate, makeCertificate } from "../_certificate.ts";
import { type PostgresServer, startCluster } from "../_postgres.ts";
import { createTableOf, toSnakeCase } from "../_postgres_kinds.ts";
import { run, startProgram, type TestProcess } from "../_process.ts";
import { connect, exchange } from "../_raw.ts";
import { assertServes } from "../_serving.ts";
import { type SmtpServer, startSmtpServer } from "../_smtp_server.ts";
import { CONTRACT_KINDS } from "../storage_contract.ts";
import { createProject, packPackage } from "./_package.ts";
import { CONTRACT, type Runtime, RUNTIMES } from "./_runtimes.ts";

const EXAMPLES = "../../docs/examples/embedding";
const POSTGRES = "postgres@3.4.9";
const SCHEMA = "boardcast";
const KEY = "a-key-of-24-characters-or-more";
const AUTHORIZATION = `Authorization: Bearer ${KEY}\r\n`;
const SUBSCRIBE = "PUT /feedback/api/v1/changelogs/subscribe HTTP/1.1\r\nHost: a\r\n";
const LONG = "x".repeat(200_000);
const FORM = "Content-Type: application/x-www-form-urlencoded\r\n";
// With fewer, some part of the contract was not run.
const CONTRACT_TESTS = 150;

describe("npm package", () => {
  let root: string;
  let tarball: string;
  let postgres: PostgresServer;
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
        await createProject(folder, tarball, {
          packages: [POSTGRES, ...runtime.packages],
          files: await filesOf(runtime),
        });
      });

      it("has types that the app agrees with", async () => {
        const [program, ...args] = commandIn(folder, runtime.commands.check);
        await run(program, args, { cwd: folder });
      });

      it("answers the documented calls from memory beside the app's own pages", async () => {
        await using app = await startApp(runtime, folder);
        assertEquals(await (await fetch(`${app.url}/`)).text(), "A page of the app");
        await assertServes(`${app.url}/feedback`, KEY);
        app.process.signal("SIGTERM");
        assertEquals(await app.process.status, 0);
      });

      it("answers the documented calls from a folder, after a restart too", async () => {
        await using first = await startApp(runtime, folder, { DATA: "data" });
        await assertServes(`${first.url}/feedback`, KEY);
        first.process.signal("SIGTERM");
        assertEquals(await first.process.status, 0);
        await using second = await startApp(runtime, folder, { DATA: "data" });
        const board = await fetch(`${second.url}/feedback/api/v1/boards/ideas`, {
          headers: { Authorization: `Bearer ${KEY}` },
        });
        assertEquals([board.status, (await board.json()).name], [200, "Ideas"]);
        second.process.signal("SIGTERM");
        assertEquals(await second.process.status, 0);
      });

      it("answers what is not in order as the service does", async () => {
        await using app = await startApp(runtime, folder);
        await assertRefuses(app.port);
        assertEquals(await (await fetch(`${app.url}/`)).text(), "A page of the app");
      });

      it("answers a target in absolute form", async () => {
        await using app = await startApp(runtime, folder);
        const target = `http://127.0.0.1:${app.port}/feedback/livez`;
        const answer = await exchange(app.port, `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`);
        assertEquals(answer?.status, 200);
      });

      it("stops though clients leave a head or a body unfinished", async () => {
        await using app = await startApp(runtime, folder, { DATA: "data" });
        assertEquals((await fetch(`${app.url}/`)).status, 200);
        using silent = await connect(app.port);
        await silent.send("GET / HTTP/1.1\r\nHost:");
        using stalled = await connect(app.port);
        await stalled.send(`${SUBSCRIBE}${AUTHORIZATION}${FORM}Content-Length: 99\r\n\r\nuser`);
        app.process.signal("SIGTERM");
        assertEquals(await app.process.status, 0);
      });

      it("answers what its server looks at first as documented", async () => {
        await using app = await startApp(runtime, folder);
        const { dotSegments, badHost, trace } = runtime.peculiarities;
        const statuses: readonly [number, string][] = [
          [dotSegments, "GET /feedback/api/../livez HTTP/1.1\r\nHost: a\r\n\r\n"],
          [badHost, "GET /feedback/livez HTTP/1.1\r\nHost: a b\r\n\r\n"],
          [trace, "TRACE /feedback/livez HTTP/1.1\r\nHost: a\r\n\r\n"],
        ];
        for (const [status, text] of statuses) {
          assertEquals((await exchange(app.port, text))?.status, status, text);
        }
      });

      // Other servers may hang up behind such a body; the bridge says that it doesn't.
      if (runtime.sources.includes("node_bridge.ts")) {
        it("answers the next request behind a long body that was refused", async () => {
          await using app = await startApp(runtime, folder);
          await assertLetsGo(app.port, `Content-Length: ${LONG.length}\r\n\r\n${LONG}`);
          const chunk = `${LONG.length.toString(16)}\r\n${LONG}\r\n0\r\n\r\n`;
          await assertLetsGo(app.port, `Transfer-Encoding: chunked\r\n\r\n${chunk}`);
        });
      }

      it("keeps the contract of storage in memory, in a folder and in PostgreSQL, and sends mail", async () => {
        await postgres.sql.unsafe(`drop schema if exists ${SCHEMA} cascade`);
        const [program, ...args] = commandIn(folder, runtime.commands.test);
        const env = {
          DATABASE_URL: postgres.url,
          CREATE_TABLES: CONTRACT_KINDS.map((kind) => createTableOf(kind, SCHEMA)).join(";"),
          EMPTY_TABLES: `truncate ${
            CONTRACT_KINDS.map(({ name }) => `${SCHEMA}.${toSnakeCase(name)}`)
          }`,
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
  { commands, announcement: [stream, pattern] }: Runtime,
  folder: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<App> {
  const [program, ...args] = commandIn(folder, commands.serve);
  const { PATH = "", HOME = "" } = Deno.env.toObject();
  const process = startProgram(program, {
    args,
    cwd: folder,
    env: { PATH, HOME, NO_COLOR: "1", PORT: "0", ...variables },
  });
  try {
    const port = Number((await process.waitFor(stream, pattern))[1]);
    const stop = () => process[Symbol.asyncDispose]();
    return { process, port, url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await process[Symbol.asyncDispose]();
    throw error;
  }
}

/** Sends what servers treat differently when they are asked to do it by themselves. */
async function assertRefuses(port: number): Promise<void> {
  const twice = `GET /feedback/api/v1/boards/a HTTP/1.1\r\nHost: a\r\n${AUTHORIZATION}`;
  assertEquals((await exchange(port, `${twice}${AUTHORIZATION}\r\n`))?.status, 400);

  const chunk = `4000\r\n${"a".repeat(0x4000)}\r\n`;
  const long = `${SUBSCRIBE}${AUTHORIZATION}${FORM}Transfer-Encoding: chunked\r\n\r\n`;
  assertEquals((await exchange(port, `${long}${chunk}${chunk}0\r\n\r\n`))?.status, 413);

  using connection = await connect(port);
  await connection.send(`${SUBSCRIBE}${FORM}Content-Length: 14\r\n\r\nsubscribe=true`);
  assertEquals((await connection.read())?.status, 401);
  await connection.send("HEAD /feedback/livez HTTP/1.1\r\nHost: a\r\n\r\n");
  assertEquals((await connection.read({ head: true }))?.status, 200);

  // A client that goes away in the middle of a body takes nothing with it.
  using leaving = await connect(port);
  await leaving.send(`${SUBSCRIBE}${AUTHORIZATION}${FORM}Content-Length: 99\r\n\r\nuser`);
}

/** Sends a body that is refused, and the next request, on one connection. */
async function assertLetsGo(port: number, body: string): Promise<void> {
  using connection = await connect(port);
  const next = "GET /feedback/livez HTTP/1.1\r\nHost: a\r\n\r\n";
  await connection.send(`${SUBSCRIBE}${AUTHORIZATION}${FORM}${body}${next}`);
  assertEquals((await connection.read())?.status, 413);
  assertEquals((await connection.read())?.status, 200);
}
