import { assertEquals, assertMatch } from "@std/assert";

/** Creates a board on a server, then makes the two documented calls. */
export async function assertServes(baseUrl: string, key: string): Promise<void> {
  const api = `${baseUrl}/api/v1`;
  const headers = { Authorization: `Bearer ${key}` };
  const created = await fetch(`${api}/boards`, {
    method: "POST",
    headers,
    body: new URLSearchParams({ boardId: "ideas", name: "Ideas" }),
  });
  assertEquals(created.status, 201, await created.text());
  const board = new URL(`${api}/boards/ideas`);
  assertEquals(created.headers.get("location"), board.pathname);
  const read = await fetch(board, { headers });
  assertEquals([read.status, (await read.json()).name], [200, "Ideas"]);
  // A server that compresses would make the ETag weak.
  const etag = read.headers.get("etag")!;
  assertMatch(etag, /^"/);
  const known = await fetch(board, { headers: { ...headers, "If-None-Match": etag } });
  assertEquals([known.status, await known.text()], [304, ""]);
  const subscribed = await fetch(`${api}/changelogs/subscribe`, {
    method: "PUT",
    headers,
    // The same domain with a precomposed character identifies the same person.
    body: new URLSearchParams({ userEmail: "ann@vi\u00ea\u0323t.vn", subscribe: "true" }),
  });
  const { userEmail, subscribed: state } = await subscribed.json();
  assertEquals([subscribed.status, userEmail, state], [200, "ann@xn--vit-5kz.vn", true]);
}
