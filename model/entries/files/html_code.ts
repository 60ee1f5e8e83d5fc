import type { MarkupElement } from "./markup.ts";

// What highlighters name the numbers of lines, which are no code.
const GUTTER =
  /(?:^|\s)(?:gutter|rouge-gutter|linenos?|linenodiv|line-?numbers?(?:-rows)?|lineno|lnt|blob-num\S*|hljs-ln-n\S*|code-line-number)(?=\s|$)/i;
const LANGUAGE = /(?:^|\s)(?:language|lang|highlight-source|brush:)[- ]?([\w+#.-]+)/i;
// Hexo's figures and Pandoc's code name the language alone.
const NAMED = /(?:^|\s)(?:highlight|sourceCode)\s+([\w+#.-]+)/;
const NO_LANGUAGE = /^(?:plain|plaintext|text|none|code|highlight|table|numberSource|source)$/i;
const LINE = /^(?:div|p|li|tr|dt|dd|h[1-6])$/;
const RAW = /^(?:script|style)$/;

/** Tells whether an element has the numbers of lines of code. */
export function isGutter({ attributes }: MarkupElement): boolean {
  const classes = attributes.get("class");
  return classes !== undefined && GUTTER.test(classes);
}

/** Returns the language of code that the classes of an element name; `undefined` if they name none. */
export function languageOf({ attributes }: MarkupElement): string | undefined {
  const classes = attributes.get("class") ?? "";
  const [, language] = LANGUAGE.exec(classes) ?? NAMED.exec(classes) ?? [];
  const named = language ?? attributes.get("data-lang") ?? attributes.get("lang");
  return named === undefined || NO_LANGUAGE.test(named) || !/^[\w+#.-]{1,30}$/.test(named)
    ? undefined
    : named;
}

/** Converts an element of code to a fenced block, with all of its lines; of what is too long, the start. */
export function codeBlockOf(
  element: MarkupElement,
  { language, maxLength }: { readonly language: string | undefined; readonly maxLength: number },
): string {
  const code = element.children.find((child): child is MarkupElement =>
    typeof child !== "string" && child.name === "code"
  );
  const named = languageOf(element) ?? (code && languageOf(code)) ?? language ?? "";
  const text = textOfCode(element, maxLength).replace(/\r\n?/g, "\n").replace(/^\n|\n$/g, "");
  const fence = "`".repeat(Math.max(2, longestTicks(text)) + 1);
  return `${fence}${named}\n${text}${text === "" ? "" : "\n"}${fence}`;
}

/** The text of code, with a line end where an element has one. */
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

/** The length of the longest row of backticks in a text. */
export function longestTicks(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0);
}
