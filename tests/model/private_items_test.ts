import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { ENTRIES, exported, importFile, readFile } from "../_support/entry_import.ts";
import { forEachRow } from "../_support/rows.ts";
import { createService } from "../_support/service.ts";

const RSS = "application/rss+xml";
const ATOM = "application/atom+xml";
const JSON_TYPE = "application/json";

/** Imports a file, and returns the entries, the remarks, and the nonzero counts of omissions. */
async function importStates(body: string, type: string, query = "") {
  const service = createService();
  const headers = { "content-type": type };
  const response = await service.send("POST", `${ENTRIES}/import${query}`, { headers, body });
  const lines = (await response.text()).trimEnd().split("\n").map((line) => JSON.parse(line));
  const counts = Object.entries<number>(lines.at(-1).leftOut).filter(([, count]) => count > 0);
  const entries = await exported(service);
  return {
    entries,
    states: Object.fromEntries(entries.map(({ title, state }) => [title, state])),
    remarks: lines.slice(0, -1),
    leftOut: Object.fromEntries(counts),
  };
}

describe("an import of entries", () => {
  it("publishes of a WordPress export what is public there, and nothing else", async () => {
    const { states, leftOut, entries, remarks } = await importStates(
      await readFile("wordpress.xml"),
      RSS,
    );
    assertEquals(states, {
      "Public post": "published",
      "Draft post": "draft",
      "Pending post": "draft",
      "Scheduled post": "scheduled",
    });
    assertEquals(leftOut, {
      private: 1,
      protected: 1,
      trashed: 1,
      pages: 2,
      attachments: 1,
      others: 5,
    });
    assertEquals(remarks.map(({ code, detail }) => [code, detail]), [
      ["left_out", '"Private post" is left out: it is not for everybody'],
      ["left_out", '"Post with a password" is left out: a password protects it'],
      ["left_out", '"Post in the trash" is left out: it is in the trash'],
      ["left_out", '"Page" is left out: it is a page'],
      ["left_out", '"Draft page" is left out: it is a page'],
    ]);
    const post = entries.find(({ title }) => title === "Public post");
    assertEquals([post?.labels, post?.entryId, post?.publishedAt], [
      ["new"],
      "public-post",
      "2025-06-07T08:09:10.000Z",
    ]);
  });

  it("publishes no draft of RSS that names no type of item", async () => {
    const item = (title: string, more: string) =>
      `<item><title>${title}</title><pubDate>Sat, 07 Jun 2025 08:09:10 +0000</pubDate>${more}</item>`;
    const items = item("Draft", "<wp:status>draft</wp:status>") +
      item("Locked", "<wp:post_password>x</wp:post_password>") +
      item("Public", "<x:status>live</x:status>");
    const file = `<rss version="2.0" xmlns:wp="http://wordpress.org/export/1.2/" xmlns:x="urn:x">` +
      `<channel>${items}</channel></rss>`;
    const { states, leftOut } = await importStates(file, RSS);
    assertEquals(states, { Draft: "draft", Public: "published" });
    assertEquals(leftOut, { protected: 1 });
  });

  it("publishes of an export of Blogger what is public there, and makes no label of a kind", async () => {
    const { states, leftOut, entries } = await importStates(await readFile("blogger.atom"), ATOM);
    assertEquals(states, {
      "Public": "published",
      "Draft": "draft",
      "No draft": "published",
      "Live": "published",
      "New draft": "draft",
    });
    assertEquals(leftOut, { pages: 2, trashed: 1, others: 4 });
    assertEquals(new Set(entries.map(({ labels }) => `${labels}`)), new Set(["new"]));
  });

  it("publishes of an export of Ghost what is public there", async () => {
    const { states, leftOut, entries } = await importStates(
      await readFile("ghost.json"),
      JSON_TYPE,
      "?baseUrl=https://blog.example/",
    );
    assertEquals(states, { "Public": "published", "Draft": "draft", "Scheduled": "scheduled" });
    assertEquals(leftOut, { private: 3, pages: 2 });
    const post = entries.find(({ title }) => title === "Public");
    assertEquals([post?.labels, post?.body], [
      ["new"],
      "Words, and [a guide](https://blog.example/guide/).",
    ]);
  });

  it("keeps a draft of Atom in any spelling of its namespace", () =>
    forEachRow([
      '<control xmlns="http://www.w3.org/2007/app"><draft>yes</draft></control>',
      "<atom-pub:control><atom-pub:draft> Yes </atom-pub:draft></atom-pub:control>",
      "<a.b:control><c:draft>yes</c:draft></a.b:control>",
      "<_app:control><_app:draft>yes</_app:draft></_app:control>",
    ], async (control) => {
      const feed = `<feed><entry><id>a</id><title>A</title>${control}</entry></feed>`;
      assertEquals((await importStates(feed, ATOM)).states, { A: "draft" });
    }));

  it("reads the text of a post in the formats of Ghost's editors, if it has no HTML", async () => {
    const text = (text: string, format = 0) => ({ type: "text", text, format });
    const lexical = {
      root: {
        type: "root",
        children: [
          { type: "extended-heading", tag: "h2", children: [text("Head")] },
          {
            type: "paragraph",
            children: [text("Bold", 1), text(" and "), {
              type: "link",
              url: "https://a.example/",
              children: [text("a link")],
            }],
          },
          {
            type: "list",
            listType: "bullet",
            children: [{ type: "listitem", children: [text("One")] }],
          },
          { type: "image", src: "__GHOST_URL__/content/a.png", alt: "Picture" },
          { type: "signup" },
        ],
      },
    };
    const mobiledoc = {
      markups: [["strong"], ["a", ["href", "https://a.example/"]]],
      cards: [["code", { code: "let a;" }]],
      sections: [
        [1, "p", [[0, [0], 1, "Bold"], [0, [], 0, " and "], [0, [1], 1, "a link"]]],
        [3, "ul", [[[0, [], 0, "One"]]]],
        [10, 0],
      ],
    };
    const post = { type: "post", status: "published", published_at: "2025-01-02T00:00:00.000Z" };
    const posts = [
      { ...post, id: "1", slug: "new", title: "New", lexical: JSON.stringify(lexical) },
      { ...post, id: "2", slug: "old", title: "Old", mobiledoc: JSON.stringify(mobiledoc) },
    ];
    const file = JSON.stringify({ db: [{ data: { posts } }] });
    const { entries, remarks } = await importStates(file, JSON_TYPE, "?baseUrl=https://b.example/");
    assertEquals(Object.fromEntries(entries.map(({ title, body }) => [title, body])), {
      New: "## Head\n\n**Bold** and [a link](https://a.example/)\n\n- One\n\n" +
        "![Picture](https://b.example/content/a.png)",
      Old: "**Bold** and [a link](https://a.example/)\n\n- One\n\n```\nlet a;\n```",
    });
    assertEquals(remarks.some(({ detail }) => `${detail}`.includes("a card (signup)")), true);
  });

  it("publishes nothing of Ghost that is scheduled for mail alone", async () => {
    const post = { type: "post", status: "scheduled", published_at: "2027-01-02T00:00:00.000Z" };
    const data = {
      posts: [{ ...post, id: "1", slug: "a", title: "A", html: "<p>a</p>" }],
      posts_meta: [{ post_id: "1", email_only: 1 }],
    };
    const { states, leftOut } = await importStates(JSON.stringify({ db: [{ data }] }), JSON_TYPE);
    assertEquals([states, leftOut], [{}, { private: 1 }]);
  });

  it("says that a relative picture beside the text is lost without --base-url", () =>
    forEachRow([
      [
        JSON_TYPE,
        JSON.stringify({
          db: [{
            data: {
              posts: [{
                type: "post",
                status: "published",
                id: "1",
                slug: "a",
                title: "A",
                html: "<p>a</p>",
                published_at: "2025-01-02T00:00:00.000Z",
                feature_image: "__GHOST_URL__/content/images/a.png",
              }],
            },
          }],
        }),
      ],
      [
        JSON_TYPE,
        JSON.stringify({
          version: "https://jsonfeed.org/version/1.1",
          items: [{
            id: "a",
            title: "A",
            content_html: "<p>a</p>",
            image: "/content/images/a.png",
          }],
        }),
      ],
      [
        RSS,
        "<rss><channel><item><title>A</title><description>a</description>" +
        "<enclosure url='/content/images/a.png' type='image/png'/></item></channel></rss>",
      ],
    ], async ([type, file]) => {
      assertEquals((await importStates(file, type, "?drafts=true")).leftOut, { images: 1 });
      const found = await importStates(file, type, "?drafts=true&baseUrl=https://b.example/");
      assertEquals(found.entries[0].body, "![](https://b.example/content/images/a.png)\n\na");
    }));

  it("keeps a draft of Atom, and the drafts of a changelog whose head says so", () =>
    forEachRow([
      [
        ATOM,
        '<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>a</id><title>A</title>' +
        "<updated>2025-06-07T00:00:00Z</updated><x:control xmlns:x='http://www.w3.org/2007/app'>" +
        "<x:draft>yes</x:draft></x:control></entry></feed>",
      ],
      ["text/markdown", "---\ntitle: A\ndraft: true\n---\n\n## 1.0.0 - 2025-06-07\n\n- a\n"],
      ["text/markdown", '+++\ntitle = "A"\ndraft = true\n+++\n\n## 1.0.0 - 2025-06-07\n'],
      ["text/markdown", "---\r\npublished: false\r\n---\r\n\r\n## 1.0.0 - 2025-06-07\r\n"],
      [JSON_TYPE, JSON.stringify({ tag_name: "v1", upcoming_release: true })],
    ], async ([type, text]) => {
      const { entries } = await importStates(text, type);
      assertEquals(entries.map(({ state, publishedAt }) => [state, publishedAt]), [
        ["draft", null],
      ]);
    }));

  it("schedules an exact time that lies ahead by a minute, in each format", () => {
    const at = "2026-11-21T10:01:00.000Z";
    return forEachRow([
      [
        "application/x-ndjson",
        JSON.stringify({ entryId: "a", title: "A", body: "", state: "scheduled", publishedAt: at }),
      ],
      [JSON_TYPE, JSON.stringify({ tag_name: "a", upcoming_release: true, released_at: at })],
      [
        JSON_TYPE,
        JSON.stringify({
          version: "https://jsonfeed.org/version/1.1",
          items: [{ id: "a", title: "A", date_published: at }],
        }),
      ],
      [
        RSS,
        `<rss><channel><item><guid>a</guid><title>A</title>
        <pubDate>Sat, 21 Nov 2026 10:01:00 GMT</pubDate></item></channel></rss>`,
      ],
      ["text/markdown", "## 1.0.0 (2026-11-21T10:01:00Z)\n"],
    ], async ([type, text]) => {
      const { entries } = await importStates(text, type);
      assertEquals(entries.map(({ state, publishedAt }) => [state, publishedAt]), [
        ["scheduled", at],
      ]);
    });
  });

  it("publishes at once a day that has begun east of here, and schedules the day after it", () =>
    forEachRow([
      ["2026-11-21", "published", "2026-11-21T00:00:00.000Z"],
      ["2026-11-22", "published", "2026-11-21T10:00:00.000Z"],
      ["2026-11-23", "scheduled", "2026-11-23T00:00:00.000Z"],
    ], async ([day, state, publishedAt]) => {
      const { entries } = await importStates(`## 1.0.0 - ${day}\n`, "text/markdown");
      assertEquals(entries.map((entry) => [entry.state, entry.publishedAt]), [
        [state, publishedAt],
      ]);
    }));

  it("keeps the schedule of a server that is moved the evening before a launch", async () => {
    const [old, other] = [createService(), createService()];
    await old.call("POST", "changelogs/entries", { entryId: "launch", title: "Launch", body: "" });
    const at = "2026-11-22T07:00:00.000Z";
    await old.call("POST", "changelogs/entries/launch/publish", { notify: false, at });
    const text = await (await old.send("GET", "/api/v1/changelogs/entries/export")).text();
    await importFile(other, text, { type: "application/x-ndjson" });
    const [entry] = await exported(other);
    assertEquals([entry.state, entry.publishedAt], ["scheduled", at]);
  });
});
