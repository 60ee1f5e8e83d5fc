import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createService } from "./_service.ts";

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
    const known = { "if-none-match": headers.get("etag")! };
    const again = await send("GET", "/changelog/widget.js", { key: null, headers: known });
    assertEquals(again.status, 304);
    const bytes = await weigh(response);
    assert(bytes <= MAX_BYTES, `${bytes}`);
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
