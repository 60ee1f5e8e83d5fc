import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { readFile } from "node:fs/promises";
import { LANGUAGES } from "../../model/locales/language.ts";
import { createWordIndex, type WordIndex } from "../../model/posts/word_index.ts";
import { forEachRow } from "../_support/rows.ts";
import { threadMs } from "../_support/waiting.ts";

const FOLDER = new URL("../fixtures/similar/", import.meta.url);
const SHOWN = 5;
const PAIRS = 20;

/** Reads pairs of wishes in a language: the same wish in different words. */
async function readPairs(language: string): Promise<readonly (readonly string[])[]> {
  const text = await readFile(new URL(`${language}.txt`, FOLDER), "utf8");
  return text.trimEnd().split("\n").map((line) => line.split(" | "));
}

async function countFound(
  index: WordIndex,
  language: string,
  pairs: readonly (readonly string[])[],
): Promise<number> {
  let found = 0;
  for (const [at, [, words]] of pairs.entries()) {
    const best = (await index.search(words)).slice(0, SHOWN);
    if (best.some(({ id }) => id === `${language}${at}`)) found++;
  }
  return found;
}

describe("similar posts", () => {
  it("are found by other words for the same wish, in each language, among those of all", async () => {
    const index = createWordIndex();
    const all = await Promise.all(LANGUAGES.map(async (language) => {
      const pairs = await readPairs(language);
      for (const [at, [title]] of pairs.entries()) {
        index.set(`${language}${at}`, { title, body: "" });
      }
      return [language, pairs] as const;
    }));
    await forEachRow(all, async ([language, pairs]) => {
      assertEquals(pairs.length, PAIRS);
      const found = await countFound(index, language, pairs);
      assert(found >= 17, `${language}: ${found} of ${PAIRS}`);
    });
  });

  it("among ten thousand are found with turns between, and what is rare comes first", async () => {
    const index = createWordIndex();
    const pairs = await readPairs("en");
    const words = pairs.flatMap(([title]) => title.split(" "));
    for (let at = 0; at < 10_000; at++) {
      const pick = (step: number) => words[(at * step) % words.length];
      const title = `${pick(3)} ${pick(7)} ${pick(11)} number ${at}`;
      index.set(`noise${at}`, { title, body: `${pick(5)} and ${pick(13)} again. `.repeat(5) });
    }
    for (const [at, [title]] of pairs.entries()) index.set(`en${at}`, { title, body: "" });
    let isOver = false;
    let longestMs = 0;
    let turnMs = threadMs();
    const watch = (): void => {
      longestMs = Math.max(longestMs, threadMs() - turnMs);
      turnMs = threadMs();
      if (!isOver) setTimeout(watch, 0);
    };
    watch();
    const [best] = await index.search("Two-factor authentication for our team");
    isOver = true;
    assertEquals(best.id, "en6");
    assert(longestMs < 100, `${longestMs} ms`);
  });

  it("are found by their newest words alone, and no longer once they are deleted", async () => {
    const index = createWordIndex();
    const find = async (text: string) => (await index.search(text)).map(({ id }) => id);
    index.set("a", { title: "Purple paint", body: "" });
    index.set("b", { title: "Something else", body: "" });
    index.set("a", { title: "Yellow bricks", body: "" });
    assertEquals([await find("purple paint"), await find("yellow bricks")], [[], ["a"]]);
    index.delete("a");
    assertEquals([await find("yellow bricks"), [...index.ids()]], [[], ["b"]]);
  });

  it("are left out when they share little with a text", async () => {
    const index = createWordIndex();
    index.set("near", { title: "Export invoices as spreadsheets", body: "" });
    const body = `${"Nothing of interest here. ".repeat(20)}invoices`;
    index.set("far", { title: "Another layout", body });
    const found = await index.search("Export invoices as spreadsheets");
    assertEquals(found.map(({ id }) => id), ["near"]);
  });
});
