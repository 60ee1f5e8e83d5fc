import { type Converted, elementToMarkdown, isBlock } from "./html_to_markdown.ts";
import { createElement, type MarkupElement, readMarkup, textOf } from "./markup.ts";

// Nobody writes lists or quotes deeper, and each level repeats what stands before its lines.
const MAX_DEPTH = 24;
const DROPPED = /^(?:head|link|meta|o:p|style|svg|title|xml)$/;
const HEADING = /^h[1-6]$/;
const PICTURE = "img";
const NODES_AT_ONCE = 100;

type Node = MarkupElement | string;

/**
 * Converts what programs put on the clipboard (Google Docs, Word, Excel, Gmail, GitHub, Notion) to
 * Markdown, with pauses: their marks stand in styles, and their lists in paragraphs.
 */
export function* convertClipboard(
  html: string,
): Generator<void, Pick<Converted, "body" | "leftOut">> {
  const root = yield* readMarkup(html, { isXml: false, maxDepth: MAX_DEPTH });
  const leftOut = new Set<string>();
  const wrapper = unwrap(root);
  const nodes = yield* tidyAll(wrapper, { leftOut, nodes: 0 });
  const texts: string[] = [];
  for (const part of partsOf(gatherLists(wrapper.name, nodes))) {
    let converted = yield* elementToMarkdown(part, { leftOut });
    if (converted.isTooLong) {
      const options = { leftOut, maxLength: Infinity };
      converted = yield* elementToMarkdown(flatten(part, leftOut), options);
    }
    if (converted.body !== "") texts.push(converted.body);
    yield;
  }
  return { body: texts.join("\n\n"), leftOut };
}

/** Keeps the text of what is too long: no entry has room for it as it is. */
function flatten(part: MarkupElement, leftOut: Set<string>): MarkupElement {
  const [first] = part.children;
  if (typeof first === "object") leftOut.add(first.name);
  return createElement("p", [textOf(part)]);
}

/** Returns the element that holds all that is to be read. */
function unwrap(root: MarkupElement): MarkupElement {
  const held = root.children.filter((child) =>
    typeof child === "string" ? child.trim() !== "" : !isDropped(child)
  );
  const [only] = held;
  const isWrapper = held.length === 1 && typeof only !== "string" &&
    /^(?:article|b|body|div|html|main|section)$/.test(only.name) &&
    (only.name !== "b" || isPlain(only));
  return isWrapper ? unwrap(only) : root;
}

function isDropped({ name, attributes }: MarkupElement): boolean {
  return DROPPED.test(name) || attributes.get("class") === "Apple-interchange-newline";
}

/** Google wraps all of a text in what is bold by its name, and not by its style. */
function isPlain({ name, attributes }: MarkupElement): boolean {
  return /^(?:b|strong)$/.test(name) &&
    /font-weight:\s*(?:normal|400)/i.test(attributes.get("style") ?? "");
}

/** Returns what stands one after another, each alone: blocks, and what is between them. */
function partsOf(nodes: readonly Node[]): readonly MarkupElement[] {
  const parts: MarkupElement[] = [];
  let between: Node[] = [];
  const end = () => {
    if (between.length > 0) parts.push(createElement("div", between));
    between = [];
  };
  for (const node of nodes) {
    if (typeof node === "string" || !isBlock(node)) between.push(node);
    else {
      end();
      parts.push(createElement("div", [node]));
    }
  }
  end();
  return parts;
}

/** What the parts of one text have in common. */
interface Tidying {
  readonly leftOut: Set<string>;
  /** How many nodes were read. */
  nodes: number;
}

/** Returns what is in an element with marks and lists that are elements, too. */
function* tidyAll(
  parent: MarkupElement,
  tidying: Tidying,
): Generator<void, readonly Node[]> {
  const nodes: Node[] = [];
  for (const child of parent.children) {
    if (++tidying.nodes % NODES_AT_ONCE === 0) yield;
    for (const node of yield* tidyChild(child, parent, tidying)) nodes.push(node);
  }
  return nodes;
}

function* tidyChild(
  child: Node,
  parent: MarkupElement,
  tidying: Tidying,
): Generator<void, readonly Node[]> {
  // Programs put spaces that don't break where they want to keep several.
  if (typeof child === "string") return [child.replaceAll("\u00a0", " ")];
  const style = child.attributes.get("style") ?? "";
  if (isDropped(child) || /mso-list:\s*ignore/i.test(style)) return [];
  if (child.name === PICTURE) {
    // Only a picture that has an address can be shown. Of a check box, it is the box.
    if (/^https?:\/\//i.test(child.attributes.get("src") ?? "")) return [child];
    if (parent.attributes.get("role") !== "checkbox") tidying.leftOut.add(PICTURE);
    return [];
  }
  const { name, attributes } = child;
  const own = createElement(name, gatherLists(name, yield* tidyAll(child, tidying)), attributes);
  if (child.name === "a") return linkOf(own);
  if (isPlain(child)) return own.children;
  if (child.name === "li") return [itemOf(own)];
  if (child.name === "p" || child.name === "div") return [paragraphOf(own, child)];
  return isBlock(child) || HEADING.test(parent.name) ? [own] : marked(own, style);
}

function linkOf(link: MarkupElement): readonly Node[] {
  const href = link.attributes.get("href") ?? "";
  if (!/^(?:https?:\/\/|mailto:)/i.test(href)) return link.children;
  const target = /^https:\/\/www\.google\.com\/url\?/.test(href)
    ? new URL(href).searchParams.get("q")
    : undefined;
  return [target ? createElement("a", link.children, new Map([["href", target]])) : link];
}

/** Makes elements of what a style says. */
function marked(own: MarkupElement, style: string): readonly Node[] {
  let nodes: readonly Node[] = [own];
  const wrap = (name: string) => nodes = [createElement(name, nodes)];
  if (/font-weight:\s*(?:bold|[6-9]00)/i.test(style) && !/^(?:b|strong)$/.test(own.name)) {
    wrap("strong");
  }
  if (/font-style:\s*italic/i.test(style) && !/^(?:i|em)$/.test(own.name)) wrap("em");
  if (isStruck(style) && !/^(?:s|del|strike)$/.test(own.name)) {
    wrap("s");
  }
  return nodes;
}

function isStruck(style: string): boolean {
  return style.toLowerCase().split(";").some((declaration) =>
    declaration.includes("text-decoration") && declaration.includes("line-through")
  );
}

/** An item is as tight as it can be, and a check box is one. */
function itemOf(item: MarkupElement): MarkupElement {
  const paragraphs = item.children.filter((child) =>
    typeof child !== "string" && child.name === "p"
  );
  const children = paragraphs.length === 1
    ? item.children.flatMap((child) =>
      typeof child !== "string" && child === paragraphs[0] ? child.children : [child]
    )
    : item.children;
  if (item.attributes.get("role") !== "checkbox") {
    return createElement("li", children, item.attributes);
  }
  const isChecked = item.attributes.get("aria-checked") === "true";
  const box = new Map([["type", "checkbox"], ...isChecked ? [["checked", ""] as const] : []]);
  return createElement("li", [createElement("input", [], box), ...children]);
}

/** Word's lists are paragraphs, whose level and mark stand in them. */
function paragraphOf(own: MarkupElement, original: MarkupElement): MarkupElement {
  const [, level] =
    /mso-list:\s{0,9}\S{1,40}\s{1,9}level(\d)/i.exec(own.attributes.get("style") ?? "") ?? [];
  if (level === undefined) {
    return own.attributes.get("class") === "MsoTitle" ? createElement("h1", own.children) : own;
  }
  const mark = original.children.map((child) => typeof child === "string" ? "" : markIn(child));
  const kind = /^[\dA-Za-z]{1,3}[.)]/.test(mark.join("").trim()) ? "ol" : "ul";
  return createElement("word-item", own.children, new Map([["level", level], ["kind", kind]]));
}

function markIn(child: MarkupElement): string {
  if (/mso-list:\s*ignore/i.test(child.attributes.get("style") ?? "")) return textOf(child);
  return child.children.map((inner) => typeof inner === "string" ? "" : markIn(inner)).join("");
}

/** Makes lists of Word's items, and puts lists that stand in lists into the items before them. */
function gatherLists(parent: string, nodes: readonly Node[]): readonly Node[] {
  const found: Node[] = [];
  const isList = parent === "ul" || parent === "ol";
  let open: MarkupElement[] = [];
  for (const node of nodes) {
    if (typeof node === "string" && node.trim() === "" && (open.length > 0 || isList)) continue;
    if (typeof node !== "string" && node.name === "word-item") {
      const depth = Math.min(Number(node.attributes.get("level")), open.length + 1);
      const kind = node.attributes.get("kind")!;
      open = open.slice(0, open[depth - 1]?.name === kind ? depth : depth - 1);
      const item = createElement("li", node.children);
      if (open.length === depth) open[depth - 1].children.push(item);
      else {
        const list = createElement(kind, [item]);
        const last = open.at(-1)?.children.at(-1);
        if (typeof last === "object") last.children.push(list);
        else found.push(list);
        open.push(list);
      }
      continue;
    }
    open = [];
    const before = found.at(-1);
    const isNested = isList && typeof node !== "string" && /^[uo]l$/.test(node.name);
    if (isNested && typeof before === "object" && before.name === "li") before.children.push(node);
    else found.push(node);
  }
  return found;
}
