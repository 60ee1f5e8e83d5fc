import { encodeUrl } from "./link.ts";
import type { MarkdownBlock, MarkdownInline, MarkdownList, MarkdownTree } from "./tree.ts";

export interface RenderTextOptions {
  /** Whether the URLs of links and images follow their text; by default they do. */
  readonly linkUrls?: boolean;
}

/**
 * Writes a tree as plain text for people: links as `text <url>`, lists with their markers, quotes with
 * `> `, code indented by four spaces. Lines are not wrapped.
 */
export function renderText(tree: MarkdownTree, options: RenderTextOptions = {}): string {
  return blocksToText(tree, options);
}

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
    case "image":
      return withUrl(inline.alt, inline.url, options);
    case "link":
      return withUrl(inlinesToText(inline.children, options), inline.url, options);
    default:
      return inlinesToText(inline.children, options);
  }
}

function withUrl(text: string, url: string, { linkUrls = true }: RenderTextOptions): string {
  // An autolink says where it leads.
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

function prefixLines(text: string, prefix: string, first: string = prefix): string {
  return text.split("\n")
    .map((line, index) => `${index === 0 ? first : prefix}${line}`.trimEnd())
    .join("\n");
}
