import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { listen } from "../commands/_listener.ts";
import { exchange, type RawResponse } from "./_raw.ts";
import { createService, OPERATOR_KEY } from "./_service.ts";

const GET = "GET /api/v1/boards/none HTTP/1.1\r\nHost: a\r\n";
const PUT = "PUT /api/v1/changelogs/subscribe HTTP/1.1\r\nHost: a\r\n" +
  "Content-Type: application/x-www-form-urlencoded\r\n";
const KEY = `Authorization: Bearer ${OPERATOR_KEY}\r\n`;
const UNKNOWN_KEY = "Authorization: Bearer another-key-that-nobody-has-made\r\n";

// Deno writes an answer of up to 512 bytes at once and a longer one in two writes, and the second
// takes a quarter of the processor time of a refusal.
describe("the size of an answer", () => {
  const cases: readonly (readonly [code: string, head: string, requestsBefore?: number])[] = [
    ["missing_credentials", GET],
    ["invalid_token", GET + UNKNOWN_KEY],
    ["board_not_found", GET + KEY],
    ["body_too_large", `${PUT}${KEY}Content-Length: 16385\r\n`],
    ["rate_limited", GET + KEY, 2],
  ];
  for (const [code, head, requestsBefore = 0] of cases) {
    it(`is at most 512 bytes when it is ${code}`, async () => {
      const { handler } = createService({ rateLimit: { requests: 1, windowSeconds: 60 } });
      const { address: { port }, shutdown } = listen(handler, { host: "127.0.0.1", port: 0 });
      for (let i = 0; i < requestsBefore; i++) await exchange(port, `${head}\r\n`);
      const response = (await exchange(port, `${head}\r\n`))!;
      await shutdown();
      assertEquals(JSON.parse(response.body).code, code);
      assert(sizeOf(response) <= 512, `${sizeOf(response)} bytes`);
    });
  }
});

function sizeOf({ status, headers, body }: RawResponse): number {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${status} ${JSON.parse(body).title}`, ...lines, "", ""].join("\r\n");
  return head.length + body.length;
}
