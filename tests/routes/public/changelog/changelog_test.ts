import { assert, assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage } from "../../../../mod.ts";
import { forEachRow } from "../../../_support/rows.ts";
import {
  createService,
  outcomeOf,
  readJson,
  START,
  type TestService,
} from "../../../_support/service.ts";

const PUBLIC_URL = "https://updates.example/feedback";
const PUBLIC = { publicUrl: PUBLIC_URL, title: "Acme & <friends>" };
const DOCUMENTS = ["/changelog", "/changelog/a", "/changelog.atom", "/changelog.json"];
const ENTRIES = "changelogs/entries";
const HOUR_MS = 3_600_000;

async function publish(
  { call }: TestService,
  entryId: string,
  { at, ...fields }: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const entry = { entryId, title: `About ${entryId}`, body: "Press **D**.", ...fields };
  await call("POST", ENTRIES, entry);
  await call("POST", `${ENTRIES}/${entryId}/publish`, { notify: false, ...(at ? { at } : {}) });
}

async function read({ send }: TestService, path: string, headers: Record<string, string> = {}) {
  const response = await send("GET", path, { key: null, headers });
  const header = (name: string) => response.headers.get(name);
  return { status: response.status, header, content: await response.text() };
}

/** Returns the documents that contain a text. */
async function documentsWith(service: TestService, text: string): Promise<readonly string[]> {
  const contents = await Promise.all(DOCUMENTS.map((path) => read(service, path)));
  return DOCUMENTS.filter((_, index) => contents[index].content.includes(text));
}

describe("the public changelog", () => {
  it("is read without a key, with validators", async () => {
    const service = createService(PUBLIC);
    await publish(service, "a");
    await forEachRow(DOCUMENTS, async (path) => {
      const { status, header, content } = await read(service, path);
      assertEquals([status, header("cache-control")], [200, "public, max-age=60"]);
      const date = new Date(START).toUTCString();
      assertEquals(header("last-modified"), date);
      const etag = `${header("etag")}`;
      assertMatch(etag, /^"[^"]+"$/);
      for (const [name, value] of [["If-None-Match", etag], ["If-Modified-Since", date]]) {
        const known = await read(service, path, { [name]: value });
        assertEquals([known.status, known.content, known.header("etag")], [304, "", etag]);
      }
      // Other programs may add parameters to links.
      assertEquals((await read(service, `${path}?utm_source=x`)).content, content);
    });
  });

  it("names the public URL, whatever host a request names", async () => {
    const service = createService(PUBLIC);
    await publish(service, "a");
    await forEachRow(DOCUMENTS, async (path) => {
      const headers = { Host: "evil.example", "X-Forwarded-Host": "evil.example" };
      const { content } = await read(service, path, headers);
      assert(content.includes(`${PUBLIC_URL}/changelog`));
      assert(!content.includes("evil") && !content.includes("localhost"));
    });
  });

  it("shows no draft and nothing scheduled before its time, by any way", async () => {
    const service = createService(PUBLIC);
    await publish(service, "b");
    await service.call("POST", ENTRIES, { entryId: "c", title: "Secret", body: "Secret" });
    const at = new Date(Date.parse(START) + HOUR_MS).toISOString();
    await publish(service, "a", { title: "Secret", body: "Secret", at });
    const missing = await read(service, "/changelog/none");
    for (const id of ["a", "c"]) {
      const { status, content } = await read(service, `/changelog/${id}`);
      assertEquals([status, content], [404, missing.content]);
    }
    assertEquals(await documentsWith(service, "Secret"), []);
    service.advance(HOUR_MS);
    assertEquals(await documentsWith(service, "Secret"), DOCUMENTS);
  });

  it("shows each change at once, with another ETag", async () => {
    const service = createService(PUBLIC);
    await publish(service, "a");
    let etag = (await read(service, "/changelog.atom")).header("etag");
    await forEachRow([
      ["PATCH", `${ENTRIES}/a`, { title: "Renamed" }, true],
      ["POST", `${ENTRIES}/a/unpublish`, undefined, false],
      ["POST", `${ENTRIES}/a/publish`, { notify: false }, true],
      ["DELETE", `${ENTRIES}/a`, undefined, false],
    ], async ([method, path, json, isShown]) => {
      service.advance(1_000);
      assert((await service.send(method, path, { json })).ok);
      assertEquals(await documentsWith(service, "Renamed"), isShown ? DOCUMENTS : []);
      const before = etag;
      etag = (await read(service, "/changelog.atom")).header("etag");
      assert(etag !== before);
    });
  });

  it("shows a change of another process within 2 s", async () => {
    const storage = openMemoryStorage();
    const service = createService({ ...PUBLIC, storage });
    assertEquals(await documentsWith(service, "About a"), []);
    await publish(createService({ ...PUBLIC, storage }), "a");
    service.advance(2_000);
    assertEquals(await documentsWith(service, "About a"), DOCUMENTS);
  });

  it("has 20 entries on a page, and the newest 50 in the feeds", async () => {
    const service = createService(PUBLIC);
    for (let i = 0; i < 52; i++) {
      await publish(service, `e${i}`);
      service.advance(1_000);
    }
    const newestFirst = Array.from({ length: 52 }, (_, index) => `e${51 - index}`);
    const pages: string[][] = [];
    for (let path: string | undefined = "/changelog"; path;) {
      const { content } = await read(service, path);
      const found = [...content.matchAll(/<h3 class="title" dir="auto"><a href="[^"]*\/(e\d+)"/g)];
      pages.push(found.map(([, id]) => id));
      path = /href="[^"]*(\/changelog\?cursor=[^"]+)" rel="next"/.exec(content)?.[1];
    }
    assertEquals([pages.flat(), pages.map(({ length }) => length)], [newestFirst, [20, 20, 12]]);
    assertEquals((await read(service, "/changelog?cursor=x")).status, 422);
    const { nextCursor } = await service.call("GET", `${ENTRIES}?state=published&limit=1`);
    assertEquals((await read(service, `/changelog?cursor=${nextCursor}`)).status, 422);
    const { items } = JSON.parse((await read(service, "/changelog.json")).content);
    const urls = newestFirst.slice(0, 50).map((id) => `${PUBLIC_URL}/changelog/${id}`);
    assertEquals(items.map(({ url }: { url: string }) => url), urls);
    const atom = (await read(service, "/changelog.atom")).content;
    assertEquals(atom.match(/<entry>/g)?.length, 50);
  });

  it("has pages that run nothing, show markup in texts as text, and lead to the feeds", async () => {
    const service = createService(PUBLIC);
    await publish(service, "a", {
      title: '<img src=x onerror="alert(1)">',
      body: "### Deep\n\n> - #### Deeper\n\n<script>alert(1)</script>\n\n" +
        "[x](javascript:alert(1)) ![y](data:image/png;base64,AA)",
      url: "https://example.com/?a=1&b='2",
    });
    await forEachRow(["/changelog", "/changelog/a"], async (path) => {
      const { content, header } = await read(service, path);
      assertEquals(header("content-type"), "text/html; charset=utf-8");
      const policy = /^default-src 'none'; style-src 'sha256-[^']+'; img-src http: https:;/;
      assertMatch(`${header("content-security-policy")}`, policy);
      const data = /<script type="application\/ld\+json">[^<]*<\/script>/;
      const text = content.replace(data, "").replaceAll("&quot;", "'");
      assert(!/<script|<img|onerror="|href="javascript|src="data/.test(text));
      await forEachRow([
        '<link rel="alternate" type="application/atom+xml" title="Acme &amp; &lt;friends&gt;"',
        '<link rel="alternate" type="application/feed+json" title="Acme &amp; &lt;friends&gt;"',
        '<link rel="canonical" href="https://updates.example/feedback/changelog',
        '<meta property="og:title" content="',
        '<meta property="og:description" content="',
      ], (part) => assert(content.includes(part)));
      // The levels of headings have no gap, at whatever level an entry begins.
      const levels = [...content.matchAll(/<h(\d)/g)].map(([, level]) => level).join();
      assertEquals(levels, path === "/changelog" ? "1,2,3,4,5" : "1,2,3");
    });
  });

  it("has an Atom feed as new as what it shows, and never of 1970", async () => {
    const service = createService(PUBLIC);
    const updated = async () => {
      const { content } = await read(service, "/changelog.atom");
      return /<updated>([^<]*)/.exec(content)?.[1];
    };
    assertEquals(await updated(), `${START.slice(0, 10)}T00:00:00.000Z`);
    for (let i = 0; i < 51; i++) {
      await publish(service, `e${i}`);
      service.advance(1_000);
    }
    const before = await updated();
    await service.call("PATCH", `${ENTRIES}/e0`, { title: "Beyond the newest 50" });
    assertEquals(await updated(), before);
    await service.call("PATCH", `${ENTRIES}/e1`, { title: "Among them" });
    assert(`${await updated()}` > `${before}`);
  });

  it("has each paragraph in the direction of its own text, in feeds, too", async () => {
    const service = createService(PUBLIC);
    await publish(service, "a", { body: "שלום\n\nHello" });
    for (const path of DOCUMENTS) {
      const { content } = await read(service, path);
      assertMatch(content, /p dir=\\?(?:"|&quot;)auto/, path);
    }
  });

  it("has another id in feeds for an entry that takes the place of one that was deleted", async () => {
    const service = createService(PUBLIC);
    const ids = new Set<string>();
    for (let i = 0; i < 2; i++) {
      await publish(service, "a");
      const { items: [item] } = JSON.parse((await read(service, "/changelog.json")).content);
      ids.add(item.id);
      service.advance(1_000);
      await service.send("DELETE", `${ENTRIES}/a`);
    }
    assertEquals(ids.size, 2);
  });

  it("takes a date of HTTP in If-Modified-Since, and ignores what is none or obsolete", async () => {
    const service = createService(PUBLIC);
    await publish(service, "a");
    await forEachRow(
      ["Sat, 21 Nov 2026 10:00:00 GMT", "Sun, 22 Nov 2026 10:00:00 GMT"]
        .map((text) => [text, 304] as const),
      expectStatus,
    );
    await forEachRow(
      [
        ...["2999", "1/1/2999", "2026-11-21T10:00:00Z", "Sat, 21 Nov 2026 10:00:00", "tomorrow"],
        ...["Sat, 21 Nov 2026 09:59:59 GMT", "Sat, 31 Nov 2026 10:00:00 GMT"],
        ...["Saturday, 21-Nov-26 10:00:00 GMT", "Sat Nov 21 10:00:00 2026"],
      ].map((text) => [text, 200] as const),
      expectStatus,
    );

    async function expectStatus([since, status]: readonly [string, number]): Promise<void> {
      const found = await read(service, "/changelog", { "if-modified-since": since });
      assertEquals(found.status, status);
    }
  });

  it("has feeds whose ids outlast edits and a change of the host", async () => {
    const storage = openMemoryStorage();
    const service = createService({ ...PUBLIC, storage });
    await publish(service, "a");
    service.advance(HOUR_MS);
    await service.call("PATCH", `${ENTRIES}/a`, { title: "Other" });
    const moved = createService({ publicUrl: "https://elsewhere.example", storage });
    const id = `tag:updates.example,${START.slice(0, 10)}:entries/a/${
      Date.parse(START).toString(36)
    }`;
    for (const each of [service, moved]) {
      const { items: [item] } = JSON.parse((await read(each, "/changelog.json")).content);
      const date = new Date(Date.parse(START) + HOUR_MS).toISOString();
      assertEquals([item.id, item.date_published, item.date_modified], [id, START, date]);
      assert((await read(each, "/changelog.atom")).content.includes(`<id>${id}</id>`));
    }
  });
});

describe("a preview", () => {
  it("has what the page would show, and is stored nowhere", async () => {
    const { call } = createService(PUBLIC);
    const { html, excerpt } = await call("POST", `${ENTRIES}/preview`, {
      title: "A",
      body: "# Press **D**\n\n<script>",
    });
    assertEquals(
      html,
      '<h3 dir="auto">Press <strong>D</strong></h3>\n<p dir="auto">&lt;script&gt;</p>\n',
    );
    assertEquals(excerpt, "Press D · <script>");
    assertEquals((await call<{ data: unknown[] }>("GET", ENTRIES)).data, []);
  });

  it("is shown to whoever has its link, for 7 days, and to no search engine", async () => {
    const service = createService(PUBLIC);
    await service.call("POST", ENTRIES, { entryId: "a", title: "Secret", body: "Draft" });
    const made = await service.send("POST", `${ENTRIES}/a/preview-link`);
    const { url, expiresAt } = await readJson<{ url: string; expiresAt: string }>(made, 201);
    assertEquals(expiresAt, new Date(Date.parse(START) + 7 * 24 * HOUR_MS).toISOString());
    const path = url.slice(PUBLIC_URL.length);
    const page = await read(service, path);
    assertEquals([page.status, page.header("referrer-policy")], [200, "no-referrer"]);
    assert(page.content.includes("Draft") && page.content.includes('content="noindex"'));
    for (const wrong of [`${path}A`, "/preview/x"]) {
      assertEquals((await read(service, wrong)).status, 404);
    }
    service.advance(7 * 24 * HOUR_MS);
    assertEquals((await read(service, path)).status, 404);
  });

  it("is shown by its link after it got another address", async () => {
    const service = createService(PUBLIC);
    await service.call("POST", ENTRIES, { entryId: "drak", title: "First", body: "" });
    const made = await service.send("POST", `${ENTRIES}/drak/preview-link`);
    const { url } = await readJson<{ url: string }>(made, 201);
    await service.call("PATCH", `${ENTRIES}/drak`, { entryId: "dark", title: "Dark" });
    const page = await read(service, url.slice(PUBLIC_URL.length));
    assertEquals([page.status, page.content.includes("Dark")], [200, true]);
  });

  it("is not shown by the link of a deleted draft whose entryId is taken again", async () => {
    const service = createService(PUBLIC);
    await service.call("POST", ENTRIES, { entryId: "a", title: "First", body: "" });
    const made = await service.send("POST", `${ENTRIES}/a/preview-link`);
    const { url } = await readJson<{ url: string }>(made, 201);
    await service.send("DELETE", `${ENTRIES}/a`);
    service.advance(1_000);
    await service.call("POST", ENTRIES, { entryId: "a", title: "Secret", body: "" });
    assertEquals((await read(service, url.slice(PUBLIC_URL.length))).status, 404);
  });

  it("leaves no entry the name of its path", async () => {
    const { send } = createService(PUBLIC);
    const json = { entryId: "preview", title: "A", body: "" };
    assertEquals(
      await outcomeOf(await send("POST", ENTRIES, { json })),
      "422 entryId:invalid_value",
    );
  });
});
