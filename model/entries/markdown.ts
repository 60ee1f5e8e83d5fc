import { parseBlocks } from "./markdown/blocks.ts";
import { replaceControls, unescapeText } from "./markdown/characters.ts";
import type { Draft, ItemDraft } from "./markdown/draft.ts";
import { parseInlines } from "./markdown/inlines.ts";
import { trimSpaces } from "./markdown/line.ts";
import { createRowFiller } from "./markdown/table.ts";
import type { MarkdownBlock, MarkdownTree } from "./markdown/tree.ts";

export { excerptOf, firstImage } from "./markdown/excerpt.ts";
export {
  renderHtml,
  type RenderHtmlOptions,
  withDirections,
  withoutControls,
} from "./markdown/html.ts";
export { renderText, type RenderTextOptions } from "./markdown/text.ts";
export { shortenMarkdown } from "./markdown/shorten.ts";
export * from "./markdown/tree.ts";

const TASK = /^\[([ xX])\](?=\s)/;

export interface ParseMarkdownOptions {
  /**
   * The start of the addresses of our own images, before `images/ID`; absent: they are not shown.
   */
  readonly imageBase?: string | undefined;
}

/**
 * Parses Markdown: CommonMark 0.31 without raw HTML and link reference definitions, which are text,
 * with the tables, strikethrough, task lists and bare http and https URLs of GFM 0.29.
 *
 * A link needs an absolute http, https or mailto URL; an image needs an absolute http or https URL,
 * or the address of one of our own. The text of any other stays. Parsing never fails, and takes
 * time in proportion to the text.
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
export function parseMarkdown(text: string, options: ParseMarkdownOptions = {}): MarkdownTree {
  const context = { fillRows: createRowFiller(), imageBase: options.imageBase };
  const lines = replaceControls(text.replace(/\r\n?/g, "\n").replace(/\n$/, ""));
  return parseBlocks(lines).map((draft) => finish(draft, context));
}

interface Context extends ParseMarkdownOptions {
  readonly fillRows: ReturnType<typeof createRowFiller>;
}

function finish(draft: Draft, context: Context): MarkdownBlock {
  const { fillRows, imageBase } = context;
  const { type } = draft;
  switch (type) {
    case "paragraph":
      return { type, children: parseInlines(trimSpaces(draft.lines.join("\n")), imageBase) };
    case "heading":
      return { type, level: draft.level, children: parseInlines(draft.text, imageBase) };
    case "thematic_break":
      return { type };
    case "code_block": {
      const [language] = unescapeText(draft.info).split(/\s/, 1);
      const text = draft.lines.join("");
      return { type, language, text: draft.fence === "" ? trimBlankLines(text) : text };
    }
    case "quote":
      return { type, children: draft.children.map((child) => finish(child, context)) };
    case "list": {
      const { start, isTight, children } = draft;
      return { type, start, isTight, items: children.map((item) => finishItem(item, context)) };
    }
    case "table": {
      const { alignments } = draft;
      const [header, ...rows] = fillRows(draft).map((row) =>
        row.map((cell) => parseInlines(cell, imageBase))
      );
      return { type, alignments, header, rows };
    }
  }
}

function finishItem({ children }: ItemDraft, context: Context): MarkdownTree {
  const [first, ...others] = children.map((child) => finish(child, context));
  if (first === undefined) return [];
  const [draft] = children;
  const source = draft.type === "paragraph" ? trimSpaces(draft.lines.join("\n")) : "";
  const task = TASK.exec(source);
  if (task === null) return [first, ...others];
  const box = { type: "checkbox", isChecked: task[1] !== " " } as const;
  const inlines = parseInlines(source.slice(task[0].length), context.imageBase);
  return [{ type: "paragraph", children: [box, ...inlines] }, ...others];
}

/** Removes blank lines from the end. (A pattern would take quadratic time.) */
function trimBlankLines(text: string): string {
  let end = text.length;
  while (/[ \t\n]/.test(text[end - 1] ?? "")) end--;
  const lineEnd = text.indexOf("\n", end);
  return text.slice(0, lineEnd + 1);
}
