import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createService } from "../../../_support/service.ts";

const MAX_BYTES = 3 * 1024;

async function weigh(response: Response): Promise<number> {
  const packed = response.body!.pipeThrough(new CompressionStream("gzip"));
  return (await new Response(packed).bytes()).length;
}

describe("the widget", () => {
  const site = { publicUrl: "https://updates.example", accent: "#ffd400", language: "de" } as const;

  it("weighs at most 3 KB, and loads from pages of any origin", async () => {
    const { send } = createService(site);
    const response = await send("GET", "/changelog/widget.js", { key: null });
    const { headers } = response;
    assertEquals(headers.get("content-type"), "text/javascript; charset=utf-8");
    assertEquals(headers.get("access-control-allow-origin"), "*");
    assertEquals(headers.get("cache-control"), "public, max-age=60");
    const bytes = await weigh(response);
    assert(bytes <= MAX_BYTES, `${bytes}`);
  });

  it("is 304 for a client that names its ETag or the time at which it last changed", async () => {
    const { send } = createService(site);
    const get = (headers?: Record<string, string>) =>
      send("GET", "/changelog/widget.js", { key: null, headers });
    const { headers } = await get();
    const changedAt = headers.get("last-modified")!;
    const earlier = new Date(Date.parse(changedAt) - 1_000).toUTCString();
    const conditions: readonly Record<string, string>[] = [
      { "if-none-match": headers.get("etag")! },
      { "if-modified-since": changedAt },
      { "if-modified-since": earlier },
      { "if-none-match": '"other"', "if-modified-since": changedAt },
    ];
    const statuses = await Promise.all(conditions.map(async (known) => (await get(known)).status));
    assertEquals(statuses, [304, 304, 200, 200]);
  });

  it("finds its words and colours in the feed, which pages of any origin can read", async () => {
    const { send } = createService(site);
    const response = await send("GET", "/changelog.json", { key: null });
    assertEquals(response.headers.get("access-control-allow-origin"), "*");
    const { _boardcast } = await response.json();
    assertEquals(_boardcast.unread, "Ungelesen: 0");
    assertEquals(_boardcast.accent.length, 2);
  });
});
