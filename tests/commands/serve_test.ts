import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import { reachableOrigin } from "../../commands/serve/listener.ts";
import { withFile } from "../_support/cli.ts";
import { withFolder } from "../_support/folder.ts";
import { freePort } from "../_support/port.ts";
import {
  SERVER,
  startCommand,
  startProcess,
  startProgram,
  startServer,
  type TestServer,
  waitUntilServing,
} from "../_support/process.ts";
import { OPERATOR_KEY } from "../_support/service.ts";

const SUBSCRIBE = "/api/v1/changelogs/subscribe";
const ORIGINS = ["https://a.example", "https://b.example"];
const ON_EVERY_ADDRESS = "--storage memory --port 0 --host 0.0.0.0 --log off".split(" ");
const VARIABLES = {
  BOARDCAST_STORAGE: "nonsense",
  BOARDCAST_RATE_LIMIT: "1/m",
  BOARDCAST_LOG: "off",
  BOARDCAST_BASE_PATH: "/x",
  BOARDCAST_CORS_ORIGINS: ORIGINS.join(", "),
  BOARDCAST_PUBLIC_URL: "https://updates.example/x",
  BOARDCAST_TITLE: "Acme updates",
  BOARDCAST_NO_STUDIO: "true",
  BOARDCAST_API_KEY: OPERATOR_KEY,
};

async function call({ url, key }: TestServer, request: string, form?: Record<string, string>) {
  const [method, path] = request.split(" ");
  const headers = { authorization: `Bearer ${key}`, origin: ORIGINS[1] };
  const response = await fetch(url + path, {
    method,
    headers,
    body: form && new URLSearchParams(form),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** A storage that sends a request to the server while the first key is created. */
const ASKING_STORAGE = `
  import { openMemoryStorage } from "${import.meta.resolve("../../mod.ts")}";
  export default () => {
    const storage = openMemoryStorage();
    const KEY = new Error("This decision stores a key");
    let isAsked = false;
    return {
      ...storage,
      async transact(refs, decide) {
        try {
          return await storage.transact(refs, (found) => {
            const decision = decide(found);
            const isKey = JSON.stringify(decision).includes('"hash"');
            if (isKey && !isAsked) throw KEY;
            return decision;
          });
        } catch (error) {
          if (error !== KEY) throw error;
          isAsked = true;
          const signal = AbortSignal.timeout(500);
          const asked = fetch("http://127.0.0.1:" + Deno.env.get("BOARDCAST_PORT") + "/livez", { signal });
          console.error("answers: " + await asked.then(() => true, () => false));
          return await storage.transact(refs, decide);
        }
      },
    };
  };`;

describe("serve", () => {
  let plain: TestServer;
  let configured: TestServer;
  let silent: TestServer;
  before(async () => {
    [plain, configured, silent] = await Promise.all([
      startServer(["--base-path", "/"]),
      startServer(["--rate-limit", "6000/m", "--log", "text"], VARIABLES),
      waitUntilServing(startProcess(ON_EVERY_ADDRESS)),
    ]);
  });
  after(() =>
    Promise.all([plain, configured, silent].map((server) => server[Symbol.asyncDispose]()))
  );

  it("answers nobody before the first key is printed", () =>
    withFile(
      ASKING_STORAGE,
      async (path) => {
        await using server = startProgram(Deno.execPath(), {
          args: ["run", "--allow-all", "--quiet", SERVER, "--storage", `module:${path}`],
          env: { ...Deno.env.toObject(), NO_COLOR: "1", BOARDCAST_PORT: `${freePort()}` },
        });
        const { url } = await waitUntilServing(server);
        assertEquals((await server.waitFor("stderr", /answers: (\w+)/))[1], "false");
        assertEquals((await fetch(`${url}/livez`)).status, 200);
      },
      "storage.ts",
    ));

  it("prints the first key once, with two calls that work as they are", async () => {
    const out = plain.stdout();
    assertEquals(out.match(/^ {2}bc_/gm)?.length, 1);
    assertEquals(new Set(out.match(/bc_[0-9A-Za-z]+/g)), new Set([plain.key]));
    assertEquals(out.match(/^ {2}curl /gm)?.length, 2);
    assertStringIncludes(out, `curl -X POST ${plain.url}/api/v1/boards `);
    assertStringIncludes(out, `curl -X PUT ${plain.url}${SUBSCRIBE} `);
    const board = { boardId: "a", name: "A" };
    assertEquals((await call(plain, "POST /api/v1/boards", board)).status, 201);
    const form = { userEmail: "ann@example.com", subscribe: "true" };
    assertEquals((await call(plain, `PUT ${SUBSCRIBE}`, form)).status, 200);
    const { headers, text } = await call(plain, "GET /api/v1/keys");
    const { data } = JSON.parse(text);
    assertEquals([data.length, data[0].scopes], [1, ["*"]]);
    // Absent settings have their documented defaults.
    assertEquals(headers.get("ratelimit-policy"), '"default";q=200;w=2');
    assertEquals((await call(plain, "GET /changelog")).status, 404);
  });

  it("says where it listens, and where the reference and the data are", () => {
    assertMatch(configured.stderr(), /^listening on http:\/\/127\.0\.0\.1:\d+\/$/m);
    assertStringIncludes(configured.stderr(), `at ${configured.url}/x/docs, data in memory\n`);
    assertEquals(JSON.parse(plain.stderr().split("\n")[0]).url, `${plain.url}/`);
    assertStringIncludes(silent.stderr(), `listening on http://0.0.0.0:${silent.port}/\n`);
    assertStringIncludes(silent.stdout(), ` http://127.0.0.1:${silent.port}/api/v1/boards `);
    assertEquals(reachableOrigin("::1", 80), "http://[::1]:80");
  });

  it("says where the data are, whatever kind of storage has them", () =>
    withFolder(async (folder) => {
      const path = `${folder}/data`;
      const options = ["--storage", `kv:${path}`, "--port", "0", "--log", "text"];
      await using server = startProgram(Deno.execPath(), {
        args: ["run", "--allow-all", "--quiet", SERVER, ...options],
        env: { ...Deno.env.toObject(), NO_COLOR: "1" },
      });
      await server.waitFor("stderr", new RegExp(`, data in ${path}\n`));
    }));

  it("takes its settings from flags first, then from variables, and prints no key of an operator", async () => {
    const { headers, text } = await call(configured, "GET /x/api/v1/keys");
    assertEquals([text, configured.stdout()], ['{"data":[],"nextCursor":null}\n', ""]);
    assertEquals(headers.get("ratelimit-policy"), '"default";q=12000;w=120');
    assertEquals(headers.get("access-control-allow-origin"), ORIGINS[1]);
    const page = (await call(configured, "GET /x/changelog")).text;
    assertStringIncludes(page, "<title>Acme updates</title>");
    assertStringIncludes(page, "https://updates.example/x/changelog.atom");
  });

  it("warns where the paths of --public-url and --base-path differ, and names both", async () => {
    await using server = await startServer(["--public-url", "https://a.example/feedback"]);
    assertStringIncludes(
      server.stderr(),
      "--public-url has the path /feedback, but --base-path is /: ",
    );
    assertEquals(configured.stderr().includes("--base-path"), false);
  });

  it("has the studio unless it is told not to, and says where", async () => {
    assertStringIncludes(plain.stderr(), `studio at ${plain.url}/studio`);
    assertEquals((await call(plain, "GET /studio")).status, 200);
    assertEquals((await call(configured, "GET /x/studio")).status, 404);
  });

  it("logs no key, address, body or query, in JSON or in text", async () => {
    for (const [server, base] of [[plain, ""], [configured, "/x"]] as const) {
      const form = { userEmail: "ann@example.com", userName: "Secretname", subscribe: "true" };
      const put = `PUT ${base}${SUBSCRIBE}?secret=query`;
      await call(server, put, form);
      await call(server, `GET ${base}/api/v1/changelogs/subscribers/ann@example.com`);
      await call(server, put, { ...form, subscribe: "ann@example.com" });
      const { headers } = await call(server, `GET ${base}/nowhere/ann@example.com?secret`);
      await server.waitFor("stderr", new RegExp(headers.get("x-request-id")!));
      const log = server.stderr();
      assertStringIncludes(log, "/api/v1/changelogs/subscribers/:userEmail");
      for (const text of ["bc_", server.key.slice(8), "ann", "Secret", "secret"]) {
        assert(!log.includes(text), `${text} in ${log}`);
      }
    }
  });

  it("logs one JSON object a request where there is no terminal", async () => {
    const { headers } = await call(plain, "GET /api/v1/boards");
    const requestId = headers.get("x-request-id")!;
    const [line] = await plain.waitFor("stderr", new RegExp(`.*${requestId}.*\n`));
    const { time, durationMs, keyId, ...rest } = JSON.parse(line);
    assertMatch(keyId, /^[0-9a-f]{16}$/);
    assert(!Number.isNaN(Date.parse(time)) && durationMs >= 0);
    const request = { method: "GET", route: "/api/v1/boards", status: 200 };
    assertEquals(rest, { level: "info", requestId, ...request });
  });

  it("logs no request when the log is off, and serves on when nobody reads it", async () => {
    await call(silent, "GET /livez");
    await plain.closeStderr();
    for (let i = 0; i < 3; i++) assertEquals((await call(plain, "GET /livez")).status, 200);
    for (const server of [silent, plain]) server.signal("SIGTERM");
    assertEquals([await silent.status, await plain.status], [0, 0]);
    assertEquals(silent.stderr().includes("livez"), false);
  });

  it("ends with 1 and one line, and prints no key, when its port is in use", async () => {
    const variables = { BOARDCAST_PORT: `${configured.port}` };
    await using second = startCommand(["--storage", "memory"], variables);
    assertEquals([await second.status, second.stdout()], [1, ""]);
    const place = `--host 127.0.0.1 BOARDCAST_PORT ${configured.port}`;
    assertMatch(second.stderr(), new RegExp(`^boardcast: cannot listen on ${place}: [^\n]+\n$`));
  });

  it("ends with 2 and one line when its host can't be one", async () => {
    await using server = startCommand(["--storage", "memory", "--port", "0", "--host", "*"]);
    assertEquals([await server.status, server.stdout()], [2, ""]);
    assertMatch(server.stderr(), /^boardcast: cannot listen on --host \* --port 0: [^\n]+\n$/);
  });
});
