import { ENTRY } from "../entry.ts";
import { prefixLines } from "../markdown/text.ts";
import { codeBlockOf, languageOf } from "./html_code.ts";
import {
  BLOCKS,
  type Conversion,
  DROPPED,
  isPauseDue,
  MARKS,
  paragraphOf,
} from "./html_inlines.ts";
import { markdownTableOf } from "./html_table.ts";
import {
  createElement,
  type MarkupElement,
  type MarkupNode,
  readMarkup,
  TooLong,
} from "./markup.ts";

/** The result of a conversion to Markdown. */
export interface Converted extends Pick<Conversion, "leftOut" | "lost"> {
  readonly body: string;
  /** Whether the body was too long and is therefore absent. */
  readonly isTooLong: boolean;
}

/** The options of a conversion. By default, it stops at a length beyond that of any entry. */
export type ConvertOptions = Partial<Omit<Conversion, "nodes">>;

// Nobody writes deeper, and each list repeats the indent of its lines.
const MAX_DEPTH = 64;
/** The length of Markdown beyond which a text can't become the body of an entry. */
export const MAX_LENGTH: number = 2 * ENTRY.fields.body.maxBytes;
// Caches `standsAlone`, which is called for each element at each level above it.
const alone = new WeakMap<MarkupElement, boolean>();
const BREAK = createElement("br");
// List numbers in Markdown have at most nine digits.
const MAX_NUMBER = 999_999_999;

/**
 * Converts HTML to Markdown with the same content, and reports the lost parts. Pauses between
 * pieces of work.
 */
export function htmlToMarkdown(
  html: string,
  options?: ConvertOptions,
): Generator<void, Converted> {
  return convert(options, function* (conversion) {
    const root = yield* readMarkup(html, { isXml: false, maxDepth: MAX_DEPTH });
    return yield* blocksOf(root, conversion);
  });
}

/** Converts an element to Markdown with the same meaning, with pauses. */
export function elementToMarkdown(
  element: MarkupElement,
  options?: ConvertOptions,
): Generator<void, Converted> {
  return convert(options, (conversion) => blocksOf(element, conversion));
}

/** Converts plain text to Markdown that renders as the same text, with pauses. */
export function plainToMarkdown(text: string): Generator<void, Converted> {
  return convert({}, function* (conversion) {
    if (text.length > conversion.maxLength) throw new TooLong();
    const paragraphs: string[] = [];
    for (const paragraph of text.replace(/\r\n?/g, "\n").split(/\n[ \t]*\n/)) {
      const inlines = paragraph.trim().split("\n").flatMap((line, index) =>
        index === 0 ? [line] : [BREAK, line]
      );
      paragraphs.push(yield* paragraphOf(inlines, conversion));
    }
    return paragraphs.filter((paragraph) => paragraph !== "");
  });
}

function* convert(
  options: ConvertOptions = {},
  toBlocks: (conversion: Conversion) => Generator<void, readonly string[]>,
): Generator<void, Converted> {
  const { leftOut = new Set(), lost = { links: 0, images: 0 }, base } = options;
  const conversion = { leftOut, lost, base, maxLength: options.maxLength ?? MAX_LENGTH, nodes: 0 };
  try {
    const body = (yield* toBlocks(conversion)).join("\n\n");
    return { body, leftOut, lost, isTooLong: false };
  } catch (error) {
    if (error instanceof TooLong) return { body: "", leftOut, lost, isTooLong: true };
    throw error;
  }
}

export function isBlock({ name }: MarkupElement): boolean {
  return BLOCKS.test(name);
}

/** Tells whether an element is or contains a block, or is code of several lines. */
function standsAlone(element: MarkupElement): boolean {
  const known = alone.get(element);
  if (known !== undefined) return known;
  const { name, children } = element;
  const isAlone = isBlock(element) ||
    !DROPPED.test(name) && children.some((child) =>
        typeof child !== "string" &&
        (standsAlone(child) || name === "code" && child.name === "br")
      );
  // Checking an empty element is cheap, so its result is not cached.
  if (children.length > 0) alone.set(element, isAlone);
  return isAlone;
}

/** Converts the content of an element to blocks; inlines between blocks become a paragraph. */
function* blocksOf(
  element: MarkupElement,
  conversion: Conversion,
  language?: string,
): Generator<void, readonly string[]> {
  const blocks: string[] = [];
  let length = 0;
  let inlines: MarkupNode[] = [];
  const add = (block: string) => {
    if (block === "") return;
    blocks.push(block);
    length += block.length + 2;
    if (length > conversion.maxLength) throw new TooLong();
  };
  for (const child of element.children) {
    if (isPauseDue(conversion)) yield;
    if (typeof child === "string" || !standsAlone(child)) inlines.push(child);
    else {
      add(yield* paragraphOf(inlines, conversion));
      inlines = [];
      (yield* blockOf(child, conversion, language)).forEach(add);
    }
  }
  add(yield* paragraphOf(inlines, conversion));
  return blocks;
}

function* blockOf(
  element: MarkupElement,
  conversion: Conversion,
  language?: string,
): Generator<void, readonly string[]> {
  const { name, attributes, children } = element;
  switch (name) {
    case "h1":
    case "h2":
    case "h3":
    case "h4":
    case "h5":
    case "h6": {
      const text = (yield* paragraphOf(children, conversion)).replace(/\\?\n/g, " ")
        .replace(/(?<!#)(#+)$/, "\\$1");
      return [`${"#".repeat(Number(name[1]))} ${text}`];
    }
    case "hr":
      return ["***"];
    case "pre":
    case "code":
      return [codeBlockOf(element, { language, maxLength: conversion.maxLength })];
    case "blockquote":
      return [prefixLines((yield* blocksOf(element, conversion, language)).join("\n\n"), "> ")];
    case "ul":
    case "ol":
      return [yield* listOf(element, conversion, language)];
    case "table":
      return yield* markdownTableOf(
        element,
        (cell) => blocksOf(cell, conversion, language),
        conversion,
      );
    case "summary":
    case "dt": {
      const text = yield* paragraphOf(children, conversion);
      return [text === "" ? "" : `**${text}**`];
    }
    default:
      // In Markdown, a mark or a link can't contain blocks.
      if (MARKS.has(name)) conversion.leftOut.add("formatting");
      if (attributes.has("href")) conversion.leftOut.add("link");
      return yield* blocksOf(element, conversion, languageOf(element) ?? language);
  }
}

function* listOf(
  list: MarkupElement,
  conversion: Conversion,
  language?: string,
): Generator<void, string> {
  const isLoose = list.children.some((item) =>
    isElement(item, "li") && item.children.some((child) => isElement(child, "p"))
  );
  const gap = isLoose ? "\n\n" : "\n";
  const first = numberOf(list);
  let count = 0;
  let text = "";
  for (const item of itemsOf(list)) {
    if (isPauseDue(conversion)) yield;
    const marker = list.name === "ul" ? "- " : `${first + count}. `;
    const blocks = yield* blocksOf(item, conversion, language);
    text += count++ === 0 ? "" : gap;
    text += prefixLines(blocks.join(gap), " ".repeat(marker.length), marker);
    if (text.length > conversion.maxLength) throw new TooLong();
  }
  return text;
}

/** Returns the start number of a list. */
function numberOf({ attributes, children }: MarkupElement): number {
  const item = children.find((child) => isElement(child, "li"));
  const own = typeof item === "object" ? item.attributes.get("value") : undefined;
  const number = Number(own ?? attributes.get("start") ?? 1);
  return Number.isInteger(number) && number >= 0 && number <= MAX_NUMBER ? number : 1;
}

/**
 * Yields the items of a list. Content between two items, such as a list, joins the item before it.
 */
function* itemsOf(list: MarkupElement): Generator<MarkupElement> {
  let item: MarkupElement | undefined;
  for (const child of list.children) {
    if (typeof child === "string" && child.trim() === "") continue;
    if (isElement(child, "li")) {
      if (item !== undefined) yield item;
      item = { ...child, children: [...child.children] };
    } else {
      item ??= createElement("li");
      item.children.push(child);
    }
  }
  if (item !== undefined) yield item;
}

function isElement(node: MarkupElement | string, name: string): node is MarkupElement {
  return typeof node !== "string" && node.name === name;
}
