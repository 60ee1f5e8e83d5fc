import { unescapeText } from "../markdown/characters.ts";

/** A token of HTML or XML. */
export type MarkupToken =
  | { readonly type: "text"; readonly text: string }
  | {
    readonly type: "start";
    readonly name: string;
    readonly attributes: ReadonlyMap<string, string>;
    readonly isEmpty: boolean;
  }
  | { readonly type: "end"; readonly name: string };

/** An element, or a text. */
export type MarkupNode = MarkupElement | string;

/** An element with its children. */
export interface MarkupElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: MarkupNode[];
}

// Real tags are within these bounds, apart from attribute values. Without bounds, a tag could
// exhaust the stack.
const TOKEN =
  /<!--[^]*?(?:-->|$)|<!\[CDATA\[([^]*?)(?:\]\]>|$)|<[!?][^<>]{0,300}>|<(\/?)((?:_[\w.-]{0,99}:)?[a-z][a-z0-9:._-]*)((?:[\s/]{1,999}[^\s"'<>/=]{1,99}(?:\s{0,99}=\s{0,99}(?:"[^"]*"|'[^']*'|[^\s"'<>=`]+))?){0,99})\s{0,999}(\/?)>/gi;
const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>=`]+)))?/g;
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/;
const RAW = /^(?:script|style)$/;
// The elements whose start ends an open element: a `<li>` ends the `<li>` before it.
const CLOSED_BY: ReadonlyMap<string, RegExp> = new Map([
  ["p", /^(?:p|div|ul|ol|dl|pre|table|blockquote|h[1-6]|hr|section|article|details)$/],
  ["li", /^li$/],
  ["tr", /^tr$/],
  ["td", /^(?:td|th|tr)$/],
  ["th", /^(?:td|th|tr)$/],
  ["dt", /^d[td]$/],
  ["dd", /^d[td]$/],
]);
const MAX_DEPTH = 200;
// The number of characters between two pauses; a tag counts as several characters.
const PIECE_LENGTH = 16_384;
const TAG_LENGTH = 80;
// All entities and nearly all words are shorter.
const MAX_WORD_LENGTH = 64;
const NO_ATTRIBUTES: MarkupElement["attributes"] = new Map();
// Each element takes some hundred bytes of memory.
const MAX_ELEMENTS = 1_000_000;
const XHTML = "http://www.w3.org/1999/xhtml";

/** Splits HTML or XML into tags and texts without comments and declarations; splits long texts. */
export function* tokenizeMarkup(markup: string): Generator<MarkupToken> {
  let end = 0;
  for (const match of markup.matchAll(TOKEN)) {
    const [written, cdata, slash, tag, attributes = "", isEmpty] = match;
    yield* tokenizeText(markup, end, match.index);
    end = match.index + written.length;
    if (cdata !== undefined) yield { type: "text", text: cdata };
    else if (tag !== undefined && slash !== "") yield { type: "end", name: tag };
    else if (tag !== undefined) {
      yield {
        type: "start",
        name: tag,
        attributes: readAttributes(attributes),
        isEmpty: isEmpty !== "",
      };
    }
  }
  yield* tokenizeText(markup, end, markup.length);
}

function* tokenizeText(markup: string, start: number, end: number): Generator<MarkupToken> {
  for (let from = start; from < end;) {
    const to = end - from > PIECE_LENGTH ? findGap(markup, from + PIECE_LENGTH) : end;
    yield { type: "text", text: unescapeText(escapeBackslashes(markup.slice(from, to))) };
    from = to;
  }
}

/** Finds a position to cut a text: before a space or an entity if possible. */
function findGap(text: string, end: number): number {
  for (let at = end; at > end - MAX_WORD_LENGTH; at--) if (/[\s&]/.test(text[at])) return at;
  return end;
}

/** Thrown for a text with more elements, or a longer result, than people write. */
export class TooLong extends Error {}

/** The options of the reader of HTML and XML. */
export interface MarkupOptions {
  readonly isXml: boolean;
  /** The maximum depth; a deeper element becomes the sibling of its parent. Default: 200. */
  readonly maxDepth?: number;
}

/** Reads HTML, even if malformed, or XML, with pauses. Throws {@linkcode TooLong}. */
export function* readMarkup(
  markup: string,
  { isXml, maxDepth = MAX_DEPTH }: MarkupOptions,
): Generator<void, MarkupElement> {
  const root = createElement("");
  const open: MarkupElement[] = [root];
  let xhtml = "";
  const nameOf = (name: string) => {
    if (!isXml) return name.toLowerCase();
    return xhtml !== "" && name.startsWith(xhtml) ? name.slice(xhtml.length) : name;
  };
  let read = 0;
  let count = 0;
  for (const token of tokenizeMarkup(markup)) {
    read += token.type === "text" ? token.text.length : TAG_LENGTH;
    if (read > PIECE_LENGTH) {
      read = 0;
      yield;
    }
    const parent = open[open.length - 1];
    if (token.type === "text") parent.children.push(token.text);
    else if (token.type === "start") {
      for (const [key, value] of token.attributes) {
        if (value === XHTML && key.startsWith("xmlns:")) xhtml = `${key.slice(6)}:`;
      }
      const name = nameOf(token.name);
      if (!isXml && CLOSED_BY.get(parent.name)?.test(name)) open.pop();
      if (++count > MAX_ELEMENTS) throw new TooLong();
      const element = { name, attributes: token.attributes, children: [] };
      open[open.length - 1].children.push(element);
      const isOver = token.isEmpty || (!isXml && VOID.test(name));
      if (!isOver && open.length < maxDepth) open.push(element);
    } else {
      const name = nameOf(token.name);
      const at = open.findLastIndex((element) => element.name === name);
      if (at > 0) open.length = at;
    }
  }
  return root;
}

export function createElement(
  name: string,
  children: readonly MarkupNode[] = [],
  attributes: MarkupElement["attributes"] = NO_ATTRIBUTES,
): MarkupElement {
  return { name, attributes, children: [...children] };
}

/** Returns the text in an element, except scripts and styles. */
export function textOf({ name, children }: MarkupElement): string {
  let text = "";
  if (RAW.test(name)) return text;
  for (const child of children) text += typeof child === "string" ? child : textOf(child);
  return text;
}

function readAttributes(text: string): ReadonlyMap<string, string> {
  if (text === "") return NO_ATTRIBUTES;
  const attributes = new Map<string, string>();
  for (const [, name, double, single, plain] of text.matchAll(ATTRIBUTE)) {
    const key = name.toLowerCase();
    const value = unescapeText(escapeBackslashes(double ?? single ?? plain ?? ""));
    if (!attributes.has(key)) attributes.set(key, value);
  }
  return attributes;
}

// Escapes backslashes, which are plain characters in markup but not in Markdown.
function escapeBackslashes(text: string): string {
  return text.replaceAll("\\", "\\\\");
}
