import type { MarkdownBlock, MarkdownImage, MarkdownInline, MarkdownTree } from "./tree.ts";

const EXCERPT_LENGTH = 200;

/** Writes how a text begins as one line for people, without code blocks and without marks of lists. */
export function excerptOf(tree: MarkdownTree): string {
  const text = tree.map(blockToText).join(" ").replace(/\s+/g, " ").trim();
  const start = [...text.slice(0, 2 * EXCERPT_LENGTH)].slice(0, EXCERPT_LENGTH).join("");
  return start.length < text.length ? `${start.trimEnd()}…` : text;
}

/** Returns the first image of a text. */
export function firstImage(tree: MarkdownTree): MarkdownImage | undefined {
  for (const block of tree) {
    const found = block.type === "list"
      ? firstImage(block.items.flat())
      : block.type === "quote"
      ? firstImage(block.children)
      : block.type === "paragraph"
      ? imageAmong(block.children)
      : undefined;
    if (found !== undefined) return found;
  }
}

function imageAmong(inlines: readonly MarkdownInline[]): MarkdownImage | undefined {
  for (const inline of inlines) {
    if (inline.type === "image") return inline;
    const found = "children" in inline ? imageAmong(inline.children) : undefined;
    if (found !== undefined) return found;
  }
}

function blockToText(block: MarkdownBlock): string {
  switch (block.type) {
    case "paragraph":
    case "heading":
      return block.children.map(inlineToText).join("");
    case "quote":
      return block.children.map(blockToText).join(" ");
    case "list":
      return block.items.flat().map(blockToText).join(" ");
    default:
      return "";
  }
}

/** Writes what people read of an inline, without what is struck through. */
export function inlineToText(inline: MarkdownInline): string {
  // Without its line, it would say the opposite.
  if (inline.type === "strikethrough") return "";
  if ("children" in inline) return inline.children.map(inlineToText).join("");
  if (inline.type === "image") return inline.alt;
  return "text" in inline ? inline.text : " ";
}
