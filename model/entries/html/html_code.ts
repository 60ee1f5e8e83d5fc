import type { MarkupElement, MarkupNode } from "./markup.ts";

// Classes that highlighters give to line numbers, which are not part of the code.
const GUTTER =
  /(?:^|\s)(?:gutter|rouge-gutter|linenos?|linenodiv|line-?numbers?(?:-rows)?|lineno|lnt|blob-num\S*|hljs-ln-n\S*|code-line-number)(?=\s|$)/i;
const LANGUAGE = /(?:^|\s)(?:language|lang|highlight-source|brush:)[- ]?([\w+#.-]+)/i;
// Hexo and Pandoc write the bare name of the language as a class.
const NAMED = /(?:^|\s)(?:highlight|sourceCode)\s+([\w+#.-]+)/;
const NO_LANGUAGE = /^(?:plain|plaintext|text|none|code|highlight|table|numberSource|source)$/i;
const LINE = /^(?:div|p|li|tr|dt|dd|h[1-6])$/;
const RAW = /^(?:script|style|svg)$/;
/** The labels of buttons above code. */
const COPY =
  /^(?:copy(?: code)?|copied!?|edit|run|wrap|download|expand|collapse|copier|kopieren)$/i;
const MAX_HEAD_LENGTH = 40;
const MAX_HEAD_TEXTS = 8;

/** Tells whether an element contains the line numbers of code. */
export function isGutter({ attributes }: MarkupElement): boolean {
  const classes = attributes.get("class");
  return classes !== undefined && GUTTER.test(classes);
}

/** Returns the language in the classes of an element; `undefined` if there is none. */
export function languageOf({ attributes }: MarkupElement): string | undefined {
  const classes = attributes.get("class") ?? "";
  const [, language] = LANGUAGE.exec(classes) ?? NAMED.exec(classes) ?? [];
  const named = language ?? attributes.get("data-lang") ?? attributes.get("lang");
  return named === undefined || NO_LANGUAGE.test(named) || !/^[\w+#.-]{1,30}$/.test(named)
    ? undefined
    : named;
}

/** Converts a code element to a fenced block, and cuts off the end of long code. */
export function codeBlockOf(
  element: MarkupElement,
  { language, maxLength }: { readonly language: string | undefined; readonly maxLength: number },
): string {
  const { code, head } = findCode(element);
  const named = languageOf(element) ?? (code && languageOf(code)) ?? head ?? language ?? "";
  const text = textOfCode(code ?? element, maxLength).replace(/\r\n?/g, "\n")
    .replace(/^\n|\n$/g, "");
  const fence = "`".repeat(Math.max(2, longestTicks(text)) + 1);
  return `${fence}${named}\n${text}${text === "" ? "" : "\n"}${fence}`;
}

/**
 * Finds the only code element in another element, and the language in the header above the code.
 * Chats and documentation put a header with a copy button into the block.
 */
function findCode(
  element: MarkupElement,
): { readonly code?: MarkupElement; readonly head?: string | undefined } {
  const codes = codesIn(element, []);
  const [code] = codes;
  if (codes.length !== 1 || element.name === "code") return {};
  const outside = textsOutside(element, code, []).map((text) => text.trim())
    .filter((text) => text !== "" && !COPY.test(text));
  if (outside.length > 1 || outside.some((text) => text.length > MAX_HEAD_LENGTH)) return {};
  // Text beside a code element with the same parent is probably unmarked code.
  const isBeside = outside.length > 0 && element.children.includes(code) &&
    element.children.some((child) => typeof child === "string" && child.trim() !== "");
  return isBeside ? {} : { code, head: outside.find(isLanguage)?.toLowerCase() };
}

function codesIn({ children }: MarkupElement, found: MarkupElement[]): readonly MarkupElement[] {
  for (const child of children) {
    if (found.length > 1) break;
    if (typeof child === "string") continue;
    if (child.name === "code") found.push(child);
    else codesIn(child, found);
  }
  return found;
}

/**
 * Returns the texts in an element outside of `code`; stops when there are too many for a header.
 */
function textsOutside(
  { children }: MarkupElement,
  code: MarkupElement | undefined,
  found: string[],
): readonly string[] {
  for (const child of children) {
    if (found.length > MAX_HEAD_TEXTS) break;
    if (child === code) continue;
    if (typeof child === "string") {
      if (child.trim() !== "") found.push(child);
    } else if (!RAW.test(child.name) && child.name !== "button") textsOutside(child, code, found);
  }
  return found;
}

/**
 * Returns the language named in the header of a code block. That is an element before the block
 * with a copy button. Returns an empty text if it names none, `undefined` for another element.
 */
export function headOfCode(
  element: MarkupElement,
  siblings: readonly MarkupNode[],
  index: number,
): { readonly language: string } | undefined {
  let at = index + 1;
  while (at < siblings.length && isBlank(siblings[at])) at++;
  const next = siblings[at];
  if (typeof next !== "object" || next.name !== "pre" || element.name === "pre") return undefined;
  const all = textsOutside(element, undefined, []).map((text) => text.trim());
  const texts = all.filter((text) => !COPY.test(text));
  const hasButton = all.length > texts.length || hasElement(element, "button");
  if (!hasButton || texts.length > 1 || !texts.every(isLanguage)) return undefined;
  return { language: texts.join("").toLowerCase() };
}

function isBlank(node: MarkupNode): boolean {
  return typeof node === "string" && node.trim() === "";
}

function hasElement({ children }: MarkupElement, name: string): boolean {
  return children.some((child) =>
    typeof child !== "string" && (child.name === name || hasElement(child, name))
  );
}

/** Tells whether a text can be the name of a language. */
function isLanguage(text: string): boolean {
  return /^[\w+#.-]{1,20}$/.test(text);
}

/** Returns the text of code, with line ends in place of elements that end a line. */
function textOfCode({ children }: MarkupElement, maxLength: number): string {
  let text = "";
  for (const child of children) {
    if (text.length > maxLength) break;
    if (typeof child === "string") text += child;
    else if (child.name === "br") text += "\n";
    else if (!RAW.test(child.name) && !isGutter(child)) {
      const isLine = LINE.test(child.name);
      if (isLine && text !== "" && !text.endsWith("\n")) text += "\n";
      text += textOfCode(child, maxLength);
      if (isLine && !text.endsWith("\n")) text += "\n";
    }
  }
  return text;
}

/** Returns the length of the longest run of backticks in a text. */
export function longestTicks(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0);
}
