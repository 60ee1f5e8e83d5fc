// Tests the npm package: its files, the verdicts of linters for packages, and its use in projects
// on Deno, Bun and Node.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import { existsSync, globSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import config from "../../../deno.json" with { type: "json" };
import { type Certificate, makeCertificate } from "../../_support/certificate.ts";
import { type PostgresCluster, startCluster } from "../../_support/postgres.ts";
import { toName } from "../../../adapters/_postgres/shape.ts";
import { sqlOfTables } from "../../_support/postgres_kinds.ts";
import { run, startProgram, type TestProcess } from "../../_support/process.ts";
import { connect } from "../../_support/raw.ts";
import { forEachRow } from "../../_support/rows.ts";
import { assertServes } from "../../_support/serving.ts";
import { type SmtpServer, startSmtpServer } from "../../_support/smtp_server.ts";
import { CONTRACT_KINDS } from "../../storage_contract.ts";
import { CONTRACT, type Runtime, RUNTIMES } from "./_runtimes.ts";

const BUILD = fileURLToPath(new URL("../../../packaging/build.ts", import.meta.url));
const EXAMPLES = "../../../docs/examples/embedding";
// Pinned, so that new rules come only with a deliberate update.
const PUBLINT = "publint@0.3.25";
const ARE_THE_TYPES_WRONG = "@arethetypeswrong/cli@0.18.5";
const SPECIFIER = /(?:^|[;}\s])(?:import|from)\s*\(?"([^"\s$]+)"/gm;
const SCHEMA = "boardcast";
const KEY = "a-key-of-24-characters-or-more";
const AUTHORIZATION = `Authorization: Bearer ${KEY}\r\n`;
const FORM = "Content-Type: application/x-www-form-urlencoded\r\n";
const PUT = `PUT /feedback/api/v1/changelogs/subscribe HTTP/1.1\r\nHost: a\r\n${FORM}`;
const LIVEZ = "GET /feedback/livez HTTP/1.1\r\nHost: a\r\n\r\n";

describe("npm package", () => {
  let root: string;
  let dist: string;
  let tarball: string;
  let postgres: PostgresCluster;
  let certificate: Certificate;
  let relay: SmtpServer;

  before(async () => {
    root = await Deno.makeTempDir({ prefix: "boardcast-package-" });
    dist = join(root, "dist");
    await run(Deno.execPath(), ["run", "--allow-all", BUILD, dist]);
    const { out } = await run("npm", ["pack", "--json", "--pack-destination", root, dist]);
    tarball = join(root, JSON.parse(out)[0].filename);
    postgres = await startCluster();
    certificate = await makeCertificate();
    relay = await startSmtpServer({ key: certificate.key, cert: certificate.cert });
  });
  after(async () => {
    await relay?.[Symbol.asyncDispose]();
    await postgres?.dispose();
    await Deno.remove(root, { recursive: true });
  });

  const read = (name: string) => Deno.readTextFileSync(join(dist, name));

  it("is content for linters, and has types that every resolution of ES modules finds", () =>
    forEachRow([
      [PUBLINT, "--strict", tarball],
      [ARE_THE_TYPES_WRONG, tarball, "--profile", "esm-only"],
    ], (args) => run("npx", ["-y", ...args], { cwd: root })));

  it("exports what deno.json exports, and depends on nothing but the optional driver", () => {
    const { exports, dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
      read("package.json"),
    );
    assertEquals(Object.keys(exports), Object.keys(config.exports));
    for (const { types, default: code } of Object.values<Record<string, string>>(exports)) {
      for (const path of [types, code]) assert(existsSync(join(dist, path)), path);
    }
    assertEquals([dependencies, Object.keys(peerDependencies)], [undefined, ["postgres"]]);
    assertEquals(peerDependenciesMeta, { postgres: { optional: true } });
    for (const name of globSync("**/*.js", { cwd: dist })) {
      const packages = [...read(name).matchAll(SPECIFIER)].map(([, specifier]) => specifier)
        .filter((specifier) => !/^(?:node:|\.)/.test(specifier));
      assertEquals(packages, name === "adapters/postgres.js" ? ["postgres"] : [], name);
    }
  });

  it("names no runtime, and nothing of the machine that it was built on", () => {
    const scripts = globSync("**/*.js", { cwd: dist });
    assert(scripts.length > 0);
    for (const name of scripts) {
      assertEquals(/^\/\/ \.\.\/.*/m.exec(read(name)), null, name);
      // The assertions of ./testing support all three runtimes.
      if (name.startsWith("tests/")) continue;
      assertEquals(/\b(?:Deno|Bun)\.(?!errors\.)\w+/.exec(read(name)), null, name);
    }
  });

  it("has what its pages link to, and the licenses of what is in it", () => {
    const pages = globSync("**/*.md", { cwd: dist });
    assert(pages.includes("docs/embedding.md"));
    for (const page of pages) {
      for (const [, link] of read(page).matchAll(/\]\((?![a-z]+:|#)([^)#]+)/g)) {
        assert(existsSync(join(dist, dirname(page), link)), `${page} links to ${link}`);
      }
    }
    for (const name of ["LICENSE", "LICENSE-deno-std"]) {
      assertStringIncludes(read(name), "Permission is hereby granted");
    }
  });

  for (const runtime of RUNTIMES) {
    describe(`on ${runtime.name}`, () => {
      let folder: string;

      before(async () => {
        folder = join(root, runtime.name.toLowerCase());
        await Deno.mkdir(folder);
        for (const [name, text] of Object.entries(await filesOf(runtime))) {
          await Deno.writeTextFile(join(folder, name), text);
        }
        const flags = ["--no-audit", "--no-fund", "--no-package-lock"];
        const packages = [tarball, "postgres@3.4.9", "@deno/kv@0.14.0", ...runtime.packages];
        await run("npm", ["install", ...flags, ...packages], { cwd: folder });
      });

      it("has types that the app agrees with", async () => {
        const [program, ...args] = commandIn(folder, runtime.check);
        await run(program, args, { cwd: folder });
      });

      it("answers the documented calls from a folder, over a restart, and stops whatever clients do", async () => {
        await using first = await startApp(runtime, folder, { DATA: "data" });
        await assertServes(`${first.url}/feedback`, KEY);
        first.signal("SIGTERM");
        assertEquals(await first.status, 0);
        await using second = await startApp(runtime, folder, { DATA: "data" });
        const board = await fetch(`${second.url}/feedback/api/v1/boards/ideas`, {
          headers: { Authorization: `Bearer ${KEY}` },
        });
        assertEquals([board.status, (await board.json()).name], [200, "Ideas"]);
        // A stop does not wait for clients that leave a header or a body unfinished.
        using silent = await connect(second.port);
        await silent.send("GET / HTTP/1.1\r\nHost:");
        using stalled = await connect(second.port);
        await stalled.send(`${PUT}${AUTHORIZATION}Content-Length: 99\r\n\r\nuser`);
        second.signal("SIGTERM");
        assertEquals(await second.status, 0);
      });

      it("answers from memory beside pages of the app, also behind a request that was refused", async () => {
        await using app = await startApp(runtime, folder);
        await assertServes(`${app.url}/feedback`, KEY);
        assertEquals(await (await fetch(`${app.url}/`)).text(), "A page of the app");
        const script = await (await fetch(`${app.url}/feedback/studio/main.js`)).text();
        assertStringIncludes(script, "PLACES");
        const long = "x".repeat(200_000);
        const chunked = `Transfer-Encoding: chunked\r\n\r\n30d40\r\n${long}\r\n0\r\n\r\n`;
        // Other servers may close the connection after a long body; the bridge promises that it
        // does not.
        const bodies = runtime.sources.includes("node_bridge.ts")
          ? [`Content-Length: ${long.length}\r\n\r\n${long}`, chunked]
          : [];
        await forEachRow([
          [401, `${PUT}Content-Length: 14\r\n\r\nsubscribe=true`],
          [400, `${PUT}${AUTHORIZATION}${AUTHORIZATION}Content-Length: 0\r\n\r\n`],
          ...bodies.map((body) => [413, `${PUT}${AUTHORIZATION}${body}`] as const),
        ], async ([status, request]) => {
          using connection = await connect(app.port);
          await connection.send(request + LIVEZ);
          assertEquals((await connection.read())?.status, status);
          assertEquals((await connection.read())?.status, 200);
        });
      });

      it("keeps the contract of storage in memory, a folder, Deno KV and PostgreSQL, and sends mail", async () => {
        await postgres.sql.unsafe(`drop schema if exists ${SCHEMA} cascade`);
        const [program, ...args] = commandIn(folder, runtime.test);
        const tables = CONTRACT_KINDS.map(({ name }) => `${SCHEMA}.${toName(name)}`);
        const env = {
          DATABASE_URL: postgres.url,
          CREATE_TABLES: sqlOfTables(CONTRACT_KINDS, SCHEMA),
          EMPTY_TABLES: `truncate ${tables}`,
          MAIL_PORT: `${relay.port}`,
          MAIL_CA: certificate.ca,
        };
        const before = relay.received.length;
        const { out, err } = await run(program, args, { cwd: folder, env });
        for (const name of ["memory", "file", "kv", "postgres"]) {
          assertStringIncludes(out + err, `storage contract: ${name}`);
        }
        const mails = relay.received.slice(before).map(({ to, user }) => `${to} from ${user}`);
        assertEquals(mails, Array(3).fill("bob@example.com from ann"));
      });
    });
  }
});

async function filesOf({ sources, settings }: Runtime): Promise<Record<string, string>> {
  const read = (path: string) => Deno.readTextFile(new URL(path, import.meta.url));
  const files: Record<string, string> = {
    "package.json": '{ "type": "module", "private": true }\n',
    [CONTRACT]: await read("_contract.ts"),
  };
  for (const name of ["app.ts", ...sources]) files[name] = await read(`${EXAMPLES}/${name}`);
  for (const [name, content] of Object.entries(settings)) files[name] = JSON.stringify(content);
  return files;
}

function commandIn(folder: string, [program, ...args]: readonly string[]): string[] {
  return [program.replace(/^\.\//, `${folder}/node_modules/.bin/`), ...args];
}

async function startApp(
  { serve, announcement: [stream, pattern] }: Runtime,
  folder: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<TestProcess & { readonly port: number; readonly url: string }> {
  const [program, ...args] = commandIn(folder, serve);
  const { PATH = "", HOME = "" } = Deno.env.toObject();
  const env = { PATH, HOME, NO_COLOR: "1", PORT: "0", ...variables };
  const process = startProgram(program, { args, cwd: folder, env });
  try {
    const port = Number((await process.waitFor(stream, pattern))[1]);
    return { ...process, port, url: `http://127.0.0.1:${port}` };
  } catch (error) {
    await process[Symbol.asyncDispose]();
    throw error;
  }
}
