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
import { tableOf } from "./html_table.ts";
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
  /** Whether the body is absent, as it is too long. */
  readonly isTooLong: boolean;
}

/** The options of a conversion; by default, it stops at a length that no entry may have. */
export type ConvertOptions = Partial<Omit<Conversion, "nodes">>;

// People write nothing deeper, and each list repeats the indent before its lines.
const MAX_DEPTH = 64;
/** The length of Markdown that never becomes a body of an entry. */
export const MAX_LENGTH: number = 2 * ENTRY.fields.body.maxBytes;
// An element is asked once for each element around it.
const alone = new WeakMap<MarkupElement, boolean>();
const BREAK = createElement("br");
// Markdown knows numbers of up to nine digits.
const MAX_NUMBER = 999_999_999;

/**
 * Converts HTML to Markdown with the same content, and reports the parts that were lost. Yields for
 * pauses.
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

/** Converts an element to Markdown that says the same, with pauses. */
export function elementToMarkdown(
  element: MarkupElement,
  options?: ConvertOptions,
): Generator<void, Converted> {
  return convert(options, (conversion) => blocksOf(element, conversion));
}

/** Converts plain text to Markdown that shows it as it is, with pauses. */
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

/** Tells whether an element stands by itself, and not in a line. */
export function isBlock({ name }: MarkupElement): boolean {
  return BLOCKS.test(name);
}

/** Tells whether an element, or one in it, stands by itself, or is code of several lines. */
function standsAlone(element: MarkupElement): boolean {
  const known = alone.get(element);
  if (known !== undefined) return known;
  const { name, children } = element;
  const isAlone = isBlock(element) ||
    !DROPPED.test(name) && children.some((child) =>
        typeof child !== "string" &&
        (standsAlone(child) || name === "code" && child.name === "br")
      );
  // An empty element is answered in no time.
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
      return yield* tableOf(element, (cell) => blocksOf(cell, conversion, language), conversion);
    case "summary":
    case "dt": {
      const text = yield* paragraphOf(children, conversion);
      return [text === "" ? "" : `**${text}**`];
    }
    default:
      // In Markdown, no mark and no link can be around blocks.
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

/** Returns the number of the first item of a list. */
function numberOf({ attributes, children }: MarkupElement): number {
  const item = children.find((child) => isElement(child, "li"));
  const own = typeof item === "object" ? item.attributes.get("value") : undefined;
  const number = Number(own ?? attributes.get("start") ?? 1);
  return Number.isInteger(number) && number >= 0 && number <= MAX_NUMBER ? number : 1;
}

/**
 * Returns the items of a list; content between two items, such as a list, belongs to the former.
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
