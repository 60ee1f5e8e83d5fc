import { encodeUrl } from "./link.ts";
import type {
  MarkdownBlock,
  MarkdownInline,
  MarkdownList,
  MarkdownTable,
  MarkdownTree,
} from "./tree.ts";

const COLUMN_GAP = "   ";
// Mail programs wrap wider tables.
const MAX_TABLE_WIDTH = 78;
const MAX_ALIGNED_COLUMNS = 20;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** The options of the plain-text renderer. */
export interface RenderTextOptions {
  /** Whether the URLs of links and images follow their text; by default they do. */
  readonly linkUrls?: boolean;
}

/**
 * Writes a tree as plain text for people: links as `text <url>`, lists with their markers, quotes
 * with `> `, code indented by four spaces, tables in columns. Lines are not wrapped.
 */
export function renderText(tree: MarkdownTree, options: RenderTextOptions = {}): string {
  return blocksToText(tree, options);
}

/** Writes the inlines of a paragraph as plain text. */
export function inlinesToText(
  inlines: readonly MarkdownInline[],
  options: RenderTextOptions,
): string {
  return inlines.map((inline) => inlineToText(inline, options)).join("");
}

function inlineToText(inline: MarkdownInline, options: RenderTextOptions): string {
  switch (inline.type) {
    case "text":
    case "code":
      return inline.text;
    case "hard_break":
      return "\n";
    case "checkbox":
      return inline.isChecked ? "[x]" : "[ ]";
    // Without marks, struck text would say the opposite.
    case "strikethrough":
      return `~~${inlinesToText(inline.children, options)}~~`;
    case "image":
      return withUrl(inline.alt, inline.url, options);
    case "link":
      return withUrl(inlinesToText(inline.children, options), inline.url, options);
    default:
      return inlinesToText(inline.children, options);
  }
}

function withUrl(text: string, url: string, { linkUrls = true }: RenderTextOptions): string {
  // The text of an autolink is its URL.
  if (!linkUrls || [text, `mailto:${text}`].map(encodeUrl).includes(url)) return text;
  return text === "" ? `<${url}>` : `${text} <${url}>`;
}

function blocksToText(
  blocks: MarkdownTree,
  options: RenderTextOptions,
  separator = "\n\n",
): string {
  return blocks.map((block) => blockToText(block, options)).join(separator);
}

function blockToText(block: MarkdownBlock, options: RenderTextOptions): string {
  switch (block.type) {
    case "thematic_break":
      return "* * *";
    case "code_block":
      return prefixLines(block.text.replace(/\n$/, ""), "    ");
    case "quote":
      return prefixLines(blocksToText(block.children, options), "> ");
    case "list":
      return listToText(block, options);
    case "table":
      return tableToText(block, options);
    default:
      return inlinesToText(block.children, options);
  }
}

function listToText({ start, isTight, items }: MarkdownList, options: RenderTextOptions): string {
  const separator = isTight ? "\n" : "\n\n";
  return items.map((item, index) => {
    const marker = start === undefined ? "- " : `${start + index}. `;
    const text = blocksToText(item, options, separator);
    return prefixLines(text, " ".repeat(marker.length), marker);
  }).join(separator);
}

function tableToText(
  { alignments, header, rows }: MarkdownTable,
  options: RenderTextOptions,
): string {
  const texts = [header, ...rows].map((row) =>
    row.map((cell) => inlinesToText(cell, options).replace(/\s+/g, " "))
  );
  if (alignments.length > MAX_ALIGNED_COLUMNS) return writeUnaligned(texts);
  const widths = alignments.map((_, column) =>
    texts.reduce((widest, row) => Math.max(widest, widthOf(row[column] ?? "")), 1)
  );
  const total = widths.reduce((sum, width) => sum + width + COLUMN_GAP.length, -COLUMN_GAP.length);
  if (total > MAX_TABLE_WIDTH) return writeUnaligned(texts);
  const [first, ...others] = texts.map((row) =>
    widths.map((width, column) => {
      const text = row[column] ?? "";
      const padding = " ".repeat(width - widthOf(text));
      return alignments[column] === "right" ? padding + text : text + padding;
    }).join(COLUMN_GAP).trimEnd()
  );
  const rule = widths.map((width) => "-".repeat(width)).join(COLUMN_GAP);
  return [first, rule, ...others].join("\n");
}

function writeUnaligned(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.join(" | ")).join("\n");
}

/** Counts the columns of a text. Chinese, Japanese and Korean characters and emoji take two. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += WIDE.test(character) ? 2 : 1;
  return width;
}

/** Puts a prefix before each line of a text; the first line may have another prefix. */
export function prefixLines(text: string, prefix: string, first: string = prefix): string {
  return text.split("\n")
    .map((line, index) => `${index === 0 ? first : prefix}${line}`.trimEnd())
    .join("\n");
}
