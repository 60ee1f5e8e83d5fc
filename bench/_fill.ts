import { AUTHORIZATION } from "./_contenders.ts";

const CONNECTIONS = 16;
const BATCH = 50;
const utf8 = new TextEncoder();
const latin1 = new TextDecoder("latin1");

/** Subscribes users by their numbers, with many requests in flight. */
export async function fill(port: number, from: number, to: number): Promise<void> {
  let next = from;
  async function work(): Promise<void> {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port });
    while (next < to) {
      const start = next;
      next = Math.min(to, start + BATCH);
      await exchange(connection, start, next);
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
}

/** Sends pipelined requests, and reads as many responses. */
async function exchange(connection: Deno.Conn, from: number, to: number): Promise<void> {
  let requests = "";
  for (let user = from; user < to; user++) requests += requestOf(user);
  const bytes = utf8.encode(requests);
  for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
  const buffer = new Uint8Array(65_536);
  let text = "";
  let answers: string[] = [];
  // A body ends with a line feed after its JSON.
  while (answers.length < to - from || !text.endsWith("}\n")) {
    const length = await connection.read(buffer);
    if (length === null) throw new Error("Cannot fill: the server closed the connection");
    text += latin1.decode(buffer.subarray(0, length));
    answers = text.split("HTTP/1.1 ").slice(1);
  }
  const refusal = answers.find((answer) => !answer.startsWith("200"));
  if (refusal !== undefined) throw new Error(`Cannot fill: ${refusal.slice(0, 500)}`);
}

function requestOf(user: number): string {
  const body = `userEmail=user${user}%40example.com&userName=Ann&subscribe=true`;
  return "PUT /api/v1/changelogs/subscribe HTTP/1.1\r\nHost: localhost\r\n" +
    `Authorization: ${AUTHORIZATION.Authorization}\r\n` +
    "Content-Type: application/x-www-form-urlencoded\r\n" +
    `Content-Length: ${body.length}\r\n\r\n${body}`;
}
