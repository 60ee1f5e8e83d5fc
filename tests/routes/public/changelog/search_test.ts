import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { ENTRIES } from "../../../../model/kinds.ts";
import { LANGUAGES } from "../../../../model/locales/language.ts";
import { textsOf } from "../../../../model/locales/locales.ts";
import { findAround, queryWords } from "../../../../model/values/found_words.ts";
import { putAll } from "../../../_contract/calls.ts";
import { importFile } from "../../../_support/entry_import.ts";
import { forEachRow } from "../../../_support/rows.ts";
import { createService, type TestService } from "../../../_support/service.ts";

const PUBLIC = { publicUrl: "https://example.com" };

async function createFilled(entries: readonly object[], options = {}): Promise<TestService> {
  const service = createService({ ...PUBLIC, ...options });
  const lines = entries.map((entry, at) => ({
    entryId: `e${at}`,
    body: "",
    publishedAt: `2026-01-${`${at + 1}`.padStart(2, "0")}T00:00:00Z`,
    ...entry,
  }));
  const file = lines.map((line) => JSON.stringify(line)).join("\n");
  await importFile(service, file, { type: "application/x-ndjson" });
  return service;
}

async function search(service: TestService, query: string) {
  const response = await service.send("GET", `/changelog?${query}`, { key: null });
  const page = await response.text();
  const titles = [...page.matchAll(/<h2 class="title"[^>]*><a[^>]*>(.*?)<\/a>/g)]
    .map(([, title]) => title.replace(/<\/?mark>/g, ""));
  return { response, page, titles };
}

describe("a search of the changelog", () => {
  it("finds words in titles and bodies, in any case, and with or without accents", async () => {
    const service = await createFilled([
      { title: "Dark mode", body: "At **night**." },
      { title: "Résumés", body: "Über uns" },
      { title: "暗いモード", body: "夜に" },
      { title: "الوضع الداكِن" },
      { title: "Draft", body: "dark", state: "draft" },
    ]);
    await forEachRow([
      ["dark", ["Dark mode"]],
      ["DARK+night", ["Dark mode"]],
      ["resume", ["Résumés"]],
      ["ÜBER", ["Résumés"]],
      ["モード", ["暗いモード"]],
      ["الداكن", ["الوضع الداكِن"]],
      ["night+mode+now", []],
    ], async ([q, expected]) => {
      assertEquals((await search(service, `q=${encodeURI(`${q}`)}`)).titles, [...expected]);
    });
  });

  it("finds what readers see of Markdown, and nothing that stands only in an address", async () => {
    const service = await createFilled([
      { title: "One", body: "**bold**word and [a](https://e.example/addressed)link" },
      { title: "Two", body: "caf&eacute; \\*starred\\* https://shown.example/seen" },
    ]);
    await forEachRow([
      ["boldword", ["One"]],
      ["alink", ["One"]],
      ["addressed", []],
      ["café", ["Two"]],
      ["*starred", ["Two"]],
      ["seen", ["Two"]],
    ], async ([q, expected]) => {
      const query = encodeURIComponent(`${q}`);
      assertEquals((await search(service, `q=${query}`)).titles, [...expected]);
      const path = `changelogs/entries?q=${query}`;
      const { data } = await service.call<{ data: { title: string }[] }>("GET", path);
      assertEquals(data.map(({ title }) => title), [...expected]);
    });
  });

  it("marks what was found, is not indexed, and shows the query again as text", async () => {
    const service = await createFilled([{
      title: "Dark & <mode>",
      body: "x ".repeat(500) + "Mode",
    }]);
    const { response, page } = await search(service, "q=mode");
    assertEquals(response.status, 200);
    assertStringIncludes(page, "Dark &amp; &lt;<mark>mode</mark>&gt;");
    assertStringIncludes(page, "… x x");
    assertStringIncludes(page, "<mark>Mode</mark>");
    assertStringIncludes(page, '<meta name="robots" content="noindex">');
    const hostile = await search(service, `q=${encodeURIComponent('"><script>')}`);
    assert(!hostile.page.includes("<script>"));
    assertStringIncludes(hostile.page, 'value="&quot;&gt;&lt;script&gt;"');
  });

  it("says in each language that nothing was found", () =>
    forEachRow(LANGUAGES.map((language) => [language] as const), async ([language]) => {
      const service = await createFilled([{ title: "A" }], { language });
      const { page, titles } = await search(service, "q=zzz");
      assertEquals(titles, []);
      assertStringIncludes(page, textsOf(language).nothingFound);
    }));

  it("goes on to older ones, within a label too", async () => {
    const service = await createFilled(
      Array.from({ length: 25 }, (_, at) => ({
        title: `Word ${at}`,
        labels: at % 5 === 0 ? ["fifth"] : [],
      })),
    );
    const first = await search(service, "q=word");
    assertEquals([first.titles.length, first.titles[0]], [20, "Word 24"]);
    const [, next] = /href="[^"]*\?([^"]*)" rel="next"/.exec(first.page) ?? [];
    const second = await search(service, next.replaceAll("&amp;", "&"));
    assertEquals(second.titles, ["Word 4", "Word 3", "Word 2", "Word 1", "Word 0"]);
    const labelled = await search(service, "q=word&label=fifth");
    assertEquals(labelled.titles.length, 5);
  });

  it("is the list where nothing is asked for, and refuses what is too long", async () => {
    const service = await createFilled([{ title: "A" }]);
    assertStringIncludes((await search(service, "q=")).page, '<form class="search"');
    assertEquals((await search(service, `q=${"a".repeat(101)}`)).response.status, 422);
  });

  it("among 10,000 entries leaves turns to others, and waits for its own", async () => {
    const service = await createFilled([{ title: "First", body: "needle" }]);
    const stored = await service.storage.get(ENTRIES, "e0");
    const body = "Ünderstood words. ".repeat(100);
    await putAll(
      service.storage,
      ENTRIES,
      Array.from({ length: 10_000 }, (_, at) => ({ ...stored!, entryId: `x${at}`, body })),
    );
    let turns = 0;
    const counting = setInterval(() => turns++, 0);
    const { titles } = await search(service, "q=needle");
    clearInterval(counting);
    assertEquals(titles, ["First"]);
    assert(turns > 5, `${turns} turns`);
    const many = await Promise.all(
      Array.from({ length: 6 }, () => search(service, "q=needle").then((found) => found.response)),
    );
    assertEquals(new Set(many.map(({ status }) => status)), new Set([200]));
  });
});

describe("words that were found", () => {
  it("are marked where they stand in the text as it was written", () =>
    forEachRow([
      ["Dark mode", "mode dark", "[Dark] [mode]"],
      ["Straße", "strasse", "[Straße]"],
      ["re\u0301sume\u0301", "resume", "[re\u0301sume\u0301]"],
      ["ＡＢＣ", "abc", "[ＡＢＣ]"],
      ["aab", "ab", "a[ab]"],
      ["abc", "ab abc", "[abc]"],
      ["😀 a", "a", "😀 [a]"],
    ], ([text, query, expected]) => {
      const parts = findAround(text, queryWords(query));
      const shown = parts.map((part) => part.isFound ? `[${part.text}]` : part.text).join("");
      assertEquals(shown, expected);
    }));
});
