import { assertEquals, assertMatch } from "@std/assert";
import { before, describe, it } from "@std/testing/bdd";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { createServer as createTcpServer, isIP } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { createWebhookPoster } from "../../../delivery/webhooks/post_webhook.ts";
import type {
  WebhookPoster,
  WebhookPosterOptions,
} from "../../../delivery/webhooks/post_webhook.ts";
import { type Certificate, makeCertificate } from "../../_support/certificate.ts";
import { forEachRow } from "../../_support/rows.ts";

const TEXT = '{"type":"entry.published","data":{"title":"🌒"}}';
const BODY = new TextEncoder().encode(TEXT);
const LOOPBACK = [{ address: "127.0.0.1", family: 4 }];
const FAILED = /^the connection failed/;

type Outcome = ReturnType<WebhookPoster["post"]>;

/** The port of a server, and a function that posts to it under the name `hooks.test`. */
interface Scene {
  readonly port: number;
  readonly poster: WebhookPoster;
  /** Posts to the server, by default over HTTP. */
  post(start?: string): Outcome;
  /** Returns the number of connections to the server. */
  connections(): number;
}

/** Calls a function with an endpoint; resolves once the poster has closed every connection. */
async function withEndpoint(
  server: Server,
  use: (scene: Scene) => Promise<void>,
  options: WebhookPosterOptions = {},
): Promise<void> {
  let connections = 0;
  server.on("connection", (socket: Socket) => {
    connections++;
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const allow = ["hooks.test", "other.test", "127.0.0.1", "[::1]"].map((host) => `${host}:${port}`);
  const lookup = () => Promise.resolve(LOOPBACK);
  const poster = createWebhookPoster({ allow, lookup, ...options });
  const post = (start = "http://hooks.test") => poster.post(`${start}:${port}/`, {}, BODY);
  await use({ port, poster, post, connections: () => connections }).finally(() => poster.close());
  await new Promise((resolve) => server.close(resolve));
}

/** Starts a server that calls a function with each connection once its request begins to arrive. */
function onRequest(handle: (socket: Socket) => void): Server {
  return createTcpServer((socket) => void socket.once("data", () => handle(socket)));
}

function answer(status: number, headers: Record<string, string> = {}): Server {
  return createServer((_request, response) => response.writeHead(status, headers).end("ok"));
}

/** Returns the problem of an attempt; empty if there was a response. */
async function problemOf(outcome: Outcome): Promise<string> {
  const ended = await outcome;
  return "problem" in ended ? ended.problem : "";
}

describe("a post to a webhook", () => {
  let certificate: Certificate;

  before(async () => void (certificate = await makeCertificate("hooks.test")));

  const answerTls = (): Server =>
    createTlsServer(certificate, (_request, response) => void response.end("ok"));

  it("has the headers and the body, and goes to the path and the query", async () => {
    const seen: unknown[] = [];
    const server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request.setEncoding("utf8")) body += chunk;
      seen.push(request.method, request.url, body, { ...request.headers });
      response.writeHead(204).end();
    });
    await withEndpoint(server, async ({ port, poster }) => {
      const headers = { "content-type": "application/json", "webhook-id": "msg_1" };
      const outcome = await poster.post(`http://hooks.test:${port}/a/b?c=%20`, headers, BODY);
      const fixed = { connection: "close", "content-length": `${BODY.length}` };
      const host = `hooks.test:${port}`;
      assertEquals(outcome, { status: 204 });
      assertEquals(seen, ["POST", "/a/b?c=%20", TEXT, { ...headers, ...fixed, host }]);
    });
  });

  it("is a GET without content where a URL is fetched", async () => {
    const seen: unknown[] = [];
    const server = createServer((request, response) => {
      seen.push(request.method, request.url, request.headers["content-length"]);
      response.end("ok");
    });
    await withEndpoint(server, async ({ port, poster }) => {
      assertEquals(await poster.get(`http://hooks.test:${port}/?Action=x`), { status: 200 });
      assertEquals(seen, ["GET", "/?Action=x", undefined]);
    });
  });

  it("comes to the status, with Retry-After, and follows no redirect", async () => {
    const now = () => Date.parse("2026-11-21T10:00:00.000Z");
    await forEachRow<readonly [number, Record<string, string>, object]>(
      [
        [503, { "retry-after": "120" }, { retryAfterMs: 120_000 }],
        [503, { "retry-after": "Sat, 21 Nov 2026 10:01:00 GMT" }, { retryAfterMs: 60_000 }],
        [503, { "retry-after": "Sat, 21 Nov 2026 09:00:00 GMT" }, { retryAfterMs: 0 }],
        ...["", "-1", "1.5", "soon"].map((text) => [503, { "retry-after": text }, {}] as const),
        ...[302, 308].map((one) => [one, { location: "/elsewhere" }, {}] as const),
      ],
      ([status, headers, rest]) =>
        withEndpoint(answer(status, headers), async ({ post, connections }) => {
          assertEquals(await post(), { status, ...rest });
          assertEquals(connections(), 1);
        }, { now }),
    );
  });

  it("is made over TLS if the certificate is trusted and for the name", async () => {
    await withEndpoint(answerTls(), async ({ post }) => {
      assertEquals(await post("https://hooks.test"), { status: 200 });
      assertMatch(await problemOf(post("https://other.test")), FAILED);
    }, { ca: certificate.ca });
    await withEndpoint(answerTls(), async ({ post }) => {
      assertMatch(await problemOf(post("https://hooks.test")), FAILED);
    });
  });

  it("goes to an address that was checked, whatever the name resolves to later", async () => {
    await forEachRow(["http", "https"], async (scheme) => {
      // The first address refuses the connection.
      const checked = [{ address: "::1", family: 6 }, ...LOOPBACK];
      const answers = [checked, [{ address: "127.0.0.2", family: 4 }]];
      const lookup = () => Promise.resolve(answers.shift()!);
      await withEndpoint(scheme === "http" ? answer(200) : answerTls(), async ({ post }) => {
        assertEquals(await post(`${scheme}://hooks.test`), { status: 200 });
      }, { ca: certificate.ca, lookup });
      assertEquals(answers.length, 1);
    });
  });

  it("is not made when any address of the name is not public, nor over http", async () => {
    await forEachRow([
      ["127.0.0.1"],
      ["8.8.8.8", "127.0.0.1"],
      ["127.0.0.1", "8.8.8.8"],
      ["fe80::1%lo"],
    ], async (addresses) => {
      const resolved = addresses.map((address) => ({ address, family: isIP(address) }));
      await withEndpoint(answer(200), async ({ post, connections }) => {
        const problem = "the host has an address that is not public";
        assertEquals(await post("https://hooks.test"), { problem });
        assertEquals(await post(), { problem: "the URL must start with https://" });
        assertEquals(connections(), 0);
      }, { allow: [], lookup: () => Promise.resolve(resolved) });
    });
  });

  it("ends at its deadline, whatever it waits for", async () => {
    const timeoutMs = 60;
    const late = { problem: "no response within 0.06 s" };
    const starts = ["", "HTTP/1.1 200 OK\r\na: b", "HTTP/1.1 102 Processing\r\n\r\n"];
    await Promise.all(
      starts.map((text) =>
        withEndpoint(onRequest((socket) => socket.write(text)), async ({ post }) => {
          assertEquals(await post(), late);
          if (text === "") assertEquals(await post("https://hooks.test"), late);
        }, { timeoutMs })
      ),
    );
    const lookup = () => new Promise<never>(() => {});
    await withEndpoint(answer(200), async ({ post }) => {
      assertEquals(await post(), late);
    }, { timeoutMs, lookup });
  });

  it("fails when interim responses follow one another without end", async () => {
    const server = createServer((_request, response) => {
      const socket = response.socket!;
      const write = (): void => {
        while (socket.writable && socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"));
        if (socket.writable) socket.once("drain", write);
      };
      socket.on("error", () => {});
      write();
    });
    await withEndpoint(server, async ({ post }) => {
      assertEquals(await problemOf(post()), "it sent more than 5 interim responses");
    });
  });

  it("ends with the status, though the body never ends", () =>
    withEndpoint(
      onRequest((socket) => socket.write("HTTP/1.1 500 No\r\ncontent-length: 9999999999\r\n\r\na")),
      async ({ post }) => assertEquals(await post(), { status: 500 }),
    ));

  it("fails when the name is unknown, nobody listens, or what answers is not HTTP", async () => {
    await forEachRow(
      ["", "220 mail.example.com ESMTP\r\n"],
      (text) =>
        withEndpoint(onRequest((socket) => socket.end(text)), async ({ post }) => {
          assertMatch(await problemOf(post()), FAILED);
        }),
    );
    const unknown = Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" });
    const lookup = () => Promise.reject(unknown);
    await withEndpoint(answer(200), async ({ post }) => {
      assertEquals(await post(), { problem: "the host cannot be resolved (ENOTFOUND)" });
      assertMatch(await problemOf(post("http://[::1]")), /^the connection failed \(E[A-Z]+\)$/);
    }, { lookup });
  });

  it("ends when the poster is closed, and none is made from then on", async () => {
    const arrived = Promise.withResolvers<void>();
    await withEndpoint(onRequest(() => arrived.resolve()), async ({ post, poster }) => {
      const outcome = post();
      await arrived.promise;
      poster.close();
      const stopped = { problem: "the sender has stopped" };
      assertEquals(await outcome, stopped);
      assertEquals(await post(), stopped);
    });
  });
});
