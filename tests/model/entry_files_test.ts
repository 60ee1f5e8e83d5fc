import { deliveryPath } from "../_support/deliveries.ts";
import { assert, assertEquals, assertObjectMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { parseMarkdown, renderHtml } from "../../model/entries/markdown.ts";
import { idOfItem } from "../../model/entries/files/feed_item.ts";
import { ENTRIES, exported, importFile, readFile } from "../_support/entry_import.ts";
import { forEachRow } from "../_support/rows.ts";
import { assertProblem, createService, type TestService } from "../_support/service.ts";

const NDJSON = "application/x-ndjson";
const JSON_TYPE = "application/json";
const ATOM = "application/atom+xml";

describe("an import of entries", () => {
  it("takes each version of a changelog for an entry, dated back and published", async () => {
    const service = createService();
    const report = await importFile(service, await readFile("keep_a_changelog.md"));
    assertEquals(report, { remarks: [], counts: { added: 4 } });
    const entries = await exported(service);
    assertEquals(
      entries.map(({ entryId, title, url, state, publishedAt, createdAt, updatedAt }) => {
        assertEquals([createdAt, updatedAt], [publishedAt, publishedAt]);
        return [entryId, title, url, state, publishedAt];
      }),
      [
        [
          "v1.4.0",
          "v1.4.0",
          "https://example.com/compare/1.3.1...1.4.0",
          "published",
          "2026-01-31T00:00:00.000Z",
        ],
        ["v1.3.1", "v1.3.1 [YANKED]", null, "published", "2025-12-24T00:00:00.000Z"],
        ["v1.3.0-rc.1", "v1.3.0-rc.1 – Snow", null, "published", "2025-12-01T00:00:00.000Z"],
        ["v1.2.0", "v1.2.0", "https://example.com/1.2.0", "published", "2025-11-30T00:00:00.000Z"],
      ],
    );
    assertEquals(
      entries[0].body,
      `### Added

- Dark mode ([#12](https://example.com/issues/12), thanks to [Ann](https://example.com/ann "Ann's page")), see [the guide][guide "x"] and \`[Ann]\`
- A table:

  | Key | Does |
  | --- | --- |
  | D | dark mode |

### Fixed

- Everything\\
else

\`\`\`md
## [0.0.1] - 2020-01-01
[Ann]
\`\`\``,
    );
    assertEquals(entries[1].body, "### Security\n\n- A hole.\n\n**More**\n\nIt was **big**.");
    assertEquals([entries[2].body, entries[3].body], ["", "### 1.2 in short\n\n* nothing"]);
  });

  it("takes releases of GitHub, feeds and exports", async () => {
    const service = createService();
    await importFile(service, await readFile("releases.json"), { type: JSON_TYPE });
    const releases = await exported(service);
    assertEquals(
      releases.map(({ entryId, title, labels, state }) => [entryId, title, labels, state]),
      [
        ["a-b-2.0.0", "@a/b@2.0.0", [], "draft"],
        ["v1.4.0", "1.4.0: Dark mode", [], "published"],
        ["v1.3.0", "1.3.0", ["pre-release"], "published"],
      ],
    );
    assertEquals(
      releases[1].body,
      "## What's Changed\n* Dark mode by @ann in https://github.com/a/b/pull/12\n\n" +
        "![Dark](https://github.com/a/b/dark.png)\n\n" +
        "**Full Changelog**: https://github.com/a/b/compare/v1.3.0...v1.4.0",
    );
    const feeds = createService();
    const { remarks } = await importFile(feeds, await readFile("feed.json"), { type: JSON_TYPE });
    assertEquals(remarks.map(({ entryId, code, detail }) => [entryId, code, detail]), [
      ["dark-mode", "left_out", "can't be kept: embedded content"],
      ["dark-mode", "changed", 'the label "Look & Feel" became look-feel'],
    ]);
    await importFile(feeds, await readFile("feed.atom"), { type: ATOM });
    assertEquals(
      (await exported(feeds)).map((
        { entryId, title, labels, publishedAt },
      ) => [entryId, title, labels, publishedAt]),
      [
        ["v1.4.0", "1.4.0 & more", ["release"], "2026-01-31T12:34:56.000Z"],
        ["dark-mode", "Dark mode", ["new", "look-feel"], "2026-01-31T11:00:00.000Z"],
        ["60a76c80-d399-11d9-b93C-0003939e0af6", "A note", [], "2026-01-01T00:00:00.000Z"],
        ["2", "A note without a title.", [], "2026-01-01T00:00:00.000Z"],
      ],
    );
    const bodies = (await exported(feeds)).map(({ body }) => body);
    assertEquals(bodies.slice(0, 3), [
      "## Added\n\n- Dark *mode*\n\n```js\na < b\n```",
      "Press **D**, or see [the guide](https://example.com/guide).\n\n- One\n- Two `x`",
      "One\\\ntwo & **three**",
    ]);
  });

  it("changes no byte of a body, and no label, of an export", async () => {
    const [service, other] = [createService(), createService()];
    const bodies = ["a\r\nb\rc", "    code\n\n", "\n\n\ttext  ", " \r\n", "\u00a0e\u0301"];
    for (const body of bodies) {
      const labels = ["-a--b-", "new"];
      await service.call("POST", "changelogs/entries", { title: "Title", body, labels });
    }
    const text = await (await service.send("GET", `${ENTRIES}/export`)).text();
    await importFile(other, text, { type: NDJSON });
    assertEquals(await (await other.send("GET", `${ENTRIES}/export`)).text(), text);
  });

  it("gives the same entries back when an export is imported elsewhere", async () => {
    const [service, other] = [createService(), createService()];
    await importFile(service, await readFile("keep_a_changelog.md"));
    await service.call("POST", ENTRIES, { entryId: "draft", title: "D", body: '"'.repeat(30_000) });
    const at = "2030-01-01T00:00:00.000Z";
    await service.call("POST", ENTRIES, { entryId: "later", title: "L", body: "x" });
    await service.call("POST", `${ENTRIES}/later/publish`, { notify: false, at });
    const all = await exported(service);
    assertEquals(all.length, 6);
    const lines = all.map((entry) => `${JSON.stringify(entry)}\n`).join("");
    await importFile(other, lines, { type: NDJSON });
    assertEquals(await exported(other), all);
    assertEquals((await importFile(other, lines, { type: NDJSON })).counts, { unchanged: 6 });
    assertEquals((await importFile(service, lines, { type: NDJSON })).counts, { unchanged: 6 });
  });

  it("schedules an entry whose date there has become one to come, and lists it as that", async () => {
    const service = createService();
    const file = (date: string) => `# Changelog\n\n## 2.0.0 - ${date}\n\n- It is out\n`;
    assertEquals((await importFile(service, file("2026-11-01"))).counts, { added: 1 });
    assertEquals((await importFile(service, file("2027-11-01"))).counts, { changed: 1 });
    const { data } = await service.call<{ data: { state: string }[] }>(
      "GET",
      "changelogs/entries?state=scheduled",
    );
    assertEquals(data.map(({ state }) => state), ["scheduled"]);
  });

  it("changes nothing the second time, but entries that changed in the file and not here", async () => {
    const service = createService();
    const file = await readFile("keep_a_changelog.md");
    await importFile(service, file);
    const before = await exported(service);
    assertEquals((await importFile(service, file)).counts, { unchanged: 4 });
    assertEquals(await exported(service), before);

    await service.call("PATCH", `${ENTRIES}/v1.3.1`, { body: "Edited here." });
    service.advance(1_000);
    const changed = file.replace("Dark mode (", "A dark mode (").replace("A hole", "The hole")
      .replace("(2025-11-30)", "(2025-11-29)")
      .replace("## [1.4.0]", "## [1.5.0] - 2026-02-01\n\nNew\n\n## [1.4.0]");
    const { counts, remarks } = await importFile(service, changed);
    assertEquals(counts, { added: 1, changed: 2, unchanged: 1, kept: 1 });
    assertEquals(remarks.map(({ entryId, code }) => [entryId, code]), [["v1.3.1", "edited_here"]]);
    const after = new Map((await exported(service)).map((entry) => [entry.entryId, entry]));
    assertStringIncludes(`${after.get("v1.4.0")?.body}`, "A dark mode");
    assertEquals(after.get("v1.3.1")?.body, "Edited here.");
    assertEquals(after.get("v1.2.0")?.publishedAt, "2025-11-29T00:00:00.000Z");
    assert(`${after.get("v1.4.0")?.updatedAt}` > "2026-11-21");
  });

  it("ends in the same once it is run again, wherever it ended", async () => {
    const whole = createService();
    const lines = Array.from(
      { length: 200 },
      (_, i) =>
        `${
          JSON.stringify({
            entryId: `e${i}`,
            title: `${i}`,
            body: "x",
            publishedAt: "2025-01-01T00:00:00Z",
          })
        }\n`,
    )
      .join("");
    await importFile(whole, lines, { type: NDJSON });
    const expected = await exported(whole);
    for (let tenth = 1; tenth < 10; tenth++) {
      const service = createService();
      const start = lines.slice(0, Math.floor(lines.length * tenth / 10));
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode(start)),
        pull: (controller) => controller.error(new Error("The connection is gone")),
      });
      const headers = { "content-type": NDJSON };
      await (await service.send("POST", `${ENTRIES}/import`, { headers, body })).text();
      await importFile(service, lines, { type: NDJSON });
      assertEquals(await exported(service), expected, `at ${tenth} tenths`);
    }
  });

  it("leaves alone what was written here under the same identifier", async () => {
    const service = createService();
    await service.call("POST", ENTRIES, { entryId: "v1.4.0", title: "Mine", body: "" });
    const { counts } = await importFile(service, await readFile("keep_a_changelog.md"));
    assertEquals(counts, { added: 3, kept: 1 });
  });

  it("brings drafts that can be published, and mailed, later", async () => {
    const service = createService();
    const file = await readFile("keep_a_changelog.md");
    await importFile(service, file, { query: "?drafts" });
    assertEquals((await exported(service)).map(({ state }) => state), Array(4).fill("draft"));
    await service.call("POST", `${ENTRIES}/v1.4.0/publish`, { notify: true });
    const delivery = await service.call("GET", deliveryPath("v1.4.0"));
    assertEquals(delivery.state, "waiting");
    const again = await importFile(service, file.replace("Dark mode (", "A dark mode ("));
    assertEquals(again.counts, { changed: 1, unchanged: 3 });
    const { publishedAt, body } = await service.call("GET", `${ENTRIES}/v1.4.0`);
    assert(`${publishedAt}` > "2026-11-21" && `${body}`.includes("A dark mode"));
  });

  it("changes nothing when drafts that came from a file are exported and imported", async () => {
    const service = createService();
    const file = await readFile("keep_a_changelog.md");
    await importFile(service, file, { query: "?drafts" });
    await service.call("POST", `${ENTRIES}/v1.4.0/publish`, { notify: false });
    service.advance(1_000);
    const text = await (await service.send("GET", `${ENTRIES}/export`)).text();
    assertEquals((await importFile(service, text, { type: NDJSON })).counts, { unchanged: 4 });
    assertEquals((await importFile(service, file)).counts, { unchanged: 4 });
    assertEquals(await (await service.send("GET", `${ENTRIES}/export`)).text(), text);
  });

  it("mails nobody and tells no webhook", async () => {
    const service = createService();
    const { webhookId } = await service.call("POST", "webhooks", { url: "https://a.example/" });
    await importFile(service, await readFile("keep_a_changelog.md"));
    const messages = await service.call("GET", `webhooks/${webhookId}/messages`);
    assertEquals(messages.data, []);
    const { status } = await service.send("GET", deliveryPath("v1.4.0"));
    assertEquals(status, 404);
  });

  it("changes nothing in a dry run, and tells what would be", async () => {
    const service = createService();
    const file = await readFile("keep_a_changelog.md");
    assertEquals((await importFile(service, file, { query: "?dryRun" })).counts, { added: 4 });
    assertEquals(await exported(service), []);
  });

  it("refuses, one by one, what it can't take", async () => {
    const file = `## 1.0.0\n\nNo date\n\n## 0.9.0 - 2025-01-01\n\nx\n\n## 0.9.0 - 2025-01-01\n\n` +
      `## 0.8.0 - 2024-01-01\n${"long ".repeat(7_000)}\n`;
    const { remarks, counts } = await importFile(createService(), file);
    assertEquals(counts, { added: 1, refused: 3 });
    assertEquals(
      new Set(remarks.map(({ entryId, field, code }) => `${entryId} ${field} ${code}`)),
      new Set([
        "v1.0.0 publishedAt required",
        "v0.9.0 null invalid_value",
        "v0.8.0 body too_long",
      ]),
    );
    const lines = 'x\n[]\n{"entryId":"a"}\n{"entryId":"b","title":1}\n';
    const ndjson = await importFile(createService(), lines, { type: NDJSON });
    assertEquals(ndjson.remarks.map(({ entryId, field }) => [entryId, field]), [
      ...[[null, null], [null, null], ["a", "title"], ["b", "title"]],
    ]);
    assertStringIncludes(`${ndjson.remarks[0].detail}`, "line 1 is not JSON");
  });

  it("says what is left out, with counts, and makes addresses absolute by their base", async () => {
    const file = "## Unreleased\n\n- x\n\n## 1.1.0\n\n- no date\n\n## 1.0.0 - 2025-01-01\n\n" +
      "[a](docs/a.md), [b](#b), [![c](c.png)](d), `[e](f)`, [g](https://a.example/g) ![h](/h.png)\n";
    const send = async (query: string) => {
      const service = createService();
      const headers = { "content-type": "text/markdown" };
      const path = `${ENTRIES}/import${query}`;
      const text = await (await service.send("POST", path, { headers, body: file })).text();
      const lines = text.trimEnd().split("\n").map((line) => JSON.parse(line));
      return { lines, service };
    };
    const { lines } = await send("?dryRun");
    assertEquals(lines.map(({ line, code, detail }) => [line, code, detail]).slice(0, 2), [
      [5, "required", "publishedAt is not known: write a date, or import drafts"],
      [
        9,
        "left_out",
        "can't be kept: 3 relative links, 2 relative images; name by baseUrl what they start from (--base-url URL)",
      ],
    ]);
    assertObjectMatch(lines[2].leftOut, { unreleased: 1, undated: 1, links: 3, images: 2 });
    const base = encodeURIComponent("https://b.example/x/");
    const absolute = await send(`?baseUrl=${base}`);
    assertObjectMatch(absolute.lines[1].leftOut, {
      unreleased: 1,
      undated: 1,
      links: 0,
      images: 0,
    });
    const [{ body }] = await exported(absolute.service);
    assertEquals(
      body,
      "[a](https://b.example/x/docs/a.md), [b](https://b.example/x/#b), " +
        "[![c](https://b.example/x/c.png)](https://b.example/x/d), `[e](f)`, " +
        "[g](https://a.example/g) ![h](https://b.example/h.png)",
    );
  });

  it("refuses an entry of an unknown state, and tells the lines of NDJSON", async () => {
    const entry = { entryId: "a", title: "A", body: "", publishedAt: "2025-01-01T00:00:00Z" };
    const lines = [entry, { ...entry, entryId: "b", state: "archived" }, { title: "c" }]
      .map((one) => JSON.stringify(one)).join("\n");
    const { remarks, counts } = await importFile(createService(), lines, { type: NDJSON });
    assertEquals(counts, { added: 1, refused: 2 });
    assertEquals(remarks.map(({ line, field }) => [line, field]), [[2, "state"], [3, "entryId"]]);
    assertStringIncludes(`${remarks[0].detail}`, "state is none of draft, scheduled, published");
  });

  it("takes feeds of RSS, and keeps what is declared as plain text as it is", async () => {
    const service = createService();
    const rss = `<?xml version="1.0"?><rss version="2.0"
      xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>News</title>
      <item><title>Dark &amp;amp; light</title><link>https://a.example/dark</link><guid>1</guid>
        <pubDate>Sat, 07 Jun 2025 12:00:00 +0200</pubDate><category>New</category>
        <description>Short</description><content:encoded><![CDATA[<p>Press <b>D</b></p>]]></content:encoded></item>
      <item><guid isPermaLink="true">https://a.example/2</guid><pubDate>7 Jun 2025 10:00:00 GMT</pubDate>
        <description>&lt;p&gt;A note&lt;/p&gt;</description></item>
      </channel></rss>`;
    await importFile(service, rss, { type: "application/rss+xml" });
    assertEquals(
      (await exported(service)).map(({ entryId, title, body, labels, publishedAt }) => [
        ...[entryId, title, body, labels, publishedAt],
      ]),
      [
        ["dark", "Dark & light", "Press **D**", ["new"], "2025-06-07T10:00:00.000Z"],
        ["2", "A note", "A note", [], "2025-06-07T10:00:00.000Z"],
      ],
    );
    const plain = "1. *not* a list\n<b> & `x`\n\n# none";
    const item = {
      id: "p",
      title: "P",
      content_text: plain,
      date_published: "2025-01-01T00:00:00Z",
    };
    const feed = JSON.stringify({ version: "https://jsonfeed.org/version/1.1", items: [item] });
    const atom = `<feed><entry><id>p</id><title>P</title><updated>2025-01-01T00:00:00Z</updated>
      <content type="text">${
      plain.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
    }</content></entry></feed>`;
    for (const [text, type] of [[feed, JSON_TYPE], [atom, ATOM]]) {
      const other = createService();
      await importFile(other, text, { type });
      const [{ body }] = await exported(other);
      assertEquals(
        renderHtml(parseMarkdown(`${body}`)),
        "<p>1. *not* a list<br />\n&lt;b&gt; &amp; \`x\`</p>\n<p># none</p>\n",
      );
    }
  });

  it("is 400 for a file that it can't read at all", () =>
    forEachRow([
      ["# Nothing\n\nof note", "text/markdown", "no heading of a version"],
      ["<html/>", ATOM, "neither an Atom feed nor RSS"],
      ["{", JSON_TYPE, "not JSON"],
      [Uint8Array.of(0x23, 0xff), "text/markdown", "not valid UTF-8"],
    ], async ([body, type, detail]) => {
      const sent = { headers: { "content-type": type }, body };
      const response = await createService().send("POST", `${ENTRIES}/import`, sent);
      assertStringIncludes((await assertProblem(response, 400, "malformed_body")).detail, detail);
    }));

  it("reads the arrays that gh api prints one after another, and one release", async () => {
    const [a, b] = JSON.parse(await readFile("releases.json")).map((one: unknown) =>
      JSON.stringify(one)
    );
    const { counts } = await importFile(createService(), `[${a}][${b}]`, { type: JSON_TYPE });
    assertEquals(counts, { added: 2 });
    assertEquals((await importFile(createService(), a, { type: JSON_TYPE })).counts, { added: 1 });
    const lines = { type: NDJSON };
    assertEquals((await importFile(createService(), `${a}\n${b}\n`, lines)).counts, { added: 2 });
  });
});

describe("an item of a feed", () => {
  it("has an identifier by its address, or its own, and one that no other has", () =>
    forEachRow([
      ["tag:a.example,2026:entries/x/mwq8", "https://a.example/changelog/dark-mode", "dark-mode"],
      ["https://a.example/?p=12", "https://a.example/?p=12", "12"],
      ["1", "https://a.example/changelog#2026-01", "2026-01"],
      ["tag:github.com,2008:Repository/1/v1.4.0", "", "v1.4.0"],
      ["urn:uuid:1-2", "", "1-2"],
      ["1.4.0", "", "v1.4.0"],
      ["ä b/ü", "", "u"],
    ], ([id, url, entryId]) => assertEquals(idOfItem({ id, url }), entryId)));

  it("is another entry than one with the same address", async () => {
    const service = createService();
    const item = { url: "https://a.example/news", date_published: "2026-01-01T00:00:00Z" };
    const items = ["1", "2"].map((id) => ({ ...item, id, title: id, content_text: id }));
    const feed = JSON.stringify({ version: "https://jsonfeed.org/version/1.1", items });
    assertEquals((await importFile(service, feed, { type: JSON_TYPE })).counts, { added: 2 });
    assertEquals((await importFile(service, feed, { type: JSON_TYPE })).counts, { unchanged: 2 });
  });

  it("comes from the feeds of Boardcast itself as the entry that it was", async () => {
    const service = createService({ publicUrl: "https://example.com" });
    const body =
      "## Added\n\n- [x] *Dark* mode\n\n```js\na < b\n```\n\n| a | b |\n| --- | --: |\n| c | d |";
    await service.call("POST", ENTRIES, {
      entryId: "dark-mode",
      title: "Dark",
      body,
      labels: ["new"],
    });
    await service.call("POST", `${ENTRIES}/dark-mode/publish`, { notify: false });
    const html = renderHtml(parseMarkdown(body)).replaceAll(/<input[^>]*>/g, "☑").replaceAll(
      "h2>",
      "h3>",
    );
    for (const [path, type] of [["/changelog.json", JSON_TYPE], ["/changelog.atom", ATOM]]) {
      const other = createService();
      const feed = await (await service.send("GET", path, { key: null })).text();
      await importFile(other, feed, { type });
      const [entry] = await exported(other);
      assertEquals([entry.entryId, entry.title, entry.labels], ["dark-mode", "Dark", ["new"]]);
      assertEquals(renderHtml(parseMarkdown(`${entry.body}`)), html, path);
    }
  });
});

describe("an entry that is dated back", () => {
  const publicUrl = "https://example.com";

  it("stands where its date has it, on pages, in feeds and listings", async () => {
    const service = createService({ publicUrl });
    for (const [entryId, month] of [["b", "02"], ["a", "01"], ["c", "03"]]) {
      service.advance(1_000);
      await service.call("POST", ENTRIES, { entryId, title: entryId, body: "" });
      const at = `2025-${month}-01T00:00:00Z`;
      await service.call("POST", `${ENTRIES}/${entryId}/publish`, { notify: false, at });
    }
    const page = await service.send("GET", "/changelog", { key: null });
    assertEquals(page.headers.get("last-modified"), "Sat, 21 Nov 2026 10:00:03 GMT");
    assertEquals(
      (await page.text()).match(/datetime="2025-../g),
      ["03", "02", "01"].map((month) => `datetime="2025-${month}`),
    );
    const feed = await readFeed(service);
    assertEquals(
      feed.items.map((
        { title, date_published, date_modified },
      ) => [title, date_published, date_modified]),
      [
        ["c", "2025-03-01T00:00:00.000Z", "2026-11-21T10:00:03.000Z"],
        ["b", "2025-02-01T00:00:00.000Z", "2026-11-21T10:00:01.000Z"],
        ["a", "2025-01-01T00:00:00.000Z", "2026-11-21T10:00:02.000Z"],
      ],
    );
    const { data } = await service.call<{ data: readonly { entryId: string }[] }>(
      "GET",
      `${ENTRIES}?state=published`,
    );
    assertEquals(data.map(({ entryId }) => entryId), ["c", "b", "a"]);
  });

  it("has the same id in feeds wherever, and whenever, it is imported", async () => {
    const [one, other] = [createService({ publicUrl }), createService({ publicUrl })];
    other.advance(86_400_000);
    const feeds = [];
    for (const service of [one, other]) {
      await importFile(service, await readFile("keep_a_changelog.md"));
      feeds.push(
        (await readFeed(service)).items.map((
          { id, ...item },
        ) => [id.replace(/^tag:[^:]*:/, ""), item.date_published, item.date_modified]),
      );
    }
    assertEquals(feeds[0], feeds[1]);
    assertEquals(feeds[0][0].slice(1), ["2026-01-31T00:00:00.000Z", "2026-01-31T00:00:00.000Z"]);
  });

  it("has the page change for caches when it is imported", async () => {
    const service = createService({ publicUrl });
    await service.call("POST", ENTRIES, { entryId: "a", title: "A", body: "" });
    await service.call("POST", `${ENTRIES}/a/publish`, { notify: false });
    const before = await service.send("GET", "/changelog", { key: null });
    service.advance(60_000);
    await importFile(service, await readFile("keep_a_changelog.md"));
    const after = await service.send("GET", "/changelog", { key: null });
    assertEquals(after.headers.get("last-modified"), "Sat, 21 Nov 2026 10:01:00 GMT");
    assert(before.headers.get("etag") !== after.headers.get("etag"));
  });
});

async function readFeed({ send }: TestService): Promise<Feed> {
  return await (await send("GET", "/changelog.json", { key: null })).json();
}

/** The members of a JSON Feed that these tests read. */
interface Feed {
  readonly items: readonly {
    readonly id: string;
    readonly title: string;
    readonly date_published: string;
    readonly date_modified: string;
  }[];
}
