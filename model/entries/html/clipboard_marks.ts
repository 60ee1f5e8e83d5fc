import { isBlock } from "./html_to_markdown.ts";
import { createElement, type MarkupElement, type MarkupNode } from "./markup.ts";

/** The names of elements with the same meaning as a mark. */
const SYNONYMS: Readonly<Record<string, RegExp>> = {
  strong: /^(?:b|strong)$/,
  em: /^(?:i|em)$/,
  s: /^(?:s|del|strike)$/,
};
const CELL = /^t[dh]$/;

/**
 * Tells whether an element is bold by name but not by style, like the wrapper in Google's texts.
 */
export function isPlain({ name, attributes }: MarkupElement): boolean {
  return /^(?:b|strong)$/.test(name) &&
    /font-weight:\s{0,9}(?:normal|400)/i.test(attributes.get("style") ?? "");
}

/** Returns the names of the elements with the same meaning as an element's style. */
export function marksOf({ name, attributes }: MarkupElement): readonly string[] {
  const style = attributes.get("style") ?? "";
  if (style === "") return [];
  const marks: string[] = [];
  if (/font-weight:\s{0,9}(?:bold|[6-9]00)/i.test(style)) marks.push("strong");
  if (/font-style:\s{0,9}italic/i.test(style)) marks.push("em");
  if (isStruck(style)) marks.push("s");
  return marks.filter((mark) => !SYNONYMS[mark].test(name));
}

function isStruck(style: string): boolean {
  return style.toLowerCase().split(";").some((declaration) =>
    declaration.includes("text-decoration") && declaration.includes("line-through")
  );
}

/** Puts marks around the inlines in an element, at any depth of nested blocks. */
export function wrapContent(element: MarkupElement, marks: readonly string[]): MarkupElement {
  if (marks.length === 0) return element;
  const children: MarkupNode[] = [];
  let inlines: MarkupNode[] = [];
  const end = () => {
    const hasText = inlines.some((node) => typeof node !== "string" || node.trim() !== "");
    children.push(...hasText ? marks.reduce(wrap, inlines) : inlines);
    inlines = [];
  };
  for (const child of element.children) {
    if (typeof child === "string" || !isBlock(child) && !CELL.test(child.name)) inlines.push(child);
    else {
      end();
      children.push(/^(?:pre|h[1-6])$/.test(child.name) ? child : wrapContent(child, marks));
    }
  }
  end();
  return createElement(element.name, children, element.attributes);
}

function wrap(nodes: MarkupNode[], mark: string): MarkupNode[] {
  return [createElement(mark, nodes.flatMap((node) => withoutMark(node, mark)))];
}

/**
 * Removes a mark inside an inline, because Markdown would take its start for the outer mark's end.
 */
function withoutMark(node: MarkupNode, mark: string): readonly MarkupNode[] {
  if (typeof node === "string" || node.name === "code") return [node];
  const children = node.children.flatMap((child) => withoutMark(child, mark));
  return SYNONYMS[mark].test(node.name)
    ? children
    : [createElement(node.name, children, node.attributes)];
}

/** Merges adjacent nodes with the same mark, because programs split a text into runs. */
export function mergeMarks(nodes: readonly MarkupNode[]): readonly MarkupNode[] {
  const merged: MarkupNode[] = [];
  for (const node of nodes) {
    const before = merged.at(-1);
    const name = typeof node === "string" ? undefined : markOf(node);
    if (typeof node === "string" || name === undefined) merged.push(node);
    else if (typeof before === "object" && before.name === name) {
      for (const child of node.children) before.children.push(child);
    } else merged.push(createElement(name, node.children));
  }
  return merged;
}

function markOf({ name }: MarkupElement): string | undefined {
  return Object.keys(SYNONYMS).find((mark) => SYNONYMS[mark].test(name));
}
