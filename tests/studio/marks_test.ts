import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { isInCode, quotationOf } from "../../studio/writing/blocks.js";
import { type Command, COMMANDS, pasteLink } from "../../studio/writing/marks.js";
import { movedPlace, type Selected } from "../../studio/writing/selection.js";
import { renderMarkdown } from "../../routes/public/_page/rendered.ts";
import { forEachRow } from "../_support/rows.ts";

/** Reads a text in which `‸` marks the caret, or `⟨…⟩` the selection. */
function read(marked: string): Selected {
  const start = marked.search(/[‸⟨]/);
  const text = marked.replace(/[‸⟨⟩]/g, "");
  return { text, start, end: marked.includes("⟩") ? marked.indexOf("⟩") - 1 : start };
}

function write({ text, start, end }: Selected): string {
  const [before, inside, after] = [text.slice(0, start), text.slice(start, end), text.slice(end)];
  return start === end ? `${before}‸${after}` : `${before}⟨${inside}⟩${after}`;
}

const ROWS: readonly (readonly [Command, before: string, after: string | undefined])[] = [
  ["bold", "‸", "**‸**"],
  ["bold", "Press ‸", "Press **‸**"],
  ["bold", "**‸**", "‸"],
  ["bold", "**D‸**", "**D**‸"],
  ["bold", "a wo‸rd", "a **wo‸rd**"],
  ["bold", "a **wo‸rd**", "a wo‸rd"],
  ["bold", "⟨hello ⟩you", "**⟨hello⟩** you"],
  ["bold", "**⟨abc⟩**", "⟨abc⟩"],
  ["bold", "⟨**abc**⟩", "⟨abc⟩"],
  ["bold", "*⟨abc⟩*", "***⟨abc⟩***"],
  ["bold", "***⟨abc⟩***", "*⟨abc⟩*"],
  ["bold", "⟨one\ntwo⟩", "⟨**one**\n**two**⟩"],
  ["bold", "⟨**one**\n**two**⟩", "⟨one\ntwo⟩"],
  ["bold", "⟨- one\n\n- two⟩", "⟨- **one**\n\n- **two**⟩"],
  ["bold", "⟨**one** and **two**⟩", "**⟨one and two⟩**"],
  ["italic", "**⟨abc⟩**", "***⟨abc⟩***"],
  ["italic", "***⟨abc⟩***", "**⟨abc⟩**"],
  ["italic", "*⟨abc⟩*", "⟨abc⟩"],
  ["italic", "⟨***abc***⟩", "⟨**abc**⟩"],
  ["italic", "‸", "*‸*"],
  ["code", "‸", "`‸`"],
  ["code", "`x‸`", "`x`‸"],
  ["code", "⟨x⟩", "`⟨x⟩`"],
  ["code", "`⟨x⟩`", "⟨x⟩"],
  ["code", "⟨`x`⟩", "⟨x⟩"],
  ["code", "⟨a`b⟩", "`` ⟨a`b⟩ ``"],
  ["code", "⟨a\nb⟩", "```\n⟨a\nb⟩\n```"],
  ["code", "```\n⟨a\nb⟩\n```", "⟨a\nb⟩"],
  ["code", "⟨```js\na\nb\n```⟩", "⟨a\nb⟩"],
  ["link", "‸", "[‸](https://)"],
  ["link", "⟨docs⟩", "[docs](⟨https://⟩)"],
  ["link", "⟨https://a.example⟩", "[‸](https://a.example)"],
  ["link", "[do‸cs](https://a.example)", "[docs](⟨https://a.example⟩)"],
  ["heading", "‸", "## ‸"],
  ["heading", "New‸", "## New‸"],
  ["heading", "## New‸", "New‸"],
  ["heading", "# N‸ew", "## N‸ew"],
  ["list", "a\n‸", "a\n- ‸"],
  ["list", "⟨a\nb⟩", "⟨- a\n- b⟩"],
  ["list", "⟨- a\n- b⟩", "⟨a\nb⟩"],
  ["list", "⟨a\n\nb\n⟩c", "⟨- a\n\n- b⟩\nc"],
  ["list", "1. o‸ne", "- o‸ne"],
  ["quote", "⟨a\nb⟩", "⟨> a\n> b⟩"],
  ["enter", "- one‸", "- one\n- ‸"],
  ["enter", "- one\n- ‸", "- one\n‸"],
  ["enter", "9. nine‸", "9. nine\n10. ‸"],
  ["enter", "- [x] done‸", "- [x] done\n- [ ] ‸"],
  ["enter", "  * one‸ two", "  * one\n  * ‸ two"],
  ["enter", "> said‸", "> said\n> ‸"],
  ["enter", "> - one‸", "> - one\n> - ‸"],
  ["enter", "> said\n> ‸\nend", "> said\n‸\nend"],
  ["enter", "words‸", undefined],
  ["enter", "```\n- one‸", undefined],
];

describe("a mark", () => {
  it("does what it says on an empty line, a word, a selection and several lines", async () => {
    await forEachRow(ROWS, ([command, before, after]) => {
      const found = COMMANDS[command](read(before));
      assertEquals(found && write(found), after);
    });
  });

  it("makes a link of words over which an address is pasted, and of nothing else", () => {
    const paste = (before: string, pasted: string) => {
      const found = pasteLink(read(before), pasted);
      return found && write(found);
    };
    const url = "https://a.example/x";
    assertEquals(paste("see ⟨docs⟩.", url), `see [docs](${url})‸.`);
    for (const before of ["‸", "⟨a\nb⟩", "⟨https://b.example⟩", "⟨[x](y)⟩"]) {
      assertEquals(paste(before, url), undefined);
    }
    assertEquals(paste("⟨docs⟩", "words"), undefined);
  });

  it("is where it was among its words, whatever is typed around it", () =>
    forEachRow([
      ["one ‸two", "one ‸more two"],
      ["one ‸two", "only one ‸two"],
      ["one ‸two", "‸two"],
      ["one ‸two", "one‸"],
      ["one ‸two", "three‸"],
      ["‸", "‸one"],
    ], ([before, after]) => {
      const [{ text, start }, now] = [read(before), read(after)];
      assertEquals(movedPlace(start, text, now.text), now.start, `${before} → ${after}`);
    }));
});

describe("a paste", () => {
  it("is one of code between fences or backticks, and nowhere else", () =>
    forEachRow([
      ["```\n‸\n```", true],
      ["```js\na\n‸", true],
      ["- a\n  ~~~\n  ‸b", true],
      ["````\n```\n‸\n````", true],
      ["Press `‸`", true],
      ["Press `a ⟨b⟩ c` now", true],
      ["```\na\n```\n‸", false],
      ["`a` ‸ `b`", false],
      ["a ` ‸", false],
      ["‸```\na\n```", false],
    ], ([marked, expected]) => assertEquals(isInCode(read(`${marked}`)), expected)));
});

describe("a quotation", () => {
  it("shows words as they were typed, whatever they mean in Markdown", () => {
    const words = "# I work *at night*\n\n1. See [this](x) & <b>that</b>\n- snake_case";
    assertEquals(
      quotationOf(words),
      "> \\# I work \\*at night\\*\n>\n> 1\\. See \\[this\\](x) \\& \\<b\\>that\\</b\\>\n> \\- snake\\_case",
    );
    const { html } = renderMarkdown(quotationOf(words), "/");
    assertEquals(
      html.replace(/<\/?(?:blockquote|p)>|<br>/g, "").trim().split(/\s*\n\s*/),
      ["# I work *at night*", "1. See [this](x) &amp; &lt;b&gt;that&lt;/b&gt;", "- snake_case"],
    );
  });
});
