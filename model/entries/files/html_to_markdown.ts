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
import { createElement, type MarkupElement, readMarkup, TooLong } from "./markup.ts";

/** Markdown that was made of something else. */
export interface Converted extends Pick<Conversion, "leftOut" | "lost"> {
  readonly body: string;
  /** Whether it is absent, as it is too long. */
  readonly isTooLong: boolean;
}

/**
 * How HTML is converted, and where it is told what could not be kept. The length at which it stops is by
 * default what is too long for an entry by far.
 */
export type ConvertOptions = Partial<Omit<Conversion, "nodes">>;

// Deeper than what people write; each list repeats what stands before its lines.
const MAX_DEPTH = 64;
/** More than this never becomes what an entry has room for. */
export const MAX_LENGTH: number = 2 * ENTRY.fields.body.maxBytes;
// Elements are asked once for each that they are in.
const alone = new WeakMap<MarkupElement, boolean>();
const BREAK = createElement("br");

/** Converts HTML to Markdown that says the same, with pauses, and tells what it could not keep. */
export function htmlToMarkdown(
  html: string,
  options?: ConvertOptions,
): Generator<void, Converted> {
  return convert(options, function* (conversion) {
    const root = yield* readMarkup(html, { isXml: false, maxDepth: MAX_DEPTH });
    return yield* blocksOf(root, conversion);
  });
}

/** Does the same with an element. */
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

/** Tells whether an element stands by itself, is code of several lines, or has in it what does. */
function standsAlone(element: MarkupElement): boolean {
  const known = alone.get(element);
  if (known !== undefined) return known;
  const { name, children } = element;
  const isAlone = isBlock(element) ||
    !DROPPED.test(name) && children.some((child) =>
        typeof child !== "string" &&
        (standsAlone(child) || name === "code" && child.name === "br")
      );
  // What has nothing in it needs no memory.
  if (children.length > 0) alone.set(element, isAlone);
  return isAlone;
}

/** Converts what is in an element to blocks; what stands between blocks is a paragraph. */
function* blocksOf(
  element: MarkupElement,
  conversion: Conversion,
  language?: string,
): Generator<void, readonly string[]> {
  const blocks: string[] = [];
  let length = 0;
  let inlines: (MarkupElement | string)[] = [];
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
      // What it says of all of these can't be said of blocks.
      if (MARKS.has(name) || attributes.has("href")) conversion.leftOut.add(name);
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
  const first = Number(list.attributes.get("start") ?? 1) || 0;
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

/** Returns the items of a list. What stands between them, such as a list in the list, is of the one before. */
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
