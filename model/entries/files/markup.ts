import { unescapeText } from "../markdown/characters.ts";

/** A part of a text in HTML or XML. */
export type MarkupToken =
  | { readonly type: "text"; readonly text: string }
  | {
    readonly type: "start";
    readonly name: string;
    readonly attributes: ReadonlyMap<string, string>;
    readonly isEmpty: boolean;
  }
  | { readonly type: "end"; readonly name: string };

/** An element, and what is in it. */
export interface MarkupElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: (MarkupElement | string)[];
}

const TOKEN =
  /<!--[^]*?(?:-->|$)|<!\[CDATA\[([^]*?)(?:\]\]>|$)|<[!?][^>]{0,300}>|<(\/?)([a-z][a-z0-9:_-]*)((?:[\s/]+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>=`]+))?)*)\s*(\/?)>/gi;
const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>=`]+)))?/g;
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/;
const RAW = /^(?:script|style)$/;
// What ends an element that is open: `<li>` the one before.
const CLOSED_BY: Readonly<Record<string, RegExp>> = {
  p: /^(?:p|div|ul|ol|dl|pre|table|blockquote|h[1-6]|hr|section|article|details)$/,
  li: /^li$/,
  tr: /^tr$/,
  td: /^(?:td|th|tr)$/,
  th: /^(?:td|th|tr)$/,
  dt: /^d[td]$/,
  dd: /^d[td]$/,
};
const MAX_DEPTH = 200;
const TOKENS_AT_ONCE = 200;

/** Splits a text in HTML or XML; what is no tag, comment or declaration is text. */
export function* tokenizeMarkup(markup: string): Generator<MarkupToken> {
  let end = 0;
  for (const match of markup.matchAll(TOKEN)) {
    const [written, cdata, slash, tag, attributes = "", isEmpty] = match;
    if (match.index > end) {
      yield { type: "text", text: unescapeText(escapeBackslashes(markup.slice(end, match.index))) };
    }
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
  if (end < markup.length) {
    yield { type: "text", text: unescapeText(escapeBackslashes(markup.slice(end))) };
  }
}

/** How a text in HTML or XML is read. */
export interface MarkupOptions {
  readonly isXml: boolean;
  /** How deep elements are nested; what is deeper stands beside what it is in. Default: 200. */
  readonly maxDepth?: number;
}

/** Reads HTML, however it is written, or XML. */
export function parseMarkup(markup: string, options: MarkupOptions): MarkupElement {
  const work = readMarkup(markup, options);
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** Does the same, with pauses. */
export function* readMarkup(
  markup: string,
  { isXml, maxDepth = MAX_DEPTH }: MarkupOptions,
): Generator<void, MarkupElement> {
  const root: MarkupElement = { name: "", attributes: new Map(), children: [] };
  const open: MarkupElement[] = [root];
  let count = 0;
  for (const token of tokenizeMarkup(markup)) {
    if (++count % TOKENS_AT_ONCE === 0) yield;
    const parent = open[open.length - 1];
    if (token.type === "text") parent.children.push(token.text);
    else if (token.type === "start") {
      const name = isXml ? token.name : token.name.toLowerCase();
      if (!isXml && CLOSED_BY[parent.name]?.test(name)) open.pop();
      const element = { name, attributes: token.attributes, children: [] };
      open[open.length - 1].children.push(element);
      const isOver = token.isEmpty || (!isXml && VOID.test(name));
      if (!isOver && open.length < maxDepth) open.push(element);
    } else {
      const name = isXml ? token.name : token.name.toLowerCase();
      const at = open.findLastIndex((element) => element.name === name);
      if (at > 0) open.length = at;
    }
  }
  return root;
}

/** The text in an element, without that of scripts and styles. */
export function textOf({ name, children }: MarkupElement): string {
  if (RAW.test(name)) return "";
  return children.map((child) => typeof child === "string" ? child : textOf(child)).join("");
}

function readAttributes(text: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name, double, single, plain] of text.matchAll(ATTRIBUTE)) {
    const key = name.toLowerCase();
    const value = unescapeText(escapeBackslashes(double ?? single ?? plain ?? ""));
    if (!attributes.has(key)) attributes.set(key, value);
  }
  return attributes;
}

// They escape in Markdown alone.
function escapeBackslashes(text: string): string {
  return text.replaceAll("\\", "\\\\");
}
