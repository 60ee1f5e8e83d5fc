import { AUTHORIZATION } from "./_wrk.ts";

const CONNECTIONS = 16;
const BATCH = 50;
const utf8 = new TextEncoder();
const latin1 = new TextDecoder("latin1");

/** Subscribes the users from one number up to another over HTTP, many requests on their way at once. */
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

/** Sends a batch of requests one behind the other, and reads as many answers. */
async function exchange(connection: Deno.Conn, from: number, to: number): Promise<void> {
  let requests = "";
  for (let user = from; user < to; user++) requests += requestOf(user);
  const bytes = utf8.encode(requests);
  for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
  const buffer = new Uint8Array(65_536);
  let text = "";
  for (let answered = 0; answered < to - from;) {
    const length = await connection.read(buffer);
    if (length === null) throw new Error("The server closed the connection");
    text += latin1.decode(buffer.subarray(0, length));
    const parts = text.split("HTTP/1.1 ");
    // The last part may still grow; the end of JSON tells that it is whole.
    for (let i = 1; i < parts.length; i++) {
      if (!parts[i].startsWith("200")) throw new Error(`Cannot fill: ${parts[i].slice(0, 500)}`);
    }
    const whole = parts.length - 1 - (text.endsWith("}") ? 0 : 1);
    answered += whole;
    text = text.endsWith("}") ? "" : "HTTP/1.1 " + parts[parts.length - 1];
  }
}

function requestOf(user: number): string {
  const body = `userEmail=user${user}%40example.com&userName=Ann&subscribe=true`;
  return "PUT /api/v1/changelogs/subscribe HTTP/1.1\r\nHost: localhost\r\n" +
    `Authorization: ${AUTHORIZATION.Authorization}\r\n` +
    "Content-Type: application/x-www-form-urlencoded\r\n" +
    `Content-Length: ${body.length}\r\n\r\n${body}`;
}
