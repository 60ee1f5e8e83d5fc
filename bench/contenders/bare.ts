/**
 * The upper limit: a bare `Deno.serve` that reads each request and returns the same bytes as
 * Boardcast, headers included. Arguments: the port.
 */
import { BOARD } from "./_rules.ts";

const HEADERS = {
  "X-Request-Id": "5f0a3c1e-7a55-4f53-9a70-0f6f3f1c2d4b",
  "X-Content-Type-Options": "nosniff",
  "Content-Type": "application/json",
};
const BOARD_TEXT = JSON.stringify(BOARD);
const SUBSCRIPTION_TEXT = JSON.stringify({
  userEmail: "user123@example.com",
  userName: "Ann",
  subscribed: true,
  changed: true,
  createdAt: "2026-11-21T10:00:00.000Z",
  updatedAt: "2026-11-21T10:00:00.000Z",
});
const BOARD_HEADERS = {
  ...HEADERS,
  ETag: '"a4-5Ls3Yc0X7oPpQ9mJrT2vWuZ1kHg"',
  "Cache-Control": "private, no-cache",
};
const SUBSCRIPTION_HEADERS = { ...HEADERS, "Cache-Control": "no-store" };

Deno.serve(
  { hostname: "127.0.0.1", port: Number(Deno.args[0]), onListen() {} },
  async (request) => {
    if (request.method === "GET") return new Response(BOARD_TEXT, { headers: BOARD_HEADERS });
    await request.arrayBuffer();
    return new Response(SUBSCRIPTION_TEXT, { headers: SUBSCRIPTION_HEADERS });
  },
);
