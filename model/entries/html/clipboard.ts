import { gatherLists, isListItem, listItemsOf, wordItemOf } from "./clipboard_lists.ts";
import { isPlain, marksOf, mergeMarks, wrapContent } from "./clipboard_marks.ts";
import { headOfCode } from "./html_code.ts";
import { emojiOf, lostLinkOf, type LostPart } from "./html_inlines.ts";
import { type Converted, elementToMarkdown, isBlock } from "./html_to_markdown.ts";
import {
  createElement,
  type MarkupElement,
  type MarkupNode,
  readMarkup,
  textOf,
} from "./markup.ts";

// Nobody writes deeper lists or quotes, and each level repeats the indent of its lines.
const MAX_DEPTH = 24;
const DROPPED = /^(?:head|link|meta|o:p|style|svg|title|xml)$/;
const HEADING = /^h[1-6]$/;
const NODES_AT_ONCE = 100;
/** Picture addresses of Google Docs, Notion and others that expire after minutes or days. */
const EXPIRING =
  /^https:\/\/lh\d+(?:-\w+)?\.googleusercontent\.com\/|[?&](?:X-Amz-Expires|X-Goog-Expires)=/i;

/** The state of one conversion. */
interface Tidying {
  readonly leftOut: Set<LostPart>;
  /** The number of nodes read so far. */
  nodes: number;
}

/**
 * Converts HTML from the clipboard to Markdown, with pauses. Understands Google Docs, Sheets, Word,
 * Excel, Gmail, GitHub, Notion, VS Code and chats, which write marks as styles and lists as
 * paragraphs.
 */
export function* convertClipboard(
  html: string,
): Generator<void, Pick<Converted, "body" | "leftOut">> {
  const root = yield* readMarkup(html, { isXml: false, maxDepth: MAX_DEPTH });
  const leftOut = new Set<LostPart>();
  const wrapper = unwrap(root);
  const nodes = yield* tidyAll(wrapper, { leftOut, nodes: 0 });
  const texts: string[] = [];
  for (const part of partsOf(gatherLists(wrapper.name, nodes))) {
    let converted = yield* elementToMarkdown(part, { leftOut });
    if (converted.isTooLong) {
      // The part is too large for an entry. Only its text is kept, which the person may shorten.
      leftOut.add("layout");
      const options = { leftOut, maxLength: Infinity };
      converted = yield* elementToMarkdown(createElement("p", [textOf(part)]), options);
    }
    if (converted.body !== "") texts.push(converted.body);
    yield;
  }
  return { body: texts.join("\n\n"), leftOut };
}

/** Returns the innermost element that contains all of the content. */
function unwrap(root: MarkupElement): MarkupElement {
  const content = root.children.filter((child) =>
    typeof child === "string" ? child.trim() !== "" : !isDropped(child)
  );
  const [only] = content;
  const isWrapper = content.length === 1 && typeof only !== "string" &&
    /^(?:article|b|body|div|html|main|section)$/.test(only.name) && !isCode(only) &&
    (only.name === "b" ? isPlain(only) : marksOf(only).length === 0);
  return isWrapper ? unwrap(only) : root;
}

function isDropped({ name, attributes }: MarkupElement): boolean {
  return DROPPED.test(name) || attributes.get("class") === "Apple-interchange-newline";
}

/** Tells whether an element is a code block in the form that code editors copy. */
function isCode({ name, attributes }: MarkupElement): boolean {
  return name === "div" &&
    /white-space:\s{0,9}pre\s{0,9}(?:;|!|$)/i.test(attributes.get("style") ?? "");
}

/** Splits a text into elements: each block, and each run of inlines between two blocks. */
function partsOf(nodes: readonly MarkupNode[]): readonly MarkupElement[] {
  const parts: MarkupElement[] = [];
  let between: MarkupNode[] = [];
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

/** Returns the content of an element, with elements in place of styles. */
function* tidyAll(
  parent: MarkupElement,
  tidying: Tidying,
): Generator<void, readonly MarkupNode[]> {
  const nodes: MarkupNode[] = [];
  let head: ReturnType<typeof headOfCode>;
  for (const [index, child] of parent.children.entries()) {
    if (++tidying.nodes % NODES_AT_ONCE === 0) yield;
    if (typeof child !== "string") {
      const found = headOfCode(child, parent.children, index);
      if (found !== undefined) {
        head = found;
        continue;
      }
    }
    for (const node of yield* tidyChild(child, parent, tidying)) {
      const isNamed = head !== undefined && head.language !== "" && typeof node !== "string" &&
        node.name === "pre";
      nodes.push(isNamed ? withLanguage(node, head!.language) : node);
      if (typeof node !== "string") head = undefined;
    }
  }
  return mergeMarks(nodes);
}

function withLanguage({ name, children, attributes }: MarkupElement, language: string) {
  return createElement(name, children, new Map([...attributes, ["data-lang", language]]));
}

function* tidyChild(
  child: MarkupNode,
  parent: MarkupElement,
  tidying: Tidying,
): Generator<void, readonly MarkupNode[]> {
  // Programs write no-break spaces to keep several spaces in a row.
  if (typeof child === "string") return [child.replaceAll("\u00a0", " ")];
  const { name, attributes } = child;
  if (isDropped(child) || /mso-list:\s{0,9}ignore/i.test(attributes.get("style") ?? "")) return [];
  if (name === "img") return pictureOf(child, parent, tidying);
  const box = /(?:^|\s)checkbox-(on|off)(?:\s|$)/.exec(attributes.get("class") ?? "");
  if (box !== null) return [checkboxOf(box[1] === "on")];
  const nodes = yield* tidyAll(child, tidying);
  // Word on the web wraps each item in a list and an element of its own.
  if (name === "div" && nodes.length > 0 && nodes.every(isListItem)) return nodes;
  const own = createElement(name, gatherLists(name, nodes), attributes);
  const marks = marksOf(child);
  switch (name) {
    case "a":
      return linkOf(own, tidying);
    case "ul":
    case "ol":
      return listItemsOf(own) ?? [own];
    case "li":
      return [itemOf(wrapContent(own, marks))];
    case "td":
    case "p":
    case "div":
      if (isCode(child)) return [createElement("pre", own.children)];
      return [paragraphOf(wrapContent(own, marks), child)];
  }
  if (isPlain(child)) return own.children;
  if (isBlock(child) || name === "th" || HEADING.test(parent.name)) return [own];
  const wrapped = wrapContent(createElement("span", [own]), marks);
  return wrapped.children;
}

/** Keeps a picture that has an address. Replaces an emoji or a checkbox by its meaning. */
function pictureOf(
  picture: MarkupElement,
  parent: MarkupElement,
  { leftOut }: Tidying,
): readonly MarkupNode[] {
  const emoji = emojiOf(picture.attributes);
  if (emoji !== undefined) return [emoji];
  const source = picture.attributes.get("src") ?? "";
  if (/^https?:\/\//i.test(source)) {
    if (EXPIRING.test(source)) leftOut.add("picture at an address that expires");
    return [picture];
  }
  if (parent.attributes.get("role") !== "checkbox") leftOut.add("picture");
  return [];
}

function linkOf(link: MarkupElement, { leftOut }: Tidying): readonly MarkupNode[] {
  const href = link.attributes.get("href") ?? "";
  if (!/^(?:https?:\/\/|mailto:)/i.test(href)) {
    const part = lostLinkOf(href);
    if (part !== undefined && textOf(link).trim() !== "") leftOut.add(part);
    return link.children;
  }
  const target = /^https:\/\/www\.google\.com\/url\?/.test(href) && URL.canParse(href)
    ? new URL(href).searchParams.get("q")
    : undefined;
  return [target ? createElement("a", link.children, new Map([["href", target]])) : link];
}

/** Unwraps the only paragraph of a list item, and turns a checkbox into that of a task. */
function itemOf(item: MarkupElement): MarkupElement {
  const { attributes } = item;
  const paragraphs = item.children.filter((child) =>
    typeof child !== "string" && child.name === "p"
  );
  const children = paragraphs.length === 1
    ? item.children.flatMap((child) =>
      typeof child !== "string" && child === paragraphs[0] ? child.children : [child]
    )
    : [...item.children];
  if (attributes.get("role") === "checkbox") {
    children.unshift(checkboxOf(attributes.get("aria-checked") === "true"));
  } else {
    const at = children.findIndex((child) => typeof child !== "string" || child.trim() !== "");
    const first = children[at];
    const written = typeof first === "string" ? /^\s*\[([ xX])\]\s+/.exec(first) : null;
    if (written !== null && typeof first === "string") {
      children.splice(at, 1, checkboxOf(written[1] !== " "), first.slice(written[0].length));
    }
  }
  return createElement("li", children, attributes);
}

function checkboxOf(isChecked: boolean): MarkupElement {
  const attributes = new Map([["type", "checkbox"]]);
  if (isChecked) attributes.set("checked", "");
  return createElement("input", [], attributes);
}

/** Turns a paragraph that Word marks as a heading or a list item into one. */
function paragraphOf(own: MarkupElement, original: MarkupElement): MarkupElement {
  const { attributes } = own;
  const item = wordItemOf(own, original);
  if (item !== undefined) return item;
  if (own.name !== "p") return own;
  const level = attributes.get("role") === "heading" ? attributes.get("aria-level") : undefined;
  if (level !== undefined && /^[1-6]$/.test(level)) return createElement(`h${level}`, own.children);
  return attributes.get("class") === "MsoTitle" ? createElement("h1", own.children) : own;
}
