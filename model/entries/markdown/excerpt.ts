import type { MarkdownBlock, MarkdownImage, MarkdownInline, MarkdownTree } from "./tree.ts";

const EXCERPT_LENGTH = 200;

// After such a character, no full stop is needed between two lines.
const SENTENCE_END = /[.!?…:;,。！？、؟]$/;

/** The text of one or more blocks. */
interface Lines {
  readonly text: string;
  /**
   * Whether it is a heading or an item, so that its sentence does not continue in the next block.
   */
  readonly isApart: boolean;
}

/**
 * Writes the start of a text as one line, without code blocks, pictures and list markers. Headings
 * and items get a full stop, so that they don't run into the next words.
 */
export function excerptOf(tree: MarkdownTree): string {
  const lines = tree.flatMap((block) => linesOf(block))
    .map(({ text, isApart }) => ({ text: text.replace(/\s+/g, " ").trim(), isApart }))
    .filter(({ text }) => text !== "");
  const text = lines.map(({ text, isApart }, index) => {
    if (index === lines.length - 1) return text;
    return `${text}${isApart && !SENTENCE_END.test(text) ? " · " : " "}`;
  }).join("");
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

function linesOf(block: MarkdownBlock, isItem = false): readonly Lines[] {
  if (block.type === "list") return block.items.flat().flatMap((item) => linesOf(item, true));
  if (block.type === "quote") return block.children.flatMap((child) => linesOf(child, isItem));
  if (!("children" in block)) return [];
  const text = block.children.map(inlineToWords).join("");
  return [{ text, isApart: isItem || block.type === "heading" }];
}

/** Writes an inline for an excerpt, without the texts of pictures. */
function inlineToWords(inline: MarkdownInline): string {
  if (inline.type === "image") return "";
  return "children" in inline && inline.type !== "strikethrough"
    ? inline.children.map(inlineToWords).join("")
    : inlineToText(inline);
}

/** Writes the text of an inline, without text that is struck through. */
export function inlineToText(inline: MarkdownInline): string {
  // Without the line through it, the text would say the opposite.
  if (inline.type === "strikethrough") return "";
  if ("children" in inline) return inline.children.map(inlineToText).join("");
  if (inline.type === "image") return inline.alt;
  return "text" in inline ? inline.text : " ";
}
