import { assert, assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage, type Storage, StorageError } from "../../../../mod.ts";
import { POSTS } from "../../../../model/kinds.ts";
import { placed } from "../../../../model/posts/place.ts";
import { POST_STATUSES } from "../../../../model/posts/post.ts";
import { LANGUAGES } from "../../../../model/locales/language.ts";
import { textsOf } from "../../../../model/locales/locales.ts";
import { createPost } from "../../../../services/posts/create.ts";
import { replaceRecord } from "../../../../services/records.ts";
import { type BoardService, createBoardService } from "../../../_support/boards.ts";
import { forEachRow } from "../../../_support/rows.ts";
import { START } from "../../../_support/service.ts";
import { putAll } from "../../../_contract/calls.ts";

const PUBLIC_URL = "https://example.com";

function createPages(rest: Parameters<typeof createBoardService>[0] = {}): Promise<BoardService> {
  return createBoardService({ publicUrl: PUBLIC_URL, ...rest });
}

async function read({ send }: Pick<BoardService, "send">, path: string): Promise<string> {
  const response = await send("GET", path, { key: null });
  assertEquals(response.status, 200, path);
  return await response.text();
}

async function statusOf({ send }: Pick<BoardService, "send">, path: string): Promise<number> {
  const response = await send("GET", path, { key: null });
  await response.body?.cancel();
  return response.status;
}

/** Returns the titles of the ideas on a page, in their order. */
function titlesIn(html: string): readonly string[] {
  return [...html.matchAll(/<li class="listed">[^]*?<h[23] dir="auto"><a [^>]*>(.*?)<\/a>/g)]
    .map(([, title]) => title);
}

describe("the pages of boards", () => {
  it("are listed in a sitemap that is made once for requests at the same time", async () => {
    const storage = openMemoryStorage();
    let reads = 0;
    let isDown = true;
    const list: Storage["list"] = async (kind, query) => {
      if (kind.name !== POSTS.name) return await storage.list(kind, query);
      if (isDown) throw new StorageError("unavailable", "The storage is down");
      reads++;
      return await storage.list(kind, query);
    };
    const service = await createPages({ storage: { ...storage, list } });
    await service.add("dark", { title: "Dark mode" });
    const readAtOnce = (count: number) =>
      Promise.all(Array.from({ length: count }, () => statusOf(service, "/sitemap.xml")));
    assertEquals(await readAtOnce(2), [503, 503]);
    isDown = false;
    assertEquals(await readAtOnce(1), [200]);
    const readsOfOne = reads;
    reads = 0;
    await service.change("dark", { title: "Darker mode" });
    assertEquals(new Set(await readAtOnce(20)), new Set([200]));
    assertEquals(reads, readsOfOne);
  });

  it("show public boards alone, and nothing of a private one", async () => {
    const service = await createPages();
    await service.call("POST", "boards", { boardId: "inner", name: "Inner circle" });
    await service.call("POST", "boards/inner/posts", { postId: "x", title: "Secret wish" });
    await service.add("dark", { title: "Dark mode" });
    const list = await read(service, "/boards");
    assert(list.includes('href="https://example.com/boards/ideas"'));
    assert(list.includes("Open ideas: 1"));
    for (const path of ["/boards", "/boards/ideas", "/roadmap", "/sitemap.xml"]) {
      const text = await read(service, path);
      assert(!/Inner|Secret|inner/.test(text), path);
    }
    for (
      const path of ["/boards/inner", "/boards/inner.atom", "/boards/inner/x", "/boards/ideas/x"]
    ) {
      assertEquals(await statusOf(service, path), 404, path);
    }
  });

  it("show their own first words where another handler of the process has the same ids", async () => {
    for (const body of ["First words", "Other words"]) {
      const service = await createPages();
      await service.add("dark", { title: "Dark mode", body });
      assert((await read(service, "/boards/ideas")).includes(body));
    }
  });

  it("count no idea that is held or hidden", async () => {
    const service = await createPages();
    await service.call("PATCH", "boards/ideas", { moderation: "all" });
    for (const postId of ["dark", "bright"]) await service.add(postId, { title: `Mode ${postId}` });
    await createPost(service.storage, {
      boardId: "ideas",
      title: "Waits for approval",
      body: null,
      author: { userEmail: "ann@example.com", userName: null, notify: false },
      source: "form",
      keyId: null,
      at: START,
    });
    assertMatch(await read(service, "/boards"), /Open ideas: 2/);
    await service.call("PATCH", "boards/ideas/posts/dark", { state: "hidden" });
    assertMatch(await read(service, "/boards"), /Open ideas: 1/);
    await service.call("PATCH", "boards/ideas/posts/dark", { state: "public" });
    assertMatch(await read(service, "/boards"), /Open ideas: 2/);
  });

  it("give a status no rule of another element that has its name", async () => {
    const service = await createPages();
    await service.add("dark", { title: "Dark mode" });
    const [, style] = /<style>([^]*?)<\/style>/.exec(await read(service, "/boards/ideas"))!;
    for (const status of POST_STATUSES) {
      assert(!new RegExp(`(?<!status)\\.${status}\\b`).test(style), status);
    }
  });

  it("list 20 ideas a page by votes, and lead to the others", async () => {
    const service = await createPages();
    for (let n = 0; n < 45; n++) await service.add(`p${`${n}`.padStart(2, "0")}`);
    await service.vote("p07", "ann@example.com");
    const seen: string[] = [];
    let path = "/boards/ideas";
    for (let page = 0; page < 3; page++) {
      const html = await read(service, path);
      seen.push(...titlesIn(html));
      const next = /<a href="https:\/\/example\.com([^"]*)" rel="next">/.exec(html)?.[1];
      assertEquals(next === undefined, page === 2);
      path = `${next}`.replaceAll("&amp;", "&");
    }
    assertEquals([seen.length, new Set(seen).size, seen[0]], [45, 45, "Post p07"]);
  });

  it("follow status, order and words of the address", async () => {
    const service = await createPages();
    await service.add("a", { title: "Alpha one" });
    service.advance(1_000);
    await service.add("b", { title: "Beta two" });
    await service.vote("a", "ann@example.com");
    await service.change("b", { status: "planned" });
    await forEachRow([
      ["", ["Alpha one", "Beta two"]],
      ["?sort=new", ["Beta two", "Alpha one"]],
      ["?status=planned", ["Beta two"]],
      ["?q=alp&utm_source=x", ["Alpha one"]],
      ["?q=", ["Alpha one", "Beta two"]],
      ["?q=nothing", []],
    ], async ([query, titles]) => {
      const html = await read(service, `/boards/ideas${query}`);
      assertEquals(titlesIn(html), titles);
      assertEquals(html.includes(textsOf("en").noMatch), titles.length === 0);
    });
    assertEquals(await statusOf(service, "/boards/ideas?sort=top"), 422);
  });

  it("are searched by many at once, as a long search leaves others their turn", async () => {
    const service = await createPages();
    await service.add("a");
    const first = await service.storage.get(POSTS, "a");
    const copies = Array.from({ length: 5_000 }, (_, n) => ({
      ...placed({ ...first!, title: `Copy ${n}` }),
      ...{ postId: `b${n}`, instanceId: `b${n}` },
    }));
    await putAll(service.storage, POSTS, copies);
    const done: string[] = [];
    const find = async (q: string) => {
      const status = await statusOf(service, `/boards/ideas?q=${q}`);
      done.push(q);
      return status;
    };
    const long = Array.from({ length: 8 }, (_, n) => find(`nothing${n}`));
    const statuses = await Promise.all([...long, find("copy")]);
    assertEquals(new Set(statuses), new Set([200]));
    assertEquals(done[0], "copy");
    const many = Array.from({ length: 70 }, () => statusOf(service, "/boards/ideas?q=copy"));
    const refused = (await Promise.all(many)).filter((status) => status === 429);
    assertEquals(refused.length, 6);
    assertEquals(await statusOf(service, "/boards/ideas?q=copy"), 200);
  });

  it("show an idea with its answer and history, its links as a visitor's", async () => {
    const service = await createPages();
    const body = "See [mine](https://spam.example) <script>alert(1)</script>";
    await service.add("dark", { title: "Dark <b>mode</b>", body, userEmail: "ann@example.com" });
    await service.change("dark", {
      status: "planned",
      answer: "In *June*, see https://our.example",
    });
    const html = await read(service, "/boards/ideas/dark");
    assert(html.includes('<a rel="nofollow ugc noopener" href="https://spam.example">mine</a>'));
    assert(html.includes('In <em>June</em>, see <a href="https://our.example">'));
    assert(html.includes("Planned since 21 November 2026"));
    assert(!html.includes("<script>alert") && !html.includes("<b>mode"));
    assert(!html.includes("ann@"));
    assert(html.includes('<link rel="canonical" href="https://example.com/boards/ideas/dark">'));
    const json = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(html)![1];
    const posting = JSON.parse(json);
    assertEquals(posting.headline, "Dark <b>mode</b>");
    assertEquals(posting.interactionStatistic.userInteractionCount, 1);
    assert(html.includes('<meta property="og:title" content="Dark &lt;b&gt;mode&lt;/b&gt;">'));
  });

  it("tell how many votes of an idea came in the last four weeks, until they are older", async () => {
    const service = await createPages();
    const { add, vote, advance } = service;
    const lately = async () =>
      /Votes: \d+, (\d+) of them/.exec(await read(service, "/boards/ideas/dark"))?.[1];
    await add("dark");
    await vote("dark", "ann@example.com");
    assertEquals(await lately(), undefined);
    advance(28 * 24 * 3_600_000);
    await vote("dark", "ben@example.com");
    await vote("dark", "cem@example.com");
    assertEquals(await lately(), "2");
    await vote("dark", "cem@example.com", { vote: false });
    assertEquals(await lately(), "1");
    advance(28 * 24 * 3_600_000);
    assertEquals(await lately(), undefined);
  });

  it("have the day of the team's answer in lists while an idea is open", async () => {
    const service = await createPages();
    await service.add("dark");
    await service.change("dark", { answer: "Soon." });
    assertMatch(await read(service, "/boards/ideas"), />Answered: 21 Nov 2026</);
    await service.change("dark", { status: "declined" });
    assert(!(await read(service, "/boards/ideas")).includes("Answered"));
  });

  it("show nothing of a held or hidden idea, and lead from a merged one to the other", async () => {
    const service = await createPages();
    const { storage, add, change } = service;
    await createPost(storage, {
      ...{ boardId: "ideas", postId: "held", title: "Held wish", body: null, source: "form" },
      author: { userEmail: "ann@example.com", userName: null, notify: false },
      ...{ keyId: null, at: START },
    });
    await add("hidden", { title: "Hidden wish" });
    const before = await service.send("GET", "/boards/ideas", { key: null });
    await change("hidden", { state: "hidden" });
    await add("old");
    await add("dark");
    await replaceRecord(storage, { kind: POSTS, key: "old" }, (post) => ({
      ...post,
      mergedInto: "dark",
    }));
    for (const path of ["/boards/ideas", "/boards/ideas.atom", "/sitemap.xml", "/roadmap"]) {
      assert(!/Held|Hidden|ideas\/held/.test(await read(service, path)), path);
    }
    await before.body?.cancel();
    for (const path of ["held", "hidden"]) {
      assertEquals(await statusOf(service, `/boards/ideas/${path}`), 404);
    }
    const merged = await service.send("GET", "/boards/ideas/old", { key: null });
    assertEquals(
      [merged.status, merged.headers.get("location")],
      [301, "https://example.com/boards/ideas/dark"],
    );
  });

  it("answer 304 while nothing that they show has changed, whatever else is voted for", async () => {
    const service = await createPages();
    const { send, add, vote, advance } = service;
    await add("dark");
    await add("csv");
    const get = (path: string, headers = {}) => send("GET", path, { key: null, headers });
    const first = await get("/boards/ideas/dark");
    const etag = first.headers.get("etag")!;
    assertEquals(first.headers.get("cache-control"), "public, max-age=60");
    assertEquals(first.headers.get("vary"), "Cookie");
    const since = first.headers.get("last-modified")!;
    advance(5_000);
    await vote("csv", "ann@example.com");
    assertEquals((await get("/boards/ideas/dark", { "if-none-match": etag })).status, 304);
    assertEquals((await get("/boards/ideas/dark", { "if-modified-since": since })).status, 304);
    await vote("dark", "ann@example.com");
    assertEquals((await get("/boards/ideas/dark", { "if-none-match": etag })).status, 200);
    assertEquals((await get("/boards/ideas/dark", { "if-modified-since": since })).status, 200);
  });

  it("have an Atom feed of the newest ideas, which a vote does not change", async () => {
    const service = await createPages();
    const { send, add, vote, change } = service;
    for (let n = 0; n < 55; n++) await add(`p${n}`);
    await change("p3", { answer: "Yes & no." });
    const first = await send("GET", "/boards/ideas.atom", { key: null });
    assertMatch(first.headers.get("content-type")!, /^application\/atom\+xml/);
    const feed = await first.text();
    assertEquals(feed.match(/<entry>/g)?.length, 50);
    await vote("p9", "ann@example.com");
    const headers = { "if-none-match": first.headers.get("etag")! };
    assertEquals((await send("GET", "/boards/ideas.atom", { key: null, headers })).status, 304);
    const page = await read(service, "/boards/ideas");
    assert(
      page.includes(
        'type="application/atom+xml" title="Ideas" href="https://example.com/boards/ideas.atom"',
      ),
    );
  });

  it("have a roadmap of all public boards, with what was shipped in 90 days", async () => {
    const service = await createPages();
    await service.call("POST", "boards", { boardId: "more", name: "More", visibility: "public" });
    for (const [postId, status] of [["a", "considering"], ["b", "planned"], ["c", "started"]]) {
      await service.add(postId);
      await service.change(postId, { status });
    }
    await service.call("POST", "boards/more/posts", { postId: "d", title: "Post d" });
    await service.call("PATCH", "boards/more/posts/d", { status: "shipped" });
    await service.add("e");
    const titles = (html: string) =>
      [...html.matchAll(/<h3 dir="auto"><a [^>]*>(.*?)<\/a>/g)].map(([, title]) => title);
    const all = ["Post a", "Post b", "Post c", "Post d"];
    assertEquals(titles(await read(service, "/roadmap")), all);
    service.advance(91 * 24 * 3_600_000);
    assertEquals(titles(await read(service, "/roadmap")), all.slice(0, 3));
  });

  it("are linked from the changelog once there is a public board", async () => {
    const service = await createPages();
    const link = 'href="https://example.com/boards"';
    assert((await read(service, "/changelog")).includes(link));
    await service.call("PATCH", "boards/ideas", { visibility: "private" });
    assert(!(await read(service, "/changelog")).includes(link));
    assert((await read(service, "/boards")).includes(textsOf("en").noBoards));
    assert(!(await read(service, "/sitemap.xml")).includes("/boards"));
    await service.call("PATCH", "boards/ideas", { visibility: "public" });
    await service.add("dark");
    assert((await read(service, "/sitemap.xml")).includes(
      "<loc>https://example.com/boards/ideas/dark</loc>",
    ));
    assert((await read(service, "/changelog")).includes(link));
  });

  it("lead to the entry that ships an idea, and from there back to it", async () => {
    const service = await createPages();
    const { call, add, change } = service;
    await add("dark", { title: "Dark & quiet" });
    await add("gone", { title: "Hidden later" });
    const posts = ["dark", "gone"];
    await call("POST", "changelogs/entries", { entryId: "e", title: "Night", body: "", posts });
    assert(!(await read(service, "/boards/ideas/dark")).includes("Shipped"));
    await call("POST", "changelogs/entries/e/publish", { notify: false });
    const idea = await read(service, "/boards/ideas/dark");
    assert(
      idea.includes('href="https://example.com/changelog/e"') && idea.includes("Shipped since"),
    );
    const entry = await read(service, "/changelog/e");
    assert(entry.includes('<a href="https://example.com/boards/ideas/dark">Dark &amp; quiet</a>'));
    assert(entry.includes("Hidden later"));
    await change("gone", { state: "hidden" });
    assert(!(await read(service, "/changelog/e")).includes("Hidden later"));
    await call("PATCH", "boards/ideas", { visibility: "private" });
    assert(!(await read(service, "/changelog/e")).includes("Dark &amp; quiet"));
  });

  it("speak each language, and have no form where nobody mails", async () => {
    await forEachRow(LANGUAGES, async (language) => {
      const service = await createPages({ language });
      await service.add("dark");
      const texts = textsOf(language);
      const html = await read(service, "/boards/ideas");
      assert(html.includes(texts.sortNew));
      assert((await read(service, "/roadmap")).includes(texts.shippedLately));
      assert(!html.includes("<form method"), "no form");
      assert(!(await read(service, "/boards/ideas/dark")).includes("<form"));
      assertEquals(await statusOf(service, "/boards/ideas/new"), 404);
    });
  });
});
