import type { MarkdownBlock, MarkdownImage, MarkdownInline, MarkdownTree } from "./tree.ts";

const EXCERPT_LENGTH = 200;

/** Writes how a text begins as one line for people, without code blocks and without marks of lists. */
export function excerptOf(tree: MarkdownTree): string {
  const text = tree.map(blockToText).join(" ").replace(/\s+/g, " ").trim();
  const start = [...text.slice(0, 2 * EXCERPT_LENGTH)].slice(0, EXCERPT_LENGTH).join("");
  return start.length < text.length ? `${start.trimEnd()}…` : text;
}

/** Returns the first image of a text. */
export function firstImage(
  nodes: readonly (MarkdownBlock | MarkdownInline)[],
): MarkdownImage | undefined {
  for (const node of nodes) {
    if (node.type === "image") return node;
    const inner = node.type === "list"
      ? node.items.flat()
      : "children" in node
      ? node.children
      : [];
    const found = firstImage(inner);
    if (found !== undefined) return found;
  }
}

function blockToText(block: MarkdownBlock): string {
  if (block.type === "list") return block.items.flat().map(blockToText).join(" ");
  if (block.type === "quote") return block.children.map(blockToText).join(" ");
  return "children" in block ? block.children.map(inlineToText).join("") : "";
}

/** Writes what people read of an inline, without what is struck through. */
export function inlineToText(inline: MarkdownInline): string {
  // Without its line, it would say the opposite.
  if (inline.type === "strikethrough") return "";
  if ("children" in inline) return inline.children.map(inlineToText).join("");
  if (inline.type === "image") return inline.alt;
  return "text" in inline ? inline.text : " ";
}
