import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { readChangelog } from "../../model/entries/files/changelog_markdown.ts";
import type { FileOptions } from "../../model/entries/files/file_entry.ts";
import { runSynchronously } from "../../model/turns.ts";
import { forEachRow } from "../_support/rows.ts";

const read = (text: string, options?: FileOptions) =>
  runSynchronously(readChangelog(text, options));

describe("a heading of a changelog", () => {
  it("is one of a version in the ways in which projects write it", () =>
    forEachRow([
      ["## [1.2.3] - 2025-06-07", "v1.2.3"],
      ["## 1.2.3 (2025-06-07)", "v1.2.3"],
      ["## v1.2.3 / 2025-06-07", "v1.2.3"],
      ["### [1.2.3](https://a.example/b...c) (2025-06-07)", "v1.2.3"],
      ["# Version 1.2.3 (June 7, 2025)", "v1.2.3"],
      ["## **1.2.3** — 7th June 2025", "v1.2.3"],
      ["## pkg@1.2.3 - 2025/06/07", "v1.2.3"],
      ["1.2.3 / 2025-06-07\n==================", "v1.2.3"],
      ["1.2.3 - 2025.06.07\n---", "v1.2.3"],
      ['## <a name="1.2.3"></a>[1.2.3] - 2025-06-07', "v1.2.3"],
      ["## [v1.2.3-beta.1+5] 2025-06-07", "v1.2.3-beta.1-5"],
      // A name, an emoji, a package or other words come before the version.
      ["## Acme 1.2.3 (June 7, 2025) ##", "v1.2.3"],
      ["# :tada: v1.2.3 (7 June 2025)", "v1.2.3"],
      ["## 🎉 1.2.3 - Jun 7th, 2025", "v1.2.3"],
      ["## @acme/ui v1.2.3 (2025-06-07)", "v1.2.3"],
      ["## acme-ui@1.2.3 | Saturday, June 7, 2025", "v1.2.3"],
      ["## Changes in Acme 1.2.3: 2025-06-07", "v1.2.3"],
      // The date comes first, or the version is a date.
      ["## 2025-06-07, Version 1.2.3 (Current), @ann", "v1.2.3"],
      ["## 2025-06-07 - 1.2.3", "v1.2.3"],
      ["## June 7, 2025: v1.2.3", "v1.2.3"],
      ["## 2025.06.07", "v2025.06.07"],
      ["### 2025.6.7", "v2025.6.7"],
      ["## 2025.06.07-1", "v2025.06.07-1"],
      ["## 2025-06-07", "2025-06-07"],
      ["## June 7, 2025", "2025-06-07"],
      ["## 7.6.2025: Neues", "2025-06-07"],
      // All headings have the same level, whichever it is.
      ["#### 1.2.3 - 2025-06-07", "v1.2.3"],
      ["##### v1.2.3 2025‑06‑07", "v1.2.3"],
      ["<h2>1.2.3 (2025-06-07)</h2>", "v1.2.3"],
      // Versions in the style of other languages.
      ["## 1.2.3rc1 (2025-06-07)", "v1.2.3rc1"],
      ["## 1.2 - 2025-06-07", "v1.2"],
      ["## Version 12 (7 Jun 2025)", "v12"],
      ["v1.2.3 - June 7, 2025", "v1.2.3"],
      ["acme-ui-1.2.3 (2025-06-07)", "v1.2.3"],
    ], ([heading, entryId]) => {
      const [entry] = read(`# Changes\n\n${heading}\n\n- a\n`);
      if (!("body" in entry)) throw new Error(JSON.stringify(entry));
      assertEquals([entry.entryId, entry.body, entry.publishedAt], [
        ...[entryId, "- a", "2025-06-07T00:00:00.000Z"],
      ]);
    }));

  it("may have its date in the first lines below it, in whatever dress", () =>
    forEachRow([
      ...["2025-06-07", "_2025-06-07_", "*June 7, 2025*", "`2025-06-07`", "> 7 June 2025"],
      ...["Released on June 7, 2025", "* Release Jun 7, 2025", "**Release date:** 2025/06/07."],
      ...["### 2025-06-07", "(2025-06-07)", "Saturday, June 7th, 2025", "- Published: 2025-06-07"],
      "Snow White\n\n2025-06-07",
    ], (line) => {
      const [entry] = read(`# Changes\n\n## 1.2.3\n\n${line}\n\n- a\n`);
      if (!("body" in entry)) throw new Error(JSON.stringify(entry));
      assertEquals(entry.publishedAt, "2025-06-07T00:00:00.000Z");
      assertEquals(entry.body, line.startsWith("Snow") ? "Snow White\n\n\n- a" : "- a");
    }));

  it("of a whole number may have its date below it", () => {
    const [entry] = read("## v2\n\n2025-06-07\n\n- a\n");
    assertEquals("body" in entry && [entry.entryId, entry.publishedAt, entry.body], [
      ...["v2", "2025-06-07T00:00:00.000Z", "- a"],
    ]);
  });

  it("keeps a time with its offset", () =>
    forEachRow([
      ["2025-06-07T12:30:00+02:00", "10:30:00"],
      ["2025-06-07 10:30 UTC", "10:30:00"],
      ["Sat, 07 Jun 2025 06:30:15 -0400", "10:30:15"],
      ["June 7, 2025 at 10:30 GMT", "10:30:00"],
    ], ([date, time]) => {
      for (const text of [`## 1.2.3 (${date})\n`, `## 1.2.3\n${date}\n`]) {
        const [entry] = read(text);
        assertEquals("body" in entry && entry.publishedAt, `2025-06-07T${time}.000Z`);
      }
    }));

  it("gives a title with the version and a name, without what is left of a date", () =>
    forEachRow([
      ['## 1.2.3 "Snow" - released on Saturday, June 7, 2025', "v1.2.3 – Snow"],
      ["## v1.2.3 (Snow White) 2025-06-07", "v1.2.3 – Snow White"],
      ["## 1.2.3 – Überraschung – 2025-06-07", "v1.2.3 – Überraschung"],
      ["## 1.2.3 (2025-06-07) 日本語", "v1.2.3 – 日本語"],
      ["## [1.2.3] - 2025-06-07 [YANKED]", "v1.2.3 [YANKED]"],
      ["## Acme 1.2.3 (June 7, 2025) ##", "v1.2.3"],
      ["## 1.2.3 [Full changelog](https://a.example/c) 2025-06-07", "v1.2.3"],
      ["## 2025-06-07 – Dark mode", "2025-06-07 – Dark mode"],
      ["## 2025-06-07, Version 1.2.3 (Current), @ann", "v1.2.3 – (Current), @ann"],
    ], ([heading, title]) => {
      const [entry] = read(`${heading}\n\n- a\n`);
      assertEquals("body" in entry && entry.title, title);
    }));

  it("that looks like one and is none ends the version before, and is refused with its line", () =>
    forEachRow([
      ...["## 1.0 – 1.4", "## 1.x", "## Node 18.0", "## 1.3 migration guide", "## 1.0.0 to 1.2.0"],
      ...["## v1", "## [V1]", "## Version 1 (soon)", "## Release 1: Snow"],
    ], (heading) => {
      const text = `## 2.0.0 - 2025-06-07\n\n- a\n\n${heading}\n\n- b\n`;
      const [entry, refused] = read(text);
      assertEquals("body" in entry && entry.body, "- a");
      if (!("code" in refused)) throw new Error(JSON.stringify(refused));
      assertEquals([refused.line, refused.entryId], [5, null]);
      assertStringIncludes(refused.detail, "like ## [1.4.0] - 2026-01-31");
    }));

  it("of a level below, or in code or a comment, is text", () =>
    forEachRow([
      ...["### Node 18.0", "### 2025-01-01", "### Next steps", "### 1.2 in short", "## Thanks"],
      ...["### v1", "## Version 2 of the file format", "## 2024", "## Vault 7"],
      ...["```\n## 1.0.0 - 2020-01-01\n```", "<!--\n## 1.0.0 - 2020-01-01\n-->"],
    ], (text) => {
      const entries = read(`## 2.0.0 - 2025-06-07\n\n- a\n\n${text}\n\n- b\n`);
      assertEquals(entries.length, 1);
      assert("body" in entries[0] && entries[0].body.endsWith("- b"));
    }));

  it("of a package keeps it in title and identifier where there are several", () => {
    const entries = read(
      "## @acme/ui v1.2.0 (2025-06-07)\n\n- a\n\n## @acme/core v1.2.0 (2025-06-07)\n\n- b\n",
    );
    assertEquals(entries.map((entry) => "body" in entry && [entry.entryId, entry.title]), [
      ["acme-ui-v1.2.0", "@acme/ui v1.2.0"],
      ["acme-core-v1.2.0", "@acme/core v1.2.0"],
    ]);
    const [one] = read("## 1.2.0 - 2025-06-07\n", { prefix: "ui-" });
    assertEquals("body" in one && [one.entryId, one.title], ["ui-v1.2.0", "ui v1.2.0"]);
  });

  it("may have a line before it", () => {
    const [entry] = read("## 1.1.0 - 2025-06-07\n\n- a\n\n---\n\n## 1.0.0 - 2025-06-06\n");
    assertEquals("body" in entry && entry.body, "- a");
  });

  it("of another level that is a version by its shape ends the one before, date or not", () =>
    forEachRow([
      ["# [2.0.0](https://a.example/a...b) (2024-01-02)", "## [1.9.1](https://a.example/b...c)"],
      ["# 2.0.0 (2024-01-02)", "## 1.9.1 (soon)"],
      ["## 2.0.0 - 2024-01-02", "### 1.9.1"],
      ["## 2.0.0 - 2024-01-02", "### [1.9.1]"],
      ["## 2.0.0", "### v1.9.1"],
    ], ([first, second]) => {
      const entries = read(`${first}\n\n- a\n\n${second}\n\n- b\n`);
      assertEquals(
        entries.map((entry) => "body" in entry && [entry.entryId, entry.body]),
        [["v2.0.0", "- a"], ["v1.9.1", "- b"]],
      );
    }));

  it("of a version that is not out yet ends the one before, whatever its level", () =>
    forEachRow(["### 1.9.1 (unreleased)", "### [Unreleased]"], (heading) => {
      const entries = read(`## 2.0.0 - 2024-01-02\n\n- a\n\n${heading}\n\n- secret\n`);
      assertEquals(
        entries.map((entry) => "leftOut" in entry && !("body" in entry) ? entry.leftOut : "entry"),
        ["entry", "unreleased"],
      );
    }));

  it("without a date is one in brackets too, as Keep a Changelog writes it", () => {
    const [entry] = read("## [1.1.0]\n\n- a\n\n## [1.0.0] - 2024-01-02\n\n- b\n");
    assertEquals("body" in entry && [entry.entryId, entry.title, entry.publishedAt], [
      ...["v1.1.0", "v1.1.0", undefined],
    ]);
  });

  it("is refused with its line where a file has no other", () =>
    forEachRow(["## 3.0 migration guide", "## Node 18.0", "## 1.x", "## 1.0 – 1.4"], (heading) => {
      const [refused] = read(`# Changes\n\n${heading}\n\n- a\n`);
      assertEquals("code" in refused && refused.line, 3);
    }));

  it("is counted, and no fault of the file, where nothing else is in it than what is to come", () =>
    forEachRow(
      ["## Unreleased", "## [Unreleased] - 2025-06-07", "## 2.0.0 (unreleased)", "## Upcoming"],
      (heading) => assertEquals(read(`${heading}\n\n- a\n`), [{ leftOut: "unreleased" }]),
    ));

  it("is none in an item of a list", () => assertEquals(read("- 1.2.3 - 2025-06-07\n\n- a\n"), []));
});
