import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { listen } from "../../../commands/serve/listener.ts";
import { connect, exchange, type RawResponse } from "../../_support/raw.ts";
import { forEachRow } from "../../_support/rows.ts";
import { createService, FORM, OPERATOR_KEY, VALID_FORM } from "../../_support/service.ts";

const AUTHORIZATION = `Authorization: Bearer ${OPERATOR_KEY}\r\n`;
const SUBSCRIBE =
  `PUT /api/v1/changelogs/subscribe HTTP/1.1\r\nHost: a\r\nContent-Type: ${FORM}\r\n`;
const PUT = SUBSCRIBE + AUTHORIZATION;
const LIVEZ = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n";

// One server for all tests of this file, which do not affect each other.
const { handler } = createService({ bodyTimeoutMs: 100 });
const { port } = listen(handler, { host: "127.0.0.1", port: 0 }).address;

function outcomeOf(response: RawResponse | undefined): string {
  if (response === undefined) return "closed";
  const { status, body } = response;
  return body.startsWith('{"type"') ? JSON.parse(body).code : `${status}`;
}

/** Checks the outcomes of requests, each on a connection of its own. */
function assertAnswers(rows: readonly (readonly [text: string, expected: string])[]) {
  return forEachRow(rows, async ([text, expected]) => {
    assertEquals(outcomeOf(await exchange(port, text)), expected);
  });
}

/** Sends text on one connection; returns the outcomes of up to three responses. */
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
  it("is routed by its target and method as they were sent, whatever its Host", async () => {
    const rows: readonly (readonly [line: string, expected: string, host?: string])[] = [
      ["GET http://evil.example/livez", "200"],
      ["GET //livez", "not_found"],
      ["GET /x/../livez", "not_found"],
      ["GET /x/%2e%2e/livez", "not_found"],
      ["GET /api/v1/boards/..", "missing_credentials"],
      ["GET /api/v1/boards/%00", "malformed_path"],
      ["GET /livez?%zz", "200"],
      ["GET /api/v1/boards/\xe9", "400"],
      ["GET /a b", "400"],
      ["OPTIONS /livez", "204"],
      ["OPTIONS *", "not_found"],
      ["CONNECT a.example:80", "not_found"],
      ["TRACE /livez", "method_not_allowed"],
      ["get /livez", "method_not_allowed"],
      ...["", "Host:\r\n", "Host: a b\r\n", "Host: [::\r\n", "Host: \xff\r\n"]
        .map((host) => ["GET /livez", "200", host] as const),
      ["GET /v1/boards", "malformed_path", "Host: x/livez?\r\n"],
      ["GET /v1/boards", "malformed_path", "Host: x#\r\n"],
    ];
    await assertAnswers(
      rows.map(([line, expected, host = "Host: a\r\n"]) =>
        [`${line} HTTP/1.1\r\n${host}\r\n`, expected] as const
      ),
    );
  });

  it("is judged by headers that are repeated or odd", async () => {
    const get = "GET /api/v1/boards HTTP/1.1\r\nHost: a\r\n";
    // Java's HttpClient offers HTTP/2 with every request. If this test fails, Deno has fixed its
    // fault: then update the pages that describe it (docs/http-api.md, docs/operations.md, the
    // guide of the API).
    const offer = "GET /livez HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\n" +
      "Upgrade: h2c\r\nHTTP2-Settings: AAEAAEAA\r\n";
    await assertAnswers([
      [`${get}${AUTHORIZATION}${AUTHORIZATION}\r\n`, "malformed_credentials"],
      [`${get}Authorization: Basic x\r\n${AUTHORIZATION}\r\n`, "malformed_credentials"],
      [`${get}${AUTHORIZATION.toLowerCase()}\r\n`, "200"],
      [`${PUT}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, "unsupported_transfer_encoding"],
      [`${offer}\r\n`, "200"],
      [`${offer}Content-Length: 0\r\n\r\n`, "400"],
    ]);
    await forEachRow([["3", "4"], ["-1"], ["x"]], async (lengths) => {
      const lines = lengths.map((length) => `Content-Length: ${length}\r\n`).join("");
      assertEquals(await outcomesOf(`${PUT}${lines}\r\na=bc`), ["400", "closed"]);
    });
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
});
