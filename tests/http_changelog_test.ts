import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage, type Storage } from "../mod.ts";
import { createService, START, type TestService } from "./_service.ts";

const PUBLIC_URL = "https://updates.example/feedback";
const PUBLIC = { publicUrl: PUBLIC_URL, title: "Acme & <friends>" };
const DOCUMENTS = ["/changelog", "/changelog/a", "/changelog.atom", "/changelog.json"];
const HOUR_MS = 3_600_000;

async function publish(
  { send }: TestService,
  entryId: string,
  entry: Record<string, unknown> = {},
): Promise<void> {
  const { at, ...fields } = entry;
  const json = { entryId, title: `About ${entryId}`, body: "Press **D**.", ...fields };
  assertEquals((await send("POST", "/api/v1/changelogs/entries", { json })).status, 201);
  const path = `/api/v1/changelogs/entries/${entryId}/publish`;
  const published = await send("POST", path, { json: { notify: false, ...(at ? { at } : {}) } });
  assertEquals(published.status, 200, await published.text());
}

async function read(
  { send }: TestService,
  path: string,
  headers: Record<string, string> = {},
): Promise<Response & { readonly content: string }> {
  const response = await send("GET", path, { key: null, headers });
  return Object.assign(response, { content: await response.text() });
}

describe("the public changelog", () => {
  it("is nowhere without a public URL", async () => {
    const service = createService();
    await publish(service, "a");
    for (const path of DOCUMENTS) assertEquals((await read(service, path)).status, 404, path);
    assertEquals((await read(service, "/")).headers.get("location"), "/docs");
  });

  it("is read without a key, with validators, and found from the root", async () => {
    const service = createService(PUBLIC);
    await publish(service, "a");
    for (const path of DOCUMENTS) {
      const { status, headers, content } = await read(service, path);
      assertEquals([status, headers.get("cache-control")], [200, "public, max-age=60"], path);
      assertEquals(headers.get("last-modified"), new Date(START).toUTCString());
      const etag = headers.get("etag") ?? "";
      assertMatch(etag, /^"[^"]+"$/);
      const conditions: readonly Record<string, string>[] = [
        { "If-None-Match": etag },
        { "If-None-Match": `"x", W/${etag}` },
        { "If-Modified-Since": headers.get("last-modified") ?? "" },
      ];
      for (const condition of conditions) {
        const known = await read(service, path, condition);
        assertEquals(
          [known.status, known.content, known.headers.get("etag")],
          [304, "", etag],
          path,
        );
      }
      const stale = { "If-None-Match": '"x"', "If-Modified-Since": new Date().toUTCString() };
      assertEquals((await read(service, path, stale)).status, 200);
      const head = await service.send("HEAD", path, { key: null });
      const length = `${new TextEncoder().encode(content).length}`;
      assertEquals([head.headers.get("content-length"), await head.text()], [length, ""], path);
      // Whoever links to it may add what they like.
      assertEquals((await read(service, `${path}?utm_source=x`)).content, content);
    }
    assertEquals((await read(service, "/")).headers.get("location"), "/changelog");
  });

  it("names the public URL, whatever host a request names", async () => {
    const service = createService({ ...PUBLIC, basePath: "/feedback" });
    await publish({ ...service, send: (m, p, s) => service.send(m, `/feedback${p}`, s) }, "a");
    for (const path of DOCUMENTS) {
      const headers = { Host: "evil.example", "X-Forwarded-Host": "evil.example" };
      const { content } = await read(service, `/feedback${path}`, headers);
      assert(content.includes(`${PUBLIC_URL}/changelog`), path);
      assert(!content.includes("evil") && !content.includes("localhost"), path);
    }
  });

  it("shows no draft and nothing scheduled, by any way", async () => {
    const service = createService(PUBLIC);
    await publish(service, "a");
    const draft = { entryId: "b", title: "Secret", body: "Secret" };
    await service.send("POST", "/api/v1/changelogs/entries", { json: draft });
    const at = new Date(Date.parse(START) + HOUR_MS).toISOString();
    await publish(service, "c", { title: "Secret", body: "Secret", at });
    const missing = await read(service, "/changelog/none");
    for (const id of ["b", "c"]) {
      const page = await read(service, `/changelog/${id}`);
      assertEquals([page.status, page.content], [404, missing.content]);
    }
    for (const path of DOCUMENTS) assert(!(await read(service, path)).content.includes("Secret"));
    for (const by of ["9999-12-31T23:59:59.999Z", "~"]) {
      const forged = btoa(`x ${by}`).replaceAll("=", "");
      assert(!(await read(service, `/changelog?cursor=${forged}`)).content.includes("Secret"));
    }
    service.advance(HOUR_MS);
    for (const path of ["/changelog/c", ...DOCUMENTS.filter((path) => path !== "/changelog/a")]) {
      const { status, content } = await read(service, path);
      assert(status === 200 && content.includes("Secret"), path);
    }
  });

  it("shows each change at once", async () => {
    const service = createService(PUBLIC);
    const empty = await read(service, "/changelog");
    assert(empty.content.includes("Nothing has been published yet"));
    await publish(service, "a");
    const path = "/api/v1/changelogs/entries/a";
    const steps: readonly (readonly [string, string, unknown, RegExp, boolean])[] = [
      ["PATCH", path, { title: "Renamed" }, /Renamed/, true],
      ["POST", `${path}/unpublish`, undefined, /Renamed/, false],
      ["POST", `${path}/publish`, { notify: false }, /Renamed/, true],
      ["DELETE", path, undefined, /Renamed/, false],
    ];
    for (const [method, target, json, pattern, expected] of steps) {
      const before = await read(service, "/changelog.atom");
      assert((await service.send(method, target, { json })).ok);
      for (const document of DOCUMENTS) {
        const { content, headers } = await read(service, document);
        assertEquals(pattern.test(content), expected, `${method} ${document}`);
        if (document === "/changelog.atom") {
          assertNotEquals(headers.get("etag"), before.headers.get("etag"));
        }
      }
    }
  });

  it("stays as it is when what nobody may see changes", async () => {
    const service = createService(PUBLIC);
    await publish(service, "a");
    const etags = () =>
      Promise.all(DOCUMENTS.map(async (path) => {
        const { headers } = await read(service, path);
        return [headers.get("etag"), headers.get("last-modified")];
      }));
    const before = await etags();
    service.advance(HOUR_MS);
    const json = { entryId: "b", title: "Secret", body: "" };
    assertEquals((await service.send("POST", "/api/v1/changelogs/entries", { json })).status, 201);
    const at = new Date(Date.parse(START) + 9 * HOUR_MS).toISOString();
    await publish(service, "c", { at });
    for (const id of ["b", "c"]) {
      const path = `/api/v1/changelogs/entries/${id}`;
      assertEquals((await service.send("PATCH", path, { json: { body: "Secret" } })).status, 200);
      assertEquals(await etags(), before);
      assertEquals((await service.send("DELETE", path)).status, 204);
    }
    assertEquals(await etags(), before);
  });

  it("has another ETag after each change, however fast they follow one another", async () => {
    const service = createService(PUBLIC);
    await publish(service, "a");
    const seen = new Set<string | null>();
    for (const body of ["One", "Two", "Three"]) {
      await service.send("PATCH", "/api/v1/changelogs/entries/a", { json: { body } });
      const { content, headers } = await read(service, "/changelog/a");
      assert(content.includes(`<p>${body}</p>`));
      seen.add(headers.get("etag"));
    }
    assertEquals(seen.size, 3);
  });

  it("follows the clock where it goes back", async () => {
    const service = createService(PUBLIC);
    await publish(service, "a");
    for (const [step, expected] of [[0, true], [-HOUR_MS, false], [HOUR_MS, true]] as const) {
      service.advance(step);
      for (const path of DOCUMENTS) {
        const { content } = await read(service, path);
        assertEquals(content.includes("About a"), expected, `${path} after ${step}`);
      }
    }
  });

  it("makes each document once for all who ask at the same time, on any storage", async () => {
    const memory = openMemoryStorage();
    let lists = 0;
    const storage: Storage = {
      ...memory,
      // Answers later, and with a copy.
      async get(kind, key) {
        await Promise.resolve();
        return structuredClone(await memory.get(kind, key));
      },
      async list(kind, query) {
        lists++;
        await Promise.resolve();
        return structuredClone(await memory.list(kind, query));
      },
    };
    const service = createService({ ...PUBLIC, storage });
    await publish(service, "a");
    for (const expected of ["About a", "Other"]) {
      lists = 0;
      const pages = await Promise.all(Array.from({ length: 9 }, () => read(service, "/changelog")));
      assertEquals(lists, 2, "one for the page, one for when it ends");
      assert(pages.every(({ content }) => content.includes(expected)));
      const json = { title: "Other" };
      await service.send("PATCH", "/api/v1/changelogs/entries/a", { json });
    }
  });

  it("remembers no failure of storage", async () => {
    const memory = openMemoryStorage();
    let fails = true;
    const storage: Storage = {
      ...memory,
      list: (kind, query) => fails ? Promise.reject(new Error("down")) : memory.list(kind, query),
    };
    const service = createService({ ...PUBLIC, storage });
    assertEquals((await read(service, "/changelog")).status, 500);
    fails = false;
    assertEquals((await read(service, "/changelog")).status, 200);
  });

  it("has headings in order, whatever level an entry begins with", async () => {
    const service = createService(PUBLIC);
    await publish(service, "a", { body: "### Deep\n\n> - #### Deeper" });
    const { content } = await read(service, "/changelog/a");
    const levels = [...content.matchAll(/<h(\d)/g)].map(([, level]) => level);
    assertEquals(levels.join(), "1,2,3,4");
  });

  it("shows a change of another process within 2 s", async () => {
    const storage = openMemoryStorage();
    const [one, other] = [
      createService({ ...PUBLIC, storage }),
      createService({ ...PUBLIC, storage }),
    ];
    assert(!(await read(one, "/changelog")).content.includes("About a"));
    await publish(other, "a");
    assert((await read(one, "/changelog")).content.includes("About a"));
  });

  it("has 20 entries on a page, each entry on one", async () => {
    const service = createService(PUBLIC);
    for (let i = 0; i < 45; i++) {
      await publish(service, `e${i}`);
      service.advance(1_000);
    }
    const seen: string[] = [];
    for (let path: string | undefined = "/changelog"; path !== undefined;) {
      const { content } = await read(service, path);
      const found = [...content.matchAll(/<h2 class="title"><a href="[^"]*\/(e\d+)"/g)];
      assert(found.length <= 20);
      seen.push(...found.map(([, id]) => id));
      path = /href="[^"]*(\/changelog\?cursor=[^"]+)" rel="next"/.exec(content)?.[1];
    }
    assertEquals(seen, Array.from({ length: 45 }, (_, index) => `e${44 - index}`));
    assertEquals((await read(service, "/changelog?cursor=x")).status, 422);
  });

  it("has pages that run nothing and show markup in texts as text", async () => {
    const service = createService(PUBLIC);
    await publish(service, "a", {
      title: '<img src=x onerror="alert(1)">',
      body: "<script>alert(1)</script>\n\n[x](javascript:alert(1)) ![y](data:image/png;base64,AA)",
      labels: "new",
      url: "https://example.com/?a=1&b='2",
    });
    for (const path of ["/changelog", "/changelog/a"]) {
      const { content, headers } = await read(service, path);
      assertEquals(headers.get("content-type"), "text/html; charset=utf-8");
      const policy = headers.get("content-security-policy") ?? "";
      assertMatch(policy, /^default-src 'none'; style-src 'sha256-[^']+'; img-src http: https:;/);
      assert(
        !/<script|<img|onerror="|href="javascript|src="data/.test(content.replace(/&quot;/g, "'")),
      );
      assert(content.includes('<html lang="en">') && content.includes("<time datetime="));
      for (const type of ["application/atom+xml", "application/feed+json"]) {
        assert(content.includes(`<link rel="alternate" type="${type}"`));
      }
      assertMatch(
        content,
        /<link rel="canonical" href="https:\/\/updates\.example\/feedback\/changelog/,
      );
      assertMatch(content, /<meta property="og:title" content="[^"]+">/);
      assertMatch(content, /<meta property="og:description" content="[^"]+">/);
    }
  });
});

describe("the feeds", () => {
  it("hold the newest 50 entries, newest first", async () => {
    const service = createService(PUBLIC);
    for (let i = 0; i < 52; i++) {
      await publish(service, `e${i}`);
      service.advance(1_000);
    }
    const { items } = JSON.parse((await read(service, "/changelog.json")).content);
    assertEquals(items.length, 50);
    assertEquals(
      [items[0].url, items[49].url],
      ["e51", "e2"].map((id) => `${PUBLIC_URL}/changelog/${id}`),
    );
    const atom = (await read(service, "/changelog.atom")).content;
    assertEquals(atom.match(/<entry>/g)?.length, 50);
  });

  it("keep the ids of entries over edits and a change of the host, and tell when each changed", async () => {
    const storage = openMemoryStorage();
    const service = createService({ ...PUBLIC, storage });
    await publish(service, "a");
    await publish(service, "b");
    const first = JSON.parse((await read(service, "/changelog.json")).content);
    service.advance(HOUR_MS);
    const json = { title: "Other" };
    await service.send("PATCH", "/api/v1/changelogs/entries/a", { json });
    const moved = createService({ publicUrl: "https://elsewhere.example", storage });
    const second = JSON.parse((await read(moved, "/changelog.json")).content);
    const ids = (feed: { items: { id: string }[] }) => feed.items.map(({ id }) => id);
    assertEquals(ids(second), ids(first));
    assertEquals(ids(first)[1], `tag:updates.example,${START.slice(0, 10)}:entries/a`);
    const dates = second.items.map((item: Record<string, string>) => item.date_modified);
    assertEquals(dates, [START, new Date(Date.parse(START) + HOUR_MS).toISOString()]);
    const atom = (await read(moved, "/changelog.atom")).content;
    assertEquals([...atom.matchAll(/<id>([^<]+)<\/id>/g)].map(([, id]) => id).slice(1), ids(first));
  });
});
