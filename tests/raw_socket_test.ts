import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { listen } from "../commands/_listener.ts";
import { connect, exchange, type RawResponse } from "./_raw.ts";
import { forEachRow } from "./_rows.ts";
import { createService, FORM, OPERATOR_KEY, VALID_FORM } from "./_service.ts";

const AUTHORIZATION = `Authorization: Bearer ${OPERATOR_KEY}\r\n`;
const UNKNOWN_KEY = "Authorization: Bearer another-key-that-nobody-has-made\r\n";
const SUBSCRIBE =
  `PUT /api/v1/changelogs/subscribe HTTP/1.1\r\nHost: a\r\nContent-Type: ${FORM}\r\n`;
const PUT = SUBSCRIBE + AUTHORIZATION;
const LIVEZ = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n";

// Listens as long as the tests of this file run; none of them changes anything for another.
const { handler } = createService({ bodyTimeoutMs: 100 });
const { port } = listen(handler, { host: "127.0.0.1", port: 0 }).address;

function outcomeOf(response: RawResponse | undefined): string {
  if (response === undefined) return "closed";
  return response.body.startsWith('{"type"')
    ? JSON.parse(response.body).code
    : `${response.status}`;
}

/** Checks what requests come to, each on a connection of its own. */
function assertAnswers(rows: readonly (readonly [text: string, expected: string])[]) {
  return forEachRow(rows, async ([text, expected]) => {
    assertEquals(outcomeOf(await exchange(port, text)), expected);
  });
}

/** Sends text on one connection; returns what the answers come to, to the end or the third. */
async function outcomesOf(text: string): Promise<readonly string[]> {
  using connection = await connect(port);
  await connection.send(text);
  const outcomes: string[] = [];
  while (outcomes.length < 3 && outcomes.at(-1) !== "closed") {
    outcomes.push(outcomeOf(await connection.read()));
  }
  return outcomes;
}

describe("a request over a socket", () => {
  it("is answered whatever its Host, unless that ends before it does", async () => {
    const odd = ["", "Host:\r\n", "Host: a b\r\n", "Host: [::\r\n", "Host: \xff\r\n"];
    const ending = ["x/livez?", "x/api", "x?limit=1&", "x#"];
    await assertAnswers([
      ...odd.map((host) => [`GET /livez HTTP/1.1\r\n${host}\r\n`, "200"] as const),
      ...odd.map((host) => [`GET /none HTTP/1.1\r\n${host}\r\n`, "not_found"] as const),
      ...ending.map((host) =>
        [`GET /v1/boards HTTP/1.1\r\nHost: ${host}\r\n\r\n`, "malformed_path"] as const
      ),
    ]);
  });

  it("is routed by its target and method as they were sent", async () => {
    const rows: readonly (readonly [line: string, expected: string])[] = [
      ["GET http://evil.example/livez", "200"],
      ["GET http://evil.example/api/v1/boards", "missing_credentials"],
      ["GET //livez", "not_found"],
      ["GET /./livez", "not_found"],
      ["GET /x/../livez", "not_found"],
      ["GET /x/%2e%2e/livez", "not_found"],
      ["GET /api/v1/boards/..", "missing_credentials"],
      ["GET /api/v1/boards/%", "malformed_path"],
      ["GET /api/v1/boards/%00", "malformed_path"],
      ["GET /livez?%zz", "200"],
      ["GET /api/v1/boards/\xe9", "400"],
      ["GET \\livez", "400"],
      ["GET /a b", "400"],
      ["OPTIONS /livez", "204"],
      ["OPTIONS *", "not_found"],
      ["CONNECT a.example:80", "not_found"],
      ["TRACE /livez", "method_not_allowed"],
      ["get /livez", "method_not_allowed"],
      ["PRI /livez", "method_not_allowed"],
    ];
    await assertAnswers(
      rows.map(([line, expected]) => [`${line} HTTP/1.1\r\nHost: a\r\n\r\n`, expected] as const),
    );
  });

  it("is judged by headers that are repeated or odd", async () => {
    const get = "GET /api/v1/boards HTTP/1.1\r\nHost: a\r\n";
    await assertAnswers([
      [`${get}${AUTHORIZATION}${AUTHORIZATION}\r\n`, "malformed_credentials"],
      [`${get}Authorization: Basic x\r\n${AUTHORIZATION}\r\n`, "malformed_credentials"],
      [`${get}Authorization: Bearer \xe9\r\n\r\n`, "malformed_credentials"],
      [`${get}${AUTHORIZATION.toLowerCase()}\r\n`, "200"],
      [`${get}X-Request-Id: a\r\nX-Request-Id: b\r\n${AUTHORIZATION}\r\n`, "200"],
      [`${PUT}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, "unsupported_transfer_encoding"],
    ]);
    await forEachRow([["3", "4"], ["-1"], ["x"], ["3, 4"]], async (lengths) => {
      const lines = lengths.map((length) => `Content-Length: ${length}\r\n`).join("");
      assertEquals(await outcomesOf(`${PUT}${lines}\r\na=bc`), ["400", "closed"]);
    });
  });

  // Java's HttpClient offers it with every request. Where this fails, Deno has mended it, and the pages
  // that tell of it (docs/http-api.md, docs/operations.md, the guide of the API) are to be changed.
  it("is an empty 400 when it offers HTTP/2 without TLS and has a length", async () => {
    const offer = "GET /livez HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\n" +
      "Upgrade: h2c\r\nHTTP2-Settings: AAEAAEAA\r\n";
    await assertAnswers([[`${offer}\r\n`, "200"], [`${offer}Content-Length: 0\r\n\r\n`, "400"]]);
  });
});

describe("a body over a socket", () => {
  it("is taken in chunks, refused by its size, and not waited for when it stalls", async () => {
    const [start, end] = [VALID_FORM.slice(0, 5), VALID_FORM.slice(5)];
    const chunked = `${PUT}Transfer-Encoding: chunked\r\n\r\n`;
    const chunk = `1000\r\n${"x".repeat(0x1000)}\r\n`;
    await assertAnswers([
      [`${chunked}5\r\n${start}\r\n${end.length.toString(16)};x=y\r\n${end}\r\n0\r\n\r\n`, "200"],
      [chunked + chunk.repeat(5), "body_too_large"],
      [`${PUT}Content-Length: 16385\r\n\r\n`, "body_too_large"],
      [`${PUT}Content-Length: 99\r\n\r\na=b`, "request_timeout"],
      [`${chunked}9\r\na=b`, "request_timeout"],
    ]);
  });

  it("is never taken for a request where it is left unread", async () => {
    using connection = await connect(port);
    const smuggled = "GET /readyz HTTP/1.1\r\nHost: a\r\nX-Request-Id: smuggled\r\n\r\n";
    await connection.send(`${SUBSCRIBE}Content-Length: ${smuggled.length}\r\n\r\n${smuggled}`);
    assertEquals(outcomeOf(await connection.read()), "missing_credentials");
    await connection.send(LIVEZ);
    const next = await connection.read();
    assert(next === undefined || next.headers.get("x-request-id") !== "smuggled");
    const body = LIVEZ.repeat(2_000);
    const large = `${SUBSCRIBE}Content-Length: ${body.length}\r\n\r\n${body}`;
    assertEquals(await outcomesOf(large), ["missing_credentials", "closed"]);
  });

  it("closes the connection when it has far too many bytes, and else keeps it", async () => {
    const put = (bytes: number) => `${PUT}Content-Length: ${bytes}\r\n\r\n${"x".repeat(bytes)}`;
    assertEquals(await outcomesOf(put(65_537)), ["body_too_large", "closed"]);
    using connection = await connect(port);
    await connection.send(put(65_536));
    assertEquals(outcomeOf(await connection.read()), "body_too_large");
    await connection.send(LIVEZ);
    assertEquals(outcomeOf(await connection.read()), "200");
  });
});

describe("an answer", () => {
  // Deno writes an answer of up to 512 bytes at once and a longer one in two writes, and the second
  // takes a quarter of the processor time of a refusal.
  it("is at most 512 bytes when it is a refusal that many may get", async () => {
    const { handler } = createService({ rateLimit: { requests: 1, windowSeconds: 60 } });
    const { port } = listen(handler, { host: "127.0.0.1", port: 0 }).address;
    const get = "GET /api/v1/boards/none HTTP/1.1\r\nHost: a\r\n";
    await forEachRow([
      [get, "missing_credentials"],
      [get + UNKNOWN_KEY, "invalid_token"],
      [get + AUTHORIZATION, "board_not_found"],
      [`${PUT}Content-Length: 16385\r\n`, "body_too_large"],
      [get + AUTHORIZATION, "rate_limited"],
    ], async ([head, code]) => {
      const { status, headers, body } = (await exchange(port, `${head}\r\n`))!;
      const problem = JSON.parse(body);
      const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
      const { length } = [`HTTP/1.1 ${status} ${problem.title}`, ...lines, "", body].join("\r\n");
      assertEquals([problem.code, length <= 512], [code, true], `${length} bytes`);
    });
  });
});
