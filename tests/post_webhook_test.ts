import { assertEquals, assertMatch } from "@std/assert";
import { before, describe, it } from "@std/testing/bdd";
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import {
  type AddressInfo,
  createServer as createTcpServer,
  isIP,
  type Server,
  type Socket,
} from "node:net";
import {
  createWebhookPoster,
  type ResolvedAddress,
  type WebhookPoster,
  type WebhookPosterOptions,
} from "../delivery/post_webhook.ts";
import type { WebhookOutcome } from "../model/webhook_retry.ts";
import { until } from "./_waiting.ts";

const BODY = new TextEncoder().encode('{"type":"entry.published","data":{"title":"🌒"}}');
const LOOPBACK = [{ address: "127.0.0.1", family: 4 }];
const OPENSSL = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 " +
  "-subj /CN=hooks.test -addext subjectAltName=DNS:hooks.test,IP:127.0.0.1 " +
  "-addext basicConstraints=critical,CA:FALSE -keyout -";

const cleanups: (() => unknown)[] = [];

/** Cleans up as part of the test, because Deno does not report what `afterEach` throws. */
function itCleanly(name: string, test: () => Promise<void>): void {
  it(name, async () => {
    try {
      await test();
    } finally {
      for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
    }
  });
}

/** Listens on a free port of 127.0.0.1 until the test is over. */
async function listen(server: Server): Promise<number> {
  server.on("connection", (socket) => socket.on("error", () => {}));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(async () => {
    let isClosed = false;
    server.close(() => isClosed = true);
    // The server closes only after the poster has closed every connection.
    await until(() => isClosed);
  });
  return (server.address() as AddressInfo).port;
}

function createPoster(options: WebhookPosterOptions): WebhookPoster {
  const poster = createWebhookPoster({ lookup: () => Promise.resolve(LOOPBACK), ...options });
  cleanups.push(() => poster.close());
  return poster;
}

/** An endpoint, and a poster that may use it. */
async function serve(server: Server, options: WebhookPosterOptions = {}) {
  const port = await listen(server);
  const poster = createPoster({ allow: [`hooks.test:${port}`], ...options });
  return { port, poster, post: () => poster.post(`http://hooks.test:${port}/`, {}, BODY) };
}

/** Does something with each connection once the request begins to arrive. */
function onRequest(handle: (socket: Socket) => void): Server {
  return createTcpServer((socket) => socket.once("data", () => handle(socket)));
}

function answer(status: number, headers: Record<string, string> = {}): Server {
  return createServer((_request, response) => response.writeHead(status, headers).end("ok"));
}

describe("createWebhookPoster", () => {
  let certificate: string;
  before(() => {
    const stdio: ["ignore", "pipe", "ignore"] = ["ignore", "pipe", "ignore"];
    certificate = execFileSync("openssl", OPENSSL.split(" "), { encoding: "utf8", stdio });
  });

  function answerTls(): Server {
    const options = { key: certificate, cert: certificate };
    return createTlsServer(options, (_request, response) => response.end("ok"));
  }

  itCleanly("posts the headers and the body to the path and the query", async () => {
    const seen = Promise.withResolvers<string>();
    const { port, poster } = await serve(
      createTcpServer().on("connection", (socket) => {
        let text = "";
        socket.setEncoding("utf8").on("data", (chunk) => {
          text += chunk;
          if (!text.endsWith("}}")) return;
          seen.resolve(text);
          socket.end("HTTP/1.1 204 No Content\r\n\r\n");
        });
      }),
    );
    const headers = { "content-type": "application/json", "webhook-id": "msg_1" };
    const outcome = await poster.post(`http://hooks.test:${port}/a/b?c=%20`, headers, BODY);
    assertEquals(outcome, { status: 204 });
    const [head, body] = (await seen.promise).split("\r\n\r\n");
    const [line, ...fields] = head.split("\r\n");
    assertEquals(line, "POST /a/b?c=%20 HTTP/1.1");
    assertEquals(fields.map((field) => field.toLowerCase()).sort(), [
      "connection: close",
      `content-length: ${BODY.length}`,
      "content-type: application/json",
      `host: hooks.test:${port}`,
      "webhook-id: msg_1",
    ]);
    assertEquals(body, new TextDecoder().decode(BODY));
  });

  itCleanly("returns the status and Retry-After of a failure", async () => {
    const now = () => Date.parse("2026-11-21T10:00:00.000Z");
    const values: readonly [string, object][] = [
      ["120", { retryAfterMs: 120_000 }],
      ["Sat, 21 Nov 2026 10:01:00 GMT", { retryAfterMs: 60_000 }],
      ["soon", {}],
    ];
    for (const [value, expected] of values) {
      const { post } = await serve(answer(503, { "retry-after": value }), { now });
      assertEquals(await post(), { status: 503, ...expected });
    }
  });

  itCleanly("follows no redirect", async () => {
    let connections = 0;
    const target = answer(200);
    target.on("connection", () => connections++);
    const targetPort = await listen(target);
    const headers = { location: `http://127.0.0.1:${targetPort}/` };
    for (const status of [301, 302, 303, 307, 308]) {
      const port = await listen(answer(status, headers));
      const poster = createPoster({ allow: [`hooks.test:${port}`, `127.0.0.1:${targetPort}`] });
      assertEquals(await poster.post(`http://hooks.test:${port}/`, {}, BODY), { status });
    }
    assertEquals(connections, 0);
  });

  itCleanly("verifies the certificate for the name or the address", async () => {
    const port = await listen(answerTls());
    const allow = ["hooks.test", "127.0.0.1", "other.test"].map((host) => `${host}:${port}`);
    const trusting = createPoster({ allow, ca: certificate });
    const post = (host: string, poster = trusting) =>
      poster.post(`https://${host}:${port}/`, {}, BODY);
    assertEquals(await post("hooks.test"), { status: 200 });
    assertEquals(await post("127.0.0.1"), { status: 200 });
    assertMatch(problemOf(await post("other.test")), /^the connection failed/);
    assertMatch(
      problemOf(await post("hooks.test", createPoster({ allow }))),
      /^the connection failed/,
    );
  });

  describe("connects", () => {
    itCleanly("to the address that was checked when the resolver changes its answer", async () => {
      for (const scheme of ["http", "https"]) {
        const port = await listen(scheme === "http" ? answer(200) : answerTls());
        const answers = [LOOPBACK, [{ address: "127.0.0.2", family: 4 }]];
        const lookup = () => Promise.resolve(answers.shift()!);
        const poster = createPoster({ allow: [`hooks.test:${port}`], ca: certificate, lookup });
        assertEquals(await poster.post(`${scheme}://hooks.test:${port}/`, {}, BODY), {
          status: 200,
        });
        assertEquals(answers.length, 1);
      }
    });

    itCleanly("to the next checked address when the first refuses", async () => {
      const addresses = [{ address: "::1", family: 6 }, ...LOOPBACK];
      const { post } = await serve(answer(200), { lookup: () => Promise.resolve(addresses) });
      assertEquals(await post(), { status: 200 });
    });

    const answers: readonly (readonly string[])[] = [
      ["127.0.0.1"],
      ["8.8.8.8", "127.0.0.1"],
      ["127.0.0.1", "8.8.8.8"],
      ["2606:4700::1", "::1"],
      ["::ffff:127.0.0.1"],
      ["64:ff9b::7f00:1"],
      ["169.254.169.254"],
      ["fe80::1%lo"],
    ];
    for (const addresses of answers) {
      itCleanly(`to nothing when the name resolves to ${addresses.join(" and ")}`, async () => {
        let connections = 0;
        const port = await listen(createTcpServer((socket) => {
          connections++;
          socket.destroy();
        }));
        const resolved = addresses.map((address) => ({ address, family: isIP(address) }));
        const poster = createPoster({ allow: [], lookup: () => Promise.resolve(resolved) });
        const problem = "the host has an address that is not public";
        assertEquals(await poster.post(`https://hooks.test:${port}/`, {}, BODY), { problem });
        assertEquals(connections, 0);
      });
    }

    itCleanly("to nothing when the URL is not allowed any more", async () => {
      const { post } = await serve(answer(200), { allow: [] });
      assertEquals(await post(), { problem: "the URL must start with https://" });
    });
  });

  describe("ends an attempt", () => {
    const timeoutMs = 60;
    const late = { problem: "no answer within 0.06 s" };

    const hanging: Readonly<Record<string, string>> = {
      "nothing": "",
      "half of the headers": "HTTP/1.1 200 OK\r\na: b",
      "an interim answer alone": "HTTP/1.1 102 Processing\r\n\r\n",
    };
    for (const [name, text] of Object.entries(hanging)) {
      itCleanly(`at its deadline when it gets ${name}`, async () => {
        const { post } = await serve(onRequest((socket) => socket.write(text)), { timeoutMs });
        assertEquals(await post(), late);
      });
    }

    itCleanly("at its deadline when the endpoint never begins TLS", async () => {
      const { port, poster } = await serve(onRequest(() => {}), { timeoutMs });
      assertEquals(await poster.post(`https://hooks.test:${port}/`, {}, BODY), late);
    });

    itCleanly("at its deadline when the name is resolved later, and never connects", async () => {
      let connections = 0;
      const server = answer(200);
      server.on("connection", () => connections++);
      const resolved = Promise.withResolvers<readonly ResolvedAddress[]>();
      const { port, post } = await serve(server, { timeoutMs, lookup: () => resolved.promise });
      assertEquals(await post(), late);
      resolved.resolve(LOOPBACK);
      const other = createPoster({ allow: [`hooks.test:${port}`] });
      assertEquals(await other.post(`http://hooks.test:${port}/`, {}, BODY), { status: 200 });
      assertEquals(connections, 1);
    });

    const bodies: Readonly<Record<string, (socket: Socket) => void>> = {
      "never comes": () => {},
      "never ends": (socket) => {
        const write = () => {
          while (!socket.destroyed && socket.write("a".repeat(10_000)));
        };
        socket.on("drain", write);
        write();
      },
      "breaks": (socket) => socket.destroySoon(),
    };
    for (const [name, handle] of Object.entries(bodies)) {
      itCleanly(`with the status, and the connection, when the body ${name}`, async () => {
        const { post } = await serve(onRequest((socket) => {
          socket.write("HTTP/1.1 500 No\r\ncontent-length: 9999999999\r\n\r\na");
          handle(socket);
        }));
        assertEquals(await post(), { status: 500 });
      });
    }

    const broken: Readonly<Record<string, string>> = {
      "closes the connection": "",
      "speaks something else": "220 mail.example.com ESMTP\r\n",
      "switches protocols":
        "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: a\r\n\r\n",
      "sends endless headers": `HTTP/1.1 200 OK\r\na: ${"b".repeat(600_000)}`,
    };
    for (const [name, text] of Object.entries(broken)) {
      itCleanly(`with a problem when the endpoint ${name}`, async () => {
        const { post } = await serve(onRequest((socket) => socket.end(text)));
        assertMatch(problemOf(await post()), /^the connection failed/);
      });
    }

    itCleanly(
      "with a problem when nobody listens at an address, which is not looked up",
      async () => {
        const server = createTcpServer();
        const port = await listen(server);
        await new Promise((resolve) => server.close(resolve));
        const hosts = ["127.0.0.1", "[::1]"];
        const lookup = () => Promise.reject(new Error("looked up"));
        const poster = createPoster({ allow: hosts.map((host) => `${host}:${port}`), lookup });
        for (const host of hosts) {
          const outcome = await poster.post(`http://${host}:${port}/`, {}, BODY);
          assertMatch(problemOf(outcome), /^the connection failed \(E[A-Z]+\)$/);
        }
      },
    );

    itCleanly("with a problem when the name is unknown", async () => {
      const unknown = Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" });
      const poster = createPoster({ lookup: () => Promise.reject(unknown) });
      const problem = "the host cannot be resolved (ENOTFOUND)";
      assertEquals(await poster.post("https://hooks.test/", {}, BODY), { problem });
    });

    itCleanly("when it is closed, and makes no other", async () => {
      const arrived = Promise.withResolvers<void>();
      const { post, poster } = await serve(onRequest(() => arrived.resolve()));
      const outcome = post();
      await arrived.promise;
      poster.close();
      const stopped = { problem: "the sender has stopped" };
      assertEquals(await outcome, stopped);
      assertEquals(await post(), stopped);
    });
  });
});

function problemOf(outcome: WebhookOutcome): string {
  if ("status" in outcome) throw new Error(`answered with ${outcome.status}`);
  return outcome.problem;
}
