import { parseBlocks } from "./_markdown/blocks.ts";
import { replaceControls, unescapeText } from "./_markdown/characters.ts";
import type { Draft } from "./_markdown/draft.ts";
import { parseInlines } from "./_markdown/inlines.ts";
import { trimSpaces } from "./_markdown/line.ts";
import type { MarkdownBlock, MarkdownTree } from "./_markdown/tree.ts";

export { renderHtml, type RenderHtmlOptions } from "./_markdown/html.ts";
export { renderText, type RenderTextOptions } from "./_markdown/text.ts";
export * from "./_markdown/tree.ts";

/**
 * Parses Markdown, a strict subset of CommonMark 0.31: paragraphs, hard breaks, ATX headings, `-` and
 * `1.` lists, block quotes, fenced code, thematic breaks, emphasis, strong emphasis, code spans,
 * inline links, images, autolinks, backslash escapes and entities. All else is text: raw HTML, setext
 * headings, indented code, other list markers, reference links, names of entities beyond Latin-1 and
 * typography.
 *
 * A link has an absolute http, https or mailto URL, an image an absolute http or https one; of any
 * other, the text stays. Never fails, and takes time in proportion to the text.
 *
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseMarkdown, renderHtml, renderText } from "./markdown.ts";
 *
 * const tree = parseMarkdown("Press **D**, or see [the guide](https://example.com/guide).");
 * assertEquals(
 *   renderHtml(tree),
 *   '<p>Press <strong>D</strong>, or see <a href="https://example.com/guide">the guide</a>.</p>\n',
 * );
 * assertEquals(renderText(tree), "Press D, or see the guide <https://example.com/guide>.");
 * ```
 */
export function parseMarkdown(text: string): MarkdownTree {
  return parseBlocks(replaceControls(text.replace(/\r\n?/g, "\n").replace(/\n$/, ""))).map(finish);
}

function finish(draft: Draft): MarkdownBlock {
  const { type } = draft;
  switch (type) {
    case "paragraph":
      return { type, children: parseInlines(trimSpaces(draft.lines.join("\n"))) };
    case "heading":
      return { type, level: draft.level, children: parseInlines(draft.text) };
    case "thematic_break":
      return { type };
    case "code_block": {
      const [language] = unescapeText(draft.info).split(/\s/, 1);
      return { type, language, text: draft.lines.join("") };
    }
    case "quote":
      return { type, children: draft.children.map(finish) };
    case "list": {
      const { start, isTight, children } = draft;
      return { type, start, isTight, items: children.map((item) => item.children.map(finish)) };
    }
  }
}
