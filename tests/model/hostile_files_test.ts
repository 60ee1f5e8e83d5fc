import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import {
  readJsonFile,
  readMarkdownFile,
  readNdjsonLines,
  readXmlFile,
} from "../../model/entries/files/entry_file.ts";
import type { ReadEntry } from "../../model/entries/files/file_entry.ts";
import { createRecordSplitter } from "../../model/values/record_splitter.ts";
import { Refusal } from "../../model/values/refusal.ts";
import { hostileFiles } from "../_support/hostile_files.ts";
import { forEachRow } from "../_support/rows.ts";

const LENGTH = 65_536;
const DATE = "2026-01-01T00:00:00Z";

/** Reads a file, and counts the pauses. */
function read(type: string, text: string) {
  const readers: Record<string, () => Generator<void, readonly ReadEntry[] | Refusal>> = {
    "text/markdown": () => readMarkdownFile(text, {}),
    "application/json": () => readJsonFile(text),
    "application/x-ndjson"() {
      const splitter = createRecordSplitter({ quoting: false });
      const records = splitter.push(new TextEncoder().encode(text));
      return readNdjsonLines([...records, ...splitter.end()]);
    },
  };
  const work = (readers[type.replace("feed+", "")] ?? (() => readXmlFile(text)))();
  let pauses = 0;
  let next = work.next();
  for (; !next.done; next = work.next()) pauses++;
  return { pauses, entries: next.value };
}

function fill(text: string, length = LENGTH): string {
  return text.repeat(length / text.length);
}

describe("a file of entries that is full of one thing", () => {
  it("is read in pieces, whatever its format", () =>
    forEachRow([
      ["text/markdown", fill("## 1.0.0 - 2026-01-01\n\n- a\n\n")],
      ["text/markdown", fill("- a\n")],
      ["application/json", `[${fill('{"tag_name":"v1","body":"a"},')}{"tag_name":"v1"}]`],
      ["application/json", fill('{"tag_name":"v1","body":"a"}\n')],
      [
        "application/json",
        `{"version":"https://jsonfeed.org/","items":[${fill('{"id":"a","title":"b"},')}{}]}`,
      ],
      ["application/x-ndjson", fill('{"tag_name":"v1","body":"a"}\n')],
      ["application/atom+xml", `<feed>${fill("<entry><id>a</id></entry>")}</feed>`],
      ["application/rss+xml", `<rss>${fill("<item><title>a</title></item>")}</rss>`],
    ], ([type, text]) => {
      const { pauses } = read(type, text);
      assert(pauses > 12, `${pauses} pauses`);
    }));

  it("is refused as too long after some work, and not after all of it", () =>
    forEachRow(
      ["<ul><li>a", "<b>a", "<div>a", "<blockquote>", "a "],
      (part) => {
        const content_html = fill(part, 4 * LENGTH);
        const items = [{ id: "a", title: "A", content_html, date_published: DATE }];
        const feed = JSON.stringify({ version: "https://jsonfeed.org/version/1.1", items });
        const { entries, pauses } = read("application/json", feed);
        assert(!(entries instanceof Refusal) && pauses > 3, `${pauses} pauses`);
        assertEquals(entries.map((entry) => "code" in entry && entry.code), ["too_long"]);
      },
    ));

  it("is read to its end or refused, and breaks nothing, whatever it is full of", () => {
    for (let round = 0; round < 5; round++) {
      for (const { type, text } of hostileFiles(2_000, round)) read(type, text);
    }
  });

  it("is refused, and exhausts nothing, where one tag or a million is in it", () =>
    forEachRow([
      `<feed ${"a a a a ".repeat(1_000_000)}>`,
      `<feed ${'a="b" '.repeat(1_000_000)}>`,
      `<feed ${" ".repeat(4_000_000)}>`,
      `<feed>${"<p>".repeat(1_000_001)}`,
    ], (text) => assert(read("application/atom+xml", text).entries instanceof Refusal)));

  it("takes elements of HTML by their names, and not those of what all objects have", () => {
    const html = "<p>A <constructor>b</constructor> <b>c</b></p>";
    const items = [{ id: "a", title: "A", content_html: html, date_published: DATE }];
    const feed = JSON.stringify({ version: "https://jsonfeed.org/version/1.1", items });
    const { entries } = read("application/json", feed);
    const markdown = read("text/markdown", `## 1.0.0 - 2026-01-01\n\n<constructor> <b>c</b>\n`);
    const bodies = [entries, markdown.entries].flat().map((entry) => "body" in entry && entry.body);
    assertEquals(bodies, ["A b **c**", "<constructor> **c**"]);
  });
});
