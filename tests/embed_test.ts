import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createHandler, type Handler, openMemoryStorage } from "../mod.ts";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { neededEnvironment } from "./_environment.ts";
import { createListener } from "./consumers/node_bridge.ts";
import { withFolder } from "./_folder.ts";
import { connect } from "./_raw.ts";
import { startProgram, type TestProcess } from "./_process.ts";

const KEY = "a-key-of-24-characters-or-more";
const OTHER_KEY = "another-key-of-24-characters-or-more";
const HOST = fileURLToPath(new URL("_embedded.ts", import.meta.url));

function create(basePath?: string, operatorKey = KEY): Handler {
  return createHandler({ storage: openMemoryStorage(), basePath, operatorKey });
}

function request(method: string, url: string, form?: Readonly<Record<string, string>>): Request {
  const headers = { Authorization: `Bearer ${KEY}` };
  return new Request(url, { method, headers, body: form && new URLSearchParams(form) });
}

async function status(response: Promise<Response>): Promise<number> {
  const { status, body } = await response;
  await body?.cancel();
  return status;
}

describe("embedded handler", () => {
  for (const basePath of [undefined, "/feedback", "/apps/feedback-1"]) {
    it(`answers the documented calls when its base path is ${basePath ?? "the root"}`, async () => {
      const handler = create(basePath);
      const api = `http://localhost${basePath ?? ""}/api/v1`;
      const created = await handler(
        request("POST", `${api}/boards`, { boardId: "ideas", name: "Ideas" }),
      );
      const location = created.headers.get("location");
      assertEquals([created.status, location], [201, `${basePath ?? ""}/api/v1/boards/ideas`]);
      assertEquals(await status(handler(request("GET", `${api}/boards/ideas`))), 200);
      const form = { userEmail: "ann@example.com", subscribe: "true" };
      const subscribed = await handler(request("PUT", `${api}/changelogs/subscribe`, form));
      assertEquals((await subscribed.json()).subscribed, true);
    });
  }

  it("answers 404 outside its base path", async () => {
    const handler = create("/feedback");
    for (const path of ["/livez", "/feedback", "/feedbacks/livez", "/Feedback/livez", "/"]) {
      assertEquals(await status(handler(request("GET", `http://localhost${path}`))), 404, path);
    }
  });

  for (
    const origin of [
      "http://localhost",
      "https://feedback.example.com",
      "http://[::1]:8000",
      "https://user:secret@example.com:8443",
      "http://xn--bcher-kva.example",
      "app://boardcast",
    ]
  ) {
    it(`answers whatever the origin when it is ${origin}`, async () => {
      assertEquals(await status(create()(request("GET", `${origin}/livez?x=1#y`))), 200);
    });
  }

  it("stands beside the routes of its host under a server", async () => {
    const handler = create("/feedback");
    const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
      const { pathname } = new URL(request.url);
      return pathname.startsWith("/feedback/") ? handler(request) : new Response("The host's own");
    });
    try {
      const url = `http://127.0.0.1:${server.addr.port}`;
      assertEquals(await (await fetch(`${url}/livez`)).text(), "The host's own");
      assertEquals(await (await fetch(`${url}/feedback/livez`)).json(), { status: "ok" });
      assertEquals(await (await fetch(`${url}/feedbacks`)).text(), "The host's own");
    } finally {
      await server.shutdown();
    }
  });

  it("shares nothing with others in the process when each has a storage of its own", async () => {
    const url = "http://localhost/api/v1/boards";
    const [first, second] = [create(), create()];
    assertEquals(await status(first(request("POST", url, { boardId: "a", name: "A" }))), 201);
    assertEquals(await status(first(request("GET", `${url}/a`))), 200);
    assertEquals(await status(second(request("GET", `${url}/a`))), 404);
    assertEquals(await status(create(undefined, OTHER_KEY)(request("GET", `${url}/a`))), 401);
  });

  it("shares its records with others when they have the same storage", async () => {
    const storage = openMemoryStorage();
    const options = { storage, operatorKey: KEY };
    const root = createHandler(options);
    const prefixed = createHandler({ ...options, basePath: "/b", rateLimit: false });
    const form = { boardId: "a", name: "A" };
    assertEquals(await status(root(request("POST", "http://x/api/v1/boards", form))), 201);
    assertEquals(await status(prefixed(request("GET", "http://x/b/api/v1/boards/a"))), 200);
  });

  it("answers as ever when an app has added to all objects", async () => {
    const handler = create();
    const form = { userEmail: "ann@example.com", subscribe: "true" };
    Object.assign(Object.prototype, { each: "one\ntwo" });
    try {
      const url = "http://localhost/api/v1/changelogs/subscribe";
      const response = await handler(request("PUT", url, form));
      assertEquals([response.status, response.headers.has("each")], [200, false]);
      await response.body?.cancel();
    } finally {
      Reflect.deleteProperty(Object.prototype, "each");
    }
  });

  it("is limited for itself alone when several have a rate limit", async () => {
    const url = "http://localhost/api/v1/boards/a";
    const limited = () =>
      createHandler({
        storage: openMemoryStorage(),
        operatorKey: KEY,
        rateLimit: { requests: 1, windowSeconds: 60 },
        clock: () => 0,
      });
    const [first, second] = [limited(), limited()];
    const statuses: number[] = [];
    for (let i = 0; i < 3; i++) statuses.push(await status(first(request("GET", url))));
    assertEquals(statuses, [404, 404, 429]);
    assertEquals(await status(second(request("GET", url))), 404);
  });
});

describe("the bridge to node:http", () => {
  /** Sends a request to a listener; returns the status, and what was written to the console. */
  async function call(listener: RequestListener, init?: RequestInit): Promise<[number, unknown[]]> {
    const server = createServer(listener);
    const logged: unknown[] = [];
    const { error } = console;
    console.error = (...values) => logged.push(...values);
    try {
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const { port } = server.address() as AddressInfo;
      return [await status(fetch(`http://127.0.0.1:${port}/`, init)), logged];
    } finally {
      console.error = error;
      await new Promise((resolve) => server.close(resolve));
    }
  }

  it("answers 500 when a page of the app fails", async () => {
    const failure = new Error("page failed");
    assertEquals(await call(createListener(() => Promise.reject(failure))), [500, [failure]]);
  });

  it("answers 500 when a body parser came before", async () => {
    const listener = createListener(() => Promise.resolve(new Response("unread")));
    const parsing: RequestListener = (incoming, outgoing) => {
      incoming.on("end", () => listener(incoming, outgoing)).resume();
    };
    const [found, [error]] = await call(parsing, { method: "PATCH", body: "name=Ideas" });
    assertEquals([found, error instanceof TypeError], [500, true]);
    assertEquals(await call(listener), [200, []]);
  });
});

describe("process of a host", () => {
  const STATUSES = [201, 200, 200, 201, 200, 200, 200];

  /** Runs a host, with no permission unless it is given some. */
  function start(args: readonly string[], permissions: readonly string[] = []): TestProcess {
    return startProgram(Deno.execPath(), {
      args: ["run", "--quiet", "--no-lock", "--no-prompt", ...permissions, ...args],
      env: { ...neededEnvironment(), NO_COLOR: "1" },
    });
  }

  it("ends by itself after close, with no permission, and finds no new globals", async () => {
    await using host = start([HOST, "memory"]);
    assertEquals([await host.status, host.stderr()], [0, ""]);
    assertEquals(JSON.parse(host.stdout()), { statuses: STATUSES, added: [] });
  });

  it("ends by itself after close, with permission for the data folder alone", async () => {
    await withFolder(async (folder) => {
      const permissions = [`--allow-read=${folder}`, `--allow-write=${folder}`];
      await using host = start([HOST, "file", folder], permissions);
      assertEquals([await host.status, host.stderr()], [0, ""]);
      assertEquals(JSON.parse(host.stdout()), { statuses: STATUSES, added: [] });
    });
  });

  it("is ended by a signal, as nobody has taken the signals for themselves", async () => {
    await using host = start([HOST, "server"], ["--allow-net=127.0.0.1"]);
    const [, port] = await host.waitFor("stdout", /port (\d+)/);
    using connection = await connect(Number(port));
    await connection.send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n");
    assertEquals((await connection.read())?.status, 200);
    host.signal("SIGTERM");
    assert(await host.status > 128);
  });
});
