import { codeBlockOf, languageOf, longestTicks } from "./html_code.ts";
import { tableOf } from "./html_table.ts";
import { type MarkupElement, parseMarkup, textOf } from "./markup.ts";

/** Markdown that was made of HTML. */
export interface ConvertedHtml {
  readonly markdown: string;
  /** The names of elements whose content or meaning could not be kept. */
  readonly leftOut: ReadonlySet<string>;
}

/** What the conversion of one text has in common. */
interface Conversion {
  readonly leftOut: Set<string>;
  /** The address that relative ones start from. */
  readonly base: string | undefined;
  /** The language of code that what is around it names. */
  readonly language?: string | undefined;
}

const BLOCKS =
  /^(?:address|article|aside|blockquote|body|center|dd|details|div|dl|dt|figcaption|figure|footer|h[1-6]|header|hr|html|li|main|nav|ol|p|pre|section|summary|table|tbody|tr|ul)$/;
const TRANSPARENT =
  /^(?:a|abbr|bdi|font|input|kbd|samp|span|picture|time|tt|var|wbr|g-emoji|thead|tfoot|colgroup|col)$/;
const DROPPED =
  /^(?:script|style|template|head|title|meta|link|svg|math|iframe|video|audio|object|embed|canvas|form|button|select|textarea|source|track)$/;
const SILENT = /^(?:head|title|meta|link|source|track)$/;
const MARKS: Readonly<Record<string, string>> = {
  ...{
    strong: "**",
    b: "**",
    em: "*",
    i: "*",
    cite: "*",
    dfn: "*",
    del: "~~",
    s: "~~",
    strike: "~~",
  },
};
// Deeper than what people write; each list repeats what stands before its lines.
const MAX_DEPTH = 64;
// Elements are asked once for each that they are in.
const alone = new WeakMap<MarkupElement, boolean>();
const BREAK: MarkupElement = { name: "br", attributes: new Map(), children: [] };
const URL_IN_TEXT = /(https?:\/\/\S+)/i;
const BLOCK_START = /^(?:([#>+-]|=+|\||~{3})|(\d{1,9})([.)])(?=\s|$))/;

/** Converts HTML to Markdown that says the same, and tells what it could not keep. */
export function htmlToMarkdown(html: string, base?: string): ConvertedHtml {
  return elementToMarkdown(parseMarkup(html, { isXml: false, maxDepth: MAX_DEPTH }), base);
}

/** Does the same with an element. */
export function elementToMarkdown(element: MarkupElement, base?: string): ConvertedHtml {
  const conversion: Conversion = { leftOut: new Set(), base };
  const markdown = blocksOf(element, conversion).join("\n\n");
  return { markdown, leftOut: conversion.leftOut };
}

/** Tells whether an element stands by itself, and not in a line. */
export function isBlock({ name }: MarkupElement): boolean {
  return BLOCKS.test(name);
}

/** Tells whether an element stands by itself, is code of several lines, or has in it what does. */
function standsAlone(element: MarkupElement): boolean {
  const known = alone.get(element);
  if (known !== undefined) return known;
  const { name, children } = element;
  const isAlone = isBlock(element) ||
    !DROPPED.test(name) && children.some((child) =>
        typeof child !== "string" &&
        (standsAlone(child) || name === "code" && isElement(child, "br"))
      );
  alone.set(element, isAlone);
  return isAlone;
}

/** Converts plain text to Markdown that shows it as it is. */
export function plainToMarkdown(text: string): string {
  const conversion: Conversion = { leftOut: new Set(), base: undefined };
  return text.replace(/\r\n?/g, "\n").split(/\n[ \t]*\n/)
    .map((paragraph) => {
      const lines = paragraph.trim().split("\n").flatMap((line, index) =>
        index === 0 ? [line] : [BREAK, line]
      );
      return paragraphOf(lines, conversion);
    })
    .filter((paragraph) => paragraph !== "").join("\n\n");
}

/** Converts what is in an element to blocks; what stands between blocks is a paragraph. */
function blocksOf(element: MarkupElement, conversion: Conversion): string[] {
  const blocks: string[] = [];
  let inlines: (MarkupElement | string)[] = [];
  const endParagraph = () => {
    const text = paragraphOf(inlines, conversion);
    if (text !== "") blocks.push(text);
    inlines = [];
  };
  for (const child of element.children) {
    if (typeof child === "string" || !standsAlone(child)) inlines.push(child);
    else {
      endParagraph();
      blocks.push(...blockOf(child, conversion).filter((block) => block !== ""));
    }
  }
  endParagraph();
  return blocks;
}

function blockOf(element: MarkupElement, conversion: Conversion): readonly string[] {
  const { name, attributes, children } = element;
  switch (name) {
    case "h1":
    case "h2":
    case "h3":
    case "h4":
    case "h5":
    case "h6": {
      const text = paragraphOf(children, conversion).replace(/\\?\n/g, " ").replace(
        /(#+)$/,
        "\\$1",
      );
      return [`${"#".repeat(Number(name[1]))} ${text}`];
    }
    case "hr":
      return ["***"];
    case "pre":
    case "code":
      return [codeBlockOf(element, conversion.language)];
    case "blockquote":
      return [prefix(blocksOf(element, conversion).join("\n\n"), "> ", "> ")];
    case "ul":
    case "ol":
      return [listOf(element, conversion)];
    case "table":
      return tableOf(element, {
        blocksOf: (cell) => blocksOf(cell, conversion),
        onLost: () => conversion.leftOut.add("table"),
      });
    case "summary":
    case "dt": {
      const text = paragraphOf(children, conversion);
      return [text === "" ? "" : `**${text}**`];
    }
    default: {
      // What it says of all of these can't be said of blocks.
      if (MARKS[name] !== undefined || attributes.has("href")) conversion.leftOut.add(name);
      const language = languageOf(element) ?? conversion.language;
      return blocksOf(element, { ...conversion, language });
    }
  }
}

function listOf(list: MarkupElement, conversion: Conversion): string {
  const items = itemsOf(list);
  const isLoose = items.some((item) => item.children.some((child) => isElement(child, "p")));
  const start = Number(list.attributes.get("start") ?? 1) || 0;
  return items.map((item, index) => {
    const marker = list.name === "ul" ? "- " : `${start + index}. `;
    const blocks = blocksOf(item, conversion);
    return prefix(blocks.join(isLoose ? "\n\n" : "\n"), " ".repeat(marker.length), marker);
  }).join(isLoose ? "\n\n" : "\n");
}

/** Returns the items of a list. What stands between them, such as a list in the list, is of the one before. */
function itemsOf(list: MarkupElement): readonly MarkupElement[] {
  const items: MarkupElement[] = [];
  for (const child of list.children) {
    if (typeof child === "string" && child.trim() === "") continue;
    if (typeof child !== "string" && child.name === "li") items.push({ ...child });
    else {
      const last = items.pop() ?? { name: "li", attributes: new Map(), children: [] };
      items.push({ ...last, children: [...last.children, child] });
    }
  }
  return items;
}

/** Converts inlines to a paragraph, or the text of a heading. */
function paragraphOf(
  inlines: readonly (MarkupElement | string)[],
  conversion: Conversion,
): string {
  const text = inlinesOf(inlines, conversion).replace(/ *\n */g, "\n").replace(/^[\s\\]*\n/, "");
  return trimBreaks(text).trim()
    .split("\n").map((line) => line.replace(BLOCK_START, "$2\\$1$3")).join("\n");
}

/** Removes line breaks from the end. (A pattern would take quadratic time.) */
function trimBreaks(text: string): string {
  let end = text.length;
  while (text[end - 1] === "\n") end -= text[end - 2] === "\\" ? 2 : 1;
  return text.slice(0, end);
}

function inlinesOf(inlines: readonly (MarkupElement | string)[], conversion: Conversion): string {
  return inlines.map((inline) =>
    typeof inline === "string" ? escapeText(inline) : inlineOf(inline, conversion)
  ).join("").replace(/ {2,}/g, " ");
}

function inlineOf(element: MarkupElement, conversion: Conversion): string {
  const { name, attributes, children } = element;
  const { leftOut } = conversion;
  if (DROPPED.test(name)) {
    if (!SILENT.test(name)) leftOut.add(name);
    return "";
  }
  if (name === "br") return "\\\n";
  if (name === "code") return codeOf(textOf(element));
  if (name === "img") return imageOf(attributes, conversion);
  if (name === "input" && attributes.get("type") === "checkbox") {
    return attributes.has("checked") ? "[x] " : "[ ] ";
  }
  const text = inlinesOf(children, conversion);
  const href = name === "a" ? resolve(attributes.get("href"), conversion) : undefined;
  if (href !== undefined) return linkOf(text, href, attributes.get("title"));
  if (MARKS[name] !== undefined) return mark(text, MARKS[name]);
  if (!TRANSPARENT.test(name) && !BLOCKS.test(name)) leftOut.add(name);
  return text;
}

function linkOf(text: string, href: string, title: string | undefined): string {
  if (text.trim() === href && title === undefined) return `<${href}>`;
  const written = title === undefined ? "" : ` "${title.replace(/["\\]/g, "\\$&")}"`;
  return text.trim() === "" ? "" : `[${text.trim()}](${destinationOf(href)}${written})`;
}

function imageOf(attributes: ReadonlyMap<string, string>, conversion: Conversion): string {
  const alt = attributes.get("alt") ?? "";
  // A picture that is loaded when it is seen has a stand-in before.
  const sources = ["src", "data-src", "data-original", "data-lazy-src"]
    .map((name) => resolve(attributes.get(name), conversion));
  const source = sources.find((url) => url !== undefined && !/^data:/i.test(url));
  if (source === undefined) {
    conversion.leftOut.add("img");
    return escapeText(alt);
  }
  const title = attributes.get("title");
  const written = title === undefined ? "" : ` "${title.replace(/["\\]/g, "\\$&")}"`;
  return `![${escapeText(alt)}](${destinationOf(source)}${written})`;
}

function codeOf(text: string): string {
  if (text === "") return "";
  const longest = Math.max(0, longestTicks(text));
  const ticks = "`".repeat(longest + 1);
  const gap = /^`|`$|^ .*[^ ].* $/.test(text) ? " " : "";
  return ticks + gap + text.split("\n").map((line) => line.trim()).join(" ") + gap + ticks;
}

/** Puts marks around a text, within the white space around it. */
function mark(text: string, marks: string): string {
  const [, before, content, after] = /^(\s*)([^]*?)(\s*)$/.exec(text) ?? ["", "", text, ""];
  return content === "" ? text : `${before}${marks}${content}${marks}${after}`;
}

/** Returns an absolute address for what stands in an attribute. */
function resolve(address: string | undefined, { base }: Conversion): string | undefined {
  if (address === undefined || address.trim() === "") return undefined;
  if (/^(?:https?:\/\/|mailto:)[^\s]+$/i.test(address.trim())) return address.trim();
  try {
    return new URL(address.trim(), base).href;
  } catch {
    return undefined;
  }
}

function destinationOf(url: string): string {
  return url.replace(/[()\\<>]/g, (character) => encodeURIComponent(character))
    .replaceAll("(", "%28").replaceAll(")", "%29");
}

function escapeText(text: string): string {
  return text.replace(/[ \t\r\n]+/g, " ").split(URL_IN_TEXT).map((part, index) =>
    index % 2 === 1
      ? part
      : part.replace(/[\\`*_[\]<~]/g, "\\$&").replace(/&(?=#?\w{1,31};)/g, "&amp;")
  ).join("");
}

function prefix(text: string, others: string, first: string): string {
  return text.split("\n")
    .map((line, index) => `${index === 0 ? first : others}${line}`.trimEnd()).join("\n");
}

function isElement(child: MarkupElement | string, name: string): boolean {
  return typeof child !== "string" && child.name === name;
}
